import { isDraw, some } from '../../expression/tree/expression.ts';
import type { AuditFact, Giving } from '../../language/resources.ts';
import { type AuditAction, CAUSES, type Cause } from '../../plan/rows.ts';
import { boundText, FREE, type ValueRule } from '../../plan/value-forms.ts';
import type { Name } from '../../syntax/names.ts';
import type { Span } from '../../syntax/span.ts';
import { orText } from '../../text/lists.ts';
import { counted } from '../../text/units.ts';
import { allSteps } from '../document/all-steps.ts';
import { type Audited, auditsOf, factsOf, namedBy } from '../document/audits.ts';
import { targetOf } from '../document/field-types.ts';
import { identityOf, keyOf, type Resolved } from '../document/resolve.ts';
import { writesOf } from '../document/writes.ts';
import type { Field, Resource } from '../statements/resources.ts';
import { isTimed } from '../statements/states.ts';
import { isHashed } from './check-passwords.ts';
import { resourcesDiagnostics as d } from './messages.ts';
import { identityRule, ruleOf } from './plan.ts';
import { holdsAll } from './rule-holds.ts';

/** Checks what is recorded of the changes of a resource, and where. */
export function checkAudited(r: Resolved, resource: Resource): void {
  const { audited } = resource;
  if (!audited) return;
  const { findings } = r.notes;
  const name = resource.name.text;
  const { fields, entries: at, removedBy } = audited.value;
  if (!identityOf(resource)) findings.push(d.report.auditKeyless(audited, { resource: name }));
  for (const one of fields) {
    const field = r.field(resource, one);
    if (field && isSecret(field)) findings.push(d.report.auditSecret(one, { field: `${name}.${one.text}` }));
  }
  const entries = r.resource(at);
  if (!entries) return;
  const other = r.once(auditsOf).get(at.text);
  const reason = whyNoEntries(resource, entries, other?.resource ?? resource);
  if (reason !== null) {
    findings.push(d.report.auditEntries(at, { entries: at.text, resource: name, reason }));
    return;
  }
  checkFacts(r, resource, entries);
  if (removedBy) {
    const schedules = r.model.endpoints.schedules.map((one) => one.name.text);
    if (!schedules.includes(removedBy.text)) r.unknown(removedBy, 'schedule', schedules);
  }
  r.afterAll(() => checkWrites(r, { resource, stated: audited }, entries));
}

/** Why a resource cannot hold the entries; null where it can. */
function whyNoEntries(resource: Resource, entries: Resource, first: Resource): string | null {
  if (entries === resource) return 'it is the resource itself';
  if (entries.audited) return 'its own changes are audited';
  return first === resource ? null : `it holds those of ${first.name.text}`;
}

const isSecret = (field: Field): boolean => isHashed(field) || field.format?.value === 'webhook secret';

/** Checks that entries say which row was changed, what happened to it, and the values of the audited fields. */
function checkFacts(r: Resolved, resource: Resource, entries: Resource): void {
  const { name, audited } = resource;
  if (!audited || entries.fields.length === 0 || entries.fields.some((field) => !field.givenBy)) return;
  const { findings } = r.notes;
  const facts = entries.fields.flatMap(factsOf);
  const params = { entries: entries.name.text, resource: name.text };
  const has = (kind: AuditFact['kind']): boolean => facts.some((fact) => fact.kind === kind);
  if (!has('row')) findings.push(d.report.auditRow(entries.name, params));
  const actions = actionsOf(audited.value);
  if (actions.length > 1 && !has('action'))
    findings.push(
      d.report.auditAction(entries.name, {
        ...params,
        actions: orText(actions),
      }),
    );
  for (const one of audited.value.fields.filter(({ text }) => r.fieldNamed(resource, text)))
    if (!facts.some((fact) => 'field' in fact && fact.field.text === one.text))
      findings.push(
        d.report.auditValue(entries.name, { ...params, field: `${name.text}.${one.text}`, name: one.text }),
      );
}

const actionsOf = ({ creation, removal }: { readonly creation: boolean; readonly removal: boolean }): AuditAction[] => [
  ...(creation ? (['created'] as const) : []),
  'changed',
  ...(removal ? (['removed'] as const) : []),
];

