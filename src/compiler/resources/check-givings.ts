import { type Expr, fieldsOf } from '../../expression/tree/expression.ts';
import { NULL, nullable, type Type, UNKNOWN } from '../../expression/tree/types.ts';
import type { Giving } from '../../language/resources.ts';
import { sourceOrder } from '../../plan/givings.ts';
import type { Token } from '../../syntax/tokens.ts';
import { callerAsWritten } from '../document/access.ts';
import { allSteps } from '../document/all-steps.ts';
import { auditsOf } from '../document/audits.ts';
import { fieldType } from '../document/field-types.ts';
import { clearedBy } from '../document/removal-effects.ts';
import type { Resolved } from '../document/resolve.ts';
import { resultsOf } from '../document/results.ts';
import { writesOf } from '../document/writes.ts';
import type { Scope } from '../expression/scope.ts';
import type { Field, Resource } from '../statements/resources.ts';
import { isTimed } from '../statements/states.ts';
import { checkBounds } from './bounds.ts';
import { checkGiven } from './constants.ts';
import { allowsAll } from './fitting-values.ts';
import { resourcesDiagnostics as d } from './messages.ts';
import { ruleOf } from './plan.ts';
import { checkSequence } from './sequences.ts';

/** Checks where each field's values come from: one source for each moment, and expressions of the field's type. */
export function checkGivings(r: Resolved, resource: Resource): void {
  const machines = r.machines(resource.name.text);
  const transitions = r.transitions(resource.name.text);
  for (const field of resource.fields) {
    const own = machines.find((machine) => machine.field.text === field.name.text);
    const path = `${resource.name.text}.${field.name.text}`;
    const seen = new Set<string>();
    for (const giving of field.givenBy?.value ?? []) {
      const moments = momentsOf(
        giving,
        (own?.transitions ?? transitions).map((transition) => transition.name.text),
      );
      if (moments.some((moment) => seen.has(moment)))
        r.notes.findings.push(d.report.givenTwice(field.givenBy, { field: path, write: joinedSources(field) }));
      for (const moment of moments) seen.add(moment);
      checkGiving(r, resource, field, giving);
      if (giving.from === 'sequence') checkSequence(r, resource, field, giving.per);
      if (giving.from === 'transitions' && !own)
        r.afterAll(() => {
          if (!r.isSuggested(resource.name.text) && !r.isSuggested(field.name.text))
            r.notes.findings.push(d.report.transitionsField(field.name, { field: path }));
        });
    }
  }
  checkCycles(r, resource);
}

/** The one source that says what two say, where endpoints and the operator give a value. */
const joinedSources = ({ givenBy }: Field): string => {
  const all = givenBy?.value ?? [];
  const both = all.length === 2 && ['request', 'operator'].every((from) => all.some((one) => one.from === from));
  return both ? 'request or operator' : '';
};

/**
 * When a source gives a value: a transition is a change too. Steps give one whenever they assign it, which may be at
 * another moment than the row’s creation.
 */
function momentsOf(giving: Giving, transitions: readonly string[]): readonly string[] {
  if (giving.from === 'moment')
    return giving.moment.text === 'change' ? ['change', ...transitions] : [giving.moment.text];
  if (giving.from === 'transitions') return ['create', ...transitions];
  return giving.from === 'steps' ? ['steps'] : ['create'];
}

function checkGiving(r: Resolved, resource: Resource, field: Field, giving: Giving): void {
  const name = resource.name.text;
  const type = r.fieldTypes(name).get(field.name.text) ?? fieldType(field, name);
  const what = `${name}.${field.name.text}`;
  const typed = (token: Token, scope: Scope): void => {
    const { findings } = r.notes;
    const before = findings.length;
    const value = r.type(token, scope, type.kind === 'unknown' ? null : type, what, 'value');
    // The value has another type than the field: the type of the field is unknown to its readers.
    if (
      findings.slice(before).some(({ code, span }) => code === 'expression/mismatch' && span?.from === token.inner.from)
    )
      r.derive(name, field.name.text, UNKNOWN);
    if (!value) return;
    const wrong = checkGiven(r, field, value, token, what);
    findings.push(...wrong);
    if (wrong.length > 0) return;
    if (r.once(auditsOf).has(name)) {
      const rule = checkBounds(field, what).length === 0 ? ruleOf(r, field) : undefined;
      if (rule && !allowsAll(r, rule, value)) findings.push(d.report.auditMayExceed(token, { field: what }));
    } else if (mayExceed(r, field, value)) findings.push(d.report.givenMayExceed(token, { field: what }));
  };
  if (giving.from === 'request' && giving.otherwise) typed(giving.otherwise, r.givingScope(new Map(), name));
  if (giving.from !== 'moment') return;
  const transitions = r.transitions(name).map((transition) => transition.name.text);
  if (!['create', 'change', ...transitions].includes(giving.moment.text))
    r.afterAll(() => {
      if (!r.isSuggested(name)) r.unknown(giving.moment, 'moment', ['create', 'change', ...transitions]);
    });
  if (field.unique?.value.kind === 'identity' && giving.moment.text !== 'create')
    r.notes.findings.push(d.report.identityChanged(giving.moment, { field: what }));
  typed(giving.value, r.scope(namesAt(r, name, giving.moment.text), name));
}

