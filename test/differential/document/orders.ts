import type { Random } from '../../../src/verify/requests/random.ts';
import type { Derived, Field, Resource } from './draft.ts';

type Key = Field | Derived;

const hasOrder = ({ typed }: Key): boolean => ['string', 'integer', 'timestamp'].includes(typed.kind);

/** The fields that rows can be ordered by. Those that the condition names may be the same in all rows, or never null. */
const sortableIn = (resource: Resource, where: string): Field[] =>
  resource.fields.filter((field) => hasOrder(field) && !new RegExp(`\\b${field.name}\\b`).test(where));

/** Whether keys after these could decide nothing: a unique rule may make sure that no two rows are equal in them. */
const mayBeUnique = (resource: Resource, key: Key): boolean =>
  resource.bullets.some((bullet) => bullet.includes('Unique:')) || ('unique' in key && key.unique !== 'no');

const nullsOf = (random: Random, { typed }: Key): string =>
  typed.nullable ? ` nulls ${random.pick(['first', 'last'])}` : '';

const keyText = (random: Random, key: Key): string =>
  `${random.pick(['latest', 'earliest'])} \`${key.name}\`${nullsOf(random, key) || ' first'}`;

/** Keys after the first; none after one that may be unique. */
function furtherKeys(random: Random, resource: Resource, first: Key, where: string): Field[] {
  const out: Field[] = [];
  for (let last = first; random.chance(0.45) && !mayBeUnique(resource, last); last = out.at(-1)!) {
    const others = sortableIn(resource, where).filter((one) => one.name !== first.name && !out.includes(one));
    if (others.length === 0) break;
    out.push(random.pick(others));
  }
  return out;
}

/** An order in fixed words, of one key or several. */
export function orderOf(random: Random, resource: Resource, where: string): string {
  const sortable = sortableIn(resource, where);
  const first = random.pick(sortable.length > 0 ? sortable : [resource.identity]);
  const keys = [first, ...(where.includes('==') ? [] : furtherKeys(random, resource, first, where))];
  return keys.map((key) => keyText(random, key)).join(', then ');
}

/** Names that a request chooses among, and the keys of each, of which the direction of the request turns the first. */
export function sortOf(random: Random, resource: Resource, where: string): { names: string[]; text: string } {
  const derived = resource.derived.filter(
    (one) => one.typed.kind === 'integer' && !new RegExp(`\\b${one.name}\\b`).test(where),
  );
  const sortable = sortableIn(resource, where);
  const first = random.some([...(sortable.length > 0 ? sortable : [resource.identity]), ...derived], random.int(1, 3));
  const named = first.map((key, i) => {
    const further = where.includes('==') ? [] : furtherKeys(random, resource, key, where);
    const then = further.map((one) =>
      random.chance(0.5) ? keyText(random, one) : `\`${one.name}\`${nullsOf(random, one)}`,
    );
    return { name: `by${i}`, text: [`\`${key.name}\`${nullsOf(random, key)}`, ...then].join(' then ') };
  });
  return {
    names: named.map(({ name }) => name),
    text: named.map(({ name, text }) => `${name} by ${text}`).join(', '),
  };
}