/** Checks that no step writes entries, but that the stated schedule removes them. */
function checkWrites(r: Resolved, { resource, stated }: Audited, { name }: Resource): void {
  const { findings } = r.notes;
  const entries = name.text;
  const { removedBy } = stated.value;
  const remover = removedBy ? `only the schedule ${removedBy.text} removes them` : 'none removes one';
  const isKnown = r.model.endpoints.schedules.some((one) => one.name.text === removedBy?.text);
  const reported = new Set<Span>();
  let isRemoved = false;
  for (const { one, rows } of r.once(allSteps))
    for (const { step, does, resource: written } of writesOf(one.steps, new Map(rows))) {
      if (written !== entries) continue;
      const isOwn = does === 'Remove' && removedBy !== null && one.endpoint.name === `Schedule ${removedBy.text}`;
      isRemoved ||= isOwn;
      // A schedule that nothing declares may be this one.
      const isMeant = does === 'Remove' && removedBy !== null && !isKnown;
      if (isOwn || isMeant || reported.has(step.span)) continue;
      reported.add(step.span);
      findings.push(d.report.auditWritten(step.span, { entries, resource: resource.name.text, remover }));
    }
  if (removedBy && isKnown && !isRemoved)
    findings.push(d.report.auditKept(removedBy, { schedule: removedBy.text, entries }));
}

/** Checks the fields and rules of a resource as those of entries, where it holds some. */
export function checkEntries(r: Resolved, resource: Resource): void {
  const { findings } = r.notes;
  const name = resource.name.text;
  const of = r.once(auditsOf).get(name);
  if (!of) {
    const stray = resource.fields.find((field) => factsOf(field).length > 0);
    if (stray)
      r.afterAll(() => {
        if (!r.isSuggested(name))
          findings.push(d.report.auditStray(stray.givenBy, { field: `${name}.${stray.name.text}`, resource: name }));
      });
    return;
  }
  if (whyNoEntries(of.resource, resource, of.resource) !== null) return;
  for (const field of resource.fields) checkEntryField(r, of, resource, field);
  checkRepeated(r, resource);
  const rules = [
    ...resource.fields.flatMap(({ unique }) => (unique?.value.kind === 'yes' ? [unique] : [])),
    ...[resource.uniques, resource.holds, resource.overlaps].flatMap((all) => all.map(({ span }) => span)),
  ];
  for (const span of rules) findings.push(d.report.auditRule(span, { entries: name }));
  for (const { span } of r.machines(name)) findings.push(d.report.auditStates(span, { entries: name }));
  for (const { when } of r.model.events.list)
    if (when?.resource.text === name) findings.push(d.report.auditEvent(when.resource, { entries: name }));
}

/** Reports two fields of entries with the same fact. */
function checkRepeated(r: Resolved, { name, fields }: Resource): void {
  const known = new Map<string, Field>();
  for (const field of fields)
    for (const fact of factsOf(field)) {
      const text = JSON.stringify([fact.kind, namedBy(fact)?.text]);
      const other = known.get(text);
      const params = { field: `${name.text}.${field.name.text}`, other: `${name.text}.${other?.name.text}` };
      if (other) r.notes.findings.push(d.report.auditTwice(field.givenBy, params));
      known.set(text, field);
    }
}

function checkEntryField(r: Resolved, of: Audited, resource: Resource, field: Field): void {
  const { findings } = r.notes;
  const path = `${resource.name.text}.${field.name.text}`;
  if (field.of !== undefined && field.name.text !== `${field.of}.size`) return;
  const givings = field.givenBy?.value ?? [];
  if (givings.some((giving) => !isOfEntry(giving)) || givings.length > 1)
    findings.push(d.report.auditSource(field.givenBy, { field: path }));
  else if (field.unique?.value.kind === 'identity' && givings.some((giving) => !isDistinct(r, giving)))
    findings.push(d.report.auditIdentity(field.givenBy, { field: path }));
  if (targetOf(field.type?.value)) findings.push(d.report.auditReference(field.name, { field: path }));
  else for (const fact of factsOf(field)) checkFact(r, of, field, path, fact);
}

const isOfEntry = (giving: Giving): boolean =>
  giving.from === 'sequence' ||
  giving.from === 'audit' ||
  (giving.from === 'moment' && giving.moment.text === 'create');

/** Whether a source gives each row another value. */
function isDistinct(r: Resolved, giving: Giving): boolean {
  if (giving.from !== 'moment') return giving.from === 'sequence';
  const value = r.expr(giving.value);
  return !value || some(value, isDraw);
}

/** Checks that a field of entries can hold a fact of every change. */
function checkFact(r: Resolved, of: Audited, field: Field, path: string, fact: AuditFact): void {
  const { findings } = r.notes;
  if (isOfSecret(r, of, fact)) {
    const { text } = namedBy(fact)!;
    findings.push(d.report.auditSecret(field.givenBy, { field: `${of.resource.name.text}.${text}` }));
    return;
  }
  const held = heldBy(r, of, fact);
  const own = ruleOf(r, field);
  if (!held || !own) return;
  const params = { field: path, fact: held.what };
  if (own.kind !== held.rule.kind || own.items?.kind !== held.rule.items?.kind || own.scale !== held.rule.scale)
    findings.push(d.report.auditType(field.name, { ...params, type: typeText(held.rule) }));
  else if (!holdsAll(own, held.rule))
    findings.push(d.report.auditBeyond(field.name, { ...params, values: valuesText(held.rule) }));
  if (held.absent !== null && field.presence?.value === 'always')
    findings.push(d.report.auditAlways(field.name, { field: path, reason: held.absent }));
}

