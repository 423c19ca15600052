import { type Expr, parts, show } from '../../expression/tree/expression.ts';
import { answersOf, shownIn, tagIn } from '../../plan/answered.ts';
import type { AnswerStep } from '../../plan/step.ts';
import type { Span } from '../../syntax/span.ts';
import type { Effective } from '../document/effective.ts';
import type { Resolved } from '../document/resolve.ts';
import type { Parameter } from '../statements/endpoints.ts';
import { isConditional, preconditionsAt, statedTag, taggedGet } from './check/preconditions.ts';
import { endpointsDiagnostics as d } from './messages/endpoints.ts';
import type { CheckedSteps } from './verbs/check-steps.ts';

type Row = Extract<Expr, { op: 'name' }>;

/** Checks entity tags: one for each address, which changes with the representation, and which some answer contains. */
export function checkTags(r: Resolved, settled: ReadonlyMap<Effective, CheckedSteps>): void {
  const told = new Set<string>();
  const whole = new Map<string, Effective>();
  for (const [one, steps] of settled)
    for (const answer of answersOf(steps)) {
      const tag = tagIn(answer);
      for (const row of tag ? rowsOf(tag) : []) told.add(resourceOf(row));
      const shown = answer.body?.kind === 'value' ? answer.body.shown.value.type : null;
      if (isConditional(one) && shown?.kind === 'row') whole.set(shown.resource, one);
    }
  for (const [one, steps] of settled) {
    const { inside } = steps;
    for (const answer of answersOf(steps)) {
      checkShown(r, one, answer);
      checkOther(r, one, answer, whole);
    }
    checkNeeds(r, one);
    if (taggedGet(r, one)) continue;
    for (const step of one.every) {
      if (step.verb !== 'Match') continue;
      const plan = inside.find((each) => each.do === 'match' && each.line === r.line(step.span.from));
      const [row] = plan?.do === 'match' ? rowsOf(plan.to) : [];
      if (row && !told.has(resourceOf(row)))
        r.notes.findings.push(d.report.matchUntold(step.to, { row: row.name, resource: resourceOf(row) }));
    }
  }
}

/** The rows whose entity tags an expression reads. */
function rowsOf(tag: Expr): Row[] {
  const [row] = tag.op === 'call' && tag.fn === 'etag' ? tag.args : [];
  return row?.op === 'name' ? [row] : parts(tag).flatMap(rowsOf);
}

const resourceOf = ({ type }: Row): string => (type.kind === 'row' ? type.resource : '');

/** Checks that a GET with the entity tag of a row answers with that row and nothing else. */
function checkShown(r: Resolved, one: Effective, answer: AnswerStep): void {
  const { body } = answer;
  const tag = tagIn(answer);
  const stated = statedTag(r, one, answer);
  if (!tag || !stated || !body || rowsOf(tag).length === 0 || one.endpoint.method !== 'GET' || isConditional(one))
    return;
  const row = show(tag).replace(/etag\((\w+)\)/g, '$1');
  const values = body.kind === 'page' ? null : shownIn(body).map(({ value }) => value);
  if (values?.every((value) => value.op === 'const' || show(value) === row)) return;
  r.notes.findings.push(d.report.tagOfMore(stated.value, { endpoint: one.endpoint.name, row }));
}

/** Checks that no answer states another tag of a row for which a GET has an entity tag of its whole answer. */
function checkOther(r: Resolved, one: Effective, after: AnswerStep, whole: ReadonlyMap<string, Effective>): void {
  const tag = tagIn(after);
  const stated = statedTag(r, one, after);
  if (!tag || !stated || isConditional(one)) return;
  const here = one.endpoint.method === 'GET' ? null : taggedGet(r, one);
  if (here && !isConditional(here)) return;
  const [row] = rowsOf(tag);
  const get = (after.status === 201 ? null : here) ?? (row && whole.get(resourceOf(row)));
  if (row && get) r.notes.findings.push(d.report.tagOfAnother(stated.value, { get: get.endpoint.name, row: row.name }));
}

/** Checks that a write declares all required parameters of the GET whose entity tag its preconditions compare. */
function checkNeeds(r: Resolved, one: Effective): void {
  const get = one.endpoint.method === 'GET' ? null : taggedGet(r, one);
  const match = one.every.find((step) => step.verb === 'Match');
  const evaluated = preconditionsAt(r, one);
  const isCompared = evaluated?.value === 'evaluated' || evaluated?.value === 'required';
  const at: Span | null = match ? match.span : isCompared ? evaluated : null;
  if (!get || !at || (match && !isConditional(get))) return;
  const own = new Set(one.parameters.map(placeOf));
  const needed = get.parameters.find(
    (each) => each.in?.value !== 'path' && each.presence?.value === 'always' && !own.has(placeOf(each)),
  );
  if (!needed) return;
  const params = { get: get.endpoint.name, endpoint: one.endpoint.name, parameter: needed.name.text };
  r.notes.findings.push(d.report.tagNeeds(at, params));
}

const placeOf = (one: Parameter): string => `${one.in?.value} ${one.name.text}`;
