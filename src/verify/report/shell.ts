/** A piece of a shell word: literal bytes, or a variable by its name. */
export type Piece = Buffer | { readonly variable: string };

/** Text that every shell reads the same way within any quotes: printable ASCII. */
const PRINTABLE = /^[\x20-\x7e]*$/;

/** Characters with a meaning between double quotes. `!` expands the history of an interactive shell. */
const ACTIVE = /["$`\\!]/;

/**
 * A word that a POSIX shell reads as these pieces. Bytes that are not printable ASCII are written by `printf`, so that
 * the pasted command sends the same bytes, and nothing acts on a terminal. With `lines`, line ends and UTF-8 are kept.
 */
export function shellWord(pieces: readonly Piece[], lines = false): string {
  const parts = joined(pieces);
  if (parts.length === 0) return "''";
  if (parts.some(isVariable) && parts.every((one) => isVariable(one) || isPlain(one)))
    return `"${parts.map((one, i) => (isVariable(one) ? reference(one.variable, parts[i + 1]) : one.toString('latin1'))).join('')}"`;
  return parts.map((one) => (isVariable(one) ? `"$${one.variable}"` : quoted(one, lines))).join('');
}

/** A variable between double quotes, in braces where what follows could be read as part of its name. */
function reference(name: string, next: Piece | undefined): string {
  const goes = next !== undefined && !isVariable(next) && /^[\w[]/.test(next.toString('latin1'));
  return goes ? `\${${name}}` : `$${name}`;
}

/** Neighbouring bytes are one piece; empty ones are left out. */
function joined(pieces: readonly Piece[]): Piece[] {
  const out: Piece[] = [];
  for (const one of pieces) {
    const last = out.at(-1);
    if (isVariable(one)) out.push(one);
    else if (one.length > 0 && last && !isVariable(last)) out[out.length - 1] = Buffer.concat([last, one]);
    else if (one.length > 0) out.push(one);
  }
  return out;
}

const isVariable = (one: Piece): one is { readonly variable: string } => 'variable' in one;

const isPlain = (bytes: Buffer): boolean =>
  PRINTABLE.test(bytes.toString('latin1')) && !ACTIVE.test(bytes.toString('latin1'));

/**
 * Whether bytes can be written between single quotes: printable ASCII; with `lines`, also line ends and visible UTF-8.
 */
export function showsAsText(bytes: Buffer, lines: boolean): boolean {
  if (PRINTABLE.test(bytes.toString('latin1'))) return true;
  if (!lines) return false;
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) && !/[^\n\P{C}]|[\u2028\u2029]/u.test(text);
}

function quoted(bytes: Buffer, lines: boolean): string {
  if (showsAsText(bytes, lines)) return singleQuoted(bytes.toString('utf8'));
  // A command substitution drops line ends at its end and U+0000, which no word of a request can contain.
  return `"$(printf '${printfFormat(bytes)}')"`;
}

/** Between single quotes nothing has a meaning but the quote itself. */
const singleQuoted = (text: string): string =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** A format of `printf` that writes these bytes: octal wherever a byte is not printable ASCII or has a meaning. */
function printfFormat(bytes: Buffer): string {
  let out = '';
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    // A word that begins with `-` would be read as an option.
    const first = out === '' && character === '-';
    if (first || byte < 0x20 || byte > 0x7e || "'\\%".includes(character))
      out += `\\${byte.toString(8).padStart(3, '0')}`;
    else out += character;
  }
  return out;
}

/** The number of equal characters in a row from which a repetition is written instead. */
const RUN_LENGTH = 100;

/**
 * A shell command that writes any bytes to its output. A character that occurs many times in a row, such as in a value
 * at its bound, is written as a repetition.
 */
export function writeCommand(pieces: readonly Piece[]): string {
  const commands = joined(pieces).flatMap((one) =>
    isVariable(one) ? [`printf %s "$${one.variable}"`] : runsOf(one).map(runCommand),
  );
  return commands.length === 1 ? (commands[0] ?? '') : `{ ${commands.join('; ')}; }`;
}

/** Splits bytes before and after each long run of one character. */
export function runsOf(bytes: Buffer): Buffer[] {
  const out: Buffer[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length; ) {
    const end = endOfRun(bytes, at);
    if (end - at >= RUN_LENGTH) {
      if (at > from) out.push(bytes.subarray(from, at));
      out.push(bytes.subarray(at, end));
      from = end;
    }
    at = end;
  }
  if (from < bytes.length || out.length === 0) out.push(bytes.subarray(from));
  return out;
}

/** The end of a run of one character. */
function endOfRun(bytes: Buffer, at: number): number {
  const unit = bytes.subarray(at, at + lengthOf(bytes, at));
  let end = at + unit.length;
  while (end + unit.length <= bytes.length && bytes.compare(unit, 0, unit.length, end, end + unit.length) === 0)
    end += unit.length;
  return end;
}

/** The bytes of the character that begins at a place, by its first byte (RFC 3629, section 3); 1 where none does. */
function lengthOf(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  const length = first < 0xc2 || first > 0xf4 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return at + length <= bytes.length ? length : 1;
}

function runCommand(bytes: Buffer): string {
  const unit = bytes.subarray(0, lengthOf(bytes, 0));
  const isRun = bytes.length >= RUN_LENGTH && endOfRun(bytes, 0) === bytes.length;
  if (!isRun) return `printf '${printfFormat(bytes)}'`;
  if (unit.length > 1) return `for i in $(seq ${bytes.length / unit.length}); do printf '${printfFormat(unit)}'; done`;
  return `head -c ${bytes.length} /dev/zero | tr '\\0' '${printfFormat(unit)}'`;
}
