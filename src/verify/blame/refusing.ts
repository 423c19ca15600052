import { parseQuery } from '../../http/query.ts';
import { sightOfCallers } from '../../plan/caller-condition.ts';
import { ambientOrigins } from '../../plan/callers.ts';
import { type Condition, FAULTS } from '../../plan/conditions.ts';
import {
  type EndpointFact,
  eachOnce,
  idText,
  includesId,
  isSameId,
  type StatementId,
  statementId,
} from '../../plan/lines.ts';
import { transitionsIn } from '../../plan/machines.ts';
import { allNested } from '../../plan/nested-steps.ts';
import type { EndpointPlan, ParameterPlan, Plan } from '../../plan/step.ts';
import { carrierOf } from '../oracle/callers.ts';
import { isReplay, latestOf, type Trace } from '../oracle/trace.ts';
import { stepOf } from '../statements/tried.ts';
import type { Answer, Request } from '../target/exchange.ts';
import { isForm, isParts } from '../target/request-body.ts';
import type { Outcomes } from './outcomes.ts';
import { endpointsAt } from './wrong-answer.ts';

/** A request that a service has refused although it should accept it, or with another refusal than the required one. */
interface Refused {
  readonly endpoint: EndpointPlan;
  readonly trace: readonly Trace[];
  readonly request: Request;
  readonly answer: Answer;
}

/** The tried statements whose alteration in an implementation would cause this refusal, the likeliest first. */
export function refusing(plan: Plan, refused: Refused, { codes, conditions }: Outcomes): StatementId[] {
  const { endpoint, trace } = refused;
  const passed = eachOnce(trace.map(({ statement }) => statement));
  const coded = codesAt(plan, endpoint);
  // The last of several statements is the most specific: other requests try the earlier ones, too.
  const codeOf = (id: StatementId): string => coded.get(idText(id))?.code ?? '';
  const own = passed.filter((id) => codes.has(codeOf(id))).reverse();
  const hidden = own.some(({ kind }) => kind === 'step') ? sightsOf(endpoint, own) : [];
  // A service with a wrong rule may refuse because of a rule that this request does not try. The repetition of a kept
  // answer is no refusal by a rule.
  const isElsewhere = own.length === 0 && !isReplay(trace);
  const others = isElsewhere ? [...coded.values()].flatMap(({ id, code }) => (codes.has(code ?? '') ? id : [])) : [];
  return [
    ...own,
    ...hidden,
    ...others,
    ...[...conditions].flatMap((condition) => ofCondition(plan, condition, refused, passed)),
  ];
}

/**
 * The statements that unknown fields or parameters are ignored, where an answer refuses one. The document has no
 * condition for such a refusal.
 */
export function ofUnknown(endpoint: EndpointPlan, { body }: Answer): StatementId[] {
  const text = body.toString();
  const tells = (fault: 'unknown_field' | 'unknown_parameter'): boolean =>
    text.includes(`"${fault}"`) || text.includes(JSON.stringify(FAULTS[fault]));
  if (tells('unknown_field') && stepOf(endpoint, 'validate body')?.unknown === 'ignored')
    return [statementId.part('resources', 'unknownFields'), statementId.endpoint(endpoint.name, 'request')];
  return tells('unknown_parameter') && stepOf(endpoint, 'read parameters')?.unknown === 'ignored'
    ? [statementId.endpoint(endpoint.name, 'unknown parameters')]
    : [];
}

/** A statement, and the code that it refuses with. */
interface Coded {
  readonly id: StatementId;
  readonly code: string | null;
}

/** The codes that the statements of an endpoint refuse with, by the texts of their ids. */
function codesAt(plan: Plan, endpoint: EndpointPlan): Map<string, Coded> {
  const coded = new Map<string, Coded>();
  const add = (id: StatementId, code: string | null): Map<string, Coded> => coded.set(idText(id), { id, code });
  for (const { name, machines, uniques, holds, overlaps, keptBy } of plan.resources) {
    for (const one of transitionsIn(machines)) add(statementId.transition(name, one.name), one.code);
    for (const [i, rule] of uniques.entries()) add(statementId.rule(name, 'unique', i), rule.code);
    for (const [i, rule] of holds.entries()) add(statementId.rule(name, 'holds', i), rule.code);
    for (const [i, rule] of overlaps.entries()) add(statementId.rule(name, 'overlap', i), rule.code);
    for (const rule of keptBy) add(statementId.reference(rule.resource, rule.field), rule.code);
  }
  for (const [place, one] of parametersOf(endpoint))
    add(statementId.parameter(endpoint.name, place, one.name), one.code);
  for (const step of allNested(endpoint.inside)) if ('code' in step) add(statementId.step(step), step.code);
  return coded;
}