function isOfSecret(r: Resolved, { resource }: Audited, fact: AuditFact): boolean {
  const field = 'field' in fact ? r.fieldNamed(resource, fact.field.text) : null;
  return field !== null && isSecret(field);
}

/** The values of a fact in all entries. `absent`: the entries in which it has none; null where it always has one. */
interface Held {
  readonly what: string;
  readonly rule: ValueRule;
  readonly absent: string | null;
}

/** The values of a fact; undefined while they are not settled, with a finding for a name that means nothing. */
function heldBy(r: Resolved, { resource, stated }: Audited, fact: AuditFact): Held | undefined {
  const name = resource.name.text;
  const text = (what: string, oneOf: readonly string[]): Held => ({
    what,
    rule: { kind: 'text', ...FREE, oneOf },
    absent: null,
  });
  if (fact.kind === 'caller') return heldOfCaller(r, fact.resource);
  if (fact.kind === 'action') return text('what happened', actionsOf(stated.value));
  if (fact.kind === 'cause') return text('what caused the change', causesOf(r));
  if (!('field' in fact)) {
    const rule = ruleOfIdentity(r, name);
    return rule && { what: `the identity of a row of ${name}`, rule, absent: null };
  }
  const field = r.field(resource, fact.field);
  const target = targetOf(field?.type?.value)?.text;
  const isSettled = target === undefined || ruleOfIdentity(r, target) !== undefined;
  const rule = field && isSettled ? ruleOf(r, field) : undefined;
  if (!field || !rule) return undefined;
  const { creation, removal } = stated.value;
  const without = fact.kind === 'before' ? creation && 'before its creation' : removal && 'after its removal';
  const isOptional = field.presence?.value === 'optional';
  const absent = without
    ? `a row has no value ${without}`
    : isOptional
      ? `${name}.${fact.field.text} is optional`
      : null;
  return { what: `${name}.${fact.field.text} ${fact.kind} a change`, rule, absent };
}

/** The rule of the identity of a resource; undefined where the document does not settle the identity yet. */
function ruleOfIdentity(r: Resolved, name: string): ValueRule | undefined {
  const resource = r.resourceNamed(name);
  return resource && keyOf(resource).length > 0 ? identityRule(r, name) : undefined;
}

function heldOfCaller(r: Resolved, at: Name): Held | undefined {
  const callers = r.model.authentication.schemes.flatMap(({ caller }) => (caller ? [caller.text] : []));
  if (!callers.includes(at.text)) r.unknown(at, 'resource of callers', new Set(callers));
  const rule = ruleOfIdentity(r, at.text);
  return rule && { what: `the identity of the caller`, rule, absent: 'the service and the operator are no callers' };
}

/** The causes of transactions that change rows of this document. */
function causesOf(r: Resolved): readonly Cause[] {
  const { endpoints, states } = r.model;
  const causes: Readonly<Record<Cause, boolean>> = {
    request: true,
    timer: states.machines.some(({ transitions }) => transitions.some(({ when }) => isTimed(when?.value))),
    schedule: endpoints.schedules.length > 0,
    handler: endpoints.handlers.some(({ answers, failing }) => answers !== null || failing !== null),
    operator: true,
  };
  return CAUSES.filter((cause) => causes[cause]);
}

const typeText = ({ kind, items, scale }: ValueRule): string => {
  if (kind === 'text') return 'a string';
  if (kind === 'uuid') return 'a string of the format uuid';
  if (kind === 'decimal') return `a decimal with ${counted(scale ?? 0, 'digit')} after the point`;
  if (items)
    return `a ${kind} of ${items.kind === 'text' ? 'strings' : items.kind === 'uuid' ? 'UUIDs' : `${items.kind}s`}`;
  return kind === 'integer' ? 'an integer' : `a ${kind}`;
};

function valuesText(rule: ValueRule): string {
  const { kind, min, max, oneOf, pattern, format } = rule;
  if (oneOf) return oneOf.join(', ');
  const unit = kind === 'text' ? ' characters' : ['list', 'set', 'map'].includes(kind) ? ' items' : '';
  const bounds = min !== null && max !== null ? `${boundText(rule, min)} to ${boundText(rule, max)}${unit}` : null;
  return [bounds, pattern && `/${pattern}/`, format].filter((one) => one !== null).join(', ') || 'any';
}
