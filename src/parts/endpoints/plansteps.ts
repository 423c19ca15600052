import { possibleTexts } from '../../expression/always.ts';
import { type Expr, uses } from '../../expression/expr.ts';
import type { Resolved } from '../../model/resolve.ts';
import { orderKeys } from '../../plan/inside.ts';
import type { AnswerStep, BodyPlan, FromPlan, InsideStep, OrderPlan, OverPlan, ShownPlan } from '../../plan/step.ts';
import type { Token } from '../../source/phrase.ts';
import type { Name } from '../../source/read.ts';
import { planStreamed } from '../events/plan.ts';
import { pagesOf } from '../limits/checkpages.ts';
import { planWholeList } from '../limits/plan.ts';
import { passwordOf } from '../resources/passwords.ts';
import { leadingTo } from '../states/model.ts';
import { placeRoom } from './check/lengths.ts';
import { isConditional } from './checkconditional.ts';
import type { Effective } from './effective.ts';
import type { Assignment, OrderBy, Over, Step } from './model.ts';
import type { LineOf } from './plan.ts';
import { ensured, isKept, namedBy, type Write } from './written.ts';

/** What the steps of one endpoint are planned with. */
interface Planning {
  readonly r: Resolved;
  readonly one: Effective;
  /** The resource of the rows that each name stands for, one or many. */
  readonly rowsOf: Map<string, string>;
  readonly line: LineOf;
}

type Inner = Exclude<Step, { verb: 'Answer' }>;

/** Turns a step, other than the answer, into what runs inside the transaction. */
export function planStep(step: Inner, p: Planning): InsideStep {
  const { r, one, rowsOf } = p;
  const line = p.line(step.span.from);
  const named = namedBy(step, rowsOf);
  if (named && 'as' in step && step.as) rowsOf.set(step.as.text, named);
  switch (step.verb) {
    case 'Find':
      return {
        do: 'find',
        as: step.as.text,
        resource: step.resource.text,
        where: step.where && r.expr(step.where),
        order: step.order && planOrder(r, one, step.order),
        code: step.code?.text ?? null,
        line,
      };
    case 'List':
      return planList(r, one, step, line);
    case 'Authenticate':
      return {
        do: 'verify',
        as: step.as.text,
        resource: step.resource.text,
        where: r.expr(step.where!),
        field: passwordOf(r.resourceNamed(step.resource.text)!)!.name.text,
        password: r.expr(step.password!),
        code: step.code!.text,
        line,
      };
    case 'Require':
      return { do: 'require', test: r.expr(step.test), code: step.code!.text, line };
    case 'Match':
      return { do: 'match', header: step.header, to: r.expr(step.to), line };
    case 'Create':
    case 'Ensure':
    case 'Change':
    case 'Move':
    case 'Remove':
    case 'Remove every':
      return planWrite(step, p, line);
    case 'Run':
      return {
        do: 'run',
        handler: step.handler.text,
        with: assigned(r, step),
        as: step.as?.text ?? null,
        line,
      };
    case 'Issue': {
      const scopes = (step.scopes ?? []).map((scope) => scope.text);
      const { text: scheme } = step.scheme;
      const kept = isKept(scheme, r.model.authentication.schemes);
      return { do: 'issue', as: step.as.text, scheme, to: r.expr(step.to), scopes, kept, line };
    }
    case 'Revoke':
      return { do: 'revoke', scheme: step.scheme.text, of: step.of && r.expr(step.of), line };
    case 'If':
      return {
        do: 'if',
        test: r.expr(step.test),
        then: planSteps(step.steps, p),
        else: planSteps(step.otherwise ?? [], p),
        line,
      };
    case 'For each':
      return planForEach(step, p, line);
  }
}

/** The steps that stand nested in another: the answer is never among them. */
/** Turns steps into what runs inside the transaction. */
export function planSteps(steps: readonly Step[], p: Planning): InsideStep[] {
  return steps.map((step) => planStep(step as Inner, p));
}

function planWrite(step: Write, { r, one, rowsOf }: Planning, line: number): InsideStep {
  if (step.verb === 'Remove every')
    return { do: 'remove every', resource: step.resource.text, where: step.where && r.expr(step.where), line };
  if (step.verb === 'Create' || step.verb === 'Ensure') {
    const resource = step.resource.text;
    const made = { as: step.as?.text ?? null, resource, from: planFrom(r, step.from), with: assigned(r, step), line };
    if (step.verb === 'Create') return { do: 'create', ...made };
    const by = ensured(step, r.model.resources.list.find((each) => each.name.text === resource)!, one);
    return { do: 'ensure', ...made, by };
  }
  const row = step.row.text;
  const resource = rowsOf.get(row)!;
  if (step.verb === 'Move' && step.to)
    return { do: 'move to', row, resource, ...planMoveTo(r, step.to, resource), line };
  if (step.verb === 'Move') return { do: 'move', row, resource, by: step.by!.text, line };
  if (step.verb === 'Remove') return { do: 'remove', row, resource, line };
  const from = planFrom(r, step.from);
  const patch = from?.value.type.kind === 'object' && from.value.type.payload!.optional;
  return { do: 'change', patch, row, resource, from, with: assigned(r, step), line };
}

