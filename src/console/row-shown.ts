import type { Row } from '../expression/values/value.ts';
import { shownToOperator } from '../runtime/operator-values.ts';
import type { Resource } from '../runtime/resources/rules.ts';
import type { Json, RowShown } from './protocol.ts';

/** How many characters of a value a list shows. */
const MOST_SHOWN = 200;

/** A row as the page gets it; `briefly`: of what is long, only how it begins. */
export function rowShown(resource: Resource, row: Row, briefly: boolean): RowShown {
  const shortened: string[] = [];
  const values = Object.entries(shownToOperator(resource, row)).map(([name, value]): [string, Json] => {
    if (!briefly) return [name, value as Json];
    const short = shortOf(value as Json);
    if (short !== value) shortened.push(name);
    return [name, short];
  });
  return { id: String(row[resource.identity]), values: Object.fromEntries(values), shortened };
}

/** The same value, or the beginning of it: of a list or a map, of its JSON. */
function shortOf(value: Json): Json {
  const text = typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : '';
  return text.length <= MOST_SHOWN ? value : text.slice(0, MOST_SHOWN).toWellFormed();
}
