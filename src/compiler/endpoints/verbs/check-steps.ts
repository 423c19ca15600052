import { type Expr, parts } from '../../../expression/tree/expression.ts';
import type * as t from '../../../expression/tree/types.ts';
import type { AnswerStep, InsideStep } from '../../../plan/step.ts';
import { zip } from '../../../text/lists.ts';
import { type Effective, pathStart, piecesOf, requestOf } from '../../document/effective.ts';
import type { Resolved } from '../../document/resolve.ts';
import { stores } from '../../document/writes.ts';
import { alwaysAnswer, hasBody, isFile, isRows, type Step } from '../../statements/endpoints.ts';
import { Checking } from '../check/checking.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { checkIssued } from './credentials.ts';
import { verbOf } from './registry.ts';

/** The planned steps of an endpoint, and its planned answer after all steps; null if the steps end in others. */
export interface CheckedSteps {
  readonly inside: readonly InsideStep[];
  readonly after: AnswerStep | null;
}

/**
 * Checks the steps of one endpoint in order, each against the names that earlier steps declare; null while a step isn't
 * settled.
 */
export function checkSteps(r: Resolved, one: Effective, names: Map<string, t.Type>): CheckedSteps | null {
  const c = new Checking(r, one, names);
  const { steps, endpoint } = one;
  const inside = checkEach(c, steps);
  checkWays(c);
  const stream = one.every.some((step) => step.verb === 'Answer' && step.stream);
  const writes = one.every.find((step) => stores(step, r.model.authentication.schemes));
  if (stream && writes) c.findings.push(d.report.streamWrites(writes.span));
  const kept = one.settings.idempotency;
  if (stream && kept && kept.value !== 'none') c.findings.push(d.report.streamKept(kept, {}, [endpoint.name]));
  const { sort } = one.settings;
  if (sort && !c.sorted && !c.broken) c.findings.push(d.report.sortUnused(sort));
  if (c.hasSeveralAnswers && !c.broken)
    for (const [name, token] of c.lists)
      if (!c.pages.has(name)) c.findings.push(d.report.listUnanswered(token.inner, { name }));
  checkUnused(c);
  checkIssued(c);
  return inside && alwaysAnswer(steps) ? { inside, after: c.answer } : null;
}

/** Checks steps in order, and returns their plans; null while one of them isn't settled. */
export function checkEach(c: Checking, steps: readonly Step[]): readonly InsideStep[] | null {
  const out: InsideStep[] = [];
  let settled = true;
  for (const step of steps) {
    const checked = verbOf(step.verb).check(c, step, checkEach);
    if (!checked) settled = false;
    else if (checked.do === 'answer' && c.depth === 0) c.answer = checked;
    else out.push(checked);
    if (step.does.writes) c.forget();
  }
  return settled ? out : null;
}

/** The largest number of Answers of an endpoint: the contract says under which conditions each is given. */
const MOST_ANSWERS = 32;

/** Checks that each way through the steps of an endpoint ends in one Answer, and that all Answers can be given. */
function checkWays(c: Checking): void {
  const { steps, every, endpoint } = c.one;
  const answers = every.filter((step) => step.verb === 'Answer');
  checkEnds(c, steps);
  const open = answers.length > 0 && openIn(steps);
  if (answers.length === 0)
    c.findings.push(d.report.noAnswer(endpoint.span, { endpoint: endpoint.name }, [endpoint.name]));
  else if (open)
    c.findings.push(
      d.report.noAnswerThere(open.step.span, { ...open.params, endpoint: endpoint.name }, [endpoint.name]),
    );
  const beyond = answers[MOST_ANSWERS];
  if (beyond) c.findings.push(d.report.answersMany(beyond.span, { most: `${MOST_ANSWERS}` }));
  const alone = answers.find((step) => step.stream || step.description || isRows(step) || isFile(step));
  if (alone && (answers.length > 1 || !steps.includes(alone))) c.findings.push(d.report.answerAlone(alone.span));
  const [first, ...others] = answers.filter((step) => hasBody(step) && step !== alone);
  const typeOf = (step: typeof first): string => (step?.form?.kind === 'text' ? step.form.mediaType : 'JSON');
  for (const other of others)
    if (typeOf(other) !== typeOf(first))
      c.findings.push(d.report.answerTypes(other.span, { found: typeOf(other), first: typeOf(first) }));
}

