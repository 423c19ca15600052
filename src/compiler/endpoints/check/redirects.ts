import { type Expr, some } from '../../../expression/tree/expression.ts';
import type { Type } from '../../../expression/tree/types.ts';
import { REDIRECTS } from '../../../plan/status.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import type { Checking, Of } from './checking.ts';

/** The headers that describe a body, which a redirect does not have. */
const OF_BODIES: readonly string[] = ['ETag', 'Last-Modified', 'Content-Disposition', 'Content-Language'];

/** Checks that a redirect has a Location and no header of a body. */
export function checkRedirect({ findings }: Checking, { status, headers }: Of<'Answer'>): void {
  if (!REDIRECTS.includes(status.value)) return;
  const params = { status: `${status.value}` };
  if (!headers.some(({ field }) => field.text === 'Location'))
    findings.push(d.report.redirectUnlocated(status, params));
  for (const { field } of headers)
    if (OF_BODIES.includes(field.text)) findings.push(d.report.redirectHeader(field, { ...params, name: field.text }));
}

/** Checks that the Location of a redirect is an address, and that the request does not choose its site. */
export function checkTarget({ findings }: Checking, step: Of<'Answer'>, expr: Expr): void {
  const header = step.headers.find(({ field }) => field.text === 'Location');
  if (!header || !REDIRECTS.includes(step.status.value)) return;
  const { value } = header;
  const status = `${step.status.value}`;
  if (expr.op === 'const' && typeof expr.value === 'string' && !isReference(expr.value))
    findings.push(
      d.report.headerValue(value, { found: expr.value, name: 'Location', form: 'a URI reference, such as “/orders”' }),
    );
  if (beginnings(expr).some(({ open }) => open))
    findings.push(d.report.redirectOpen(value, { status, found: value.text }));
}

const isReference = (text: string): boolean => text.trim() !== '' && URL.canParse(text, 'https://service.example');

/** A beginning of a text: its constant part, and whether text of the request follows that may name a site. */
interface Beginning {
  readonly text: string;
  readonly open: boolean;
}

/** A beginning after which further text cannot change the site: a host and what ends it, or a path, query or fragment. */
const FIXED = /^(?:(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#\\]+[/?#]|\/[^/\\]|[?#]|[^:/?#\\]+[/?#])/i;

/** More beginnings than this are taken for an empty one: nested choices would multiply them without end. */
const MOST = 64;

/**
 * The beginnings that the text of an expression may have. A value of a row counts as empty text, because a row may hold
 * it, and because the document decides which rows lead anywhere.
 */
function beginnings(expr: Expr, before: readonly Beginning[] = [{ text: '', open: false }]): readonly Beginning[] {
  if (expr.op === 'call' && expr.fn === '+') return expr.args.reduce((all, arg) => beginnings(arg, all), before);
  if (expr.op === 'if') return distinct([expr.then, expr.else].flatMap((one) => beginnings(one, before)));
  if (expr.op === 'const') return distinct(before.map((one) => goOn(one, String(expr.value ?? ''))));
  return some(expr, isFreeText) ? before.map((one) => ({ ...one, open: one.open || !FIXED.test(one.text) })) : before;
}

const goOn = (one: Beginning, text: string): Beginning =>
  one.open || FIXED.test(one.text) ? one : { ...one, text: one.text + text };

function distinct(all: readonly Beginning[]): readonly Beginning[] {
  const known = [...new Map(all.map((one) => [`${one.open} ${one.text}`, one])).values()];
  return known.length <= MOST ? known : [{ text: '', open: known.some(({ open }) => open) }];
}

const OF_REQUEST: readonly string[] = ['request', 'query', 'path', 'header'];

/** Whether an expression is text of the request whose values the document does not list. */
const isFreeText = (expr: Expr): boolean =>
  (expr.op === 'get' || expr.op === 'sent') && OF_REQUEST.includes(rootOf(expr)) && isFree(expr.type);

const rootOf = (expr: Expr): string =>
  expr.op === 'get' || expr.op === 'sent' ? rootOf(expr.of) : expr.op === 'name' ? expr.name : '';

function isFree(type: Type): boolean {
  if (type.kind === 'list' || type.kind === 'map') return isFree(type.of);
  return type.kind === 'unknown' || (type.kind === 'string' && type.oneOf === null && type.format === null);
}
