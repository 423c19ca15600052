import type { EndpointContract } from '../../contract/endpoint.ts';
import type { ContractType, MemberContract, ObjectContract } from '../../contract/types.ts';
import { call, indented } from './layout.ts';
import { membersTo, needsLink, nextOf, type Paging, rowsOf } from './page-iterators.ts';
import { declaration, depthOf, signature } from './signatures.ts';
import { access, comment } from './words.ts';
import type { Shared, Writing } from './writing.ts';

/** The iterators over pages, and over the rows on them. */
export function iterators(w: Writing, shared: Shared): string[] {
  const { method, path, query, data } = shared;
  const paging = pagingOf(w, method.endpoint);
  const next = nextOf(paging);
  const rows = paging.items && w.types.type(paging.items, 'Row', 'out');
  if (next === null || !query || rows === null) {
    w.omitted.add('iterators', method.endpoint.name);
    return [];
  }
  w.features.add('pages');
  if (needsLink(paging)) w.features.add('links');
  if (needsLink(paging) && !paging.linked) w.omitted.add('links in browsers', method.endpoint.name);
  const depth = depthOf(method);
  const own = ['client', ...method.chain].reduce((value, name) => access(value, name));
  const before = path.map((one) => one.name);
  const args = [
    ...path.map(declaration),
    query.optional ? `query: ${query.type} = ${query.otherwise ?? '{}'}` : declaration(query),
    declaration(shared.options),
  ];
  const list = `(one) => ${own}(${[...before, 'one', 'options'].join(', ')})`;
  const each = `${own}Pages(${[...before, 'query', 'options'].join(', ')})`;
  return [
    ...comment([`Page after page of \`${method.name}\`. A refusal is thrown.`]),
    ...signature(`${method.name}Pages`, args, `AsyncGenerator<${data}>`, depth),
    ...indented(call('return eachPage', ['query', list, next], ';', depth + 2)),
    '},',
    ...comment([`Row after row of \`${method.name}\`, on all of its pages. A refusal is thrown.`]),
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
