import { type Expr, isAtHand, uses } from '../../../expression/tree/expression.ts';
import * as t from '../../../expression/tree/types.ts';
import { SCALAR_TYPES } from '../../../expression/values/kinds.ts';
import type { Form, Streamed } from '../../../language/answer.ts';
import type { Assignment } from '../../../language/assignments.ts';
import { accessText } from '../../../language/endpoints.ts';
import { FIELD_NAME as TOKEN } from '../../../language/header-fields.ts';
import { isBodiless, isSuccess } from '../../../plan/status.ts';
import type { AnswerStep, BodyPlan, ShownPlan } from '../../../plan/step.ts';
import { allowing } from '../../../syntax/diagnostic.ts';
import { language } from '../../../syntax/messages.ts';
import type { Name } from '../../../syntax/names.ts';
import type { Token } from '../../../syntax/tokens.ts';
import { ownMember } from '../../../text/own-members.ts';
import { nearest } from '../../../text/suggest.ts';
import { hasAudience, hasNoCallers } from '../../document/access.ts';
import type { Resolved } from '../../document/resolve.ts';
import { resultsOf } from '../../document/results.ts';
import { viewOf as viewOfResource } from '../../resources/check-views.ts';
import { hasBody } from '../../statements/endpoints.ts';
import type { Events } from '../../statements/events.ts';
import { areSameMember, namesOf } from '../../versioning/differences.ts';
import type { Checking, Of } from '../check/checking.ts';
import { checkFile } from '../check/files.ts';
import { isConditional, isEntityTag } from '../check/preconditions.ts';
import { checkRedirect, checkTarget } from '../check/redirects.ts';
import { checkRows } from '../check/rows.ts';
import { statesNoCallers } from '../check/settings.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import { NOTHING, type VerbModule } from './verb.ts';

const HEADERS = [
  'Location',
  'ETag',
  'Cache-Control',
  'Content-Disposition',
  'Content-Language',
  'Link',
  'Last-Modified',
  'Vary',
];

/** The kinds of values that a member of an answer may be. */
const VALUES: readonly string[] = [...SCALAR_TYPES, 'null', 'unknown'];

/** Whether JSON may show values of a type without items. */
export const isShownKind = ({ kind }: t.Type): boolean => VALUES.includes(kind);

/**
 * Answer status with body and header Name e
 *
 * The body must fit the status and consist of values that can be shown; the headers must be settable.
 */
export const ANSWER: VerbModule<'Answer'> = {
  does: () => ({ ...NOTHING, byRequest: true }),
  check(c, step) {
    checkStatus(c, step);
    checkRedirect(c, step);
    const typed = c.exprs.length;
    const body = checkedBody(c, step);
    for (const [name, { token }] of c.streamed)
      if (step.body?.text !== name && !c.r.isSuggested(name))
        c.findings.push(d.report.streamedAnswer(token.inner, { name }));
    const shown = c.exprs.slice(typed);
    checkPages(c, step, shown);
    checkShowsIssued(c, step, shown);
    const headers = step.headers.flatMap((header) => checkHeader(c, header) ?? []);
    for (const { name, value } of headers) if (name === 'Location') checkTarget(c, step, value);
    if (body === undefined || headers.length < step.headers.length) return null;
    const conditional = isConditional(c.one) && hasBody(step);
    if (body?.kind === 'description' && dependsOnCaller(c.r, body)) headers.push(OF_ONE_CALLER);
    return { do: 'answer', status: step.status.value, body, headers, conditional, line: c.line(step) };
  },
};

/** Checks that an answer shows a list in pages as the whole body or not at all, and all answers in the same view. */
function checkPages(c: Checking, step: Of<'Answer'>, exprs: readonly Expr[]): void {
  const several = c.hasSeveralAnswers;
  for (const [name, token] of c.lists) {
    if (c.r.isSuggested(name)) continue;
    const whole = step.body?.text === name;
    const shown = exprs.some((expr) => uses(expr, name));
    if (!whole && (shown || !several)) c.findings.push(d.report.listAnswered(token.inner, { name }));
    if (!whole || !step.body) continue;
    const found = step.view?.text ?? 'its own form';
    const first = c.pages.get(name) ?? found;
    c.pages.set(name, first);
    if (first !== found) c.findings.push(d.report.answerViews(step.view ?? step.body.inner, { name, first, found }));
  }
}