/**
 * True for a value from other fields of the row that can be outside of what the field allows, although each of them is
 * within its own allowed values. No step before the write has seen such a value.
 */
function mayExceed(r: Resolved, { allowed }: Field, value: Expr): boolean {
  if (!allowed || fieldsOf(value, 'this').size === 0) return false;
  const [least, most] = r.once(resultsOf).rangeOf(value);
  switch (allowed.value.kind) {
    case 'range':
    case 'durations':
    case 'decimals':
      return least < allowed.value.min || most > allowed.value.max;
    case 'length':
      // A character has at most two UTF-16 units.
      return most > allowed.value.max * 2;
    default:
      return false;
  }
}

/** Reports fields whose sources read each other, so that none of them could be computed first. */
function checkCycles(r: Resolved, resource: Resource): void {
  const fields = resource.fields.map(({ name }) => name.text);
  const read = new Map(
    resource.fields.map((field) => [
      field.name.text,
      new Set(momentValues(field).flatMap((value) => [...fieldsOf(r.expr(value) ?? NOTHING, 'this')])),
    ]),
  );
  for (const one of sourceOrder(fields, (field) => read.get(field) ?? new Set()).circular) {
    const field = resource.fields.find(({ name }) => name.text === one);
    if (field?.givenBy)
      r.notes.findings.push(d.report.givenCycle(field.givenBy, { field: `${resource.name.text}.${one}` }));
  }
}

const NOTHING: Expr = { op: 'const', value: null, type: NULL };

const momentValues = ({ givenBy }: Field): Token[] =>
  (givenBy?.value ?? []).flatMap((giving) => (giving.from === 'moment' ? [giving.value] : []));

/**
 * The names that a value may use at a moment. A timed transition has no caller; it is a change too, where the caller
 * may be null for that reason.
 */
function namesAt(r: Resolved, resource: string, moment: string): Map<string, Type> {
  // Entries of an audit are created with and without a caller.
  if (r.once(auditsOf).has(resource)) return new Map();
  const names = callerAsWritten(r, resource, moment);
  const timed = r.transitions(resource).filter((one) => isTimed(one.when?.value));
  const caller = names.get('caller');
  if (timed.some((one) => one.name.text === moment)) return new Map();
  const byItself =
    (moment === 'change' && timed.length > 0) || r.once(backgroundWrites).has(`${resource} ${moment === 'create'}`);
  if (!byItself) return names;
  const claims = names.get('claims');
  if (caller) names.set('caller', nullable(caller, true));
  if (claims?.kind === 'object') {
    const members = Object.entries(claims.members).map(([name, type]) => [name, nullable(type, true)] as const);
    names.set('claims', { ...claims, members: Object.fromEntries(members) });
  }
  return names;
}

/** True if a field gets its value from one of the sources when a row is created. */
export function givenOnCreate(field: Field, sources: { request: boolean; operator: boolean; steps: boolean }): boolean {
  return (field.givenBy?.value ?? []).some((giving) => {
    if (giving.from === 'moment') return giving.moment.text === 'create';
    if (giving.from === 'transitions') return true;
    if (giving.from === 'request')
      return sources.request || giving.otherwise !== null || (giving.orOperator && sources.operator);
    if (giving.from === 'sequence' || giving.from === 'audit') return true;
    return sources[giving.from];
  });
}

/** The resources whose rows nobody’s steps create (`Resource true`) or write otherwise (`Resource false`). */
function backgroundWrites(r: Resolved): ReadonlySet<string> {
  const lists = r.once(allSteps).filter(({ background }) => background);
  const writes = lists.flatMap(({ one, rows }) => writesOf(one.steps, new Map(rows)));
  return new Set(
    writes.flatMap(({ does, resource }) => {
      const cleared = resource === null ? [] : [...clearedBy(r, does, resource).keys()];
      return [`${resource} ${does === 'Create'}`, ...cleared.map((one) => `${one} false`)];
    }),
  );
}
