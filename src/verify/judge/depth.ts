/** The deepest nesting that is examined: no value that a document describes is nested as deeply. */
const DEEPEST = 500;

/** Whether a value is nested so deeply that a recursive function would exhaust the stack. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth < DEEPEST; depth++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether JSON text is nested too deeply, before it is parsed: a million levels would take hundreds of megabytes. */
export function isTextTooDeep(json: Buffer): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at);
    // Brackets and braces count alike: the text is valid only if they match, which the parser checks later.
    else if ((byte === 0x5b || byte === 0x7b) && ++depth > DEEPEST) return true;
    else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
  return false;
}

/** The end of a string that begins at an index. */
function endOfString(json: Buffer, from: number): number {
  for (let at = json.indexOf(QUOTE, from + 1); at >= 0; at = json.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (json[at - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return json.length;
}