/** Checks that each of several answers shows the credentials that are issued before it. */
function checkShowsIssued(c: Checking, step: Of<'Answer'>, exprs: readonly Expr[]): void {
  if (c.broken || !c.hasSeveralAnswers) return;
  for (const { text: name } of c.issued) {
    const type = c.names.get(name);
    if (c.handed.has(name)) continue;
    if (type?.kind !== 'string' || !type.credential || exprs.some((expr) => uses(expr, name))) continue;
    c.findings.push(d.report.issueUnshown(step.span, { name }));
  }
}

function checkStatus({ findings }: Checking, step: Of<'Answer'>): void {
  const bodiless = isBodiless(step.status.value);
  const withBody = hasBody(step);
  if (step.stream && step.status.value !== 200)
    findings.push(d.report.streamStatus(step.status, { status: `${step.status.value}` }));
  else if (bodiless === withBody && isSuccess(step.status.value)) {
    const has = withBody ? 'has no body' : 'needs a body';
    findings.push(d.report.bodyStatus(step.status, { status: `${step.status.value}`, has }));
  }
}

/** The plan of an answer's body, null for an answer without one; undefined while it isn't settled. */
function checkedBody(c: Checking, step: Of<'Answer'>): BodyPlan | null | undefined {
  const { r } = c;
  if (step.body && step.form) {
    const plan = checkForm(c, step, step.body, step.form);
    const [first] = step.members;
    if (!first) return plan;
    const found = step.form.kind === 'text' ? 'text' : step.form.kind === 'file' ? 'a file' : 'streamed rows';
    c.findings.push(d.report.furtherOfRow(first.field, { name: first.field.text, found }));
    return undefined;
  }
  const row = step.body && c.typeOfAnswer(step.body, null, 'Answer');
  if (step.body) checkBody(r, step.body, step.view, row);
  if (step.body && step.members.length === 0) return row ? bodyOf(c, step.body, step.view, row) : undefined;
  if (step.body) checkFurther(c, step, row);
  const members = step.members.flatMap((member) => {
    const value = c.typeOfAnswer(member.value, null, 'Answer');
    checkMember(r, member.value, member.as, value);
    return value ? [{ name: member.field.text, ...shown(value, member.as) }] : [];
  });
  if (members.length < step.members.length || (step.body && !row)) return undefined;
  if (row) return { kind: 'row with members', shown: shown(row, step.view), members };
  if (members.length) return { kind: 'members', members };
  if (step.description) return describedBy(c, step);
  const events = step.stream && streamedEvents(r.model.events, step.stream);
  if (events) return { kind: 'stream', events };
  return step.stream ? undefined : null;
}

/** The plan of a description. Where there are callers, the document states which endpoints it shows them. */
function describedBy(c: Checking, step: Of<'Answer'>): BodyPlan | undefined {
  const { format, content } = step.description!;
  const { path, settings } = c.one.endpoint;
  if (hasNoCallers(c.r)) {
    if (content && statesNoCallers(c.r)) c.findings.push(d.report.descriptionUncalled(step.span, { content }));
    return { kind: 'description', format, content: 'every endpoint' };
  }
  if (content) return { kind: 'description', format, content };
  const access = settings.access ? ` for ${accessText(settings.access.value)}` : '';
  const write = `${format} at \`${path}\`${access} with what the caller may call`;
  c.findings.push(d.report.descriptionContent(step.span, { path, write }));
  return undefined;
}

type Description = Extract<BodyPlan, { kind: 'description' }>;

/** Whether two callers may be shown different descriptions. */
const dependsOnCaller = (r: Resolved, { content }: Description): boolean =>
  !hasNoCallers(r) && (content === 'what the caller may call' || r.effective.some(hasAudience));

/** The header of an answer that shared caches must not store, and that a client must not use again unasked. */
const OF_ONE_CALLER: AnswerStep['headers'][number] = {
  name: 'Cache-Control',
  value: { op: 'const', value: 'private, no-cache', type: t.STRING },
};

