import { accessText, type ParameterPlace, type Requested } from '../../language/endpoints.ts';
import type { Deprecation } from '../../language/versioning.ts';
import { answersOf } from '../../plan/answered.ts';
import { isSafe } from '../../plan/callers.ts';
import type { FilePlan } from '../../plan/files.ts';
import { FORM_TYPE, JSON_TYPE, MERGE_PATCH_TYPE, MULTIPART_TYPE, mediaTypeOf } from '../../plan/media-types.ts';
import { writes } from '../../plan/nested-steps.ts';
import { orderBefore } from '../../plan/order.ts';
import type {
  AnswerStep,
  BeforeStep,
  BodyPlan,
  EndpointPlan,
  HandlerPlan,
  InsideStep,
  ParameterPlan,
  PayloadPlan,
  ReferencePlan,
} from '../../plan/step.ts';
import type { DeprecationPlan } from '../../plan/versions.ts';
import { headersOf, isResumed, planAuthenticate, requestHeaders } from '../authentication/plan.ts';
import { neededScopes, opensToNobody, schemesOf } from '../document/access.ts';
import {
  bodyMayBeMissing,
  bodyParameters,
  type Effective,
  requestOf,
  takesBody,
  takesForm,
  takesParts,
} from '../document/effective.ts';
import { limitAt, ratesAt, settledRates } from '../document/effective-limits.ts';
import { targetOf } from '../document/field-types.ts';
import { isPaged, pagesOf } from '../document/pages.ts';
import { parameterType } from '../document/parameter-types.ts';
import type { Resolved } from '../document/resolve.ts';
import { settled, settledList, withStated } from '../document/settled.ts';
import { reachable } from '../errors/reach.ts';
import { planPage } from '../limits/plan.ts';
import { planFile } from '../resources/plan.ts';
import { planArgument, planParameter } from '../resources/plan-parameters.ts';
import type { Handler } from '../statements/endpoints.ts';
import type { Rate } from '../statements/limits.ts';
import { filesOf } from './check/bytes.ts';
import { preconditionsAt } from './check/preconditions.ts';
import type { CheckedHandler } from './handlers/check.ts';
import { withReads } from './projection.ts';
import type { CheckedSteps } from './verbs/check-steps.ts';

/** Builds the plan of an endpoint from its statements and those of other parts about it; undefined while unsettled. */
export function planEndpoint(r: Resolved, one: Effective, steps: CheckedSteps): EndpointPlan | undefined {
  const { endpoint, settings } = one;
  const answers = answersOf(steps);
  const validates = steps.inside.findIndex((step) => step.do === 'validate');
  const later = validates >= 0;
  const references = findReferences(r, one, later ? OUTSIDE_BODY : ANYWHERE);
  const inBody = later ? findReferences(r, one, IN_BODY) : [];
  const staged = planBefore(r, one, answers, later);
  const head = endpoint.method === 'GET' ? settings.head?.value : 'not served';
  if (!references || !inBody || !staged || head === undefined) return undefined;
  const refusing: InsideStep[] = one.parameters.some((parameter) => parameter.otherwise)
    ? [{ do: 'refuse parameters', line: null }]
    : [];
  const ordered = [...references, ...refusing, ...steps.inside.toSpliced(validates + 1, 0, ...inBody)];
  const inside = writes(ordered) ? ordered : withReads(r, ordered, answers);
  const before = orderBefore(staged, settledRates(r));
  return {
    name: endpoint.name,
    method: endpoint.method,
    path: endpoint.path,
    line: r.line(endpoint.span.from),
    access: settings.access ? accessText(settings.access.value) : null,
    writes: writes(inside),
    preconditions: preconditionsAt(r, one)?.value ?? null,
    conditions: reachable(r, one),
    timeout: limitAt(r, one, 'Time-out')?.value ?? null,
    head: head === 'as GET',
    requestHeaders: requestHeaders(r, before, inside, answers, preconditionsAt(r, one)?.value),
    ...(settings.deprecated && { deprecation: planDeprecation(settings.deprecated.value) }),
    ...(settings.tag && { tag: settings.tag.value.text }),
    ...planAudience(r, one),
    vary: isSafe(endpoint.method) ? variesBy(r, before, answers) : statedVary(r),
    before,
    inside,
    after: steps.after,
  };
}

