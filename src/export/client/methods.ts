import type { EndpointContract } from '../../contract/endpoint.ts';
import { successesOf } from '../../contract/successes.ts';
import type { CsvContract } from '../../contract/types.ts';
import { neededWords } from '../../plan/callers.ts';
import { REDIRECTS } from '../../plan/status.ts';
import { orText } from '../../text/lists.ts';
import { showDuration, showSize } from '../../text/units.ts';
import { codeSpan } from '../code-span.ts';
import { boundFact, listParameterText, orderFacts } from '../openapi/list-facts.ts';
import { typesOfEvents } from './events.ts';
import { iterators } from './iterators.ts';
import { call, indented, literal } from './layout.ts';
import { placeOf } from './omitted-facts.ts';
import { acceptOf, requestOf, sending } from './requests.ts';
import {
  argumentsOf,
  bodyOf,
  dataByStatus,
  dataOf,
  declaration,
  depthOf,
  optionsOf,
  pathOf,
  queryOf,
  signature,
  stated,
} from './signatures.ts';
import type { Method } from './tree.ts';
import { alternatives, comment, paragraphsOf, pascal, quote, WIDTH } from './words.ts';
import type { Shared, Writing } from './writing.ts';

/** The methods of an endpoint, as members of an object literal. */
export function methodsOf(w: Writing, method: Method): string[] {
  const { endpoint } = method;
  const type = endpoint.answers.at(-1)?.body?.type;
  const shared = sharedOf(w, method);
  if (type?.kind === 'stream') return streamMethod(w, shared, type.events);
  return [
    ...plainMethod(w, shared),
    ...(comparesTags(endpoint) ? ifChanged(w, shared) : []),
    ...(endpoint.page ? iterators(w, shared) : []),
  ];
}

/** Whether an endpoint has a further method for a caller that has an earlier answer. */
export const comparesTags = ({ method, preconditions }: EndpointContract): boolean =>
  method === 'GET' && preconditions?.ifNoneMatch === 'judged';

/** The name of that method. */
export const ifChangedName = ({ name }: Method): string => `${name}IfChanged`;

/** Returns the parts that all methods of an endpoint share, such as their arguments. */
export function sharedOf(w: Writing, method: Method): Shared {
  const { endpoint, chain } = method;
  const base = pascal(chain.join(' '));
  const body = bodyOf(w, endpoint, base);
  const query = queryOf(w, endpoint, base);
  const path = pathOf(w, method, base);
  const several = successesOf(endpoint).length > 1;
  const byStatus = several ? dataByStatus(w, endpoint, base) : new Map<number, readonly string[]>();
  const data = several ? [...new Set([...byStatus.values()].flat())].join(' | ') : dataOf(w, endpoint, base);
  const refused = w.refusals.typeOf(endpoint, base, `client.${chain.join('.')}`, (lines) =>
    w.refused.push(...lines, ''),
  );
  const options = optionsOf(w, endpoint, base);
  w.declared.push(...w.types.take());
  const answers = byStatus.size > 1 ? answersOf(w, method, base, byStatus, refused) : null;
  return {
    method,
    base,
    path,
    body,
    query,
    options,
    data,
    answers,
    refused,
    request: requestOf(w, method, path, body, query),
  };
}

function plainMethod(w: Writing, shared: Shared): string[] {
  const { method, request } = shared;
  const depth = depthOf(method);
  const returns = returnsOf(shared);
  return [
    ...comment(aboutOf(w, method.endpoint), '', WIDTH - depth),
    ...signature(method.name, argumentsOf(shared).map(declaration), returns, depth),
    ...indented(sent(shared, returns, request, depth + 2)),
    '},',
  ];
}

