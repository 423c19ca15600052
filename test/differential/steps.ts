import type { Effective } from '../../src/compiler/document/effective.ts';
import { everyStep, type Step } from '../../src/compiler/statements/endpoints.ts';
import { uniqueKeys } from '../../src/compiler/statements/resources.ts';
import type { Assignment } from '../../src/language/assignments.ts';
import type { OrderBy } from '../../src/language/steps.ts';
import { evaluate, evaluateGiven, evaluateOr, resourceOf, rowsOf, sees } from './evaluate.ts';
import {
  type Asked,
  cut,
  linkOf,
  linksOf,
  ordering,
  orderOf,
  type Page,
  type Place,
  placeIn,
  showPage,
} from './pages.ts';
import { condition, refusal } from './refusal.ts';
import { type Answer, object, type Showing, showValue } from './show.ts';
import { Bag, Failure, NOTHING, order, Ref, same, type Val } from './value.ts';
import { change, create, type Doing, move, moveTo, remove, scopeOf } from './writes.ts';

type Of<V extends Step['verb']> = Extract<Step, { verb: V }>;

/** One run of an endpoint’s steps. */
export interface Run {
  readonly one: Effective;
  readonly doing: Doing;
  readonly showing: Showing;
  /** False where every row is seen, whoever asks. */
  readonly sighted: boolean;
  readonly asked: Asked | null;
  /** The parameters of the query as they were sent, and whether there was one at all. */
  readonly query: ReadonlyArray<readonly [string, string]>;
  readonly queried: boolean;
  /** What the targets of links begin with. */
  readonly base: string;
  /** The row that a page by identity begins after. */
  readonly before: Ref | null;
  /** Reads a header of the request by its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** The entity tag of what a GET of the address answers, where it answers; undefined where no GET there has a tag. */
  readonly current: (matched?: string) => { readonly tag: string | null } | null | undefined;
  /** The page, once it has been listed. */
  page: Page | null;
  /** The page as it was when it was listed, in JSON. */
  pageText: string | null;
}

/** Runs the steps one after the other; the last gives the answer. Throws a Refusal where one stops the request. */
export function runSteps(run: Run): Answer {
  const given = upToAnswer(run, run.one.steps, { checked: false });
  if (!given) throw new Error('The steps have ended without an Answer');
  return given;
}

/** Runs steps up to an Answer among them; null where there is none on the way. */
function upToAnswer(run: Run, steps: readonly Step[], so: { checked: boolean }): Answer | null {
  for (const step of steps) {
    const every = [...everyStep([step])];
    const answers = every.some(({ verb }) => verb === 'Answer');
    if (!so.checked && (answers || every.some(({ does }) => does.writes !== null || does.keeps !== false))) {
      checkPreconditions(run);
      so.checked = true;
    }
    if (step.verb === 'Answer') return answer(run, step);
    if (step.verb === 'If' && answers) {
      const holds = evaluate(step.test.text, scopeOf(run.doing, null, run.sighted)) === true;
      const given = upToAnswer(run, holds ? step.steps : (step.otherwise ?? []), so);
      if (given) return given;
    } else runStep(run, step);
  }
  return null;
}

/** Runs the steps that follow from a move: there is no request, and every row is seen. */
export function react(doing: Doing, steps: readonly Step[]): void {
  const run: Pick<Run, 'doing' | 'sighted'> = { doing, sighted: false };
  for (const step of steps) runStep(run as Run, step);
}

function runStep(run: Run, step: Step): void {
  const { doing } = run;
  const scope = scopeOf(doing, null, run.sighted);
  const rowOf = (name: string): Ref => doing.names.get(name) as Ref;
  switch (step.verb) {
    case 'Find':
      find(run, step);
      return;
    case 'List':
      list(run, step);
      return;
    case 'Group':
      group(run, step);
      return;
    case 'Require':
      if (evaluate(step.test.text, scope) !== true) throw refusal(step.code!.text);
      return;
    case 'Match':
      match(run, step);
      return;
    case 'Create':
      name(doing, step.as, create(doing, step.resource.text, given(run, step)));
      return;
    case 'Ensure':
      name(doing, step.as, ensure(run, step));
      return;
    case 'Change':
      change(doing, rowOf(step.row.text), given(run, step));
      return;
    case 'Move':
      if (step.by) move(doing, rowOf(step.row.text), step.by.text, new Map(assigned(run, step.with)));
      else
        moveTo(
          doing,
          rowOf(step.row.text),
          evaluate(step.to!.text, scope) as string,
          new Map(assigned(run, step.with)),
        );
      return;
    case 'Remove':
      remove(doing, rowOf(step.row.text));
      return;
    default:
      runNested(run, step);
  }
}

