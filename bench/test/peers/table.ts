/** What a tool said of a service: with a fault, or without one. */
export interface Line {
  readonly tool: string;
  readonly peer: string;
  /** The fault’s id. */
  readonly what: string;
  /** The fault’s kind; null where there is no fault. */
  readonly kind: string | null;
  readonly complaints: Readonly<Record<string, string>>;
  readonly ms: number;
}

/** Complaints with a fault that the tool does not have without one. */
export function findingsOf(line: Line, lines: readonly Line[]): string[] {
  const without = lines.filter(({ tool, peer, kind }) => tool === line.tool && peer === line.peer && kind === null);
  const usual = new Set(without.flatMap(({ complaints }) => Object.keys(complaints)));
  return Object.keys(line.complaints).filter((name) => !usual.has(name));
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** A table in Markdown: how many faults of each kind each tool has found. */
export function table(lines: readonly Line[]): string {
  const tools = [...new Set(lines.map(({ tool }) => tool))];
  const tried = lines.filter(({ kind, complaints }) => kind !== null && !('the run failed' in complaints));
  const kinds = [...new Set(tried.flatMap(({ kind }) => kind ?? []))].sort();
  const cell = (of: readonly Line[]): string =>
    of.length ? `${of.filter((one) => findingsOf(one, lines).length > 0).length} of ${of.length}` : '-';
  const cells = (some: (line: Line) => boolean): string[] =>
    tools.map((tool) => cell(tried.filter((one) => one.tool === tool && some(one))));
  const plain = lines.filter(({ kind }) => kind === null);
  const usual = tools.map((tool) => {
    const own = plain.filter((one) => one.tool === tool);
    return String(Math.max(0, ...own.map(({ complaints }) => Object.keys(complaints).length)));
  });
  const failed = lines.length - tried.length - plain.length;
  return [
    row(['Kind of fault', ...tools]),
    row(['---', ...tools.map(() => '---')]),
    ...kinds.map((kind) => row([kind, ...cells((one) => one.kind === kind)])),
    row(['all', ...cells(() => true)]),
    row(['complaints without a fault, at most', ...usual]),
    '',
    `Runs that failed: ${failed}.`,
  ].join('\n');
}
