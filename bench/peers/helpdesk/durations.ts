/** A duration in days and smaller units (ISO 8601). */
export const DURATION_FORM = /^P(?=.)(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;

/** The seconds of a duration such as PT4H. */
export function secondsOf(duration: string): number {
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = DURATION_FORM.exec(duration) ?? [];
  return Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

const UNITS = [
  [86_400, 'D'],
  [3600, 'H'],
  [60, 'M'],
  [1, 'S'],
] as const;

/** The shortest text of a duration of at least a second. */
export function durationOf(seconds: number): string {
  let rest = seconds;
  const parts = UNITS.map(([length, unit]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count ? `${count}${unit}` : '';
  });
  const time = parts.slice(1).join('');
  return `P${parts[0]}${time && `T${time}`}`;
}