/** The parameters of an endpoint, with their places in the request. */
export function parametersOf(endpoint: EndpointPlan): Array<readonly [place: string, ParameterPlan]> {
  const read = stepOf(endpoint, 'read parameters');
  const body = stepOf(endpoint, 'validate body');
  return [
    ...(read?.path ?? []).map((one) => ['path', one] as const),
    ...(read?.query ?? []).map((one) => ['query', one] as const),
    ...(read?.header ?? []).map((one) => ['header', one] as const),
    ...(body?.parameters ?? []).map((one) => ['body', one] as const),
  ];
}

/** The `Visible` of the rows that steps find: a row that is not visible is not found. */
function sightsOf({ inside }: EndpointPlan, steps: readonly StatementId[]): StatementId[] {
  return [...allNested(inside)].flatMap((step) => {
    if ((step.do !== 'find' && step.do !== 'verify') || !steps.some((one) => isSameId(one, statementId.step(step))))
      return [];
    return [statementId.resource(step.resource, 'visible')];
  });
}

/** The settings of an endpoint that decide about preconditions. */
function judging({ name, preconditions }: EndpointPlan, passed: readonly StatementId[]): StatementId[] {
  const own = statementId.endpoint(name, 'preconditions');
  return [
    ...passed.filter((one) => isSameId(one, statementId.endpoint(name, 'conditional'))),
    ...(preconditions ? [own] : []),
  ];
}

/** The `Visible` of the rows of credentials that are not accepted, where they are hidden from themselves. */
const noCallers = (trace: readonly Trace[]): StatementId[] =>
  trace.flatMap(({ statement, what }) => (what.startsWith('no caller by ') ? [statement] : []));

/** The claims of the token that the document does not allow. */
const unfitClaims = (trace: readonly Trace[]): StatementId[] =>
  trace.flatMap(({ statement, what }) =>
    statement.kind === 'scheme' && statement.fact.startsWith('claim ') && what.startsWith('refused') ? [statement] : [],
  );

/** The statements about credentials that are not accepted, by what a request with them has told. */
const ofCredentials = (trace: readonly Trace[]): StatementId[] => [
  ...unfitClaims(trace),
  ...noCallers(trace),
  ...headersOf(trace),
];

/** The `Visible` of the rows of callers: a row that is hidden from itself is no caller. */
function sightsOfCallers({ schemes, resources }: Plan, endpoint: EndpointPlan): StatementId[] {
  const accepted = stepOf(endpoint, 'authenticate')?.schemes ?? [];
  return eachOnce(
    schemes
      .filter(({ name }) => accepted.includes(name))
      .flatMap((scheme) => [
        ...(scheme.while ? [statementId.scheme(scheme.name, 'while')] : []),
        ...(sightOfCallers(resources, scheme) ? [statementId.resource(scheme.resource, 'visible')] : []),
      ]),
  );
}

/**
 * The statement about the header of the scheme whose credentials were taken last. Of HTTP Basic, the one about the user
 * name or the password that decided comes first.
 */
const headersOf = (trace: readonly Trace[]): StatementId[] =>
  [/^(?:subject|credentials)$/, /^(?:header|cookie)$/].flatMap((facts) =>
    latestOf(
      trace.filter(({ statement }) => statement.kind === 'scheme' && facts.test(statement.fact)),
      'scheme',
    ),
  );

/** The origins from which requests with a cookie, or by HTTP Basic, are accepted. */
const writersOf = ({ schemes }: Plan): StatementId[] =>
  schemes.flatMap((one) => (ambientOrigins(one) ? [statementId.scheme(one.name, 'crossOrigin')] : []));

