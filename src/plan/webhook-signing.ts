/** A header of deliveries. Values replace `{id}`, `{type}`, `{seconds}`, `{timestamp}` and `{signature}`. */
export interface DeliveryHeader {
  readonly name: string;
  readonly value: string;
}

/** A signature of deliveries in a form of the document, which is another than that of Standard Webhooks. */
export interface SigningPlan {
  /** The signed text. Values replace `{id}`, `{seconds}` and `{body}`. */
  readonly content: string;
  readonly encoding: SignatureEncoding;
  /** The header with the signature. */
  readonly header: DeliveryHeader;
  readonly others: readonly DeliveryHeader[];
  /**
   * Which secret signs while two are valid; or the text between their signatures, where both sign. Null for receivers
   * that are rows, which have one secret.
   */
  readonly rotation: 'new' | 'old' | { readonly between: string } | null;
}

/** The header that a text states, as `X-Delivery: {id}`; null for another text. */
export function headerIn(text: string): DeliveryHeader | null {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}): (\S(?:.*\S)?)$/.exec(text) ?? [];
  return name === undefined || value === undefined ? null : { name, value };
}

type SignatureEncoding = 'hexadecimal' | 'base64';

/** All headers of a signature in a form of the document. */
export const deliveryHeaders = ({ header, others }: SigningPlan): readonly DeliveryHeader[] => [header, ...others];

/** The forms of values as regular expressions, for texts that have them in place of their names. */
const FORMS = {
  id: '[^.]+',
  type: '.+',
  seconds: '\\d+',
  timestamp: '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z',
} as const;

const SIGNATURES: Readonly<Record<SignatureEncoding, string>> = {
  hexadecimal: '[0-9a-f]{64}',
  base64: '[A-Za-z0-9+/]{43}=',
};

/** The names in braces of a text, in their order. */
export const namesIn = (text: string): string[] => [...text.matchAll(NAME)].map(([, name = '']) => name);

const NAME = /\{([^{}]*)\}/g;

/** A text with values in place of the names in braces. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(NAME, (whole, name: string) => values[name] ?? whole);

/** A regular expression that the value of a header matches; its groups have the names of the values. */
export function patternOf({ value }: DeliveryHeader, { encoding, rotation }: SigningPlan): string {
  const one = SIGNATURES[encoding];
  const signature =
    rotation === null || typeof rotation === 'string' ? one : `${one}(?:${literal(rotation.between)}${one})?`;
  const forms: Readonly<Record<string, string>> = { ...FORMS, signature };
  const parts = value
    .split(NAME)
    .map((part, i) => (i % 2 === 0 ? literal(part) : `(?<${part}>${forms[part] ?? '.*'})`));
  return `^${parts.join('')}$`;
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** The form in words. */
export function signingText({ content, encoding, header, others, rotation }: SigningPlan): string {
  const line = ({ name, value }: DeliveryHeader): string => `${name}: ${value}`;
  const more = others.length > 0 ? `; also ${others.map(line).join(', ')}` : '';
  return `HMAC-SHA256 of ${content} in ${encoding}, in ${line(header)}${more}${rotationText(rotation)}`;
}

function rotationText(rotation: SigningPlan['rotation']): string {
  if (rotation === null) return '';
  if (typeof rotation === 'string') return `; of two secrets the ${rotation} one signs`;
  return `; two secrets sign, with “${rotation.between}” between them`;
}