function planMoveTo(r: Resolved, token: Token, resource: string): { to: Expr; by: string[] } {
  const to = r.expr(token);
  const machine = r.machine(resource)!;
  const leading = possibleTexts(to)!.flatMap((state) => leadingTo(machine, state));
  return { to, by: leading.map((transition) => transition.name.text) };
}

function planForEach(step: Extract<Step, { verb: 'For each' }>, p: Planning, line: number): InsideStep {
  const steps = planSteps(step.steps, p);
  return { do: 'for each', as: step.as.text, over: planOver(step.over, p), makes: madeBy(steps), steps, line };
}

/** The names that steps make for those after them: what is made under If or Otherwise ends with it. */
function madeBy(steps: readonly InsideStep[]): string[] {
  return steps.flatMap((step) => {
    if (step.do === 'for each') return step.makes;
    return 'as' in step && step.as !== null ? [step.as] : [];
  });
}

function planOver(over: Over, p: Planning): OverPlan {
  const { r } = p;
  if (over.kind === 'list') return { kind: 'list', list: r.expr(over.list) };
  const where = over.where && r.expr(over.where);
  return { kind: 'rows', resource: over.resource.text, where, order: planOrder(p.r, p.one, over.order!) };
}

function planOrder(r: Resolved, one: Effective, order: OrderBy): OrderPlan {
  const by = r.expr(order.by);
  if (order.direction !== 'sorted') return { by, descending: order.direction === 'latest' };
  const way = r.expr(order.way);
  if (uses(by, 'this')) return { sorted: null, keys: [{ name: '', by }], way };
  const keys = one.settings.sort!.value.map((key) => ({ name: key.name.text, by: r.expr(key.by) }));
  return { sorted: by, keys, way };
}

function assigned(r: Resolved, step: { readonly with: readonly Assignment[] }) {
  return step.with.map((given) => ({ field: given.field.text, value: r.expr(given.value) }));
}

/** The fields that a step takes from the request. */
function planFrom(r: Resolved, from: Token | null): FromPlan | null {
  const value = from && r.expr(from);
  if (value?.type.kind !== 'object') return null;
  return { value, fields: value.type.payload!.fields };
}

function planList(r: Resolved, one: Effective, step: Extract<Step, { verb: 'List' }>, line: number): InsideStep {
  const filters = one.endpoint.parameters.flatMap((parameter) =>
    step.asParameters && parameter.keeps
      ? [{ parameter: parameter.name.text, in: parameter.in!.value, where: r.expr(parameter.keeps) }]
      : [],
  );
  return {
    do: 'list',
    as: step.as.text,
    resource: step.resource.text,
    where: step.where && r.expr(step.where),
    filters,
    all: step.bound === 'all' ? planWholeList(r, one) : null,
    ...orderOf(r, one, step),
    line,
  };
}

/** The order of a list, and how much room its cursors have. */
function orderOf(r: Resolved, one: Effective, step: Extract<Step, { verb: 'List' }>) {
  const order = planOrder(r, one, step.order!);
  const placed = step.bound === 'pages' && pagesOf(r, one)!.value.by === 'cursor';
  const resource = r.resourceNamed(step.resource.text)!;
  return { order, room: orderKeys(order).map((by) => (placed ? placeRoom(r, resource, by) : 0)) };
}

/** Turns the last step into the answer. */
export function planAnswer(
  r: Resolved,
  one: Effective,
  step: Extract<Step, { verb: 'Answer' }>,
  line: LineOf,
): AnswerStep {
  const members = step.members.map((member) => ({
    name: member.field.text,
    ...planShown(r.expr(member.value), member.as),
  }));
  const { stream } = step;
  const streamed: BodyPlan | null = stream && { kind: 'stream', events: planStreamed(r, stream) };
  return {
    do: 'answer',
    status: step.status.value,
    body: step.body ? planBody(r, step.body, step.view, one) : members.length ? { kind: 'members', members } : streamed,
    headers: step.headers.map((header) => ({ name: header.field.text, value: r.expr(header.value) })),
    conditional: isConditional(one),
    line: line(step.span.from),
  };
}

function planBody(r: Resolved, body: Token, as: Name | null, one: Effective): BodyPlan {
  const value = r.expr(body);
  const listed = one.steps.find((step) => step.verb === 'List' && step.bound === 'pages' && step.as.text === body.text);
  const resource = listed?.verb === 'List' ? listed.resource.text : null;
  if (value.op === 'name' && resource !== null)
    return { kind: 'page', list: body.text, view: { resource, name: as?.text ?? resource } };
  return { kind: 'value', shown: planShown(value, as) };
}

/** A value in an answer: rows are shown in the view named, or in their resource’s own form. */
function planShown(value: Expr, as: Name | null): ShownPlan {
  const of = value.type.kind === 'list' ? value.type.of : value.type;
  return { value, view: of.kind === 'row' ? { resource: of.resource, name: as?.text ?? of.resource } : null };
}
