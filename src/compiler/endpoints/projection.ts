import { shownIn } from '../../plan/answered.ts';
import { mapInside } from '../../plan/nested-steps.ts';
import type { AnswerStep, BodyPlan, InsideStep, ReadsPlan, ShownPlan } from '../../plan/step.ts';
import type { Resolved } from '../document/resolve.ts';

/**
 * Adds a projection to each Find and List of an endpoint without writes: the fields that the endpoint reads and its
 * answer does not show. The projection is null if all fields may be read.
 */
export function withReads(
  r: Resolved,
  inside: readonly InsideStep[],
  answers: readonly AnswerStep[],
): readonly InsideStep[] {
  // The fields that answers show are counted apart from those that the steps read.
  const steps = mapInside(inside, (step) => (step.do === 'answer' ? { ...step, body: null, headers: [] } : step));
  return mapInside(inside, (step) =>
    step.do === 'find' || step.do === 'list' ? { ...step, reads: readsOf(r, step, steps, answers) } : step,
  );
}

type Selecting = Extract<InsideStep, { do: 'find' | 'list' }>;

/** The projection of a step's rows; null if any field may be read, or if the rows are not shown in their shown form. */
function readsOf(
  r: Resolved,
  { as, resource }: Selecting,
  steps: readonly InsideStep[],
  answers: readonly AnswerStep[],
): ReadsPlan | null {
  const isIt = (value: ShownPlan['value']): boolean => value.op === 'name' && value.name === as;
  const places = answers.flatMap(({ body }) => placesIn(body, as, isIt));
  const own = places.every((view) => view?.resource === resource && view.name === resource);
  if (places.length === 0 || !own) return null;
  const fields = new Set((r.resourceNamed(resource)?.fields ?? []).map((field) => field.name.text));
  const others = answers.flatMap(({ body, headers }) => [
    headers,
    ...shownIn(body).filter(({ value }) => !isIt(value)),
  ]);
  const read = new Reads(as, fields);
  return read.only([steps, others]) ? { fields: [...read.read], tag: read.tag } : null;
}

/** The views in which the answer shows the rows of a step directly. */
function placesIn(body: BodyPlan | null, name: string, isIt: (value: ShownPlan['value']) => boolean) {
  if (body?.kind === 'page') return body.list === name ? [body.view] : [];
  return shownIn(body).flatMap(({ value, view }) => (isIt(value) ? [view] : []));
}

/** Collects the fields that parts of a plan read of the rows of a name. */
class Reads {
  readonly read = new Set<string>();
  /** True once the entity tag of a row is read. */
  tag = false;
  private readonly name: string;
  private readonly fields: ReadonlySet<string>;

  constructor(name: string, fields: ReadonlySet<string>) {
    this.name = name;
    this.fields = fields;
  }

  /** Whether a part of a plan reads only fields and entity tags of the rows. Notes those that it reads. */
  only(part: unknown): boolean {
    if (typeof part !== 'object' || part === null) return true;
    const { op, of, fn, args, member, derived }: PlanPart = part;
    if (this.isIt(part)) return false;
    if (op === 'get' && this.isIt(of) && typeof member === 'string') {
      this.read.add(member);
      return derived !== true && this.fields.has(member);
    }
    if (op === 'call' && fn === 'etag' && Array.isArray(args) && this.isIt(args[0])) {
      this.tag = true;
      return true;
    }
    // Types contain no rows, and the type of `query` may be large.
    return Object.entries(part).every(([key, one]) => key === 'type' || this.only(one));
  }

  private isIt(one: unknown): boolean {
    return (
      typeof one === 'object' &&
      one !== null &&
      'op' in one &&
      'name' in one &&
      one.op === 'name' &&
      one.name === this.name
    );
  }
}

/** The members of expressions that the search looks at. */
interface PlanPart {
  readonly op?: unknown;
  readonly of?: unknown;
  readonly fn?: unknown;
  readonly args?: unknown;
  readonly member?: unknown;
  readonly derived?: unknown;
}