/** The callers to whom descriptions show an endpoint; empty where this is everybody. */
function planAudience(r: Resolved, { settings }: Effective): Pick<EndpointPlan, 'audience'> {
  const audience = settings.audience?.value;
  if (!audience || (audience !== 'none' && audience.kind === 'anyone')) return {};
  if (audience === 'none') return { audience };
  const schemes = schemesOf(r.model.authentication.schemes, audience).map(({ name }) => name);
  return { audience: { schemes, needs: audience.kind === 'scope' ? neededScopes(audience) : null } };
}

/** Request headers that caches evaluate regardless of Vary (RFC 9110, section 13; RFC 9111, section 4.3). */
const OF_CACHES = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range', 'range'];

/**
 * The request headers on which answers to GET depend (RFC 9110, section 12.5.5). They include Authorization: shared
 * caches may reuse an answer to a request with credentials if Cache-Control allows it (RFC 9111, section 3.5), they may
 * always answer a caller from the cached answer to an anonymous request, and several people may share one browser.
 */
function variesBy(r: Resolved, before: readonly BeforeStep[], answers: readonly AnswerStep[]): string[] {
  const names = before.flatMap((step) =>
    step.do === 'read body' || step.do === 'claim key' ? [] : headersOf(r, step),
  );
  const byMediaType = r.model.versioning.scheme?.value.kind === 'media type';
  if (byMediaType || before.some((step) => step.do === 'negotiate')) names.push('Accept');
  if (answers.some((answer) => isResumed(r, answer))) names.push('Last-Event-ID');
  const byName = new Map(names.map((name) => [name.toLowerCase(), name]));
  for (const name of OF_CACHES) byName.delete(name);
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, name]) => name);
}

/** The request header that selects the version, if the document states that every answer has it in Vary. */
function statedVary(r: Resolved): string[] {
  const { scheme, vary, header } = r.model.versioning;
  if (!scheme || !vary) return [];
  return [header?.value ?? 'Accept'];
}

/** The places of a request whose references a step looks up. */
type ReferencePlaces = ReadonlySet<ParameterPlace>;

const OUTSIDE_BODY: ReferencePlaces = new Set(['path', 'query', 'header']);
const IN_BODY: ReferencePlaces = new Set(['body']);
const ANYWHERE: ReferencePlaces = new Set([...OUTSIDE_BODY, ...IN_BODY]);

/** The step that looks up the rows that a request refers to. It precedes the steps that may read them. */
function findReferences(r: Resolved, one: Effective, places: ReferencePlaces): InsideStep[] | undefined {
  const request = places.has('body') ? requestOf(one) : null;
  const resource = request && r.resourceNamed(request.resource.text);
  const references = resource?.fields.filter((field) => targetOf(field.type?.value)) ?? [];
  const fields = (request?.fields ?? [])
    .map((name) => name.text)
    .filter((name) => references.some((field) => field.name.text === name));
  const referring = one.parameters.flatMap((parameter) => {
    const type = parameterType(r, parameter);
    const isHere = parameter.in !== null && places.has(parameter.in.value);
    return type.kind === 'row' && isHere ? [{ parameter, resource: type.resource }] : [];
  });
  const parameters = settledList(
    referring.map(({ parameter, resource }) =>
      settled<ReferencePlan>({ in: parameter.in?.value, parameter: planParameter(r, parameter), resource }),
    ),
  );
  if (!parameters) return undefined;
  const payload = fields.length && request ? planPayload(request) : null;
  const at = payload ? one.settings.request?.from : referring[0]?.parameter.span.from;
  return at === undefined ? [] : [{ do: 'find references', payload, fields, parameters, line: r.line(at) }];
}

/**
 * Whether an endpoint accepts anonymous requests and verifies a password or issues a credential. Rates for requests
 * without a caller then also count requests with credentials: else an attacker could avoid them by sending credentials.
 */
function countsGuesses(one: Effective): boolean {
  return opensToNobody(one) && one.every.some(({ verb }) => verb === 'Authenticate' || verb === 'Issue');
}

/** The index of each rate among all rates. */
const placesOfRates = (r: Resolved): Map<Rate, number> => new Map(settledRates(r).map((rate, i) => [rate, i]));

