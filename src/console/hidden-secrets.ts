/** The fewest characters of a secret: a shorter one is in many texts that do not repeat it. */
const LEAST = 4;

/**
 * Returns a function that puts `…` in the place of each of these secrets in a text, also where JSON or a URL escapes its
 * characters, with hexadecimal digits of either case.
 */
export function hidingOf(secrets: readonly string[]): (text: string) => string {
  const all = secrets.filter((one) => one.length >= LEAST);
  const forms = new Set(all.flatMap((one) => [one, ...jsonForms(one), ...urlForms(one)]));
  // The longest first: a part of a secret may be another one.
  const sorted = [...forms].sort((a, b) => b.length - a.length);
  return (text) => sorted.reduce((left, form) => left.replaceAll(form, '…'), text);
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
