import type { Json } from '../../export/json.ts';
import { withoutFormula } from '../../http/csv.ts';
import { contentDisposition } from '../../http/disposition.ts';
import { matchesEtag, noneMatch } from '../../http/preconditions.ts';
import { byteRange } from '../../http/ranges.ts';
import { GUARDS } from '../../plan/files.ts';
import { statementId } from '../../plan/lines.ts';
import { mediaTypeOf as bodyType } from '../../plan/media-types.ts';
import type { AnswerStep, BodyPlan, EndpointPlan } from '../../plan/step.ts';
import { describedOperations } from './described.ts';
import type { Expected } from './errors.ts';
import { evaluate } from './evaluate.ts';
import { hasMark } from './marks.ts';
import { linkedPlaces, pageBody } from './pages.ts';
import { metBy } from './preconditions.ts';
import { byCondition, Unknown } from './refusal.ts';
import type { OracleRow } from './rows.ts';
import { type RequestedPage, type Run, scopeOf } from './run.ts';
import { note, type Transaction } from './scope.ts';
import { mustHaveResult, nameOfPath, objectOf, shown, shownAt, shownRow } from './show.ts';
import { mediaTypeOf } from './versions.ts';

/** The parts of a request that its answer may repeat. */
interface Said {
  readonly path: string;
  readonly query: string | null;
  /** The parameters of the query as they were sent. */
  readonly sent: ReadonlyArray<readonly [string, string]>;
}

/** The Answer step that the steps of an endpoint have ended in. */
export function answerOf({ answered }: Run, { after, name }: EndpointPlan): AnswerStep {
  const answer = answered ?? after;
  // A document with a step removed may have ways without one.
  if (!answer) throw new Unknown(`The steps of ${name} have ended without an answer.`);
  return answer;
}

/** The answer of an endpoint at the end of its steps, with headers and body. */
export function answerAfter(run: Run, endpoint: EndpointPlan, said: Said): Expected {
  const after = answerOf(run, endpoint);
  const { work } = run;
  const { plan } = work;
  const scope = scopeOf(run);
  const headers: Array<readonly [string, string]> = [];
  for (const { name, value } of after.headers) {
    const text = evaluate(value, scope);
    mustHaveResult(text, value);
    if (text !== null) headers.push([name, fieldValue(name, String(text))]);
  }
  const statements = [statementId.step(after)];
  const expected = (body: Json | undefined, mediaType = mediaTypeOf(plan, work.version)): Expected => {
    if (body !== undefined) headers.push(['Content-Type', mediaType]);
    const links = run.page && run.asked && after.body?.kind === 'page' ? linksOf(run, run.asked, said) : null;
    if (links !== null) headers.push(['Link', links]);
    note(work, statementId.step(after), 'done');
    const answer = { status: after.status, code: null, headers, body, statements };
    const { plan: page } = run.asked ?? {};
    return links === null || !page ? answer : { ...answer, pageSize: [page.limit, String(page.standard)] };
  };
  const { body } = after;
  switch (body?.kind) {
    case undefined:
      return expected(undefined);
    case 'file': {
      const [type, bytes] = [body.type, body.bytes].map((one) => String(evaluate(one, scope)));
      const name = body.name && evaluate(body.name, scope);
      if (body.name) mustHaveResult(name ?? null, body.name);
      const called = body.name ? String(name) : null;
      if (called !== null && hasMark(called)) throw new Unknown('The name of the file is known to the service alone.');
      headers.push(['Content-Disposition', contentDisposition(body.disposition, called)], ...Object.entries(GUARDS));
      if (body.ranges === 'served') headers.push(['Accept-Ranges', 'bytes']);
      return { ...expected(bytes!, type!), isBytes: true };
    }
    case 'stream':
      throw new Unknown('The answer is a stream.');
    case 'description':
      if (body.format === 'AsyncAPI 3.1') throw new Unknown('The answer is a description of events.');
      return { ...expected([...describedOperations(run, body)]), describes: true };
    case 'text': {
      const text = evaluate(body.value, scope);
      mustHaveResult(text, body.value);
      return expected(String(text), bodyType(body));
    }
    case 'rows':
      return expected(streamedRows(run, after, body), bodyType(body));
    case 'value':
      return expected(shown(body.shown, scope) ?? null);
    case 'row with members': {
      const row = shown(body.shown, scope);
      const members = objectOf(body.members.map((member) => [member.name, shown(member, scope)] as const));
      return expected({ ...(row as Record<string, Json>), ...members });
    }
    case 'members':
      return expected(objectOf(body.members.map((member) => [member.name, shown(member, scope)] as const)));
    case 'page': {
      if (!run.page) throw new Error('No list was read');
      return expected(pageBody(run, run.page, body.view, (place) => linkTo(run, said, place)));
    }
  }
}

