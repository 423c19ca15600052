import { parseQuery } from '../../http/query.ts';
import type { Condition } from '../../plan/conditions.ts';
import { isSameId, statementId } from '../../plan/lines.ts';
import { FORM_TYPE } from '../../plan/media-types.ts';
import { textsOf } from '../../plan/paths.ts';
import type { BeforeStep, EndpointPlan, Plan, VersionsPlan } from '../../plan/step.ts';
import type { Expected } from '../oracle/errors.ts';
import { type Trace, traceKey } from '../oracle/trace.ts';
import { headerOf, type Request } from '../target/exchange.ts';
import { pathPattern, plainPath } from '../target/path-pattern.ts';
import { isForm, valueIn } from '../target/request-body.ts';

/** The prediction of the oracle for a request. */
interface Prediction {
  readonly endpoint: EndpointPlan | null;
  readonly expected: Expected;
  readonly trace: readonly Trace[];
}

/**
 * Everything that a request tries, if it is answered as predicted: the traces of the oracle, and the facts that the
 * request and its answer alone show, such as an unknown parameter that is ignored. Each trace occurs once.
 */
export function triedBy(plan: Plan, request: Request, prediction: Prediction): Trace[] {
  const { endpoint, trace } = prediction;
  // An answer about a failure does not show which checks the request passed before.
  if (endpoint && conditionOf(prediction.expected) === 'failure')
    return [
      { statement: statementId.condition('failure'), what: 'answered' },
      { statement: statementId.heading(endpoint.name), what: 'refused failure' },
    ];
  const own = endpoint
    ? endpointTraces(plan, endpoint, request, prediction)
    : elsewhereTraces(plan, request, prediction);
  const all = new Map([...trace, ...own, ...markTraces(plan, request, endpoint)].map((one) => [traceKey(one), one]));
  return [...all.values()];
}

/** The traces of requests that would be at another endpoint if an escaped `:` or `@` were one of its path. */
function markTraces({ endpoints }: Plan, { method, target }: Request, routed: EndpointPlan | null): Trace[] {
  const path = target.split('?')[0] ?? '';
  const marked = path.replace(/%3A/gi, ':').replaceAll('%40', '@');
  if (marked === path) return [];
  return endpoints
    .filter((one) => one !== routed && one.method === method && /[:@]/.test(textsOf(one.path).join('')))
    .filter((one) => fits(one.path, marked) && !fits(one.path, path))
    .map((one) => ({ statement: statementId.heading(one.name), what: 'escaped mark' }));
}

/** Whether the text beside a parameter is escaped in a path. */
const isTextEscaped = (template: string, path: string): boolean =>
  textsOf(template).length > 0 && !new RegExp(pathPattern(template).source.slice(1)).test(path);

/** The general condition that a request is refused with; null where there is none. */
export function conditionOf({ statements }: Expected): Condition | null {
  return statements.flatMap((one) => (one.kind === 'condition' ? [one.condition as Condition] : []))[0] ?? null;
}

/** The trace of a HEAD request to an endpoint that does not answer HEAD. */
function elsewhereTraces({ endpoints }: Plan, { method, target }: Request, { expected }: Prediction): Trace[] {
  if (method !== 'HEAD' || conditionOf(expected) !== 'method not allowed') return [];
  const path = target.split('?')[0] ?? '';
  return endpoints
    .filter((one) => one.method === 'GET' && fits(one.path, path))
    .map((one) => ({ statement: statementId.endpoint(one.name, 'HEAD'), what: 'refused method not allowed' }));
}

/** Whether a path matches a template, whatever its prefix is, such as a version. */
const fits = (template: string, path: string): boolean =>
  new RegExp(pathPattern(template).source.slice(1)).test(plainPath(path));

/** The step of a kind that comes before the transaction. */
export const stepOf = <K extends BeforeStep['do']>(
  { before }: EndpointPlan,
  kind: K,
): Extract<BeforeStep, { do: K }> | undefined =>
  before.find((step): step is Extract<BeforeStep, { do: K }> => step.do === kind);

