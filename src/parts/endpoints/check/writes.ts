import { possibleTexts } from '../../../expression/always.ts';
import type { Expr } from '../../../expression/expr.ts';
import * as t from '../../../expression/types.ts';
import { identityOf } from '../../../model/resolve.ts';
import type { Token } from '../../../source/phrase.ts';
import type { Name } from '../../../source/read.ts';
import type { Span } from '../../../source/span.ts';
import { resourcesDiagnostics } from '../../resources/diagnostics.ts';
import type { Giving, Resource } from '../../resources/model.ts';
import { leadingTo, type Machine, type Transition } from '../../states/model.ts';
import { checkCreated } from '../checkcreated.ts';
import { endpointsDiagnostics as d } from '../diagnostics.ts';
import { requestOf } from '../effective.ts';
import type { Assignment } from '../model.ts';
import { ensured, requestedBy } from '../written.ts';
import { type Checking, type Of, row } from './checking.ts';

/** The verbs that change rows: Create, Change, Move, Remove. */

export function checkCreate(c: Checking, step: Of<'Create'> | Of<'Ensure'>): void {
  const resource = c.r.resource(step.resource);
  const assigned = assignments(c, step.with, resource, 'create');
  if (resource) {
    const requested = fromRequest(c, step.from, step.verb, resource);
    givenOnce(c, step, resource, requested);
    // What a request may leave out, it doesn't give.
    const given = requestOf(c.one)?.optional ? new Set<string>() : requested;
    checkCreated(c.r, c.one, resource.name.text, { requested: given, assigned });
  }
  c.nameRow(step.as, resource ? row(resource.name.text) : t.UNKNOWN);
}

/** There has to be a rule by which the row it ensures is told from others. */
export function checkEnsure(c: Checking, step: Of<'Ensure'>): void {
  checkCreate(c, step);
  const resource = c.r.model.resources.list.find((one) => one.name.text === step.resource.text);
  const known = resource?.fields.map((field) => field.name.text) ?? [];
  const fills = [...requestedBy(step, c.one), ...step.with.map((one) => one.field.text)];
  if (resource && fills.every((name) => known.includes(name)) && ensured(step, resource, c.one).length === 0)
    c.findings.push(d.report.ensureUnique(step.span, { resource: resource.name.text }));
}

export function checkChange(c: Checking, step: Of<'Change'>): void {
  const resource = c.row(step.row);
  if (!resource) return;
  assignments(c, step.with, resource, 'change');
  if (step.from) givenOnce(c, step, resource, fromRequest(c, step.from, 'Change', resource));
  else if (step.with.length === 0 && !touched(resource))
    c.findings.push(d.report.changeNothing(step.span, { resource: resource.name.text }));
}

export function checkMove(c: Checking, step: Of<'Move'>): void {
  const resource = c.row(step.row);
  if (!resource) {
    // The row is misspelt: it may be one of any states.
    if (step.to) for (const { resource: any, transitions } of c.r.model.states.machines) made(c, any.text, transitions);
    return;
  }
  const machine = c.r.machine(resource.name.text);
  if (!machine) {
    c.findings.push(d.report.moveUnknown(step.row, { resource: resource.name.text }));
    return;
  }
  const names = machine.transitions.map((transition) => transition.name.text);
  if (step.to) checkMoveTo(c, step.to, resource, machine);
  else if (step.by && !names.includes(step.by.text)) c.r.unknown(step.by, `transition of ${resource.name.text}`, names);
}

function made(c: Checking, resource: string, transitions: readonly Transition[]): void {
  for (const one of transitions) c.r.movesMade.add(`${resource} ${one.name.text}`);
}

function isState(resource: Resource, machine: Machine, state: Name | null): boolean {
  const allowed = resource.fields.find((field) => field.name.text === machine.field.text)?.allowed?.value;
  return allowed?.kind !== 'one of' || allowed.values.some((value) => value.text === state?.text);
}

/** Each state that the expression can give has to be led to, by one transition from each state, with one refusal. */
function checkMoveTo(c: Checking, to: Token, resource: Resource, machine: Machine): void {
  const name = resource.name.text;
  const expr = c.type(to, c.r.rows.get(name)!.fields.get(machine.field.text) ?? t.UNKNOWN, 'Move … to');
  const misspelt = machine.transitions.some((one) => !isState(resource, machine, one.to));
  if (!expr || misspelt) {
    made(c, name, machine.transitions);
    return;
  }
  const states = possibleTexts(expr);
  if (!states) {
    c.findings.push(d.report.moveTo(to, { field: `${name}.${machine.field.text}` }));
    return;
  }
  for (const state of states) {
    const leading = leadingTo(machine, state);
    made(c, name, leading);
    const refusals = new Set(leading.map((one) => (one.otherwise?.value === 'none' ? '' : one.otherwise?.value.text)));
    const from = leading.flatMap((one) => one.from.map((each) => each.text));
    const twice = from.find((each, i) => from.indexOf(each) < i);
    if (leading.length === 0) c.findings.push(d.report.moveNowhere(to, { state }));
    else if (twice !== undefined) c.findings.push(d.report.moveTwice(to, { from: twice, state }));
    else if (refusals.size > 1) c.findings.push(d.report.moveRefusals(to, { state, codes: [...refusals].join(', ') }));
  }
}