/** The types of the data of several statuses: object types, by a name where they are too long for their line. */
function answersOf(
  w: Writing,
  method: Method,
  base: string,
  byStatus: ReadonlyMap<number, readonly string[]>,
  refused: string,
): NonNullable<Shared['answers']> {
  const members = [...byStatus].map(([status, types]) => `${status}: ${types.join(' | ')}`).join('; ');
  const inline = { plain: `{ ${members} }`, orUnchanged: `{ ${members}; 304: null }` };
  const longest = returnsOf({ data: '', answers: inline, refused }, comparesTags(method.endpoint));
  if (depthOf(method) + `  ) as ${longest};`.length <= WIDTH) return inline;
  const { method: verb, path } = method.endpoint;
  const name = w.types.name(`${base}Answers`);
  w.declared.push(
    ...comment([`The data of the answers to \`${verb} ${path}\`, by status.`]),
    `export interface ${name} {`,
    ...[...byStatus].flatMap(([status, types]) => alternatives(`readonly ${status}:`, types, ';', '  ')),
    '}',
    '',
  );
  return { plain: name, orUnchanged: `${name} & { 304: null }` };
}

/** The type of a call: with several statuses, `status` tells the type of `data`. `unchanged`: with 304. */
function returnsOf(
  { data, answers, refused }: Pick<Shared, 'data' | 'answers' | 'refused'>,
  unchanged = false,
): string {
  if (answers === null) return `Promise<Result<${data}${unchanged ? ' | null' : ''}, ${refused}>>`;
  return `Promise<Answered<${unchanged ? answers.orUnchanged : answers.plain}, ${refused}>>`;
}

/** The statement that sends the request. `send` gives a `Result`, of which several statuses are a narrower type. */
function sent({ answers }: Shared, returns: string, request: readonly string[], depth: number): string[] {
  if (answers === null) return sending('return sender.send', request, depth);
  const cast = ` as ${returns}`;
  const lines = sending('return sender.send', request, depth + cast.length);
  return lines.map((line, i) => (i === lines.length - 1 ? line.replace(/;$/, `${cast};`) : line));
}

/** The method with `If-None-Match`, for a caller that has an earlier answer. */
function ifChanged(w: Writing, shared: Shared): string[] {
  w.features.add('unchanged');
  const { method, request } = shared;
  const depth = depthOf(method);
  const returns = returnsOf(shared, true);
  const args = argumentsOf(shared).map(declaration);
  const last = args.pop() ?? '';
  const etag = "'If-None-Match': etag";
  const own = request.some((one) => one.startsWith('headers:'))
    ? request.map((one) => (one.startsWith('headers:') ? `headers: { ...options?.headers, ${etag} }` : one))
    : [...request.slice(0, -1), `headers: { ${etag} }`, ...request.slice(-1)];
  // The required parameter `etag` cannot follow optional ones, so these accept `undefined` instead.
  const needed = args.map((one) => one.replace(/^(\w+)\?: (.*)$/, '$1: $2 | undefined'));
  return [
    ...comment([`Like \`${method.name}\`, but \`data\` is null if the answer still has the entity tag \`etag\`.`]),
    ...signature(ifChangedName(method), [...needed, 'etag: string', last], returns, depth),
    ...indented(sent(shared, returns, own, depth + 2)),
    '},',
  ];
}

function streamMethod(w: Writing, shared: Shared, events: readonly string[]): string[] {
  const { method, base, request } = shared;
  w.features.add('stream');
  const resumed = w.contract.stream?.resumption != null;
  if (resumed) w.features.add('resumed');
  const type = typesOfEvents(w, `${base}Event`, events, method.endpoint);
  const depth = depthOf(method);
  const inside = w.contract.stream?.data === 'envelope';
  const exact = w.features.has('exact');
  const parsed = exact ? 'parse(data)' : 'JSON.parse(data)';
  // `parse` returns `unknown`, and TypeScript only spreads objects, so the envelope needs a cast.
  const enveloped = exact
    ? `({ data, id }) => ({ ...(${parsed} as object), id }) as ${type}`
    : `({ data, id }): ${type} => ({ ...${parsed}, id })`;
  const event = inside ? enveloped : `({ event, data, id }) => ({ type: event, data: ${parsed}, id }) as ${type}`;
  const accept = `headers: { Accept: ${quote(acceptOf(w, 'text/event-stream'))} }`;
  const own = [...request.filter((one) => !one.startsWith('headers:')), accept];
  const args = argumentsOf(shared).map(declaration);
  const last = (args.pop() ?? '').replace('options?:', 'options:').replace(/$/, shared.options.optional ? ' = {}' : '');
  return [
    ...comment([
      ...aboutOf(w, method.endpoint),
      resumed
        ? 'An interrupted stream is opened again, and continues after the last event. A refusal throws a `RefusedError`.'
        : 'An interrupted stream throws a `ConnectionError`: later events are lost. A refusal throws a `RefusedError`.',
    ]),
    ...signature(method.name, [...args, last], `AsyncGenerator<${type}>`, depth),
    ...indented(call('return follow', ['sender', literal(own, 120 - depth - 6), 'options', event], ';', depth + 2)),
    '},',
  ];
}

