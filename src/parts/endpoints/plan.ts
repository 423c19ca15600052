import type { Resolved } from '../../model/resolve.ts';
import { writes } from '../../plan/inside.ts';
import { orderBefore } from '../../plan/order.ts';
import type {
  AnswerStep,
  BeforeStep,
  EndpointPlan,
  InsideStep,
  ParameterPlan,
  PayloadPlan,
  ReferencePlan,
} from '../../plan/step.ts';
import { opensToNobody } from '../authentication/access.ts';
import { headersOf, planAuthenticate, requestHeaders } from '../authentication/plan.ts';
import { isPaged, pagesOf } from '../limits/checkpages.ts';
import { counts, limitAt } from '../limits/inforce.ts';
import { planPage } from '../limits/plan.ts';
import { isPassword } from '../resources/passwords.ts';
import { ruleOf } from '../resources/plan.ts';
import { parameterType } from './checkparameters.ts';
import { bodyMayBeMissing, bodyParameters, type Effective, requestOf, takesBody } from './effective.ts';
import type { Access, Parameter, ParameterPlace, Requested } from './model.ts';
import { planAnswer, planStep } from './plansteps.ts';

/** Finds the line of a place in the document. */
export type LineOf = (offset: number) => number;

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';
const MERGE_PATCH = 'application/merge-patch+json';

/** Turns an endpoint's statements, and those of the parts that speak of it, into staged steps. */
export function planEndpoint(r: Resolved, one: Effective, line: LineOf): EndpointPlan {
  return r.within(one.endpoint.name, () => planOne(r, one, line));
}

function planOne(r: Resolved, one: Effective, line: LineOf): EndpointPlan {
  const { endpoint, settings, steps } = one;
  const rowsOf = new Map<string, string>();
  const inside: InsideStep[] = [...findReferences(r, one, line)];
  if (one.parameters.some((parameter) => parameter.otherwise)) inside.push({ do: 'refuse parameters', line: null });
  let after: AnswerStep | null = null;
  for (const step of steps) {
    if (step.verb === 'Answer') after = planAnswer(r, one, step, line);
    else inside.push(planStep(step, { r, one, rowsOf, line }));
  }
  const before = orderBefore(planBefore(r, one, after!, line), r.model.limits.rates);
  return {
    name: endpoint.name,
    method: endpoint.method,
    path: endpoint.path,
    line: line(endpoint.span.from),
    access: settings.access ? accessText(settings.access.value) : null,
    writes: writes(inside),
    timeout: limitAt(r.model, one, 'Time-out')?.value ?? null,
    head: endpoint.method === 'GET' && settings.head!.value === 'as GET',
    requestHeaders: requestHeaders(r, before, inside, after!),
    vary: endpoint.method === 'GET' ? variesBy(r, before, after!) : statedVary(r),
    before,
    inside,
    after: after!,
  };
}

/** What a cache judges by itself, whatever Vary says (RFC 9110, section 13; RFC 9111, section 4.3). */
const OF_CACHES = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range', 'range'];

/**
 * The request headers that answers to GET depend on (RFC 9110, section 12.5.5). Authorization is among them: that shared
 * caches don't give an answer to it to somebody else (RFC 9111, section 3.5) is true no more once Cache-Control allows it,
 * and never was of an answer to nobody that is given to a caller, nor of the cache of a browser that several share.
 */
function variesBy(r: Resolved, before: readonly BeforeStep[], after: AnswerStep): string[] {
  const names = before.flatMap((step) =>
    step.do === 'read body' || step.do === 'claim key' ? [] : headersOf(r, step),
  );
  const spoken = r.model.versioning.scheme?.value.kind === 'media type';
  if (spoken || before.some((step) => step.do === 'negotiate')) names.push('Accept');
  if (after.body?.kind === 'stream' && typeof r.model.events.stream?.resumption?.value === 'object')
    names.push('Last-Event-ID');
  const byName = new Map(names.map((name) => [name.toLowerCase(), name]));
  for (const name of OF_CACHES) byName.delete(name);
  return [...byName.keys()].sort().map((name) => byName.get(name)!);
}

/** The header that versions are chosen by, where every answer says so. */
function statedVary(r: Resolved): string[] {
  const { scheme, vary, header } = r.model.versioning;
  if (!scheme || !vary) return [];
  return [header?.value ?? 'Accept'];
}

/** What the request refers to is looked for before the steps: it is part of what the request holds. */
function findReferences(r: Resolved, one: Effective, line: LineOf): InsideStep[] {
  const request = requestOf(one);
  const resource = request && r.resourceNamed(request.resource.text)!;
  const references = resource?.fields.filter((field) => field.type?.value.kind === 'reference') ?? [];
  const fields = (request?.fields ?? [])
    .map((name) => name.text)
    .filter((name) => references.some((field) => field.name.text === name));
  const referring = one.parameters.filter((parameter) => parameterType(r, parameter).kind === 'row');
  if (fields.length + referring.length === 0) return [];
  const parameters = referring.map((parameter): ReferencePlan => {
    const type = parameterType(r, parameter);
    const { resource } = type as Extract<typeof type, { kind: 'row' }>;
    return { in: parameter.in!.value, parameter: planParameter(r, parameter), resource };
  });
  const payload = fields.length && request ? planPayload(request) : null;
  const at = payload ? one.settings.request!.from : referring[0]!.span.from;
  return [{ do: 'find references', payload, fields, parameters, line: line(at) }];
}