function ofCondition(
  plan: Plan,
  condition: Condition,
  { endpoint, trace, request, answer }: Refused,
  passed: readonly StatementId[],
): StatementId[] {
  const own = (fact: EndpointFact): StatementId => statementId.endpoint(endpoint.name, fact);
  const latest = (kind: StatementId['kind']): StatementId[] => latestOf(trace, kind);
  switch (condition) {
    case 'no such endpoint':
    case 'method not allowed':
      return [...(request.method === 'HEAD' ? [own('HEAD')] : []), statementId.heading(endpoint.name)];
    case 'invalid request':
    case 'unknown field':
    case 'unknown parameter':
    case 'reference unknown':
      return [...ofTexts(request, answer), ...ofContent(plan, { endpoint, request, answer }, passed)];
    case 'malformed request':
      return [own(isForm(request.headers) || isParts(request.headers) ? 'payloads' : 'request')];
    case 'length missing':
      return [own('request')];
    case 'credentials missing':
      return [own('access'), ...plan.schemes.map((one) => statementId.scheme(one.name, carrierOf(one)))];
    case 'credentials not accepted':
    case 'credentials expired':
      return [...ofCredentials(trace), own('access'), ...sightsOfCallers(plan, endpoint)];
    case 'scope missing':
      return [own('access')];
    case 'rate exceeded':
      return latest('rate');
    case 'request too large':
      return [own('Request size')];
    case 'page refused':
      return [...passed.filter((one) => isSameId(one, own('Whole list'))), ...ofPlace(endpoint, request)];
    case 'idempotency key missing':
    case 'idempotency key malformed':
    case 'idempotency key reused':
    case 'idempotency key in flight':
      return [own('idempotency')];
    case 'precondition failed':
    case 'precondition missing':
      return [...judging(endpoint, passed), ...matching(endpoint), ...latest('step')];
    case 'version missing':
      return [statementId.part('versioning', 'without'), statementId.part('versioning', 'scheme')];
    case 'version unknown':
    case 'version retired': {
      const current = includesId(passed, statementId.version(plan.versions?.current ?? ''));
      return current || latest('version').length === 0
        ? [statementId.part('versioning', 'current')]
        : latest('version');
    }
    case 'unsupported media type':
    case 'unsupported encoding':
    case 'not acceptable':
      return [own('payloads')];
    case 'body not expected': {
      if (!stepOf(endpoint, 'read body')) return [own('unread bodies')];
      // Another endpoint that the path is of as well may have answered.
      const facts = [own('request'), statementId.heading(endpoint.name)];
      return endpointsAt(plan, request).some((one) => one !== endpoint && one.method === request.method)
        ? facts.reverse()
        : facts;
    }
    case 'failure':
      // A value that is given and not allowed is a failure of the service.
      return trace.flatMap(({ statement, what }) => (what === 'given' ? [statement] : [])).reverse();
    default:
      return condition === 'origin not accepted' ? writersOf(plan) : [];
  }
}

/** The steps that compare the entity tags of a precondition. */
function matching({ inside }: EndpointPlan): StatementId[] {
  return [...allNested(inside)].flatMap((step) => (step.do === 'match' ? [statementId.step(step)] : []));
}

/**
 * The statements about reading texts, where an allowed text of a request was refused: with white space around it, or
 * empty.
 */
export function ofTexts({ body }: Request, { body: answer }: Answer): StatementId[] {
  const sent = body?.toString() ?? '';
  if (refusesUntrimmed(sent, answer.toString())) return [statementId.part('resources', 'text')];
  return /:\s*""/.test(sent) ? [statementId.part('resources', 'emptyText')] : [];
}

/** The names of a page’s parameters, where a refusal does not know one that the request has. */
function ofPageNames(endpoint: EndpointPlan, { target }: Request, text: string): StatementId[] {
  const page = stepOf(endpoint, 'read page')?.page;
  if (!page || !/"unknown_parameter"|is not a parameter of/.test(text)) return [];
  const sent = (parseQuery(target.split('?')[1] ?? '') ?? []).map(([name]) => name);
  const own = sent.filter((name) => name === page.limit || name === page.place);
  const named = sent.filter((name) => text.includes(`"${name}"`));
  const isOwn = named.length > 0 ? own.some((name) => named.includes(name)) : own.length > 0;
  return isOwn ? [statementId.endpoint(endpoint.name, 'pages')] : [];
}

/** Whether a refusal names a member that is a text with white space around it, or says that such a text is too long. */
function refusesUntrimmed(sent: string, answer: string): boolean {
  if (!/:\s*"\s|\s"\s*[,}]/.test(sent)) return false;
  if (/"too_long"|"not_matching"|longer than allowed|have the form allowed/.test(answer)) return true;
  const members = [...sent.matchAll(/"((?:[^"\\]|\\.)*)"\s*:\s*"(?:\s[^"]*|[^"]*\s)"/g)];
  return members.some(([, name]) => ['"', '.', '/'].some((before) => answer.includes(`${before}${name}"`)));
}