/** The stages before the steps, such as authentication and validation; undefined while one isn't settled. */
function planBefore(
  r: Resolved,
  one: Effective,
  answers: readonly AnswerStep[],
  later: boolean,
): BeforeStep[] | undefined {
  const { settings } = one;
  const { versioning } = r.model;
  // All bodies have the same media type.
  const answered = answers.find(({ body }) => body !== null)?.body ?? null;
  const stated = withStated(settings, 'unknownParameters', 'idempotency');
  const body = planBody(r, one, later);
  const read = stated && readParameters(r, one, stated.unknownParameters);
  const paged = isPaged(one) ? readPage(r, one) : [];
  const callers = planAuthenticate(r, one);
  if (!stated || !body || !read || !paged || !callers || (answered && !settings.payloads)) return undefined;
  const places = r.once(placesOfRates);
  const limits = settledList(
    [...ratesAt(r, one)].map((rate) => {
      const place = places.get(rate);
      return place === undefined ? undefined : { place, rate };
    }),
  );
  if (!limits) return undefined;
  const out: BeforeStep[] = limits
    .sort((a, b) => a.place - b.place)
    .map(({ place, rate }) => ({
      do: 'limit',
      rate: place,
      callers: rate.per === 'nobody' && countsGuesses(one),
      line: r.line(rate.span.from),
    }));
  out.push(...callers);
  if (settings.access?.value.kind === 'scope')
    out.push({ do: 'require scope', ...neededScopes(settings.access.value), line: r.line(settings.access.from) });
  if (versioning.scheme) out.push({ do: 'choose version', line: r.line(versioning.scheme.from) });
  const { deprecated } = settings;
  const until = deprecated && planDeprecation(deprecated.value).until;
  if (until) out.push({ do: 'check sunset', ...until, line: r.line(deprecated.from) });
  if (answered && settings.payloads)
    out.push({ do: 'negotiate', ...offeredBy(answered), line: r.line(settings.payloads.from) });
  out.push(...body, read, ...paged);
  const key = stated.idempotency;
  if (key.value !== 'none') {
    const { header, presence, keptMilliseconds: kept, answersBelow: below, replayed } = key.value;
    const optional = presence === 'optional' && ({ optional: true } as const);
    const marked = replayed && { replayed };
    out.push({ do: 'claim key', header, kept, below, ...optional, ...marked, line: r.line(key.from) });
  }
  return out;
}

/** The media types that an answer may have. */
function offeredBy(body: BodyPlan): { readonly offered: string; readonly others?: readonly string[] } {
  if (body.kind !== 'file' || body.mediaTypes.length === 1) return { offered: mediaTypeOf(body) };
  const [offered = '', ...others] = body.mediaTypes;
  return { offered, others };
}

const planDeprecation = ({ from, until, deprecation, sunset }: Deprecation): DeprecationPlan => ({
  from,
  until: until && { at: until.at.value, code: until.code.text },
  headers: { deprecation, sunset },
});

/** The stages for a body: read and validate it, refuse it, or ignore it (none); undefined while unsettled. */
function planBody(r: Resolved, one: Effective, later: boolean): BeforeStep[] | undefined {
  const { settings } = one;
  const size = limitAt(r, one, 'Request size');
  if (!takesBody(one)) {
    const { unreadBodies } = settings;
    if (unreadBodies?.value !== 'refused') return unreadBodies ? [] : undefined;
    return size ? [{ do: 'refuse body', most: size.value, line: r.line(unreadBodies.from) }] : undefined;
  }
  const request = requestOf(one);
  const own = bodyParameters(one);
  const parameters = settledList(own.map((parameter) => planParameter(r, parameter)));
  const bytes = planBytes(r, one);
  const unknown = bytes ? 'ignored' : r.model.resources.rules.unknownFields?.value;
  const at = request ? settings.request?.from : own[0]?.span.from;
  if (!size || !parameters || !unknown || at === undefined) return undefined;
  if (bytes) {
    const most = Math.min(size.value, bytes.most);
    const read = { do: 'read body', most, mediaTypes: bytes.mediaTypes, optional: false, bytes: true } as const;
    const payload = { ...planPayload(request!), bytes };
    return [
      { ...read, line: r.line(size.from) },
      { do: 'validate body', payload, parameters: [], unknown, line: r.line(at) },
    ];
  }
  const optional = bodyMayBeMissing(one);
  const payload = request && planPayload(request);
  if (takesParts(one)) {
    const files = planFiles(r, request);
    if (!files) return undefined;
    const most = size.value - files.reduce((sum, file) => sum + file.most, 0);
    const read = { do: 'read body', most: size.value, mediaTypes: [MULTIPART_TYPE], optional, bytes: true } as const;
    return [
      { ...read, line: r.line(size.from) },
      { do: 'validate body', payload, parameters, unknown, parts: { files, most }, line: r.line(at) },
    ];
  }
  const wait = later && ({ later } as const);
  return [
    { do: 'read body', most: size.value, mediaTypes: mediaTypesOf(one), optional, ...wait, line: r.line(size.from) },
    { do: 'validate body', payload, parameters, unknown, ...wait, line: r.line(at) },
  ];
}

