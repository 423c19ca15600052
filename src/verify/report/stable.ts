import type { Json } from '../../export/json.ts';
import type { Answer } from '../target/exchange.ts';
import { isExchange, type OperatorAct, operatorText, type ReportedStep } from './report.ts';
import { type NamedValue, valuesOf } from './values.ts';

/** The forms of values that an implementation makes anew in each run, and their names in the report. */
const FORMS: ReadonlyArray<readonly [name: string, form: RegExp]> = [
  ['uuid', /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i],
  ['time', /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/],
  ['time', /(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/],
  ['port', /(?<=(?:127\.0\.0\.1|\[::1\]|localhost):)\d{2,5}/],
  ['token', /[\w-]{24,}(?:\.[\w-]{8,})*/],
];

const ANY_FORM = new RegExp(FORMS.map(([, form], i) => `(?<f${i}>${form.source})`).join('|'), 'gi');

/** Words are a name, such as a code or that of a header, and no token. */
const NAME = /^(?:[A-Z]?[a-z]+|[A-Z]+)(?:[_-](?:[A-Z]?[a-z]+|[A-Z]+))*$/;

/** A long word of so few different characters is no token: a value at its bound is written so. */
const FEWEST_CHARACTERS = 8;

/**
 * The texts of one break, equal in each run with the same seed: values that the implementation or the operator makes
 * anew are replaced by their name, as `{id}`, or by their form and a number, as `{uuid 1}`.
 */
export class StableTexts {
  readonly values: readonly NamedValue[];
  private readonly sorted: readonly NamedValue[];
  private readonly numbers = new Map<string, string>();
  private readonly counts = new Map<string, number>();

  constructor(sequence: readonly ReportedStep[]) {
    this.values = valuesOf(sequence);
    this.sorted = [...this.values].sort((a, b) => b.value.length - a.value.length);
    // Numbers follow the order of the values in the sequence, whatever text is shown first.
    for (const act of sequence) if (isExchange(act) && !('failed' in act.outcome)) this.text(bodyText(act.outcome));
  }

  /** The values that a text shows by a name and a number, such as `uuid 1`, with their values in this run. */
  numberedIn(text: string): Array<readonly [name: string, value: string]> {
    const told = this.text(text);
    return [...this.numbers].flatMap(([value, name]) => (told.includes(name) ? [[name, value] as const] : []));
  }

  /** Shows a text with stable names. Unpaired surrogates, which XML and strict JSON do not allow, are replaced. */
  text(text: string): string {
    return this.named(text.toWellFormed());
  }

  /** An operator's command for a shell. The values of fields are literal, or variables that hold them. */
  operatorText({ fields, ...act }: OperatorAct): string {
    if (!fields) return this.text(act.operator);
    const shown = operatorText({ ...act, fields: Object.fromEntries(Object.entries(fields).map(shortened)) });
    const variables = this.sorted.reduce((text, { value, name }) => text.replaceAll(value, `$${name}`), shown);
    return variables.toWellFormed();
  }

  private named(text: string): string {
    const [first] = this.sorted.filter((one) => text.includes(one.value));
    if (first)
      return text
        .split(first.value)
        .map((part) => this.named(part))
        .join(`{${first.name}}`);
    return text.replace(ANY_FORM, (found: string, ...rest: unknown[]) => {
      const groups = rest.at(-1) as Readonly<Record<string, string | undefined>>;
      const at = FORMS.findIndex((_, i) => groups[`f${i}`] !== undefined);
      const form = FORMS[at]?.[0] ?? 'token';
      const isName = form === 'token' && (new Set(found).size < FEWEST_CHARACTERS || NAME.test(found));
      return isName ? found : this.numbered(form, found);
    });
  }

  private numbered(form: string, found: string): string {
    const known = this.numbers.get(found);
    if (known) return known;
    const number = (this.counts.get(form) ?? 0) + 1;
    this.counts.set(form, number);
    const name = `{${form} ${number}}`;
    this.numbers.set(found, name);
    return name;
  }
}

/** The longest value of a field that a comment quotes, in characters; the JSON of a report holds it whole. */
const LONGEST_VALUE = 300;

const shortened = ([name, value]: readonly [string, Json]): readonly [string, Json] =>
  typeof value === 'string' && value.length > LONGEST_VALUE
    ? [name, `${value.slice(0, LONGEST_VALUE)}… (${value.length} characters)`]
    : [name, value];

/** The longest body that a report quotes, in characters. */
const LONGEST_BODY = 2000;

/** The body of an answer as text, cut where it is long. */
export function bodyText({ body }: Answer): string {
  const text = body.subarray(0, LONGEST_BODY * 4).toString('utf8');
  return text.length > LONGEST_BODY ? `${text.slice(0, LONGEST_BODY)}… (${body.length} bytes)` : text;
}