/** The fields and parameters that a refusal names; the list of members where it does not know one. */
function ofContent(
  plan: Plan,
  { endpoint, request: sent, answer }: Pick<Refused, 'endpoint' | 'request' | 'answer'>,
  passed: readonly StatementId[],
): StatementId[] {
  const body = answer.body.toString();
  const request = statementId.endpoint(endpoint.name, 'request');
  const payload = stepOf(endpoint, 'validate body')?.payload ?? null;
  const named = namedAmong(plan, body, passed);
  if (/"unknown_(?:field|parameter)"|is not a (?:field|parameter) of/.test(body))
    return [
      ...ofPageNames(endpoint, sent, body),
      ...named.filter((one) => one.kind === 'parameter'),
      ...[request, ...named],
    ];
  // A missing field that only some requests must have blames the list of the request; other faults blame the field.
  const isMissing = /"missing"|It is required/.test(body);
  const isOptional = isMissing && payload?.optional === true;
  const decimals = plan.resources.some(({ columns }) =>
    columns.some(({ rule, name }) => rule.kind === 'decimal' && named.some((one) => nameOf(one) === name)),
  );
  if (decimals && /"not_decimal"|has to be a decimal/.test(body))
    return [statementId.part('resources', 'decimals'), ...named];
  const ofRequest = named.filter((one) => payload?.fields.includes(nameOf(one) ?? '') || one.kind === 'parameter');
  return isOptional || ofRequest.length === 0 ? [request, ...named] : [...ofRequest, request];
}

/** The fields and parameters of a trace that the text of a fault names. */
export function namedIn(plan: Plan, fault: string, trace: readonly Trace[]): StatementId[] {
  return namedAmong(
    plan,
    fault,
    trace.map(({ statement }) => statement),
  );
}

function namedAmong(plan: Plan, fault: string, ids: readonly StatementId[]): StatementId[] {
  const all = eachOnce(ids).flatMap((id) => {
    const name = nameOf(id);
    return name === null ? [] : [{ id, names: namesOf(plan, name) }];
  });
  const isNamed = naming(
    fault,
    all.flatMap(({ names }) => names),
  );
  return all.filter(({ names }) => names.some(isNamed)).map(({ id }) => id);
}

/** The names of a field or a parameter, in each version. */
function namesOf({ versions }: Plan, own: string): string[] {
  const older = (versions?.older ?? []).flatMap(({ names }) => Object.entries(names));
  const others = older.flatMap(([field, name]) => (name !== null && field.endsWith(`.${own}`) ? [name] : []));
  return [own, ...others];
}

/** The name of a field or a parameter; null for any other statement. */
const nameOf = (id: StatementId): string | null =>
  id.kind === 'field' ? id.field : id.kind === 'parameter' ? id.parameter : null;

/** Finds the names that a body holds as values; where it holds none of these, the names of its members. */
function naming(body: string, names: readonly string[]): (name: string) => boolean {
  const texts = [...body.matchAll(/"((?:[^"\\]|\\.)*)"(\s*:)?/g)].map(([, text = '', colon]) => ({
    text: text.replaceAll('/', '.'),
    isKey: colon !== undefined,
  }));
  const isIn = (name: string, keys: boolean): boolean =>
    // A pointer may continue below the field, to an item or a key.
    texts.some(({ text, isKey }) => isKey === keys && `.${text}.`.includes(`.${name}.`));
  const asValues = names.some((name) => isIn(name, false));
  return (name) => isIn(name, !asValues);
}

/**
 * The statements that a request for a page breaks: the page size, where the limit is a number; otherwise the form of
 * pages.
 */
export function ofPlace(endpoint: EndpointPlan, { target }: Request): StatementId[] {
  const page = stepOf(endpoint, 'read page')?.page;
  const sent = parseQuery(target.split('?')[1] ?? '')?.filter(([name]) => name === page?.limit) ?? [];
  const facts = [statementId.endpoint(endpoint.name, 'Page size'), statementId.endpoint(endpoint.name, 'pages')];
  const isNumber = sent.length === 1 && sent.every(([, value]) => /^[1-9]\d*$/.test(value));
  return isNumber ? facts : facts.reverse();
}
