/** A number with its noun. */
export function counted(count: number, noun: string): string {
  const nouns = /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${grouped(count)} ${count === 1 ? noun : nouns}`;
}

/** A whole number with thin spaces between thousands. */
export function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/** The last segment of a path. */
export function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** Formats an instant in a short form; the `title` of its element has the full one. */
export function shortInstant(instant: string): string {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return instant;
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** Formats a duration in the largest suitable unit. */
export function shortTime(milliseconds: number): string {
  // Clocks and histograms of the service are no finer.
  if (milliseconds < 1) return 'under 1 ms';
  if (milliseconds < 1000) return `${milliseconds.toFixed(0)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  if (milliseconds < 3_600_000) return `${Math.round(milliseconds / 60_000)} min`;
  return `${Math.round(milliseconds / 3_600_000)} h`;
}

/** Formats a number of bytes in the largest suitable unit. */
export function shortBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(0)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
}

/** An identity in a list: of a UUID, whose beginnings are alike, the beginning and the end. */
export function shortIdentity(id: string): string {
  return id.length === 36 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id;
}
