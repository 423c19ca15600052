import type { EndpointContract } from '../../contract/endpoint.ts';
import { successesOf } from '../../contract/successes.ts';
import type { ContractType, MemberContract, ObjectContract } from '../../contract/types.ts';
import type { PageValue } from '../../plan/limits.ts';
import { call, indented } from './layout.ts';
import { argumentsOf, declaration, depthOf, signature } from './signatures.ts';
import { access, comment, isInherited, key, optionalAccess, ownOf, quote } from './words.ts';
import type { Shared, Writing } from './writing.ts';

/** The iterators over pages, and over the rows on them. */
export function iterators(w: Writing, shared: Shared): string[] {
  const { method, path, body, query, data } = shared;
  const paging = pagingOf(w, method.endpoint);
  const next = nextOf(paging);
  const rows = paging.items && w.types.type(paging.items, 'Row', 'out');
  const several = successesOf(method.endpoint).length > 1;
  if (several || next === null || !query || rows === null) {
    w.omitted.add('iterators', method.endpoint.name);
    return [];
  }
  w.features.add('pages');
  if (needsLink(paging)) w.features.add('links');
  if (needsLink(paging) && !paging.linked) w.omitted.add('links in browsers', method.endpoint.name);
  const depth = depthOf(method);
  const own = ['client', ...method.chain].reduce((value, name) => access(value, name));
  const [sent] = body ? argumentsOf({ ...shared, path: [] }) : [];
  const first = sent ? [...path, sent] : path;
  const before = first.map((one) => one.name);
  const args = [
    ...first.map(declaration),
    query.optional ? `query: ${query.type} = ${query.otherwise ?? '{}'}` : declaration(query),
    declaration(shared.options),
  ];
  const list = `(one) => ${own}(${[...before, 'one', 'options'].join(', ')})`;
  const each = `${own}Pages(${[...before, 'query', 'options'].join(', ')})`;
  return [
    ...comment([`Iterates over the pages of \`${method.name}\`. A refusal throws a \`RefusedError\`.`]),
    ...signature(`${method.name}Pages`, args, `AsyncGenerator<${data}>`, depth),
    ...indented(call('return eachPage', ['query', list, next], ';', depth + 2)),
    '},',
    ...comment([`Iterates over the rows on all pages of \`${method.name}\`. A refusal throws a \`RefusedError\`.`]),
    ...signature(`async *${method.name}All`, args, `AsyncGenerator<${rows}>`, depth),
    `  for await (const page of ${each}) yield* ${rowsOf(paging, 'page')};`,
    '},',
  ];
}

function pagingOf({ contract, version }: Writing, endpoint: EndpointContract): Paging {
  const type = endpoint.answers.at(-1)?.body?.type;
  const payload = type?.kind === 'object' ? type : null;
  const items = itemsOf(endpoint, payload);
  const shown = version.shapes.find((one) => items?.kind === 'shape' && one.name === items.name);
  const resource = contract.resources.find((one) => one.name === shown?.resource);
  const field = resource && `${resource.name}.${resource.identity}`;
  const identity = shown && field ? membersToField(shown.type, field) : [];
  const { browsers } = contract;
  const linked = !browsers || browsers.exposedHeaders.some((one) => one.toLowerCase() === 'link');
  return { endpoint, payload, items, identity, linked };
}

/** The type of one row on a page. */
function itemsOf(endpoint: EndpointContract, payload: ObjectContract | null): ContractType | null {
  const list = payload ? membersTo({ endpoint, payload }, 'items').at(-1)?.type : endpoint.answers.at(-1)?.body?.type;
  return list?.kind === 'list' ? list.of : null;
}

/** The members that lead to a field of a row, the outermost first; none where the row doesn’t show it. */
function membersToField({ members }: ObjectContract, field: string): MemberContract[] {
  for (const one of members) {
    if (one.field === field) return [one];
    const inner = one.type.kind === 'object' ? membersToField(one.type, field) : [];
    if (inner.length > 0) return [one, ...inner];
  }
  return [];
}

/** The facts about the pages of an endpoint. */
interface Paging {
  readonly endpoint: EndpointContract;
  /** The payload type; null if the payload is the array of rows itself. */
  readonly payload: ObjectContract | null;
  /** The type of one row on a page. */
  readonly items: ContractType | null;
  /** The path of members to the identity of a row; empty if rows do not show it. */
  readonly identity: readonly MemberContract[];
  /** Whether every caller can read the header Link. */
  readonly linked: boolean;
}

/** The path of members to a value of a page (dotted names nest); empty if the payload lacks the value. */
function membersTo({ endpoint, payload }: Pick<Paging, 'endpoint' | 'payload'>, value: PageValue): MemberContract[] {
  const path = endpoint.page?.payload?.find((one) => one.value === value)?.name.split('.') ?? [];
  const found: MemberContract[] = [];
  let inside: ContractType | null = payload;
  for (const name of path) {
    const member: MemberContract | undefined =
      inside?.kind === 'object' ? inside.members.find((one) => one.name === name) : undefined;
    if (!member) return [];
    found.push(member);
    inside = member.type;
  }
  return found;
}

