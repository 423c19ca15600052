import type { Resolved } from '../../model/resolve.ts';
import { writes } from '../../plan/inside.ts';
import { orderBefore } from '../../plan/order.ts';
import type { AnswerStep, BeforeStep, EndpointPlan, InsideStep, ParameterPlan } from '../../plan/step.ts';
import { planAuthenticate, requestHeaders } from '../authentication/plan.ts';
import { planPage } from '../limits/plan.ts';
import { ruleOf } from '../resources/plan.ts';
import type { Effective } from './effective.ts';
import type { Access, Parameter } from './model.ts';
import { planAnswer, planStep } from './plansteps.ts';

/** Finds the line of a place in the document. */
export type LineOf = (offset: number) => number;

const JSON_TYPE = 'application/json';
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
    head: endpoint.method === 'GET' && settings.head!.value === 'as GET',
    requestHeaders: requestHeaders(r, before, inside, after!),
    before,
    inside,
    after: after!,
  };
}

/** What the body refers to is looked for before the steps: it is part of what the request holds. */
function findReferences(r: Resolved, { settings }: Effective, line: LineOf): InsideStep[] {
  const request = settings.request!.value;
  if (request === 'none') return [];
  const { text: resource } = request.resource;
  const fields = r.model.resources.list.find((one) => one.name.text === resource)!.fields;
  const references = request.fields
    .map((name) => name.text)
    .filter((name) => fields.find((field) => field.name.text === name)!.type!.value.kind === 'reference');
  if (references.length === 0) return [];
  return [{ do: 'find references', resource, fields: references, line: line(settings.request!.from) }];
}

/** Who may ask, as the document says it. */
function accessText(access: Access): string {
  if (access.kind === 'anyone') return 'anyone';
  return access.kind === 'any' ? `any ${access.name.text}` : access.name.text;
}

function planBefore(r: Resolved, one: Effective, answer: AnswerStep, line: LineOf): BeforeStep[] {
  const { settings } = one;
  const { limits, versioning, resources } = r.model;
  const out: BeforeStep[] = limits.rates.map((rate, i) => ({ do: 'limit', rate: i, line: line(rate.span.from) }));
  out.push(...planAuthenticate(r, one, line));
  if (settings.access?.value.kind === 'scope')
    out.push({ do: 'require scope', scope: settings.access.value.name.text, line: line(settings.access.from) });
  if (versioning.header) out.push({ do: 'choose version', line: line(versioning.header.from) });
  if (answer.body) out.push({ do: 'negotiate', offered: JSON_TYPE, line: line(settings.payloads!.from) });
  const most = limits.requestSize!.value;
  const request = settings.request!.value;
  if (request !== 'none') {
    const mediaTypes = request.optional ? [JSON_TYPE, MERGE_PATCH] : [JSON_TYPE];
    out.push({ do: 'read body', most, mediaTypes, line: line(limits.requestSize!.from) });
    out.push({
      do: 'validate body',
      resource: request.resource.text,
      fields: request.fields.map((field) => field.text),
      optional: request.optional,
      unknown: resources.rules.unknownFields!.value,
      line: line(settings.request!.from),
    });
  } else if (settings.unreadBodies!.value === 'refused')
    out.push({ do: 'refuse body', most, line: line(settings.unreadBodies!.from) });
  out.push({
    do: 'read parameters',
    path: one.parameters.filter((p) => p.in!.value === 'path').map((p) => planParameter(r, p)),
    query: one.parameters.filter((p) => p.in!.value === 'query').map((p) => planParameter(r, p)),
    unknown: settings.unknownParameters!.value,
    line: line(settings.unknownParameters!.from),
  });
  if (one.every.some((step) => step.verb === 'List'))
    out.push({ do: 'read page', page: planPage(r), line: line(limits.pages!.from) });
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

function planParameter(r: Resolved, parameter: Parameter): ParameterPlan {
  const type = parameter.type!.value;
  const shared = {
    name: parameter.name.text,
    required: parameter.presence!.value === 'always',
    code: parameter.otherwise?.text ?? null,
  };
  if (type.kind === 'plain') {
    const rule = ruleOf(r, {
      type: { ...parameter.type!, value: type.type },
      format: null,
      allowed: parameter.allowed,
      givenBy: null,
    });
    return { ...shared, rule, field: null };
  }
  const resource = r.resourceNamed(type.resource.text)!;
  const field = resource.fields.find((one) => one.name.text === type.field.text)!;
  const named = type.field.text === parameter.name.text && parameter.in!.value === 'query';
  return { ...shared, rule: ruleOf(r, field), field: named ? `${type.resource.text}.${type.field.text}` : null };
}