/** Reports steps that come after an Answer, or after an If whose branches both end in one. */
function checkEnds(c: Checking, steps: readonly Step[]): void {
  for (const [step, next] of zip(steps, steps.slice(1)))
    if (alwaysAnswer([step])) {
      c.findings.push(d.report.answerLast(next.span, { after: step.verb }));
      break;
    }
  for (const step of steps) {
    if ('steps' in step) checkEnds(c, step.steps);
    if ('otherwise' in step && step.otherwise) checkEnds(c, step.otherwise);
  }
}

/** The last step of a way through steps that ends without an Answer, and in which case it does. */
function openIn(steps: readonly Step[]): { readonly step: Step; readonly params: { readonly when: string } } | null {
  if (alwaysAnswer(steps)) return null;
  const last = steps.at(-1);
  if (last?.verb !== 'If') return last ? { step: last, params: { when: '' } } : null;
  const yes = openIn(last.steps);
  if (yes) return yes;
  return (last.otherwise && openIn(last.otherwise)) || { step: last, params: { when: last.test.text } };
}

/** Reports parameters and body fields that no step uses: requests could send them without effect. */
function checkUnused(c: Checking): void {
  const read = new Set<string>();
  for (const expr of c.exprs) noteRead(expr, read);
  for (const { in: at, name } of c.one.parameters)
    if (at?.value === 'header' && (c.broken || read.has(`header ${name.text}`))) c.r.headersUsed.add(name.text);
  if (c.broken) return;
  for (const parameter of c.one.endpoint.parameters) {
    const at = parameter.in?.value ?? 'query';
    const place = at === 'body' ? 'request' : at;
    const kept = parameter.keeps !== null && c.asParameters;
    const mentioned = read.has(`${place} ${parameter.name.text}`);
    if (c.r.isSuggested(parameter.name.text)) continue;
    const params = { name: parameter.name.text };
    if (parameter.keeps && !c.asParameters) c.findings.push(d.report.filterUnused(parameter.keeps, params));
    else if (!kept && !mentioned) c.findings.push(d.report.parameterUnused(parameter.name, params));
  }
  checkPath(c, read);
  const request = requestOf(c.one);
  // The fields of an unknown resource are unknown.
  if (!request || c.readFromRequest || !c.r.resourceNamed(request.resource.text)) return;
  for (const field of request.fields)
    if (!c.r.isSuggested(field.text) && !c.exprs.some((expr) => readsField(expr, field.text)))
      c.findings.push(d.report.requestUnread(field, { field: field.text }));
}

/** Reports unused names in the path that a shared parameter declares. */
function checkPath(c: Checking, read: ReadonlySet<string>): void {
  const { endpoint, parameters } = c.one;
  for (const segment of piecesOf(endpoint.path, pathStart(endpoint))) {
    const { text: name } = segment;
    const own = endpoint.parameters.some((parameter) => parameter.in?.value === 'path' && parameter.name.text === name);
    const declared = parameters.some((parameter) => parameter.name.text === name);
    if (!segment.named || own || !declared || c.r.isSuggested(name)) continue;
    if (read.has(`path ${name}`)) continue;
    c.findings.push(d.report.parameterUnused(segment, { name }));
  }
}

/** Whether an expression reads a field of the request, at any depth of the body. */
function readsField(expr: Expr, field: string): boolean {
  const { type } = expr.op === 'get' || expr.op === 'sent' ? expr.of : expr;
  if (type.kind === 'object' && 'member' in expr && expr.member === field && type.payload?.fields.includes(field))
    return true;
  return parts(expr).some((one) => readsField(one, field));
}

/** Notes each `object.member` that an expression reads, as `object member`. */
function noteRead(expr: Expr, read: Set<string>): void {
  if ((expr.op === 'get' || expr.op === 'sent') && expr.of.op === 'name') read.add(`${expr.of.name} ${expr.member}`);
  for (const part of parts(expr)) noteRead(part, read);
}
