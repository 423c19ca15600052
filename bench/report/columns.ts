/** Rows of cells as text in columns: the first to the left, the others to the right. */
export function aligned(rows: ReadonlyArray<readonly string[]>): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows
    .map((row) => row.map((text, i) => (i === 0 ? text.padEnd(widths[i]!) : text.padStart(widths[i]!))).join('  '))
    .map((line) => `  ${line.trimEnd()}`)
    .join('\n');
}
