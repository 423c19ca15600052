import type { Expr } from '../expression/expr.ts';
import type { AnswerStep, ColumnPlan, Plan } from '../plan/step.ts';

/** Which fields callers meet, each as `Resource.field`: in either document, since what they met or meet is what matters. */
export interface Usage {
  /** Those that requests hold. */
  readonly sent: ReadonlySet<string>;
  /** Those that answers and events hold. */
  readonly answered: ReadonlySet<string>;
  /** Whether a request that leaves a new field out would be refused: the endpoint says which it requests. */
  owed(column: ColumnPlan): boolean;
}

/** What callers meet of two documents. */
export function usageOf(old: Plan, next: Plan): Usage {
  const sent = new Set<string>();
  const answered = new Set<string>();
  for (const plan of [old, next]) {
    for (const { before } of plan.endpoints)
      for (const step of before)
        if (step.do === 'validate body' && step.payload)
          for (const field of step.payload.fields) sent.add(`${step.payload.resource}.${field}`);
    for (const { name, views } of plan.resources)
      for (const { members } of views)
        for (const { field, value } of members) {
          answered.add(`${name}.${field}`);
          for (const path of fieldsGiven(value, plan)) answered.add(path);
        }
    for (const { after } of plan.endpoints)
      for (const value of valuesOf(after)) for (const path of fieldsGiven(value, plan)) answered.add(path);
  }
  return { sent, answered, owed: () => false };
}

/** What an answer holds beside rows in their forms: the values of its members and of its headers. */
function valuesOf({ body, headers }: AnswerStep): Expr[] {
  const held = body?.kind === 'members' ? body.members : body?.kind === 'value' ? [body.shown] : [];
  return [...held, ...headers].map(({ value }) => value);
}

/** The fields whose values an expression gives as they are, derived ones looked into; what it only asks about is none. */
function fieldsGiven(expr: Expr, plan: Plan, depth = 0): string[] {
  const inner = (one: Expr | undefined): string[] => (one ? fieldsGiven(one, plan, depth) : []);
  switch (expr.op) {
    case 'get': {
      if (expr.of.type.kind !== 'row') return [];
      const { resource } = expr.of.type;
      const of = plan.resources.find(({ name }) => name === resource);
      const derived = expr.derived ? of?.derived.find(({ name }) => name === expr.member) : undefined;
      const path = `${resource}.${expr.member}`;
      return derived && depth < DEEPEST ? [path, ...fieldsGiven(derived.value, plan, depth + 1)] : [path];
    }
    case 'if':
      return [...inner(expr.then), ...inner(expr.else)];
    case 'list':
    case 'tuple':
      return expr.items.flatMap(inner);
    case 'map':
      return expr.values.flatMap(inner);
    case 'each':
      return inner(expr.macro === 'map' ? expr.body : expr.list);
    case 'query':
      return inner(expr.value ?? undefined);
    case 'call':
      return GIVING_ON.includes(expr.fn) ? expr.args.flatMap(inner) : [];
    default:
      return [];
  }
}

/** The functions that give values on as they are. */
const GIVING_ON: readonly string[] = [
  'min',
  'max',
  'first',
  'last',
  'distinct',
  'reverse',
  'flatten',
  'slice',
  'sort',
  '[]',
  '+',
];
/** Derived fields may read others, to such a depth. */
const DEEPEST = 16;
