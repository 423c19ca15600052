import { compile } from '../../src/compiler/compile.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import type { Outcome } from '../../src/plan/conditions.ts';
import type { ColumnPlan, ParameterPlan, Plan } from '../../src/plan/step.ts';
import { payloadShows } from '../../src/verify/blame/outcomes.ts';
import type { Mutant, Original } from './mutants.ts';
import { fieldsOfBodies, withoutLocalNames, withoutUnmetFields } from './unmet.ts';

/** Tells the mutants of a document that nobody who talks HTTP to them, and adds rows as their operator, can tell from it. */
export function equivalentTo({ name, text }: Original): (mutant: Pick<Mutant, 'text'>) => boolean {
  const { plan } = compile(name, text);
  const own = plan && seen(plan);
  return (mutant) => {
    const { plan: other } = compile(name, mutant.text);
    return !!other && seen(other) === own;
  };
}

/** Names that say where something is written, or that only people read. */
const UNSEEN = new Set(['line', 'lines', 'prose', 'document', 'passwords', 'room', 'reads']);

/** What a payload shows of a code: where it shows neither its name nor its title, nobody can tell these. */
function codeSeen(plan: Plan): { readonly code: boolean; readonly title: boolean; of(code: string): string } {
  const { codes, conditions, columns, payload } = plan.errors;
  const [code, title] = [payloadShows(plan, 'code'), payloadShows(plan, 'title')];
  const all = new Map([...Object.values(codes), ...Object.values(conditions)].map((one) => [one.code, one]));
  const of = (name: string): string => {
    const outcome = all.get(name);
    if (code || !outcome) return name;
    const said = payload.kind === 'table' ? columns[name] : undefined;
    return JSON.stringify([outcome.status, title ? outcome.title : '', said ?? {}]);
  };
  return { code, title, of };
}

/** The payload of errors, without the lists of all codes and titles that the types of its expressions hold. */
const withoutTypes = ({ errors }: Plan): unknown =>
  JSON.parse(JSON.stringify(errors.payload, (key, part: unknown) => (key === 'oneOf' ? undefined : part)));

/** The conditions that no request brings about by itself. */
const UNCAUSED: ReadonlySet<string> = new Set(['time-out', 'storage full', 'unavailable', 'failure']);

/** What is answered at endpoints: every code, and the statuses of each that requests can bring about. */
function answered(plan: Plan): {
  readonly codes: ReadonlySet<string>;
  below(endpoint: string, status: number): number[];
} {
  const { versions, errors } = contractOf(plan);
  const answers = versions.flatMap((one) => [...one.endpoints.flatMap((each) => each.answers), ...one.elsewhere]);
  const statusesOf = (endpoint: string): number[] =>
    (versions[0]?.endpoints.find(({ name }) => name === endpoint)?.answers ?? []).flatMap(({ because, status }) =>
      because.kind === 'condition' && UNCAUSED.has(because.name) ? [] : [status],
    );
  return {
    codes: new Set([...answers, ...errors.wire].flatMap(({ code }) => code ?? [])),
    below: (endpoint, status) => [...new Set(statusesOf(endpoint))].filter((one) => one < status).sort(),
  };
}

/** A plan without what only the operator meets, what nobody meets, and what never comes about. */
function seen(whole: Plan): string {
  const plan = withoutLocalNames(withoutUnmetFields(whole));
  const { codes: raised, below } = answered(whole);
  const isDescribed = plan.endpoints.some(({ after }) => after?.body?.kind === 'description');
  const requested = new Set(fieldsOfBodies(plan));
  const resources = plan.resources.map((resource) => ({
    ...resource,
    uniques: resource.uniques.filter(
      ({ fields }) =>
        !resource.columns.every(
          (one) => !fields.includes(one.name) || (isOperators(one) && !requested.has(`${resource.name}.${one.name}`)),
        ),
    ),
    columns: resource.columns.map((column) => {
      const isRequested = requested.has(`${resource.name}.${column.name}`);
      const isGiven = resource.givings.some(({ field }) => field === column.name);
      return columnSeen(isRequested && !isGiven ? withEmptyText(column, plan) : column, isRequested);
    }),
  }));
  const renamed = new Set((plan.versions?.older ?? []).flatMap(({ names }) => Object.keys(names)));
  const codes = codeSeen(plan);
  // Where no answer shows a code, what stands under its name stands where it is raised.
  const errors = codes.code
    ? { ...plan.errors, codes: isDescribed ? plan.errors.codes : among(plan.errors.codes, raised) }
    : { ...plan.errors, payload: withoutTypes(plan), codes: {}, columns: {} };
  const endpoints = plan.endpoints.map((one) => ({
    ...one,
    before: one.before.map((step) =>
      step.do === 'claim key' ? { ...step, below: below(one.name, step.below) } : step,
    ),
  }));
  // How long events are stored is met by the operator alone, who sends them again.
  const webhook = plan.webhook && { ...plan.webhook, kept: null };
  return JSON.stringify({ ...plan, title: '', resources, endpoints, errors, webhook }, (key, part: unknown) => {
    if (UNSEEN.has(key)) return undefined;
    if (key === 'code' && typeof part === 'string') return codes.of(part);
    if (isOutcome(part) && !codes.title) return { ...part, title: '' };
    // Whether a value may be missing matters to a request alone: no other value of a document that compiles is missing.
    if (key === 'nullable') return undefined;
    // The field that a parameter bears the name of matters where a version calls it otherwise.
    if (isParameter(part))
      return { ...part, field: part.field !== null && renamed.has(part.field) ? part.field : null };
    return part;
  });
}

/** Those of a record whose names are among some. */
const among = <T>(all: Readonly<Record<string, T>>, names: ReadonlySet<string>): Record<string, T> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)));

/**
 * Where an empty text in a request stands for null, a text that requests alone give has one character at least, whether
 * that is said of it or not.
 */
function withEmptyText(column: ColumnPlan, { wire }: Plan): ColumnPlan {
  const { rule, from, otherwise } = column;
  const isAlone = !from.operator && !from.steps && !from.transitions && otherwise === null;
  if (wire.emptyText !== 'null' || !isAlone || rule.kind !== 'text' || rule.pattern !== null || (rule.min ?? 0) > 1)
    return column;
  return { ...column, rule: { ...rule, min: null } };
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

const isOutcome = (part: unknown): part is Outcome =>
  typeof part === 'object' && part !== null && 'code' in part && 'status' in part && 'title' in part;

const isParameter = (part: unknown): part is ParameterPlan =>
  typeof part === 'object' && part !== null && 'required' in part && 'rule' in part && 'field' in part;
