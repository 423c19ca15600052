import { mapInside } from '../../plan/nested-steps.ts';
import type { AnswerStep, BodyPlan, InsideStep, ReadsPlan, ShownPlan } from '../../plan/step.ts';
import type { Resolved } from '../document/resolve.ts';

/**
 * The steps of an endpoint that changes nothing, each Find and List with what is read of its rows beside what the answer
 * shows of them in their own form, where that is little.
 */
export function withReads(r: Resolved, inside: readonly InsideStep[], after: AnswerStep): readonly InsideStep[] {
  return mapInside(inside, (step) =>
    step.do === 'find' || step.do === 'list' ? { ...step, reads: readsOf(r, step, inside, after) } : step,
  );
}

type Selecting = Extract<InsideStep, { do: 'find' | 'list' }>;

/** Null where an endpoint may read anything of the rows that a step names, or doesn’t show them in their own form. */
function readsOf(
  r: Resolved,
  { as, resource }: Selecting,
  inside: readonly InsideStep[],
  after: AnswerStep,
): ReadsPlan | null {
  const { body } = after;
  const isIt = (value: ShownPlan['value']): boolean => value.op === 'name' && value.name === as;
  const places = placesIn(body, as, isIt);
  const own = places.every((view) => view?.resource === resource && view.name === resource);
  if (places.length === 0 || !own) return null;
  const fields = new Set((r.resourceNamed(resource)?.fields ?? []).map((field) => field.name.text));
  const others = body?.kind === 'members' ? body.members.filter(({ value }) => !isIt(value)) : [];
  const read = new Reads(as, fields);
  return read.only([inside, after.headers, others]) ? { fields: [...read.read], tag: read.tag } : null;
}

/** How the rows are shown wherever the answer holds them as they are. */
function placesIn(body: BodyPlan | null, name: string, isIt: (value: ShownPlan['value']) => boolean) {
  if (body?.kind === 'page') return body.list === name ? [body.view] : [];
  const shown = body?.kind === 'value' ? [body.shown] : body?.kind === 'members' ? body.members : [];
  return shown.flatMap(({ value, view }) => (isIt(value) ? [view] : []));
}

/** What parts of a plan read of the rows that bear a name. */
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

  /** Whether a part of a plan, whatever it is, speaks of the rows only by their fields and their tags, which it notes. */
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
    // A type names no rows, and that of a query has a member for each parameter.
    // A type names no rows, and that of a query has a member for each parameter.
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

/** The members by which an expression of any kind is known. */
interface PlanPart {
  readonly op?: unknown;
  readonly of?: unknown;
  readonly fn?: unknown;
  readonly args?: unknown;
  readonly member?: unknown;
  readonly derived?: unknown;
}