function runNested(run: Run, step: Step): void {
  const { doing } = run;
  const scope = scopeOf(doing, null, run.sighted);
  switch (step.verb) {
    case 'Remove every':
      for (const ref of selected(run, step.resource.text, step.where, null))
        if (doing.rows.has(ref)) remove(doing, ref);
      return;
    case 'If': {
      const steps = evaluate(step.test.text, scope) === true ? step.steps : (step.otherwise ?? []);
      for (const one of steps) runStep(run, one);
      return;
    }
    case 'For each':
      forEach(run, step);
      return;
    default:
      throw new Error(`The interpreter doesn’t know ${step.verb}`);
  }
}

function name(doing: Doing, as: { readonly text: string } | null, value: Val): void {
  if (as) doing.names.set(as.text, value);
}

/** What a step takes from the body, and what it assigns. */
function given(run: Run, step: Of<'Create'> | Of<'Ensure'> | Of<'Change'>): Map<string, Val> {
  return new Map([...fromRequest(run, step), ...assigned(run, step.with)]);
}

/** After the rounds, a name made in them is the list of what it was. */
function forEach(run: Run, { as, over, steps }: Of<'For each'>): void {
  const { doing } = run;
  const members =
    over.kind === 'list'
      ? (evaluate(over.list.text, scopeOf(doing, null, run.sighted)) as readonly Val[])
      : selected(run, over.resource.text, over.where, over.order);
  const made = steps.flatMap((step) => ('as' in step && step.as && step.verb !== 'For each' ? [step.as.text] : []));
  const lists = new Map<string, Val[]>(made.map((one) => [one, []]));
  for (const member of members) {
    doing.names.set(as.text, member);
    for (const step of steps) runStep(run, step);
    for (const [one, list] of lists) list.push(doing.names.get(one)!);
  }
  for (const [one, list] of lists) doing.names.set(one, list);
}

/** The rows of a resource that a condition selects, in an order; ties stand in the order of their identities. */
function selected(
  { doing, sighted, one }: Run,
  resource: string,
  where: { readonly text: string } | null,
  by: OrderBy | null,
): Ref[] {
  const rows = rowsOf(scopeOf(doing, null, sighted), resource).filter(
    (ref) => where === null || evaluate(where.text, scopeOf(doing, ref, sighted)) === true,
  );
  if (!by) return rows;
  const keys = orderOf(one, by, scopeOf(doing, null, sighted));
  const compare = ordering(keys);
  const placeOf = (ref: Ref): Place => placeIn(keys, scopeOf(doing, ref, sighted), doing.rows.identity(ref));
  return rows.sort((a, b) => compare(placeOf(a), placeOf(b)));
}

function find(run: Run, step: Of<'Find'>): void {
  const found = selected(run, step.resource.text, step.where, step.order);
  if (found.length > 1 && !step.order) throw new Error('A Find has found more than one row');
  if (!found[0] && !step.none) throw refusal(step.code!.text);
  run.doing.names.set(step.as.text, found[0] ?? null);
}

/** The row that has the values of the identity, or of a unique rule, or else a new one. */
function ensure(run: Run, step: Of<'Ensure'>): Ref {
  const { doing } = run;
  const resource = resourceOf(doing, step.resource.text);
  const values = given(run, step);
  for (const key of uniqueKeys(resource)) {
    if (!key.every((field) => (values.get(field) ?? null) !== null)) continue;
    const found = rowsOf(scopeOf(doing, null, run.sighted), step.resource.text).find((ref) =>
      key.every((field) => same(doing.rows.get(ref).values.get(field)!, values.get(field)!)),
    );
    if (found) return found;
  }
  return create(doing, step.resource.text, values);
}

