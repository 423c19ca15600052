import type { Effective } from '../../src/parts/endpoints/effective.ts';
import type { Assignment, Step } from '../../src/parts/endpoints/model.ts';
import { evaluate, rowsOf } from './evaluate.ts';
import { condition, refusal } from './refusal.ts';
import { type Answer, object, type Showing, showRow, showValue } from './show.ts';
import { type Bag, order, type Ref, type Val } from './value.ts';
import { change, create, type Doing, move, remove, scopeOf } from './writes.ts';

type Of<V extends Step['verb']> = Extract<Step, { verb: V }>;

/** A page that a list is asked for: how many rows, and after which one. */
export interface Asked {
  readonly most: number;
  readonly after: { readonly by: Val; readonly identity: Val } | null;
  /** Makes the cursor of the page after a row. */
  readonly seal: (by: Val, identity: Val) => string;
}

/** One run of an endpoint’s steps. */
export interface Run {
  readonly one: Effective;
  readonly doing: Doing;
  readonly showing: Showing;
  readonly page: Asked | null;
  readonly ifMatch: string | undefined;
  next: string | null;
}

/** Runs the steps one after the other; the last gives the answer. Throws a Refusal where one stops the request. */
export function runSteps(run: Run): Answer {
  for (const step of run.one.steps) {
    if (step.verb === 'Answer') return answer(run, step);
    runStep(run, step);
  }
  throw new Error('The last step is no Answer');
}

function runStep(run: Run, step: Step): void {
  const { doing } = run;
  const rowOf = (name: string): Ref => doing.names.get(name) as Ref;
  switch (step.verb) {
    case 'Find':
      find(run, step);
      return;
    case 'List':
      list(run, step);
      return;
    case 'Require':
      if (evaluate(step.test.text, scopeOf(doing, null, true)) !== true) throw refusal(step.code!.text);
      return;
    case 'Match':
      match(run, step);
      return;
    case 'Create': {
      const given = new Map([...fromRequest(run, step, false), ...assigned(run, step.with)]);
      doing.names.set(step.as!.text, create(doing, step.resource.text, given));
      return;
    }
    case 'Change': {
      const given = new Map([...fromRequest(run, step, true), ...assigned(run, step.with)]);
      change(doing, rowOf(step.row.text), given);
      return;
    }
    case 'Move':
      move(doing, rowOf(step.row.text), step.by!.text);
      return;
    case 'Remove':
      remove(doing, rowOf(step.row.text));
      return;
    default:
      throw new Error(`The interpreter doesn’t know ${step.verb}`);
  }
}

function find({ doing }: Run, step: Of<'Find'>): void {
  const found = rowsOf(scopeOf(doing, null, true), step.resource.text).filter(
    (ref) => evaluate(step.where!.text, scopeOf(doing, ref, true)) === true,
  );
  if (found.length > 1) throw new Error('A Find has found more than one row');
  if (!found[0]) throw refusal(step.code!.text);
  doing.names.set(step.as.text, found[0]);
}

function list(run: Run, step: Of<'List'>): void {
  const { doing, one, page } = run;
  const query = doing.names.get('query') as Bag;
  const tests = one.endpoint.parameters.flatMap(({ name, keeps, in: place }) =>
    step.asParameters && keeps && (place!.value === 'path' || query.sent.has(name.text)) ? [keeps.text] : [],
  );
  if (step.where) tests.push(step.where.text);
  const { direction, by } = step.order!;
  const sign = direction === 'latest' ? -1 : 1;
  const keyOf = (ref: Ref): Val => evaluate(by.text, scopeOf(doing, ref, false));
  const compare = (a: Val, aId: Val, b: Val, bId: Val): number => sign * (order(a, b) || order(aId, bId));
  const identity = (ref: Ref): Val => doing.rows.identity(ref);
  const rows = rowsOf(scopeOf(doing, null, true), step.resource.text)
    .filter((ref) => tests.every((test) => evaluate(test, scopeOf(doing, ref, true)) === true))
    .filter((ref) => !page!.after || compare(keyOf(ref), identity(ref), page!.after.by, page!.after.identity) > 0)
    .sort((a, b) => compare(keyOf(a), identity(a), keyOf(b), identity(b)));
  const shown = rows.slice(0, page!.most);
  const last = shown.at(-1);
  run.next = last && rows.length > shown.length ? page!.seal(keyOf(last), identity(last)) : null;
  doing.names.set(step.as.text, shown);
}

/** If-Match: `*`, or a list of tags of which a strong one is the row’s (RFC 9110, section 13.1.1). */
function match(run: Run, step: Of<'Match'>): void {
  if (run.ifMatch === undefined) throw condition('precondition missing');
  const tag = evaluate(step.to.text, scopeOf(run.doing, null, true));
  const wellFormed = /^\s*(?:W\/)?"[^"\s]*"(?:\s*,\s*(?:W\/)?"[^"\s]*")*\s*$/.test(run.ifMatch);
  const tags = wellFormed ? [...run.ifMatch.matchAll(/(W\/)?("[^"]*")/g)] : [];
  const matches = run.ifMatch === '*' || tags.some(([, weak, strong]) => !weak && strong === tag);
  if (!matches) throw condition('precondition failed');
}

/** What a step takes of the body. Where not every field is optional, a Change makes absent what was not sent. */
function fromRequest(run: Run, step: Of<'Create'> | Of<'Change'>, changing: boolean): Array<[string, Val]> {
  const request = run.one.settings.request!.value;
  if (!step.from || request === 'none') return [];
  const { sent } = run.doing.names.get('request') as Bag;
  return request.fields.flatMap(({ text: field }): Array<[string, Val]> => {
    if (sent.has(field)) return [[field, sent.get(field)!]];
    return changing && !request.optional ? [[field, null]] : [];
  });
}

function assigned({ doing }: Run, list: readonly Assignment[]): Array<[string, Val]> {
  return list.map(({ field, value }) => [field.text, evaluate(value.text, scopeOf(doing, null, true))]);
}

function answer(run: Run, step: Of<'Answer'>): Answer {
  const scope = scopeOf(run.doing, null, true);
  const headers = step.headers.map(({ field, value }): [string, string] => [
    field.text,
    fieldValue(field.text, evaluate(value.text, scope) as string),
  ]);
  const body = bodyOf(run, step);
  if (body !== null) headers.push(['Content-Type', 'application/json']);
  return { status: step.status.value, headers, body };
}

function bodyOf(run: Run, step: Of<'Answer'>): string | null {
  const { showing } = run;
  const scope = scopeOf(run.doing, null, true);
  if (step.members.length)
    return object(
      showing,
      step.members.map(({ field, value }) => [field.text, showValue(showing, evaluate(value.text, scope))]),
    );
  if (!step.body) return null;
  const value = evaluate(step.body.text, scope);
  if (!Array.isArray(value)) return showRow(showing, value as Ref);
  const items = `[${value.map((ref) => showRow(showing, ref)).join(',')}]`;
  const next = run.next === null ? null : JSON.stringify(run.next);
  const { payload } = showing.model.limits.pages!.value;
  return object(
    showing,
    payload!.map((one) => [one.name, one.value === 'items' ? items : next]),
  );
}

/** What a header may hold; anything else is percent-encoded, and in Location a space too. */
function fieldValue(name: string, text: string): string {
  const kept = name === 'Location' ? /^[!-~]*$/ : /^(?:[!-~](?:[ -~]*[!-~])?)?$/;
  return kept.test(text) ? text : encodeURI(text).replace(/[\s\x7f]/g, encodeURIComponent);
}
