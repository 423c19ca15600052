/**
 * The characters that CSV quotes (RFC 4180, section 2), those at which some spreadsheets separate cells, too, and spaces
 * at the ends, which some readers would drop.
 */
const QUOTED = /[",;\t\r\n]|^ | $/;

/**
 * The beginnings by which spreadsheets take a cell for a formula (OWASP, CSV injection): also in their full width, and
 * after white space and invisible characters, which some spreadsheets drop.
 */
const FORMULA = /^(?:[\s\p{Cc}\p{Cf}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|[\t\r\n\uFEFF])/u;

/** A number, which is no formula. */
const NUMBER = /^-[0-9]+(?:\.[0-9]+)?$/;

/** Makes the text of a cell one that no spreadsheet computes: an apostrophe before it marks it as text. */
export const withoutFormula = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

/** The text of a cell: null is empty, text is as it is, and every other value has its JSON. */
export function cellText(json: string | null): string | null {
  if (json === null || json === 'null') return null;
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

/** Writes a record. Null cells are empty; empty text is quoted, and so is a record's only cell when it is empty. */
export function csvRecord(cells: ReadonlyArray<string | null>): string {
  let out = '';
  for (const [i, cell] of cells.entries()) {
    if (i > 0) out += ',';
    if (cell === null) out += cells.length === 1 ? '""' : '';
    else if (cell === '') out += '""';
    else out += QUOTED.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  }
  return `${out}\r\n`;
}

/** Parses CSV strictly (RFC 4180): each record ends with CRLF. Returns the records, or the reason why it is none. */
export function parseCsv(text: string): string[][] | string {
  const records: string[][] = [];
  const cell = /"((?:[^"]|"")*)"|([^",\r\n]*)/y;
  let record: string[] = [];
  for (let at = 0; at < text.length || record.length > 0; ) {
    cell.lastIndex = at;
    const [whole = '', quoted, plain = ''] = cell.exec(text) ?? [];
    record.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    at += whole.length;
    if (text[at] === ',') {
      at += 1;
      continue;
    }
    if (!text.startsWith('\r\n', at)) return 'a record of CSV does not end with CRLF';
    records.push(record);
    record = [];
    at += 2;
  }
  return records;
}
