import type { EndpointContract } from '../../contract/endpoint.ts';
import type { ContractType, ObjectContract } from '../../contract/types.ts';
import type { PageValue } from '../../plan/limits.ts';
import { access, isInherited, key, ownOf, quote } from './words.ts';

/** What is known of the pages of an endpoint. */
export interface Paging {
  readonly endpoint: EndpointContract;
  /** The payload; null where it is the rows alone. */
  readonly payload: ObjectContract | null;
  /** The member of a row that tells it from others, where rows show it. */
  readonly identity: { readonly name: string; readonly integer: boolean } | null;
  /** Whether every caller can read the header Link. */
  readonly linked: boolean;
}

const nameOf = ({ endpoint }: Paging, value: PageValue): string | null =>
  endpoint.page?.payload?.find((one) => one.value === value)?.name ?? null;

/** The rows of a page. */
export function rowsOf(paging: Paging, page: string): string {
  const name = nameOf(paging, 'items');
  return name === null ? page : access(page, name);
}

/**
 * The function that says what of a query is another for the next page, by what the page tells of it; null where nothing
 * tells. Whether one of its kind needs the header Link is said by `needsLink`.
 */
export function nextOf(paging: Paging): string | null {
  const { page } = paging.endpoint;
  if (!page) return null;
  const place = key(page.place);
  const next = nameOf(paging, 'next');
  if (next !== null) {
    const member = paging.payload?.members.find((one) => one.name === next);
    const value = access('page', next);
    const maybe = ownOf('page', next);
    const query = `{ ${place}: ${placed(paging, value, member?.type.kind === 'integer')} }`;
    return `(page) => (${maybe} === ${member?.nullable ? 'null' : 'undefined'} ? undefined : ${query})`;
  }
  if (needsLink(paging)) {
    const number = isInteger(placeType(paging)) ? 'Number(next)' : 'next';
    return `(_page, _query, headers) => {
  const next = nextLink(headers, ${quote(page.place)});
  return next === undefined ? undefined : { ${place}: ${number} };
}`;
  }
  return page.by === 'cursor' ? null : computed(paging);
}

/** Whether the next page is told by the header Link alone. */
export function needsLink(paging: Paging): boolean {
  const { page } = paging.endpoint;
  if (!page?.links.includes('next') || nameOf(paging, 'next') !== null) return false;
  return paging.linked || page.by === 'cursor';
}

const isInteger = (type: ContractType | undefined): boolean => type?.kind === 'integer';

const placeType = ({ endpoint }: Paging): ContractType | undefined =>
  endpoint.parameters.find((one) => one.role === 'page place')?.type;

/** A value as the parameter of the place takes it. */
const placed = (paging: Paging, value: string, integer: boolean): string =>
  integer && !isInteger(placeType(paging)) ? `String(${value})` : value;

/** The place of the next page, from that of this one and its rows. */
function computed(paging: Paging): string | null {
  const { page } = paging.endpoint;
  if (!page) return null;
  const rows = rowsOf(paging, 'page');
  const current = ownOf('query', page.place);
  const [more, total, pages] = (['more', 'total', 'pages'] as const).map((one) => nameOf(paging, one));
  const size = `${ownOf('query', page.size.parameter)} ?? ${page.size.standard}`;
  const most = page.size.beyond === 'refused' ? size : `Math.min(${size}, ${page.size.most})`;
  const declared = [`const size = ${most};`];
  const full = `${rows}.length >= size`;
  const place = key(page.place);
  if (page.by === 'offset') {
    const offset = isInherited(page.place)
      ? [`const before = ${current} ?? 0;`, `const offset = before + ${rows}.length;`]
      : [`const offset = (${current} ?? 0) + ${rows}.length;`];
    const rest = total && `${rows}.length > 0 && offset < ${access('page', total)}`;
    const goes = more ? access('page', more) : (rest ?? full);
    const next = page.place === 'offset' ? '{ offset }' : `{ ${place}: offset }`;
    return block(['page', 'query'], [...(goes === full ? declared : []), ...offset], goes, next);
  }
  if (page.by === 'number') {
    const number = `const number = ${current} ?? 1;`;
    const goes = more ? access('page', more) : pages ? `number < ${access('page', pages)}` : full;
    return block(['page', 'query'], [...(goes === full ? declared : []), number], goes, `{ ${place}: number + 1 }`);
  }
  if (paging.identity === null) return null;
  const goes = more ? access('page', more) : full;
  const id = placed(paging, access('last', paging.identity.name), paging.identity.integer);
  const parameters = goes === full ? ['page', 'query'] : ['page'];
  const before = [...(goes === full ? declared : []), `const last = ${rows}.at(-1);`];
  return block(parameters, before, `last !== undefined && ${goes}`, `{ ${place}: ${id} }`);
}

const block = (given: readonly string[], before: readonly string[], goes: string, next: string): string =>
  [
    `(${given.join(', ')}) => {`,
    ...before.map((line) => `  ${line}`),
    `  return ${goes} ? ${next} : undefined;`,
    '}',
  ].join('\n');