function endpointTraces(plan: Plan, endpoint: EndpointPlan, request: Request, prediction: Prediction): Trace[] {
  const { expected } = prediction;
  const heading = statementId.heading(endpoint.name);
  const condition = conditionOf(expected);
  const query = parseQuery(request.target.split('?')[1] ?? '') ?? [];
  const refused = condition === null ? [] : [{ statement: heading, what: `refused ${condition}` }];
  const traces = [...refused, ...pageTraces(endpoint, query, prediction)];
  const isInvalid = condition === 'invalid request';
  // A refusal with a code comes after all checks before the steps, but its answer does not show what was ignored.
  if (!isInvalid && (expected.code !== null || condition !== null || expected.status >= 400)) return traces;
  const json = stepOf(endpoint, 'validate body') ? valueIn(request) : null;
  // An empty text that is refused as too short was not read as null.
  if (isInvalid) return [...traces, ...textTraces(json).filter(({ statement }) => isSameId(statement, EMPTY_TEXT))];
  return [
    ...traces,
    { statement: heading, what: 'taken' },
    ...(isTextEscaped(endpoint.path, request.target.split('?')[0] ?? '')
      ? [{ statement: heading, what: 'escaped text' }]
      : []),
    ...(request.method === 'HEAD' ? [{ statement: statementId.endpoint(endpoint.name, 'HEAD'), what: 'taken' }] : []),
    ...ignoredTraces(endpoint, request, query, json),
    ...textTraces(json),
    ...decimalTraces(plan, json),
    ...versionTraces(plan.versions, endpoint, request),
    ...formatTraces(endpoint, request),
  ];
}

/** The traces of parts of a request that the document ignores. */
function ignoredTraces(
  endpoint: EndpointPlan,
  { body }: Request,
  query: ReadonlyArray<readonly [string, string]>,
  json: unknown,
): Trace[] {
  const { name } = endpoint;
  const read = stepOf(endpoint, 'read parameters');
  const page = stepOf(endpoint, 'read page')?.page;
  const known = new Set([...(read?.query.map((one) => one.name) ?? []), page?.limit, page?.place]);
  const ignored = (fact: 'unknown parameters' | 'unread bodies' | 'payloads', what: string): Trace => ({
    statement: statementId.endpoint(name, fact),
    what,
  });
  const out: Trace[] = [];
  // An endpoint without a step for parameters ignores unknown ones.
  if (read?.unknown !== 'refused' && query.some(([one]) => !known.has(one)))
    out.push(ignored('unknown parameters', 'ignored'));
  const reads = stepOf(endpoint, 'read body') !== undefined;
  if (!reads && !stepOf(endpoint, 'refuse body') && body !== null && body.length > 0)
    out.push(ignored('unread bodies', 'ignored'));
  const validate = stepOf(endpoint, 'validate body');
  if (validate?.unknown === 'ignored' && hasUnknownMember(validate, json))
    out.push(ignored('payloads', 'ignored unknown field'));
  return out;
}

/** Whether a body has a top-level member with a name that no version has. */
function hasUnknownMember(
  { payload, parameters }: Extract<BeforeStep, { do: 'validate body' }>,
  json: unknown,
): boolean {
  const names = [
    ...(payload?.member ? [payload.member] : (payload?.fields ?? [])),
    ...parameters.map((one) => one.name),
  ];
  const first = new Set(names.map((one) => one.split('.')[0]));
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return false;
  return Object.keys(json).some((one) => !first.has(one));
}

/** The traces of a body that was read, where bodies may be forms: its format, and the spaces and lists in a form. */
function formatTraces(endpoint: EndpointPlan, { headers, body }: Request): Trace[] {
  const id = statementId.endpoint(endpoint.name, 'payloads');
  const mediaTypes = stepOf(endpoint, 'read body')?.mediaTypes ?? [];
  if (body === null || body.length === 0 || !mediaTypes.includes(FORM_TYPE)) return [];
  if (!isForm(headers)) return [{ statement: id, what: 'taken JSON' }];
  const text = body.toString();
  const values = Object.values(valueIn({ headers, body }) ?? {});
  const whats: ReadonlyArray<readonly [what: string, isTried: boolean]> = [
    ['taken form', true],
    ['taken escapes', /%(?!20)/.test(text)],
    ['taken plus', text.includes('+')],
    ['taken repeated', values.some((one) => typeof one !== 'string')],
  ];
  return whats.flatMap(([what, isTried]) => (isTried ? [{ statement: id, what }] : []));
}