export function checkRemove(c: Checking, step: Of<'Remove'>): void {
  if (c.row(step.row)) c.removed = new Set([...c.removed, step.row.text]);
}

export function checkRemoveEvery(c: Checking, step: Of<'Remove every'>): void {
  const resource = c.r.resource(step.resource);
  if (!resource) {
    c.broken = true;
    return;
  }
  if (step.where) c.type(step.where, t.BOOLEAN, '“where”', resource.name.text);
  c.removeEvery(resource.name.text);
}

/** `from request`: the fields that the request has to have, and reports what can't be taken from. */
function fromRequest(c: Checking, from: Token | null, verb: string, resource: Resource): Set<string> {
  if (!from) return new Set();
  if (from.text === 'request' && !c.names.has('request')) return requestMissing(c, from, resource);
  const value = c.type(from, null, '“from”');
  if (!value) {
    c.broken = true;
    return new Set();
  }
  const payload = value.type.kind === 'object' ? value.type.payload : null;
  if (!payload) {
    c.findings.push(d.report.fromRequest(from, { verb }));
    return new Set();
  }
  if (payload.resource !== resource.name.text) return requestMissing(c, from, resource);
  c.readFromRequest = true;
  const request = requestOf(c.one);
  if (verb === 'Change') for (const field of request?.fields ?? []) keepsIdentity(c, resource, field);
  return new Set(payload.fields);
}

/** What the request gives is given by nothing else in the same step: not by `with`, and not whenever a row is changed. */
function givenOnce(
  c: Checking,
  step: Of<'Create'> | Of<'Ensure'> | Of<'Change'>,
  resource: Resource,
  requested: ReadonlySet<string>,
): void {
  const twice = (at: Span, field: string): void => {
    c.findings.push(resourcesDiagnostics.report.givenTwice(at, { field: `${resource.name.text}.${field}` }));
  };
  for (const { field } of step.with)
    if (requested.has(field.text) && givesAt(resource, field.text, (giving) => giving.from === 'steps'))
      twice(field, field.text);
  const atChange = (giving: Giving): boolean => giving.from === 'moment' && giving.moment.text === 'change';
  if (step.verb !== 'Change') return;
  for (const field of requested) if (step.from && givesAt(resource, field, atChange)) twice(step.from, field);
}

const givesAt = (resource: Resource, field: string, test: (giving: Giving) => boolean): boolean =>
  resource.fields.some((one) => one.name.text === field && one.givenBy?.value.some(test));

function requestMissing(c: Checking, from: Token, resource: Resource): Set<string> {
  const params = { endpoint: c.endpoint, resource: resource.name.text };
  c.findings.push(d.report.requestMissing(from, params, [c.endpoint]));
  return new Set();
}

function keepsIdentity(c: Checking, resource: Resource, field: Name): void {
  if (identityOf(resource)?.name.text !== field.text) return;
  const path = `${resource.name.text}.${field.text}`;
  c.findings.push(resourcesDiagnostics.report.identityChanged(field, { field: path }));
}

function assignments(c: Checking, list: readonly Assignment[], resource: Resource | null, moment: string): Set<string> {
  const out = new Set<string>();
  for (const one of list) {
    const field = resource && c.r.field(resource, one.field);
    const type = field ? c.r.rows.get(resource!.name.text)!.fields.get(field.name.text)! : null;
    const value = c.type(one.value, type, `“${one.field.text}”`);
    const source = value && asSent(value, one.field.text) ? 'request' : 'steps';
    if (field?.givenBy && !field.givenBy.value.some((giving) => [source, 'steps'].includes(giving.from))) {
      const path = `${resource!.name.text}.${field.name.text}`;
      c.findings.push(d.report.notGivenBy(one.field, { field: path, source: 'steps' }));
    }
    if (field?.givenBy?.value.some((giving) => giving.from === 'moment' && giving.moment.text === moment)) {
      const path = `${resource!.name.text}.${field.name.text}`;
      c.findings.push(resourcesDiagnostics.report.givenTwice(one.field, { field: path }));
    }
    if (resource && moment === 'change') keepsIdentity(c, resource, one.field);
    out.add(one.field.text);
  }
  return out;
}

/** True if every change gives a field of the resource a value. */
const touched = (resource: Resource): boolean =>
  resource.fields.some((field) =>
    field.givenBy?.value.some((giving) => giving.from === 'moment' && giving.moment.text === 'change'),
  );

/** True for `request.f` as the value of the field `f`: then it is the request that gives it. */
function asSent(value: Expr, field: string): boolean {
  return value.op === 'get' && value.of.op === 'name' && value.of.name === 'request' && value.member === field;
}
