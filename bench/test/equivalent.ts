import { compile } from '../../src/compiler/compile.ts';
import type { ColumnPlan, ParameterPlan, Plan } from '../../src/plan/step.ts';
import type { Mutant, Original } from './mutants.ts';

/** Whether nobody who talks HTTP to a mutant, and adds rows as its operator, can tell it from the original. */
export function isEquivalent({ name, text }: Original, mutant: Mutant): boolean {
  const [own, other] = [text, mutant.text].map((one) => compile(name, one).plan);
  return !!own && !!other && seen(own) === seen(other);
}

/** Names that say where something is written, or that only people read. */
const UNSEEN = new Set(['line', 'lines', 'prose', 'document', 'passwords', 'room', 'reads']);

/** A plan without what only the operator meets, and what never comes about. */
function seen(plan: Plan): string {
  const requested = new Set(
    plan.endpoints.flatMap(({ before }) =>
      before.flatMap((step) =>
        step.do === 'validate body' && step.payload
          ? step.payload.fields.map((field) => `${step.payload?.resource}.${field}`)
          : [],
      ),
    ),
  );
  const resources = plan.resources.map((resource) => ({
    ...resource,
    uniques: resource.uniques.filter(
      ({ fields }) =>
        !resource.columns.every(
          (one) => !fields.includes(one.name) || (isOperators(one) && !requested.has(`${resource.name}.${one.name}`)),
        ),
    ),
    columns: resource.columns.map((column) => columnSeen(column, requested.has(`${resource.name}.${column.name}`))),
  }));
  const renamed = new Set((plan.versions?.older ?? []).flatMap(({ names }) => Object.keys(names)));
  // How long events are stored is met by the operator alone, who sends them again.
  const webhook = plan.webhook && { ...plan.webhook, kept: null };
  return JSON.stringify({ ...plan, title: '', resources, webhook }, (key, part: unknown) => {
    if (UNSEEN.has(key)) return undefined;
    // Whether a value may be missing matters to a request alone: no other value of a document that compiles is missing.
    if (key === 'nullable') return undefined;
    // The field that a parameter bears the name of matters where a version calls it otherwise.
    if (isParameter(part))
      return { ...part, field: part.field !== null && renamed.has(part.field) ? part.field : null };
    return part;
  });
}

/**
 * A column that a request gives has its rules. One that only the operator gives has none that a caller meets: which rows
 * the operator may add is no answer of the service.
 */
function columnSeen({ rule, nullable, ...column }: ColumnPlan, isRequested: boolean): object {
  if (isRequested) return { ...column, rule, optional: nullable };
  return isOperators(column) ? { ...column, rule: { kind: rule.kind } } : { ...column, rule };
}

const isOperators = ({ from }: Pick<ColumnPlan, 'from'>): boolean => from.operator && !from.steps && !from.transitions;

const isParameter = (part: unknown): part is ParameterPlan =>
  typeof part === 'object' && part !== null && 'required' in part && 'rule' in part && 'field' in part;