/** The columns of CSV, which the client leaves as bytes. */
function csvText({ columns, header, formulas }: CsvContract): string {
  const titles = columns
    .map(({ name, nullable }) => `${codeSpan(name)}${nullable ? ' (may be empty)' : ''}`)
    .join(', ');
  const first = header === 'present' ? ', and the first line has their titles' : '';
  return `The columns are ${titles}${first}.${formulas === 'escaped' ? ' An apostrophe precedes texts that look like formulas.' : ''}`;
}

/** The doc comment of a method: the prose, answers, scope and idempotency of the endpoint. */
function aboutOf(w: Writing, endpoint: EndpointContract): string[] {
  const { name, access: allowed, idempotency } = endpoint;
  const successes = successesOf(endpoint);
  const prose = w.contract.prose.find((one) => one.about === 'endpoint' && one.name === name);
  const answered = successes.map(({ status, headers }) => {
    const own = headers.filter((one) => one.expression !== null).map((one) => one.name);
    return `${status}${own.length ? ` with ${own.join(', ')}` : ''}`;
  });
  const about = [
    `\`${name}\``,
    ...(prose ? paragraphsOf(prose.text) : []),
    `Answers ${orText([...new Set(answered)])}.`,
  ];
  if (successes.some(({ status }) => REDIRECTS.includes(status)))
    about.push(
      'The client does not follow the redirect: `headers` has `Location`. Browsers hide redirects, so there the call throws.',
    );
  const { bytes } = endpoint.body ?? {};
  if (bytes)
    about.push(
      `The body has at most ${showSize(bytes.max)}${bytes.firstBytes === 'checked' ? ', and begins as files of its media type do' : ''}.`,
    );
  const [csv] = successes.flatMap(({ body }) => (body?.type.kind === 'csv' ? [body.type] : []));
  if (csv) about.push(csvText(csv));
  about.push([...orderFacts(w, endpoint), boundFact(endpoint)].filter(Boolean).join(' '));
  for (const { name: parameter } of stated(endpoint, 'query')) {
    if (!endpoint.lists?.some(({ search }) => search?.parameter === parameter)) continue;
    about.push(`\`${parameter}\`: ${listParameterText(w, endpoint, parameter)}`);
  }
  if (allowed.withoutCredentials && w.schemes.any) about.push('Needs no credentials.');
  if (allowed.needs) about.push(`Needs ${neededWords(allowed.needs)}.`);
  if (idempotency)
    about.push(
      `For ${showDuration(idempotency.keptMilliseconds)}, the service repeats an answer with a status below ${idempotency.answersBelow} to ${idempotency.required ? '' : 'requests with '}the same idempotency key.`,
    );
  if (idempotency?.replayed)
    about.push(`A repeated answer has the header \`${idempotency.replayed.name}: ${idempotency.replayed.value}\`.`);
  if (endpoint.head) w.omitted.add('HEAD', placeOf(endpoint));
  // A tag takes all text after it.
  const { deprecation } = endpoint;
  if (deprecation)
    about.push(
      `@deprecated From ${deprecation.from} on.${deprecation.until ? ` From ${deprecation.until.date} on, the service refuses it with the code ${deprecation.until.code}.` : ''}`,
    );
  return about.filter((one) => one !== '');
}