/** Who may ask, as the document says it. */
/**
 * True where anyone may call and a step verifies a password or hands out a credential. Whoever guesses there could
 * choose by credentials of their own what they are counted by, and so is counted as one without any.
 */
function countsGuesses(one: Effective): boolean {
  return opensToNobody(one) && one.every.some(({ verb }) => verb === 'Authenticate' || verb === 'Issue');
}

function accessText(access: Access): string {
  if (access.kind === 'anyone') return 'anyone';
  return access.kind === 'any' ? `any ${access.name.text}` : access.name.text;
}

function planBefore(r: Resolved, one: Effective, answer: AnswerStep, line: LineOf): BeforeStep[] {
  const { settings } = one;
  const { limits, versioning, resources } = r.model;
  const out: BeforeStep[] = limits.rates.flatMap((rate, i) =>
    counts(rate, one)
      ? [{ do: 'limit', rate: i, callers: rate.per === 'nobody' && countsGuesses(one), line: line(rate.span.from) }]
      : [],
  );
  out.push(...planAuthenticate(r, one, line));
  if (settings.access?.value.kind === 'scope')
    out.push({ do: 'require scope', scope: settings.access.value.name.text, line: line(settings.access.from) });
  if (versioning.scheme) out.push({ do: 'choose version', line: line(versioning.scheme.from) });
  const offered = answer.body?.kind === 'stream' ? STREAM_TYPE : JSON_TYPE;
  if (answer.body) out.push({ do: 'negotiate', offered, line: line(settings.payloads!.from) });
  const size = limitAt(r.model, one, 'Request size');
  if (takesBody(one)) {
    const request = requestOf(one);
    const mediaTypes = request?.optional ? [JSON_TYPE, MERGE_PATCH] : [JSON_TYPE];
    const optional = bodyMayBeMissing(one);
    const parameters = bodyParameters(one);
    out.push({ do: 'read body', most: size!.value, mediaTypes, optional, line: line(size!.from) });
    out.push({
      do: 'validate body',
      payload: request && planPayload(request),
      parameters: parameters.map((parameter) => planParameter(r, parameter)),
      unknown: resources.rules.unknownFields!.value,
      line: line(request ? settings.request!.from : parameters[0]!.span.from),
    });
  } else if (settings.unreadBodies!.value === 'refused')
    out.push({ do: 'refuse body', most: size!.value, line: line(settings.unreadBodies!.from) });
  out.push({
    do: 'read parameters',
    path: planParameters(r, one, 'path'),
    query: planParameters(r, one, 'query'),
    header: planParameters(r, one, 'header'),
    unknown: settings.unknownParameters!.value,
    line: line(settings.unknownParameters!.from),
  });
  if (isPaged(one)) out.push({ do: 'read page', page: planPage(r, one), line: line(pagesOf(r, one)!.from) });
  const key = settings.idempotency!.value;
  if (key !== 'none')
    out.push({
      do: 'claim key',
      header: key.header,
      kept: key.keptMilliseconds,
      below: key.answersBelow,
      line: line(settings.idempotency!.from),
    });
  return out;
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

function planParameters(r: Resolved, one: Effective, place: ParameterPlace): ParameterPlan[] {
  return one.parameters.filter((each) => each.in!.value === place).map((each) => planParameter(r, each));
}

/** Turns a parameter into what is checked of its value. */
export function planParameter(r: Resolved, parameter: Parameter): ParameterPlan {
  const type = parameter.type!.value;
  const shared = {
    name: parameter.name.text,
    required: parameter.presence!.value === 'always',
    otherwise: parameter.fallback && r.expr(parameter.fallback),
    code: parameter.otherwise?.text ?? null,
  };
  if (type.kind === 'plain') {
    const rule = ruleOf(r, {
      type: { ...parameter.type!, value: type.type },
      format: null,
      allowed: parameter.allowed,
      givenBy: null,
    });
    return { ...shared, rule, password: false, field: null };
  }
  const resource = r.resourceNamed(type.resource.text)!;
  const field = resource.fields.find((one) => one.name.text === type.field.text)!;
  const named = type.field.text === parameter.name.text && ['query', 'body'].includes(parameter.in!.value);
  const password = isPassword(field);
  return {
    ...shared,
    rule: ruleOf(r, field),
    password,
    field: named ? `${type.resource.text}.${type.field.text}` : null,
  };
}