/** The field whose bytes the body is; null for another body. */
function planBytes(r: Resolved, one: Effective): FilePlan | null {
  const request = requestOf(one);
  if (!request?.bytes) return null;
  const called = request.bytes.text;
  const field = r.resourceNamed(request.resource.text)?.bytes.find(({ name }) => name.text === called);
  return field ? (planFile(field)?.file ?? null) : null;
}

/** The fields of bytes of a form of several parts; undefined while one isn't settled. */
function planFiles(r: Resolved, request: Requested | null): readonly FilePlan[] | undefined {
  const files = filesOf(r, request).map((field) => planFile(field)?.file);
  return settledList(files);
}

/** The media types that the body of a request may have. */
function mediaTypesOf(one: Effective): string[] {
  const form = takesForm(one) ? [FORM_TYPE] : [];
  if (one.settings.payloads?.value === 'form') return form;
  // A merge patch is no query.
  const patch = requestOf(one)?.optional && one.endpoint.method !== 'QUERY' ? [MERGE_PATCH_TYPE] : [];
  return [JSON_TYPE, ...patch, ...form];
}

function readParameters(
  r: Resolved,
  one: Effective,
  unknown: NonNullable<Effective['settings']['unknownParameters']>,
): BeforeStep | undefined {
  const path = planParameters(r, one, 'path');
  const query = planParameters(r, one, 'query');
  const header = planParameters(r, one, 'header');
  if (!path || !query || !header) return undefined;
  return { do: 'read parameters', path, query, header, unknown: unknown.value, line: r.line(unknown.from) };
}

function readPage(r: Resolved, one: Effective): BeforeStep[] | undefined {
  const pages = pagesOf(r, one);
  const page = pages && planPage(r, one, pages.value);
  return page ? [{ do: 'read page', page, line: r.line(pages.from) }] : undefined;
}

function planPayload({ resource, fields, optional, member, list }: Requested): PayloadPlan {
  return {
    resource: resource.text,
    fields: fields.map((field) => field.text),
    optional,
    member: member?.text ?? null,
    items: list?.items?.value ?? null,
  };
}

function planParameters(r: Resolved, one: Effective, place: ParameterPlace): ParameterPlan[] | undefined {
  return settledList(one.parameters.filter((each) => each.in?.value === place).map((each) => planParameter(r, each)));
}

/** The plans of all handlers; undefined while one isn't settled. */
export function planHandlers(
  r: Resolved,
  checked: ReadonlyMap<Handler, CheckedHandler>,
): readonly HandlerPlan[] | undefined {
  return settledList(r.model.endpoints.handlers.map((handler) => planHandler(r, handler, checked.get(handler))));
}

function planHandler(r: Resolved, said: Handler, follows: CheckedHandler | undefined): HandlerPlan | undefined {
  const handler = withStated(said, 'kind', 'file', 'fails', 'within');
  if (!handler || !follows) return undefined;
  return settled<HandlerPlan>({
    name: handler.name.text,
    kind: handler.kind.value,
    file: handler.file.value,
    takes: settledList(handler.takes.map((field) => planArgument(r, field))),
    gives: settledList(handler.gives.map((field) => planArgument(r, field))),
    fails: handler.fails.value.map((name) => name.text),
    within: handler.within.value,
    delays: handler.attempts?.value.delays ?? [],
    ...follows,
  });
}