function checkForm(c: Checking, step: Of<'Answer'>, body: Token, form: Form): BodyPlan | undefined {
  if (form.kind === 'text') return checkText(c, body, form);
  return form.kind === 'file' ? checkFile(c, step, body, form) : checkRows(c, step, body, form);
}

function checkText(c: Checking, body: Token, { mediaType }: Extract<Form, { kind: 'text' }>): BodyPlan | undefined {
  const value = c.typeOfAnswer(body, t.STRING, 'The text of an answer');
  return value ? { kind: 'text', mediaType, value } : undefined;
}

function bodyOf(c: Checking, body: Token, as: Name | null, value: Expr): BodyPlan {
  const view = viewOf(value, as);
  if (value.op === 'name' && view && c.lists.has(body.text)) return { kind: 'page', list: body.text, view };
  return { kind: 'value', shown: { value, view } };
}

const shown = (value: Expr, as: Name | null): ShownPlan => ({ value, view: viewOf(value, as) });

/** The view of a row or list of rows: the named one, or the shown form of the resource; null for other values. */
function viewOf({ type }: Expr, as: Name | null): ShownPlan['view'] {
  const of = type.kind === 'list' ? type.of : type;
  return of.kind === 'row' ? { resource: of.resource, name: as?.text ?? of.resource } : null;
}

function checkHeader(c: Checking, { field, value }: Assignment): AnswerStep['headers'][number] | null {
  const expr = c.typeOfAnswer(value, t.STRING, `The header ${field.text}`);
  if (expr && field.text === 'ETag' && !isEntityTag(expr)) c.findings.push(d.report.entityTag(value, { what: 'ETag' }));
  if (!HEADERS.includes(field.text)) {
    const params = { name: field.text, nearest: nearest(field.text, HEADERS) ?? '' };
    c.findings.push(allowing(d.report.header(field, params), HEADERS));
  }
  const form = ownMember(HEADER_FORMS, field.text);
  if (form && expr?.op === 'const' && typeof expr.value === 'string' && !form.pattern.test(expr.value.trim()))
    c.findings.push(d.report.headerValue(value, { found: expr.value, name: field.text, form: form.what }));
  return expr && { name: field.text, value: expr };
}

/** Checks a body that is one value: it must be a row or a list. */
function checkBody(r: Resolved, token: Token, as: Name | null, expr: Expr | null): void {
  if (!expr || itemOf(expr.type).kind === 'unknown') return;
  const type = mayBeHidden(r, expr) ? t.nullable(expr.type, true) : expr.type;
  if (type.nullable || (type.kind !== 'row' && type.kind !== 'list')) {
    const where = 'as a whole answer: name it, as in `with total: …`';
    r.notes.findings.push(language.report.unexpected(token, { what: t.describe(type), where }));
  } else checkMember(r, token, as, expr);
}

function checkMember(r: Resolved, token: Token, as: Name | null, expr: Expr | null): void {
  if (!expr) return;
  const item = itemOf(expr.type);
  r.answeredKinds.add(item.kind);
  if (expr.type.nullable || mayBeHidden(r, expr) || r.once(resultsOf).lacks(expr))
    r.nullableAnswers.push({ ...token.inner, value: `\`${token.text}\` of an answer` });
  const found = t.describe(expr.type);
  if (item.kind === 'row' && expr.type.kind === 'list' && expr.type.of.kind === 'list') {
    r.notes.findings.push(d.report.answerValue(token, { found }));
  } else if (item.kind === 'row') {
    if (as) checkView(r, as, item.resource);
    else checkShown(r, token, item.resource);
  } else {
    if (as) r.notes.findings.push(d.report.answerAs(as, { found }));
    const isGroup = item.kind === 'object' && item.ofGroup === true;
    if (isGroup && Object.values(item.members).some(({ nullable }) => nullable))
      r.nullableAnswers.push({ ...token.inner, value: `a member of \`${token.text}\`` });
    if (!isShownKind(item) && !isGroup) r.notes.findings.push(d.report.answerValue(token, { found }));
  }
}