function list(run: Run, step: Of<'List'>): void {
  const { doing, one, sighted } = run;
  const query = doing.names.get('query') as Bag;
  const tests = one.endpoint.parameters.flatMap(({ name, keeps, in: place }) =>
    step.asParameters && keeps && (place!.value !== 'query' || query.sent.has(name.text)) ? [keeps.text] : [],
  );
  if (step.where) tests.push(step.where.text);
  const keys = orderOf(one, step.order!, scopeOf(doing, null, sighted));
  const placeOf = (ref: Ref): Place => placeIn(keys, scopeOf(doing, ref, sighted), doing.rows.identity(ref));
  const compare = ordering(keys);
  const rows = rowsOf(scopeOf(doing, null, sighted), step.resource.text)
    .filter((ref) => tests.every((test) => evaluate(test, scopeOf(doing, ref, sighted)) === true))
    .sort((a, b) => compare(placeOf(a), placeOf(b)));
  if (step.bound === 'all') {
    const { most, beyond } = showingOf(run).model.limits.wholeList!.value;
    if (rows.length > most && beyond === 'refused') throw condition('page refused');
    doing.names.set(step.as.text, rows.slice(0, most));
    return;
  }
  const { after } = run.asked!;
  const before = after && !('by' in after) ? placeOf(run.before!) : after;
  run.page = cut(run.asked!, rows, placeOf, compare, before as Place | null);
  const { page } = run;
  run.pageText = showPage(showingOf(run), page, (one) => linkOf(page, run.query, run.queried, run.base, one));
  doing.names.set(step.as.text, run.page.rows);
}

/** Rows with equal keys are a group; ties stand in the order of the keys. */
function group(run: Run, step: Of<'Group'>): void {
  const { doing, sighted } = run;
  const groups: Array<{ readonly keys: readonly Val[]; readonly rows: Ref[] }> = [];
  const { where } = step;
  const all = step.every.value
    ? doing.rows
        .all(step.resource.text)
        .filter((ref) => !where || evaluate(where.text, scopeOf(doing, ref, sighted)) === true)
    : selected(run, step.resource.text, where, null);
  for (const ref of all) {
    const keys = step.by.map(({ value }) => keyOf(run, evaluateOr(value.text, scopeOf(doing, ref, sighted))));
    const known = groups.find((one) => one.keys.every((key, i) => isSameKey(key, keys[i]!)));
    if (known) known.rows.push(ref);
    else groups.push({ keys, rows: [ref] });
  }
  const made = groups.map(({ keys, rows }) => {
    const scope = scopeOf(doing, null, sighted);
    const own = { ...scope, names: new Map([...scope.names, ['rows', rows] as const]) };
    return new Map([
      ...step.by.map(({ field }, i) => [field.text, keys[i]!] as const),
      ...step.with.map(({ field, value }) => [field.text, evaluateOr(value.text, own)] as const),
    ]);
  });
  const compared = (a: Map<string, Val>, b: Map<string, Val>, member: string): number => {
    const [x, y] = [a.get(member)!, b.get(member)!].map((one) => (one === NOTHING ? null : one));
    return x === null || y === null ? Number(y === null) - Number(x === null) : order(x!, y!);
  };
  const sign = step.order!.direction === 'latest' ? -1 : 1;
  made.sort((a, b) => {
    const ties = step.by.map(({ field }) => compared(a, b, field.text));
    return sign * compared(a, b, step.order!.by.text) || ties.find((one) => one !== 0) || 0;
  });
  const { most, beyond } = showingOf(run).model.limits.wholeList!.value;
  if (made.length > most && beyond === 'refused') throw condition('page refused');
  const listed = made.slice(0, most);
  if (listed.some((one) => [...one.values()].includes(NOTHING))) throw new Failure('A member of a group has no result');
  doing.names.set(
    step.as.text,
    listed.map((one) => new Bag(one)),
  );
}

/** A key that is a row is its identity, and null where the row is hidden. */
function keyOf({ doing, sighted }: Run, key: Val): Val {
  if (!(key instanceof Ref)) return key;
  if (key.pointed && sighted && !sees(scopeOf(doing, null, sighted), key)) return null;
  return doing.rows.identity(key);
}

const isSameKey = (a: Val, b: Val): boolean => (a === NOTHING || b === NOTHING ? a === b : same(a, b));

const showingOf = ({ showing }: Run): Showing => showing;

/** If-Match: `*`, or a list of tags of which a strong one is the row’s (RFC 9110, section 13.1.1). */
function match(run: Run, step: Of<'Match'>): void {
  if (run.header('if-match') === undefined) throw condition('precondition missing');
  const current = run.current(step.to.text);
  const tag = evaluate(step.to.text, scopeOf(run.doing, null, run.sighted)) as string;
  if (!areMet(run, current === undefined ? { tag } : current)) throw condition('precondition failed');
}

