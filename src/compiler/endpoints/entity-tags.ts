import { type Expr, isChanging, isOfCaller, mapParts, parts } from '../../expression/tree/expression.ts';
import { nullable, type Type } from '../../expression/tree/types.ts';
import { answersOf, shownIn, tagIn } from '../../plan/answered.ts';
import { lineOf, statementId } from '../../plan/lines.ts';
import { columnType } from '../../plan/lowering.ts';
import { named } from '../../plan/named.ts';
import { allNested, isWriting, mapInside } from '../../plan/nested-steps.ts';
import { pathNames, withoutNames } from '../../plan/paths.ts';
import type { EndpointPlan, InsideStep, Plan, ResourcePlan, ViewMember } from '../../plan/step.ts';

type Tag = Extract<Expr, { op: 'call' }>;

/**
 * Adds entity tags to the plan: the values of other rows on which the tag of a row depends, and the GET whose tag the
 * preconditions of a write compare. An address has one tag, which changes with the representation.
 */
export function withEntityTags(plan: Plan): Plan {
  const tags = new RowTags(plan);
  const gets = new Map(
    plan.endpoints
      .filter((one) => one.method === 'GET' && answersOf(one).some((answer) => answer.conditional || tagIn(answer)))
      .map((one) => [withoutNames(one.path), one]),
  );
  const endpoints = plan.endpoints.map((one) => {
    const get = one.method === 'GET' ? undefined : gets.get(withoutNames(one.path));
    const compared = mapInside(one.inside, (step) =>
      step.do === 'match' && get && !isSameTag(step.to, one, get) ? { ...step, of: get.name } : step,
    );
    const line = lineOf(plan.lines, statementId.endpoint(one.name, 'preconditions')) ?? null;
    return tags.expanded({ ...one, inside: withPreconditions(one, compared, get?.name ?? null, line) });
  });
  return { ...plan, endpoints };
}

/** Inserts the evaluation of preconditions before the first write: earlier refusals don't depend on preconditions. */
function withPreconditions(
  { preconditions }: EndpointPlan,
  inside: readonly InsideStep[],
  get: string | null,
  line: number | null,
): readonly InsideStep[] {
  if (preconditions === null || preconditions === 'ignored') return inside;
  const required = preconditions === 'required' && ({ required: true } as const);
  const step: InsideStep = { do: 'preconditions', of: preconditions === 'refused' ? null : get, ...required, line };
  const first = inside.findIndex((one) => [...allNested([one])].some(isWriting));
  return inside.toSpliced(first < 0 ? inside.length : first, 0, step);
}

/** Whether a step compares the tag that a GET of the address answers: that of the same row, found in the same way. */
function isSameTag(to: Expr, one: EndpointPlan, get: EndpointPlan): boolean {
  const [answer, ...others] = answersOf(get);
  // Which of several answers a GET gives is known only when it is asked for.
  const stated = !answer || answer.conditional || others.length > 0 ? null : tagIn(answer);
  if (!stated) return false;
  const [own, other] = [foundBy(to, one), foundBy(stated, get)];
  return own !== null && own === other;
}

/** The Find of an entity tag's row, as text to compare; null where the row comes from other steps or several. */
function foundBy(tag: Expr, { inside, path }: EndpointPlan): string | null {
  const row = tag.op === 'call' && tag.fn === 'etag' ? tag.args[0] : undefined;
  const naming = [...allNested(inside)].filter((step) => 'as' in step && row?.op === 'name' && step.as === row.name);
  const [find] = naming;
  if (naming.length !== 1 || find?.do !== 'find' || !inside.includes(find)) return null;
  const places = pathNames(path);
  return JSON.stringify([find.resource, find.where, find.order], (_, value: unknown) => {
    const { op, of, member }: Partial<Extract<Expr, { op: 'get' }>> = Object(value);
    return op === 'get' && of?.op === 'name' && of.name === 'path' && member ? { path: places.indexOf(member) } : value;
  });
}

/** The values of other rows on which entity tags of rows depend, since answers with such a tag show them. */
class RowTags {
  private readonly plan: Plan;
  /** The values by resource, as expressions on `this`. */
  private readonly beyond = new Map<string, readonly Expr[]>();

  constructor(plan: Plan) {
    this.plan = plan;
  }