/** Checks further members in the object of a row: in no version has the row a member of the same name. */
function checkFurther({ r, findings }: Checking, step: Of<'Answer'>, row: Expr | null): void {
  if (!row || row.type.kind === 'unknown' || row.type.nullable) return;
  const first = step.members[0]?.field;
  if (row.type.kind !== 'row') {
    if (first && row.type.kind === 'list')
      findings.push(d.report.furtherOfRow(first, { name: first.text, found: t.describe(row.type) }));
    return;
  }
  const resource = r.resourceNamed(row.type.resource);
  const form = step.view?.text ?? row.type.resource;
  for (const { field } of resource ? (viewOfResource(resource, form) ?? []) : [])
    for (const shown of namesOf(r, row.type.resource, field.text))
      for (const { field: name } of step.members)
        if (areSameMember(name.text, shown))
          findings.push(d.report.furtherTaken(name, { name: name.text, form, shown }));
}

/** Whether a reference points at the row, so that it is absent where the caller may not see it. */
const mayBeHidden = (r: Resolved, row: Expr): boolean =>
  row.type.kind === 'row' && (r.rows.get(row.type.resource)?.hides ?? false) && !isAtHand(row);

/** The type of the innermost items of a list or map; other types as they are. */
function itemOf(type: t.Type): t.Type {
  return type.kind === 'list' || type.kind === 'map' ? itemOf(type.of) : type;
}

/** Checks that a view of the name exists. */
function checkView(r: Resolved, as: Name, name: string): void {
  const resource = r.resourceNamed(name);
  const views = resource?.views.map((view) => view.name.text) ?? [];
  if (views.includes(as.text)) r.viewUses.add(`${name}.${as.text}`);
  else r.unknown(as, `view of ${name}`, views);
}

function checkShown(r: Resolved, token: Token, name: string): void {
  const resource = r.resourceNamed(name);
  if (resource?.shown?.value.length !== 0) return;
  r.notes.findings.push(
    language.report.unexpected(token, { what: `${name}, which is never shown,`, where: 'in an answer' }),
  );
}

/**
 * The names of a stream's events: those in the answer, or all that are notified by stream; null while an event does not
 * state its channel.
 */
function streamedEvents({ list }: Events, { events }: Streamed): string[] | null {
  if (events.length) return events.map((name) => name.text);
  const notified = list.flatMap(({ name, notifiedBy }) => (notifiedBy ? [{ name, by: notifiedBy.value }] : []));
  if (notified.length < list.length) return null;
  return notified.flatMap(({ name, by }) => (by.includes('stream') ? [name.text] : []));
}

/** The form of a header's value, as a pattern and in words. */
interface HeaderForm {
  readonly pattern: RegExp;
  readonly what: string;
}

const MORE = '[ \\t]*,[ \\t]*';
const listOf = (item: string): RegExp => new RegExp(`^${item}(?:${MORE}${item})*$`);

/** The forms of constant header values (RFC 9110, 9111 and 8288). Location has none: the service encodes its value. */
const HEADER_FORMS: Readonly<Record<string, HeaderForm>> = {
  'Cache-Control': {
    pattern: listOf(`${TOKEN}(?:=(?:${TOKEN}|"[^"\\x00-\\x1f\\x7f]*"))?`),
    what: 'directives with commas between them, such as “private, max-age=60”',
  },
  'Content-Disposition': {
    pattern: new RegExp(`^(?:attachment|inline)(?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|"[^"\\x00-\\x1f\\x7f]*"))*$`),
    what: '“attachment” or “inline” with parameters, such as “attachment; filename="orders.csv"”',
  },
  'Content-Language': {
    pattern: listOf('[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*'),
    what: 'language tags with commas between them, such as “en, de-AT”',
  },
  Link: {
    pattern: /^<[^<>\s]*>[^\x00-\x1f\x7f]*$/,
    what: 'addresses in angle brackets with their relations, such as “</orders>; rel="next"”',
  },
  'Last-Modified': {
    pattern:
      /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/,
    what: 'an HTTP date, such as “Sun, 06 Nov 1994 08:49:37 GMT”',
  },
  Vary: { pattern: listOf(TOKEN), what: 'names of headers with commas between them, such as “Accept, Origin”' },
};