/** If-Match and If-None-Match, in this order, of a request that writes (RFC 9110, section 13.2.2). */
function areMet({ header }: Run, current: { readonly tag: string | null } | null): boolean {
  const [match, none] = [header('if-match'), header('if-none-match')];
  if (match !== undefined) {
    if (!current) return false;
    if (match !== '*' && !tagsIn(match)?.some(([weak, tag]) => !weak && tag === current.tag)) return false;
  }
  if (none === undefined) return true;
  if (none === '*') return current === null;
  const tags = tagsIn(none);
  return tags !== null && !(current && tags.some(([, tag]) => tag === current.tag));
}

function tagsIn(list: string): Array<readonly [weak: boolean, tag: string]> | null {
  if (!/^\s*(?:W\/)?"[^"\s]*"(?:\s*,\s*(?:W\/)?"[^"\s]*")*\s*$/.test(list)) return null;
  return [...list.matchAll(/(W\/)?("[^"]*")/g)].map(([, weak, tag]) => [weak !== undefined, tag!]);
}

/** The document's statement on preconditions that no step matches. */
function checkPreconditions(run: Run): void {
  const { preconditions, untagged } = run.one.settings;
  const matched = run.one.every.some((step) => step.verb === 'Match');
  if (matched || run.one.endpoint.method === 'GET' || (!preconditions && !untagged)) return;
  const current = run.current();
  const said = (current === undefined ? untagged : preconditions)?.value ?? 'ignored';
  if (said === 'ignored') return;
  if (said === 'required' && run.header('if-match') === undefined) throw condition('precondition missing');
  if (!['if-match', 'if-none-match', 'if-unmodified-since'].some((name) => run.header(name) !== undefined)) return;
  if (said === 'refused' || current === undefined || !areMet(run, current)) throw condition('precondition failed');
}

/** What a step takes of the body. Where not every field is optional, a Change makes absent what was not sent. */
function fromRequest(run: Run, step: Of<'Create'> | Of<'Ensure'> | Of<'Change'>): Array<[string, Val]> {
  const request = step.from ? run.one.settings.request!.value : 'none';
  if (request === 'none') return [];
  const { sent } = evaluate(step.from!.text, scopeOf(run.doing, null, run.sighted)) as Bag;
  return request.fields.flatMap(({ text: field }): Array<[string, Val]> => {
    if (sent.has(field)) return [[field, sent.get(field)!]];
    return step.verb === 'Change' && !request.optional ? [[field, null]] : [];
  });
}

function assigned({ doing, sighted }: Run, list: readonly Assignment[]): Array<[string, Val]> {
  return list.map(({ field, value }) => [field.text, evaluateGiven(value.text, scopeOf(doing, null, sighted))]);
}

function answer(run: Run, step: Of<'Answer'>): Answer {
  const scope = scopeOf(run.doing, null, run.sighted);
  const headers = step.headers.map(({ field, value }): [string, string] => [
    field.text,
    fieldValue(field.text, evaluateGiven(value.text, scope) as string),
  ]);
  const body = bodyOf(run, step);
  const links =
    run.page && step.body ? linksOf(run.page, (one) => linkOf(run.page!, run.query, run.queried, run.base, one)) : null;
  if (links !== null) headers.push(['Link', links]);
  if (body !== null) headers.push(['Content-Type', 'application/json']);
  return { status: step.status.value, headers, body };
}

function bodyOf(run: Run, step: Of<'Answer'>): string | null {
  const { showing } = run;
  const scope = scopeOf(run.doing, null, run.sighted);
  const members = object(
    showing,
    step.members.map(({ field, value }) => [field.text, showValue(showing, evaluateGiven(value.text, scope))]),
  );
  if (step.members.length && !step.body) return members;
  if (!step.body) return null;
  if (step.members.length) {
    const row = showValue(showing, evaluate(step.body.text, scope)) ?? 'null';
    return [row.slice(1, -1), members.slice(1, -1)]
      .filter((part) => part !== '')
      .join(',')
      .replace(/^.*$/s, '{$&}');
  }
  if (run.page && run.doing.names.get(step.body.text) === run.page.rows) return run.pageText;
  const value = evaluate(step.body.text, scope);
  return showValue(showing, value);
}

/** What a header may hold, character by character; any other is percent-encoded, as is a space at an end or in Location. */
function fieldValue(name: string, text: string): string {
  const all = [...text];
  const kept = (one: string, i: number): boolean =>
    one === ' ' ? name !== 'Location' && i > 0 && i < all.length - 1 : one > ' ' && one <= '~';
  return all.map((one, i) => (kept(one, i) ? one : encodeURIComponent(one))).join('');
}
