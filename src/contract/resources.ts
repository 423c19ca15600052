import { type Expr, parts } from '../expression/tree/expression.ts';
import { statementId } from '../plan/lines.ts';
import { transitionsIn } from '../plan/machines.ts';
import { emitsIn } from '../plan/nested-steps.ts';
import type { AuditPlan, ColumnPlan, MachinePlan, ResourcePlan, TransitionPlan } from '../plan/step.ts';
import type {
  AuditContract,
  FieldContract,
  GivenContract,
  ResourceContract,
  StatesContract,
  TransitionContract,
} from './contract.ts';
import { stepContracts } from './endpoints.ts';
import { heldStates } from './machines.ts';
import type { Makers } from './makers.ts';
import { expression, expressionOrNull, type PlanReader } from './plan-reader.ts';
import { rulesOf } from './rules.ts';
import { typeOfRule, typeOfShown } from './values.ts';

/** The contracts of all resources. */
export function resourceContracts(r: PlanReader, makers: Makers): ResourceContract[] {
  const requested = requestedFields(r);
  const visible = fieldsMet(r, requested);
  const whole = { requested, makers };
  return r.plan.resources.map((resource) =>
    resourceContract(r, resource, visible.get(resource.name) ?? new Set(), whole),
  );
}

/** Facts about the whole plan, collected once for all resources. */
interface Whole {
  readonly requested: ReadonlySet<string>;
  readonly makers: Makers;
}

function resourceContract(
  r: PlanReader,
  resource: ResourcePlan,
  met: ReadonlySet<string>,
  { requested, makers }: Whole,
): ResourceContract {
  const { name, identity, visible } = resource;
  return {
    name,
    identity: met.has(identity) ? identity : null,
    visible: expressionOrNull(visible),
    fields: [
      ...resource.columns.filter((one) => met.has(one.name)).map((one) => storedField(r, resource, one, requested)),
      ...resource.derived
        .filter((one) => met.has(one.name))
        .map(
          ({ name: field, value }): FieldContract => ({
            name: field,
            type: typeOfShown(value, null, r),
            optional: r.mayBeAbsent(value),
            refersTo: null,
            given: [{ by: 'derived', moment: null, value: expression(value) }],
            lines: r.lines(statementId.field(name, field)),
          }),
        ),
    ],
    rules: rulesOf(r, resource),
    ...heldStates(resource.machines.map((machine) => statesContract(r, resource, machine, makers))),
    ...(resource.audit && { audit: auditContract(r, name, resource.audit) }),
    lines: r.lines(statementId.resource(name, 'name'), statementId.resource(name, 'visible')),
  };
}

function auditContract(r: PlanReader, resource: string, audit: AuditPlan): AuditContract {
  const { fields, creation, removal, entries, removedBy } = audit;
  return { fields, creation, removal, entries, removedBy, lines: r.lines(statementId.resource(resource, 'audited')) };
}

function storedField(
  r: PlanReader,
  resource: ResourcePlan,
  column: ColumnPlan,
  allRequested: ReadonlySet<string>,
): FieldContract {
  const { from, otherwise, sequence } = column;
  const sources: GivenContract[] = [];
  const requested = allRequested.has(`${resource.name}.${column.name}`);
  const source = (by: GivenContract['by']): GivenContract => ({ by, moment: null, value: null });
  if (requested || otherwise) sources.push({ ...source('request'), value: expressionOrNull(otherwise) });
  if (from.operator) sources.push(source('operator'));
  if (from.steps) sources.push(source('steps'));
  if (from.transitions) sources.push(source('transitions'));
  if (sequence) sources.push({ ...source('sequence'), moment: sequence.per });
  const audit = r.plan.resources.find(({ name }) => name === resource.entriesOf)?.audit;
  for (const { entry, fact, of } of audit?.facts ?? [])
    if (entry === column.name) sources.push({ ...source('audit'), moment: of === null ? fact : `${fact} ${of}` });
  for (const { field, moment, value } of resource.givings)
    if (field === column.name) sources.push({ by: 'moment', moment, value: expression(value) });
  return {
    name: column.name,
    type: typeOfRule(column.rule, r.plan.wire, column.password),
    optional: column.nullable,
    refersTo: column.references ?? column.reference,
    given: sources,
    lines: r.lines(statementId.field(resource.name, column.name)),
  };
}