const EMPTY_TEXT = statementId.part('resources', 'emptyText');

/** Characters around a text that some implementations treat as white space and others do not. */
export const AROUND: ReadonlyArray<readonly [what: string, characters: RegExp]> = [
  ['spaces', /^ $/],
  ['next-line characters (U+0085)', /^\u0085$/],
  ['byte order marks (U+FEFF)', /^\ufeff$/],
];

/** The traces of texts with white space around them, and of empty ones: a later answer shows how they were read. */
function textTraces(json: unknown): Trace[] {
  const texts = valuesIn(json).filter((one) => typeof one === 'string');
  const isAround = (characters: RegExp, one: string): boolean =>
    characters.test(one[0] ?? '') && characters.test(one.at(-1) ?? '') && /[\x21-\x7e]/.test(one);
  return [
    ...AROUND.flatMap(([what, characters]) =>
      texts.some((one) => isAround(characters, one))
        ? [{ statement: statementId.part('resources', 'text'), what: `between ${what}` }]
        : [],
    ),
    ...(texts.includes('') ? [{ statement: EMPTY_TEXT, what: 'met' }] : []),
  ];
}

/** The traces of decimals halfway between two allowed values: a later answer shows how they were rounded. */
function decimalTraces({ resources, wire }: Plan, json: unknown): Trace[] {
  if (!wire.decimals || wire.decimals.rounding === 'refused') return [];
  const scales = new Set(
    resources.flatMap(({ columns }) => columns.flatMap(({ rule }) => (rule.kind === 'decimal' ? [rule.scale] : []))),
  );
  const isHalfway = (value: unknown): boolean => {
    const [, digits = ''] = /^-?\d+\.(\d+)$/.exec(String(value)) ?? [];
    return digits.endsWith('5') && scales.has(digits.length - 1);
  };
  const met = valuesIn(json).some(isHalfway);
  return met ? [{ statement: statementId.part('resources', 'decimals'), what: 'halfway' }] : [];
}

/** The scalar values in JSON. */
function valuesIn(json: unknown): unknown[] {
  return typeof json === 'object' && json !== null ? Object.values(json).flatMap(valuesIn) : [json];
}

/** The traces of the requested page size: the most, more than that, or none. */
function pageTraces(
  endpoint: EndpointPlan,
  query: ReadonlyArray<readonly [string, string]>,
  { expected, trace }: Prediction,
): Trace[] {
  const page = stepOf(endpoint, 'read page')?.page;
  if (!page) return [];
  const statement = statementId.endpoint(endpoint.name, 'Page size');
  const sent = query.find(([name]) => name === page.limit)?.[1];
  const taken = expected.code === null && expected.status < 400;
  const size = Number(sent);
  if (conditionOf(expected) === 'page refused' && size === page.most + 1)
    return [{ statement, what: 'refused page refused' }];
  if (!taken) return [];
  // If the request states no size, only a list longer than a page shows the default size.
  const longer = trace.some(
    ({ statement: of, what }) => what === 'next' && isSameId(of, statementId.endpoint(endpoint.name, 'pages')),
  );
  if (sent === undefined) return longer ? [{ statement, what: 'otherwise' }] : [];
  if (size === page.most) return [{ statement, what: 'most' }];
  return size > page.most && longer ? [{ statement, what: 'cut' }] : [];
}

/** The trace of a request without a version. */
function versionTraces(versions: VersionsPlan | null, endpoint: EndpointPlan, { headers, target }: Request): Trace[] {
  if (!versions || !stepOf(endpoint, 'choose version') || versions.without === 'refused') return [];
  const { by } = versions;
  const names = [versions.current, ...versions.older.map((one) => one.name)];
  const without =
    by.kind === 'header'
      ? headerOf(headers, by.header) === null
      : by.kind === 'path'
        ? !names.some((one) => target.startsWith(by.prefix.replace('{version}', one)))
        : !names.some((one) => headerOf(headers, 'accept')?.includes(by.template.replace('{version}', one)));
  return without ? [{ statement: statementId.part('versioning', 'without'), what: 'answered' }] : [];
}