/** An expression for the member at the end of a path, all of whose members are present. */
const at = (value: string, path: readonly MemberContract[]): string =>
  path.reduce((outer, { name }) => access(outer, name), value);

/**
 * Statements that assign the member at the end of a path in `page` to `next`, or undefined if a member of the path is
 * absent. Names that `Object.prototype` has do not count as present.
 */
function readNext(path: readonly MemberContract[]): string[] {
  const statements: string[] = [];
  let outer = 'page';
  let sure = true;
  for (const [i, { name, presence }] of path.entries()) {
    const last = i === path.length - 1;
    const member = sure ? access(outer, name) : optionalAccess(outer, name);
    const inherited = presence === 'optional' && isInherited(name);
    const owner = sure ? outer : `${outer} ?? {}`;
    const value = inherited ? `Object.hasOwn(${owner}, ${quote(name)}) ? ${member} : undefined` : member;
    const held = last ? 'next' : `outer${i + 1}`;
    if (last || inherited) statements.push(`const ${held} = ${value};`);
    outer = inherited ? held : member;
    sure = presence !== 'optional';
  }
  return statements;
}

/** An expression for the rows of a page. */
const rowsOf = (paging: Paging, page: string): string => at(page, membersTo(paging, 'items'));

/**
 * The text of the function that returns the changed query parameters for the next page; null if neither payload nor
 * headers determine them. `needsLink` says whether the function reads the header `Link`.
 */
function nextOf(paging: Paging): string | null {
  const { page } = paging.endpoint;
  if (!page) return null;
  const place = key(page.place);
  const path = membersTo(paging, 'next');
  const member = path.at(-1);
  if (member) {
    const missing = member.nullable ? 'null' : 'undefined';
    const query = `{ ${place}: ${placed(paging, 'next', isInteger(member.type))} }`;
    return block(['page'], readNext(path), `next !== ${missing}`, query);
  }
  const linked = membersTo(paging, 'links.next');
  const link = linked.at(-1);
  if (link) {
    return [
      '(page) => {',
      ...readNext(linked).map((line) => `  ${line}`),
      `  if (next === ${link.nullable ? 'null' : 'undefined'}) return undefined;`,
      `  const sent = new URLSearchParams(next.replace(/^[^?]*/, '')).get(${quote(page.place)});`,
      `  return { ${place}: ${isInteger(placeType(paging)) ? 'Number(sent)' : "sent ?? ''"} };`,
      '}',
    ].join('\n');
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

/** Whether only the header `Link` refers to the next page. */
function needsLink(paging: Paging): boolean {
  const { page } = paging.endpoint;
  if (!page?.links.includes('next')) return false;
  if (membersTo(paging, 'next').length > 0 || membersTo(paging, 'links.next').length > 0) return false;
  return paging.linked || page.by === 'cursor';
}

const isInteger = (type: ContractType | undefined): boolean => type?.kind === 'integer';

const placeType = ({ endpoint }: Paging): ContractType | undefined =>
  endpoint.parameters.find((one) => one.role === 'page place')?.type;

/** Converts a value to the type of the parameter for the page position. */
const placed = (paging: Paging, value: string, integer: boolean): string =>
  integer && !isInteger(placeType(paging)) ? `String(${value})` : value;

/** The position of the next page, computed from the current position and the number of rows. */
function computed(paging: Paging): string | null {
  const { page } = paging.endpoint;
  if (!page) return null;
  const rows = rowsOf(paging, 'page');
  const current = ownOf('query', page.place);
  const [more, total, pages] = (['more', 'total', 'pages'] as const).map((one) => {
    const path = membersTo(paging, one);
    return path.length > 0 ? at('page', path) : null;
  });
  const size = `${ownOf('query', page.size.parameter)} ?? ${page.size.standard}`;
  const most = page.size.beyond === 'refused' ? size : `Math.min(${size}, ${page.size.most})`;
  const declared = [`const size = ${most};`];
  const full = `${rows}.length >= size`;
  const place = key(page.place);
  if (page.by === 'offset') {
    const offset = isInherited(page.place)
      ? [`const before = ${current} ?? 0;`, `const offset = before + ${rows}.length;`]
      : [`const offset = (${current} ?? 0) + ${rows}.length;`];
    const rest = total && `${rows}.length > 0 && offset < ${total}`;
    const goes = more ?? rest ?? full;
    const next = page.place === 'offset' ? '{ offset }' : `{ ${place}: offset }`;
    return block(['page', 'query'], [...(goes === full ? declared : []), ...offset], goes, next);
  }
  if (page.by === 'number') {
    const number = `const number = ${current} ?? 1;`;
    const goes = more ?? (pages ? `number < ${pages}` : full);
    return block(['page', 'query'], [...(goes === full ? declared : []), number], goes, `{ ${place}: number + 1 }`);
  }
  const identity = paging.identity.at(-1);
  if (!identity) return null;
  const goes = more ?? full;
  const id = placed(paging, at('last', paging.identity), isInteger(identity.type));
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