  /** The endpoint with the values of other rows added to its entity tags. */
  expanded(endpoint: EndpointPlan): EndpointPlan {
    const whole = new Set<string>();
    const walk = <T>(part: T): T => {
      if (typeof part !== 'object' || part === null) return part;
      if (isTag(part)) return this.tag(part, whole) as T;
      if (Array.isArray(part)) return part.map(walk) as T;
      // Types contain no tags, and the type of `query` may be large.
      return Object.fromEntries(
        Object.entries(part).map(([key, value]) => [key, key === 'type' ? value : walk(value)]),
      ) as T;
    };
    const after = walk(endpoint.after);
    const inside = walk(endpoint.inside);
    if (whole.size === 0) return endpoint;
    // A tag may depend on any field of the row.
    const read = mapInside(inside, (step) => ('reads' in step && whole.has(step.as) ? { ...step, reads: null } : step));
    return { ...endpoint, inside: read, after };
  }

  private tag(tag: Tag, whole: Set<string>): Tag {
    const [row] = tag.args;
    if (row?.op !== 'name' || row.type.kind !== 'row') return tag;
    const beyond = this.beyondRow(row.type.resource);
    if (beyond.length === 0) return tag;
    whole.add(row.name);
    return { ...tag, args: [row, ...beyond.map((one) => substituted(one, row))] };
  }

  private beyondRow(resource: string): readonly Expr[] {
    const known = this.beyond.get(resource);
    if (known) return known;
    const views = [...this.viewsWithTags(resource)].sort();
    const members = views.flatMap((view) => named(this.resource(resource).views, view).members);
    const values = members.flatMap((member) => this.values(member, 0)).filter((one) => !this.isOwn(one));
    const each = [...new Map(values.map((one) => [JSON.stringify(one), one])).values()];
    this.beyond.set(resource, each);
    return each;
  }

  /** The views in which answers show rows of a resource together with their tag. */
  private viewsWithTags(resource: string): Set<string> {
    const found = new Set<string>();
    for (const one of this.plan.endpoints.flatMap(answersOf)) {
      const rows = new Set<string>();
      const note = (expr: Expr): void => {
        const [row] = expr.op === 'call' && expr.fn === 'etag' ? expr.args : [];
        if (row?.op === 'name' && row.type.kind === 'row' && row.type.resource === resource) rows.add(row.name);
        parts(expr).forEach(note);
      };
      const tag = tagIn(one);
      if (tag) note(tag);
      for (const { value, view } of shownIn(one.body))
        if (value.op === 'name' && rows.has(value.name) && view) found.add(view.name);
    }
    return found;
  }

  /** The values that a member of a view shows. For a row: its identity, and the values of its own view. */
  private values({ value, view }: ViewMember, depth: number): Expr[] {
    if (!view) return [value];
    const { type } = value;
    const members = (row: Expr): Expr[] => [
      identityOf(row, this.resource(view.resource)),
      ...named(this.resource(view.resource).views, view.name)
        .members.flatMap((one) => this.values(one, depth + 1))
        .map((one) => substituted(one, row)),
    ];
    if (type.kind !== 'list') return members(value);
    const name = `shown ${depth}`;
    return members({ op: 'name', name, type: type.of }).map((body): Expr => {
      const listed: Type = { kind: 'list', of: body.type, nullable: false };
      return { op: 'each', macro: 'map', list: value, name, body, type: listed };
    });
  }

  /** Whether a value of `this` depends on the row's own fields alone: then the row's revision covers its changes. */
  private isOwn(expr: Expr): boolean {
    if (expr.op === 'rows' || expr.op === 'query') return false;
    if (expr.op === 'name') return !isOfCaller(expr);
    if (isChanging(expr)) return false;
    if (expr.op !== 'get' || expr.of.type.kind !== 'row') return parts(expr).every((part) => this.isOwn(part));
    const target = this.resource(expr.of.type.resource);
    if (expr.derived) return this.isOwn(expr.of) && this.isOwn(named(target.derived, expr.member).value);
    if (expr.of.op === 'name' && expr.of.name === 'this') return true;
    return expr.member === target.identity && target.visible === null && this.isOwn(expr.of);
  }

  private resource(name: string): ResourcePlan {
    return named(this.plan.resources, name);
  }
}

const isTag = (part: object): part is Tag => 'op' in part && part.op === 'call' && 'fn' in part && part.fn === 'etag';

/** The identity of a row; null where the caller may not see the row. */
function identityOf(of: Expr, resource: ResourcePlan): Expr {
  const { identity } = resource;
  return { op: 'get', of, member: identity, type: nullable(columnType(resource, identity), true) };
}

/** Replaces `this` by another row. Members of a row that may be null become nullable. */
function substituted(expr: Expr, row: Expr): Expr {
  if (expr.op === 'name' && expr.name === 'this') return row;
  const made = mapParts(expr, (part) => substituted(part, row));
  return made.op === 'get' && row.op !== 'name' ? { ...made, type: nullable(made.type, true) } : made;
}