/** The rows of a streamed list: each as it is shown, or as a record of CSV. */
function streamedRows(run: Run, after: AnswerStep, { list, view, form }: Extract<BodyPlan, { kind: 'rows' }>): Json {
  const scope = scopeOf(run);
  const rows = (run.names.get(list) as OracleRow[] | undefined) ?? [];
  if (form.kind === 'NDJSON') return rows.map((row) => shownRow(row, view, scope));
  const { plan, version } = run.work;
  const columns = form.columns.flatMap(({ path, title }) => {
    const name = nameOfPath(plan, version, view, path);
    return name === null ? [] : [{ path, title: title ?? name }];
  });
  const safe = (value: Json): Json =>
    form.formulas === 'escaped' && typeof value === 'string' ? withoutFormula(value) : value;
  const key = statementId.step(after);
  const records = rows.map((row) =>
    columns.map(({ path }) => {
      const value = shownAt(row, view, path, scope);
      if (typeof value === 'string' && value !== withoutFormula(value)) note(run.work, key, 'formula');
      if (typeof value === 'string' && /[",\r\n]/.test(value)) note(run.work, key, 'quoted');
      return safe(value);
    }),
  );
  return form.header === 'present' ? [columns.map(({ title }) => safe(title)), ...records] : records;
}

/** The header Link (RFC 8288); null where there is no other page. */
function linksOf(run: Run, asked: RequestedPage, said: Said): string | null {
  const { plan } = asked;
  if (!run.page || plan.link.length === 0) return null;
  const places = linkedPlaces(asked, run.page);
  const links = plan.link.flatMap((relation) => {
    const place = places.get(relation);
    return place === undefined ? [] : [`<${linkTo(run, said, place)}>; rel="${relation}"`];
  });
  return links.length ? links.join(', ') : null;
}

/** The target of a link to a page: the requested address with another page parameter. */
function linkTo({ work, asked }: Run, said: Said, place: string | null): string {
  const base = asked?.plan.absolute ? `${work.url ?? ''}${escapedPath(said.path)}` : '';
  return `${base}${queryWith(said, asked?.plan.place ?? '', place)}`;
}

/** The query of the request, with the page parameter replaced. */
function queryWith({ sent, query }: Said, name: string, place: string | null): string {
  const pairs = sent.filter(([one]) => one !== name);
  const at = sent.findIndex(([one]) => one === name);
  if (place !== null) pairs.splice(at < 0 ? pairs.length : at, 0, [name, place]);
  if (pairs.length === 0) return query === null ? '' : '?';
  return `?${pairs.map((pair) => pair.map(encoded).join('=')).join('&')}`;
}

/** Encodes text for a query, but leaves the marks of unknown values as they are. */
const encoded = (text: string): string => (/[\u{E000}\u{E001}]/u.test(text) ? text : encodeURIComponent(text));

/** Percent-encodes the characters of a sent path that are not allowed in a URI in a header. */
function escapedPath(path: string): string {
  const hex = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  return path.replace(/[^\x21-\x7e]|["<>\\^`{|}]/g, hex);
}

/** A header’s value holds visible ASCII with spaces between (RFC 9110, section 5.5), and Location, a URI, no spaces. */
function fieldValue(name: string, text: string): string {
  const encode = (character: string): string => encoded(character);
  return text.replace(name === 'Location' ? /[^\x21-\x7e]/gu : /[^\x20-\x7e]|^ | $/gu, encode);
}

/**
 * The headers of a 304 answer besides the entity tag: those that the 200 answer would have (RFC 9110, section 15.4.5).
 */
const KEPT_AT_304: readonly string[] = ['Cache-Control', 'Vary'];

/** The part of a file that `Range` names, if ranges are served (RFC 9110, section 14). */
export function inPart(
  work: Transaction,
  step: AnswerStep,
  { method, header }: { readonly method: string; readonly header: (name: string) => string | undefined },
  answer: Expected,
): Expected {
  const { body } = step;
  const asked = header('range');
  if (body?.kind !== 'file' || body.ranges !== 'served' || answer.status !== 200) return answer;
  const statement = statementId.step(step);
  if (asked === undefined || method !== 'GET') return answer;
  const tag = answer.headers.find(([name]) => name === 'ETag')?.[1] ?? null;
  const condition = header('if-range');
  const same = metBy(work, ['if-range'], header, tag, (one) => condition === undefined || condition === one);
  const whole = String(answer.body);
  const range = same.is ? byteRange(asked, whole.length) : null;
  if (same.isKnown) note(work, statement, range === null ? 'whole' : range === 'unsatisfiable' ? range : 'part');
  if (range === null) return answer;
  if (range === 'unsatisfiable') {
    const headers = [['Content-Range', `bytes */${whole.length}`]] as const;
    throw byCondition('range not satisfiable', { headers, statement });
  }
  const { start, end } = range;
  const headers = [...answer.headers, ['Content-Range', `bytes ${start}-${end - 1}/${whole.length}`] as const];
  return { ...answer, status: 206, headers, body: whole.slice(start, end) };
}

/** The strong entity tag of a whole answer. */
export const entityTagOf = ({ draws }: Transaction, { name }: Pick<EndpointPlan, 'name'>, answer: Expected): string =>
  draws.of('tag', JSON.stringify([name, answer.headers, answer.body]));

/**
 * Adds the strong entity tag of the whole answer, and evaluates the request's conditions on it (RFC 9110, section 13).
 */
export function conditionally(
  work: Transaction,
  { name }: EndpointPlan,
  header: (name: string) => string | undefined,
  answer: Expected,
): Expected {
  if (answer.status >= 300) return answer;
  const statement = statementId.endpoint(name, 'conditional');
  const tag = entityTagOf(work, { name }, answer);
  const [match, none] = [header('if-match'), header('if-none-match')];
  const matches = metBy(
    work,
    ['if-match'],
    header,
    tag,
    (one) => match === undefined || matchesEtag(match, String(one)) === true,
  );
  if (!matches.is) {
    if (matches.isKnown) note(work, statement, 'refused precondition failed');
    throw byCondition('precondition failed', { statement });
  }
  const isNew = metBy(
    work,
    ['if-none-match'],
    header,
    tag,
    (one) => none === undefined || noneMatch(none, String(one)) !== false,
  );
  if (isNew.is) {
    if (isNew.isKnown) note(work, statement, 'taken');
    return { ...answer, headers: [...answer.headers, ['ETag', tag]] };
  }
  if (isNew.isKnown) note(work, statement, 'not modified');
  const kept = answer.headers.filter(([one]) => KEPT_AT_304.includes(one));
  return { status: 304, code: null, headers: [...kept, ['ETag', tag]], body: undefined, statements: [statement] };
}