/** The fields that request bodies contain, as `Resource.field`. */
function requestedFields(r: PlanReader): Set<string> {
  return new Set(
    r.plan.endpoints.flatMap(({ before }) =>
      before.flatMap((step) =>
        step.do === 'validate body' && step.payload
          ? step.payload.fields.map((field) => `${step.payload?.resource}.${field}`)
          : [],
      ),
    ),
  );
}

/**
 * The fields that a client can observe. A request contains the field, an answer or an event shows it, or an answer
 * depends on an expression with it.
 */
function fieldsMet(r: PlanReader, requested: ReadonlySet<string>): ReadonlyMap<string, Set<string>> {
  const out = new Map<string, Set<string>>();
  const meet = (resource: string, field: string): void => {
    out.set(resource, (out.get(resource) ?? new Set<string>()).add(field));
  };
  const read = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(read);
    else if (isExpr(value)) expr(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(read);
  };
  const expr = (e: Expr): void => {
    if ((e.op === 'get' || e.op === 'sent') && e.of.type.kind === 'row') meet(e.of.type.resource, e.member);
    parts(e).forEach(expr);
  };
  for (const one of requested) {
    const dot = one.indexOf('.');
    meet(one.slice(0, dot), one.slice(dot + 1));
  }
  for (const { name, identity, views, visible, holds, overlaps, uniques, machines, events } of r.plan.resources) {
    read([views, visible, holds, overlaps, uniques, transitionsIn(machines), events]);
    for (const rule of uniques) for (const field of rule.fields) meet(name, field);
    for (const { field } of machines) meet(name, field);
    if (identity.trim() === identity && out.get(name)) meet(name, identity);
  }
  read([r.plan.endpoints, emitsIn(r.plan), r.plan.emitted]);
  for (const resource of r.plan.resources) {
    const fields = out.get(resource.name);
    if (!fields) continue;
    // A client that observes a derived field also observes the fields that it is computed from.
    for (const one of resource.derived) if (fields.has(one.name)) read(one.value);
  }
  return out;
}

const isExpr = (value: unknown): value is Expr =>
  typeof value === 'object' && value !== null && 'op' in value && 'type' in value;

function statesContract(
  r: PlanReader,
  { name, columns }: ResourcePlan,
  { field, initial, transitions }: MachinePlan,
  makers: Whole['makers'],
): StatesContract {
  const values = columns.find((one) => one.name === field)?.rule.oneOf ?? [];
  const left = new Set(transitions.flatMap((one) => one.from));
  return {
    field,
    values,
    initial,
    final: values.filter((value) => !left.has(value)),
    transitions: transitions.map((one) => transitionContract(r, name, one, makers)),
    lines: r.lines(
      statementId.states(name, field, 'name'),
      statementId.states(name, field, 'initial'),
      statementId.states(name, field, 'final'),
    ),
  };
}

function transitionContract(r: PlanReader, resource: string, one: TransitionPlan, makers: Makers): TransitionContract {
  const { timed } = one;
  return {
    name: one.name,
    from: one.from,
    to: one.to,
    guard: expressionOrNull(one.guard),
    timed: timed && {
      afterMilliseconds: timed.after,
      instant: expressionOrNull(timed.instant),
      transition: timed.move,
    },
    code: one.code,
    madeBy: makers.transition(resource, one.name),
    follows: stepContracts(r, one.then),
    lines: r.lines(statementId.transition(resource, one.name)),
  };
}
