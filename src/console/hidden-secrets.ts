/** The fewest characters of a secret: a shorter one is in many texts that do not repeat it. */
const LEAST = 4;

/** Hides secrets in a text. `isCut`: the text goes on, so that a secret at its end may be there in part. */
export type Hide = (text: string, isCut?: boolean) => string;

/**
 * Returns a function that puts `…` in the place of each of these secrets in a text, also where JSON or a URL escapes its
 * characters, with hexadecimal digits of either case.
 */
export function hidingOf(secrets: readonly string[]): Hide {
  const all = secrets.filter((one) => one.length >= LEAST);
  const forms = new Set(all.flatMap((one) => [one, ...jsonForms(one), ...urlForms(one)]));
  // The longest first: a part of a secret may be another one.
  const sorted = [...forms].sort((a, b) => b.length - a.length);
  return (text, isCut = false) => {
    const hidden = sorted.reduce((left, form) => left.replaceAll(form, '…'), text);
    const begun = isCut ? Math.max(0, ...sorted.map((form) => begunAtEnd(hidden, form))) : 0;
    return begun > 0 ? `${hidden.slice(0, -begun)}…` : hidden;
  };
}

/** How many characters at the end of a text are the beginning of a secret. */
function begunAtEnd(text: string, secret: string): number {
  for (let length = Math.min(text.length, secret.length - 1); length >= LEAST; length--)
    if (text.endsWith(secret.slice(0, length))) return length;
  return 0;
}

/** The text of a string in JSON, with or without a backslash before a slash, and with other characters than ASCII escaped. */
function jsonForms(text: string): string[] {
  const plain = JSON.stringify(text).slice(1, -1);
  const ascii = plain.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const upper = ascii.replace(/(?<=\\u)[\da-f]{4}/g, (digits) => digits.toUpperCase());
  return [plain, ascii, upper].flatMap((one) => [one, one.replaceAll('/', '\\/')]);
}

/** The text in a URL, and in a form. */
function urlForms(text: string): string[] {
  const whole = new URLSearchParams([['', text]]).toString().slice(1);
  const forms = [whole, whole.replaceAll('+', '%20'), encodeURIComponent(text.toWellFormed())];
  return forms.flatMap((one) => [one, one.replace(/%../g, (escaped) => escaped.toLowerCase())]);
}
