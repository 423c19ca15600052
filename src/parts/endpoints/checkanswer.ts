import type { Expr } from '../../expression/expr.ts';
import { isEntityTag } from '../../expression/tag.ts';
import * as t from '../../expression/types.ts';
import { lackingIn } from '../../model/lacking.ts';
import type { Resolved } from '../../model/resolve.ts';
import { language } from '../../source/language.ts';
import { content, type Token } from '../../source/phrase.ts';
import type { Name } from '../../source/read.ts';
import { nearest } from '../../source/suggest.ts';
import { endpointsDiagnostics as d } from './diagnostics.ts';
import type { Step } from './model.ts';

const HEADERS = ['Location', 'ETag', 'Cache-Control', 'Content-Language', 'Link', 'Last-Modified', 'Vary'];

/** The kinds of values that a member of an answer may be. */
const VALUES: readonly string[] = [
  'string',
  'integer',
  'decimal',
  'boolean',
  'timestamp',
  'date',
  'duration',
  'null',
  'unknown',
];

type TypeOf = (token: Token, expected: t.Type | null, what: string) => Expr | null;

/** Checks an answer: a body where its status has one, of what can be shown, and headers that it may set. */
export function checkAnswer(
  r: Resolved,
  step: Extract<Step, { verb: 'Answer' }>,
  lists: ReadonlyMap<string, Token>,
  type: TypeOf,
): void {
  const { findings } = r.notes;
  const bodiless = step.status.value === 204 || step.status.value === 205;
  const hasBody = step.body !== null || step.members.length > 0 || step.stream !== null;
  if (step.stream && step.status.value !== 200)
    findings.push(d.report.streamStatus(step.status, { status: `${step.status.value}` }));
  else if (bodiless === hasBody) {
    const has = hasBody ? 'has no body' : 'needs a body';
    findings.push(d.report.bodyStatus(step.status, { status: `${step.status.value}`, has }));
  }
  if (step.body) checkBody(r, step.body, step.view, type(step.body, null, 'Answer'));
  for (const member of step.members) checkMember(r, member.value, member.as, type(member.value, null, 'Answer'));
  for (const [name, token] of lists)
    if (step.body?.text !== name && !r.meant(name)) findings.push(d.report.listAnswered(content(token), { name }));
  for (const header of step.headers) {
    const value = type(header.value, t.STRING, `The header ${header.field.text}`);
    if (value && header.field.text === 'ETag' && !isEntityTag(value))
      findings.push(d.report.entityTag(header.value, { what: 'ETag' }));
    if (HEADERS.includes(header.field.text)) continue;
    const params = { name: header.field.text, nearest: nearest(header.field.text, HEADERS) ?? '' };
    findings.push(d.report.header(header.field, params));
  }
}

/** A whole answer is one row, or a list. */
function checkBody(r: Resolved, token: Token, as: Name | null, expr: Expr | null): void {
  if (!expr || itemOf(expr.type).kind === 'unknown') return;
  const { type } = expr;
  if (type.nullable || (type.kind !== 'row' && type.kind !== 'list')) {
    const where = 'as a whole answer: name it, as in `with total: …`';
    r.notes.findings.push(language.report.unexpected(token, { what: t.describe(type), where }));
  } else checkMember(r, token, as, expr);
}

function checkMember(r: Resolved, token: Token, as: Name | null, expr: Expr | null): void {
  const item = expr && itemOf(expr.type);
  if (item) r.answeredKinds.add(item.kind);
  if (expr && (expr.type.nullable || r.once(lackingIn).lacks(expr))) r.answersMayMiss = true;
  if (item?.kind === 'row' && expr?.type.kind === 'list' && expr.type.of.kind === 'list') {
    r.notes.findings.push(d.report.answerValue(token, { found: t.describe(expr.type) }));
    return;
  }
  if (as && item?.kind !== 'row' && item)
    r.notes.findings.push(d.report.answerAs(as, { found: t.describe(expr!.type) }));
  if (item?.kind === 'row') {
    if (as) checkView(r, as, item.resource);
    else checkShown(r, token, item.resource);
  } else if (item && !VALUES.includes(item.kind))
    r.notes.findings.push(d.report.answerValue(token, { found: t.describe(expr!.type) }));
}

/** What a list or a map holds, however deep; anything else is what it is. */
function itemOf(type: t.Type): t.Type {
  return type.kind === 'list' || type.kind === 'map' ? itemOf(type.of) : type;
}

/** The view in which rows are shown; their own form needs no name. */
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
