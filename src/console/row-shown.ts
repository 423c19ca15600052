import type { Row } from '../expression/values/value.ts';
import { shownToOperator } from '../runtime/operator-values.ts';
import type { Resource } from '../runtime/resources/rules.ts';
import type { Json, RowShown } from './protocol.ts';

/** The most characters of a value in a list. */
const MOST_SHOWN = 200;

/** A row in a list, with long values truncated. */
export function rowInList(resource: Resource, row: Row): RowShown {
  const whole = rowShown(resource, shownToOperator(resource, row));
  const short = Object.entries(whole.values).map(([name, value]) => [name, shortOf(value)] as const);
  const shortened = short.flatMap(([name, value]) => (value === whole.values[name] ? [] : [name]));
  return { ...whole, values: Object.fromEntries(short), shortened };
}

/** A row in the form of the operator's commands. Names with a leading space are internal fields. */
export function rowShown({ plan }: Resource, values: Readonly<Record<string, unknown>>): RowShown {
  const fields = Object.entries(values).filter(([name]) => !name.startsWith(' '));
  return {
    id: String(values[plan.identity]),
    values: Object.fromEntries(fields) as Readonly<Record<string, Json>>,
    shortened: [],
  };
}

/** Truncates a long text, or the JSON of a long list or map. */
function shortOf(value: Json): Json {
  const text = typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : '';
  return text.length <= MOST_SHOWN ? value : text.slice(0, MOST_SHOWN).toWellFormed();
}
