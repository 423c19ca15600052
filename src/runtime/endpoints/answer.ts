import { type Expr, isCaller } from '../../expression/tree/expression.ts';
import type { Row, Value } from '../../expression/values/value.ts';
import { contentDisposition } from '../../http/disposition.ts';
import { header } from '../../http/headers.ts';
import { objectWriter } from '../../http/nested-json.ts';
import { byteRange } from '../../http/ranges.ts';
import { answersOf, shownIn } from '../../plan/answered.ts';
import { GUARDS } from '../../plan/files.ts';
import { type PageValue, type Relation, relationOf } from '../../plan/limits.ts';
import { mediaTypeOf } from '../../plan/media-types.ts';
import type {
  AnswerStep,
  EndpointPlan,
  FileBody,
  InsideStep,
  PagePlan,
  ShownPlan,
  ViewMember,
} from '../../plan/step.ts';
import type { Program } from '../../store/store.ts';
import type { RequestContext, RequestedPage } from '../context/request-context.ts';
import type { Errors } from '../errors/refusal.ts';
import type { Streams } from '../events/streams.ts';
import { type Compiled, evaluate, mustBe, type Names } from '../expressions/layout.ts';
import type { Answer } from '../http/message.ts';
import { type ShowContext, shownAs, typeWriter, View } from '../resources/shown.ts';
import { conditionally } from './conditional.ts';
import type { Descriptions } from './descriptions.ts';
import { compileRows } from './rows.ts';
import type { Answering, ListPage, StepRun } from './steps/context.ts';

interface AnswerContext extends ShowContext {
  readonly names: Names;
  readonly page: PagePlan | null;
  readonly errors: Errors;
  /** How the rows that a List names are shown, by that name. */
  readonly views: ReadonlyMap<string, View>;
  readonly streams: Streams | null;
  readonly descriptions: Descriptions;
}

/** Compiles an Answer step. */
export function compileAnswer(plan: AnswerStep, c: AnswerContext): Answering {
  const headers = plan.headers.map(({ name, value }) => ({
    name,
    value: whole(c.expressions.compile(value, c.names), value, plan.line),
  }));
  const streamed = plan.body?.kind === 'stream' ? plan.body.events : null;
  const described = plan.body?.kind === 'description' ? c.descriptions.compile(plan.body, c.expressions) : null;
  const textType = plan.body?.kind === 'text' ? mediaTypeOf(plan.body) : null;
  const rows = plan.body?.kind === 'rows' ? compileRows(plan.body, c) : null;
  const file = plan.body?.kind === 'file' ? compileFile(plan.body, plan.line, c) : null;
  const body = compileBody(plan, c);
  const { status } = plan;
  const linked = plan.body?.kind === 'page' && c.page?.link.length ? c.page : null;
  const answering: Answering = function* answer(run) {
    const out: string[] = [];
    for (const one of headers) {
      const value = (yield* evaluate(one.value, run.work.frame)) as string | null;
      // A header without a value is not set.
      if (value !== null) out.push(one.name, fieldValue(one.name, value));
    }
    if (streamed) {
      out.push('Content-Type', 'text/event-stream');
      if (run.x.incoming.method === 'HEAD') {
        // HEAD of a stream is refused where GET is, and opens no stream.
        yield* c.streams!.begin(run.x);
        return { status, headers: out, body: null, endless: true };
      }
      return { status, headers: out, body: null, stream: yield* c.streams!.open(run.x, streamed) };
    }
    if (rows) {
      out.push('Content-Type', rows.mediaType);
      // The length of the rows is not known before they are sent.
      const answer = { status, headers: out, body: null, endless: true } as const;
      return run.x.incoming.method === 'HEAD' ? answer : { ...answer, rows: rows.of(run) };
    }
    if (file) return yield* file(run, status, out);
    const text = described ? yield* described(run) : body && (yield* body(run));
    if (text === null) return { status, headers: out, body: null };
    out.push('Content-Type', textType ?? run.x.apiVersion.mediaType);
    if (linked) {
      const links = linkTo(run.x, linked, run.page!, linked.absolute ? c.expressions.url : null);
      if (links !== null) out.push('Link', links);
    }
    return { status, headers: out, body: text };
  };
  const tagged = plan.conditional ? conditionally(answering, c.errors) : answering;
  return plan.body?.kind === 'file' ? inPart(tagged, plan.body, c.errors) : tagged;
}

/**
 * Returns a header's value with all characters percent-encoded that it can't hold: it holds visible ASCII with spaces
 * between (RFC 9110, section 5.5), and Location, a URI, no spaces.
 */
function fieldValue(name: string, text: string): string {
  return text.replace(name === 'Location' ? NOT_IN_URI : NOT_IN_VALUE, encodeURIComponent);
}

const NOT_IN_URI = /[^\x21-\x7e]/gu;
const NOT_IN_VALUE = /[^\x20-\x7e]|^ | $/gu;

/** Compiles the answer with a whole file. */
function compileFile(plan: FileBody, line: number | null, c: AnswerContext) {
  const compiled = (expr: Expr): Compiled => whole(c.expressions.compile(expr, c.names), expr, line);
  const [id, type, size, sha256] = [plan.bytes, plan.type, plan.size, plan.sha256].map(compiled);
  const name = plan.name && compiled(plan.name);
  const guards = Object.entries(GUARDS).flat();
  return function* file(run: StepRun, status: number, headers: string[]): Program<Answer> {
    const { frame } = run.work;
    const called = name && ((yield* evaluate(name, frame)) as string);
    headers.push(
      'Content-Type',
      (yield* evaluate(type!, frame)) as string,
      'Content-Disposition',
      contentDisposition(plan.disposition, called),
      ...guards,
    );
    if (plan.ranges === 'served') headers.push('Accept-Ranges', 'bytes');
    const part = {
      id: (yield* evaluate(id!, frame)) as string,
      start: 0,
      end: (yield* evaluate(size!, frame)) as number,
    };
    const digest = (yield* evaluate(sha256!, frame)) as string;
    return { status, headers, body: null, endless: true, file: part, digest };
  };
}

/** Answers the part of a file that `Range` names, if ranges are served, and states the length of the body. */
function inPart(answering: Answering, { ranges }: FileBody, errors: Errors): Answering {
  return function* part(run) {
    const answer = yield* answering(run);
    const { file, headers } = answer;
    if (!file) return answer;
    const { method, rawHeaders } = run.x.incoming;
    const asked = ranges === 'served' && method === 'GET' ? header(rawHeaders, 'range') : undefined;
    const range = asked === undefined || !isSame(rawHeaders, headers) ? null : byteRange(asked, file.end);
    if (range === 'unsatisfiable')
      throw errors.condition('range not satisfiable', [], ['Content-Range', `bytes */${file.end}`]);
    if (range) headers.push('Content-Range', `bytes ${range.start}-${range.end - 1}/${file.end}`);
    const { start, end } = range ?? file;
    headers.push('Content-Length', String(end - start));
    const sent = method === 'HEAD' ? {} : { file: { ...file, start, end } };
    const { file: _, ...rest } = answer;
    return { ...rest, status: range ? 206 : answer.status, ...sent };
  };
}

/** Whether a range is of the file that the client has: `If-Range` is absent, or has its entity tag (RFC 9110, 13.1.5). */
function isSame(rawHeaders: readonly string[], headers: readonly string[]): boolean {
  const condition = header(rawHeaders, 'if-range');
  return condition === undefined || condition === header(headers, 'etag');
}

/** Compiles a value of an answer: without a result, the request fails, since the answer would be wrong unnoticed. */
const whole = (compiled: Compiled, expr: Expr, line: number | null): Compiled => ({
  ...compiled,
  evaluate: mustBe(compiled.evaluate, expr, line),
});

/** Writes a value as JSON; null where it is left out. */
type Writing = (run: StepRun) => Program<string | null>;

function compileBody(plan: AnswerStep, c: AnswerContext): ((run: StepRun) => Program<string>) | null {
  const { body } = plan;
  if (!body || body.kind === 'stream' || body.kind === 'description' || body.kind === 'rows' || body.kind === 'file')
    return null;
  if (body.kind === 'page') {
    const slot = c.names.vars.indexOf(body.list);
    return compilePage(
      slot,
      c.views.get(body.list)!,
      c.page!,
      c.wire.missing === 'null' ? 'null' : null,
      c.page!.absolute ? c.expressions.url : null,
    );
  }
  if (body.kind === 'text') {
    const text = whole(c.expressions.compile(body.value, c.names), body.value, plan.line);
    return function* plain(run) {
      return (yield* evaluate(text, run.work.frame)) as string;
    };
  }
  if (body.kind === 'value') {
    const write = compileShown(body.shown, plan.line, c);
    return function* value(run) {
      return (yield* write(run)) ?? 'null';
    };
  }
  const members = body.members.map((member) => compileShown(member, plan.line, c));
  const row = body.kind === 'row with members' ? compileShown(body.shown, plan.line, c) : null;
  const write = objectWriter(
    body.members.map(({ name }, i) => ({ name, write: (texts: readonly (string | null)[]) => texts[i]! })),
  );
  return function* object(run) {
    const own = row && (yield* row(run));
    const texts: (string | null)[] = [];
    for (const member of members) texts.push(yield* member(run));
    return row ? joined(own, write(texts)) : write(texts);
  };
}

/** Joins two JSON objects without a common member. */
function joined(row: string | null, members: string): string {
  if (row === null) throw new Error('The row of the answer is absent');
  return row === '{}' || members === '{}'
    ? row.slice(0, -1) + members.slice(1)
    : `${row.slice(0, -1)},${members.slice(1)}`;
}

/**
 * Compiles the writer of a value: rows that a step has read are shown as they are, after a query for their computed
 * values; other values are computed by queries.
 */
function compileShown({ value, view }: ShownPlan, line: number | null, c: AnswerContext): Writing {
  if (view && value.op === 'name' && !isCaller(value.name)) return compileAtHand(value, view, c);
  const lowering = c.expressions.lowering();
  const shown = shownAs(lowering.lower(value), view, lowering, c);
  const lowered = c.expressions.compileLowered(shown, c.names);
  // A row may be absent since the caller can't see it. A value that is computed of present values must be present.
  const compiled = c.expressions.results.lacks(shown) ? whole(lowered, value, line) : lowered;
  const isOneCaller = value.op === 'name' && isCaller(value.name) && !value.type.nullable;
  const writers = new Map<string, (value: Value) => string | null>();
  return function* computed(run) {
    const { apiVersion } = run.x;
    let write = writers.get(apiVersion.version);
    if (!write) {
      write = typeWriter(shown.type, view, apiVersion, c);
      writers.set(apiVersion.version, write);
    }
    const found = (yield* evaluate(compiled, run.work.frame)) as Value;
    // The caller's row has been removed since the request was authenticated.
    if (found === null && isOneCaller && run.x.known) throw run.x.known.refused;
    return write(found);
  };
}

function compileAtHand(value: Expr, at: NonNullable<ShownPlan['view']>, c: AnswerContext): Writing {
  const missing = c.wire.missing === 'null' ? 'null' : null;
  const name = value.op === 'name' ? value.name : '';
  const slot = c.names.vars.indexOf(name);
  const listed = c.views.get(name);
  const view = listed ?? new View(at.resource, at.name, c);
  return function* atHand({ x, work: { frame }, extras }) {
    const found = frame.vars[slot] as Row | Array<Row | null> | null;
    if (found === null || found === undefined) return missing;
    if (value.type.kind === 'row') return yield* view.write(found as Row, frame, x.apiVersion);
    // A null item marks a row that the Find of one round has not found.
    const rows = (found as Array<Row | null>).filter((row) => row !== null);
    if (!listed) return yield* view.writeAll(rows, frame, x.apiVersion);
    const items = rows.map((row, i) => view.written(row, extras[slot]?.[i] ?? [], frame, x.apiVersion));
    return `[${items.join(',')}]`;
  };
}

/** Returns the views of an endpoint's lists: the query of the list also computes the values that its view needs. */
export function viewsOf(plan: EndpointPlan, show: ShowContext): ReadonlyMap<string, View> {
  const bodies = answersOf(plan).map(({ body }) => body);
  const shown = (name: string): ViewMember['view'] => {
    const page = bodies.find((body) => (body?.kind === 'page' || body?.kind === 'rows') && body.list === name);
    if (page?.kind === 'page' || page?.kind === 'rows') return page.view;
    const views = bodies.flatMap(
      (body) => shownIn(body).find(({ value }) => value.op === 'name' && value.name === name)?.view ?? [],
    );
    // Where answers show a list in several views, each answer computes its values.
    return views.every((view) => view.name === views[0]?.name) ? (views[0] ?? null) : null;
  };
  // A value that a later step may change is computed once all steps are done.
  const isShown = (step: InsideStep): boolean =>
    step.do === 'list streamed' || (step.do === 'list' && !(step.all && plan.writes));
  const lists = plan.inside.flatMap((step) => (isShown(step) && 'as' in step && step.as ? [step.as] : []));
  return new Map(
    lists.flatMap((name) => {
      const view = shown(name);
      return view ? [[name, new View(view.resource, view.name, show)] as const] : [];
    }),
  );
}

/** A fact about a page that is neither its items nor a link. */
type Fact = Exclude<PageValue, 'items' | `links.${Relation}`>;

/** Compiles the writer of a page as JSON: its items alone, or an envelope with the members that the document names. */
function compilePage(
  slot: number,
  view: View,
  page: PagePlan,
  missing: 'null' | null,
  url: string | null,
): (run: StepRun) => Program<string> {
  const { payload } = page;
  const members = (payload ?? []).map(({ value }) => ({ value, relation: relationOf(value) }));
  const linking = members.some(({ relation }) => relation !== null);
  const write = objectWriter(
    (payload ?? []).map(({ name }, i) => ({ name, write: (texts: readonly (string | null)[]) => texts[i]! })),
  );
  return function* answer({ x, work: { frame }, extras, page: taken }) {
    let items = '';
    for (const [i, row] of taken!.rows.entries())
      items += (items && ',') + view.written(row, extras[slot]?.[i] ?? [], frame, x.apiVersion);
    if (!payload) return `[${items}]`;
    const targets = linking ? targetsOf(x, page, taken!, url) : null;
    return write(
      members.map(({ value, relation }) => {
        if (value === 'items') return `[${items}]`;
        if (relation === null) return told(value as Fact, x.page!, page, taken!) ?? missing;
        const target = targets!(relation);
        return target === null ? missing : JSON.stringify(target);
      }),
    );
  };
}

/** Returns a member of a page's envelope, as JSON; null where it has no value. */
function told(value: Fact, asked: RequestedPage, page: PagePlan, { next, total }: ListPage): string | null {
  const json = (one: Value): string | null => (one === null ? null : JSON.stringify(one));
  switch (value) {
    case 'next':
      return json(next);
    case 'previous':
      return json(before(asked, page, total!));
    case 'more':
      return json(next !== null);
    case 'total':
      return json(total);
    case 'size':
      return json(asked.limit);
    case 'offset':
      return json(asked.offset);
    case 'number':
      return json(asked.number);
    case 'pages':
      return json(Math.ceil(total! / asked.limit));
  }
}

/**
 * Returns the page parameter of the previous page: its number or its offset. The page before one past the end is the
 * last page.
 */
export function before({ limit, offset, number }: RequestedPage, { by }: PagePlan, total: number): number | null {
  if (offset === 0) return null;
  const pages = Math.max(1, Math.ceil(total / limit));
  if (by === 'number') return Math.min(number - 1, pages);
  return offset >= total ? (pages - 1) * limit : Math.max(0, offset - limit);
}

/**
 * Returns the value of the header Link (RFC 8288): the other pages by their relations, each with the other parameters
 * of the query. A target is absolute where the service's URL is known; otherwise it is a relative reference with a
 * query alone. Null where there is no other page.
 */
function linkTo(x: RequestContext, page: PagePlan, taken: ListPage, url: string | null): string | null {
  const targets = targetsOf(x, page, taken, url);
  const links = page.link.flatMap((relation) => {
    const target = targets(relation);
    return target === null ? [] : [`<${target}>; rel="${relation}"`];
  });
  return links.length ? links.join(', ') : null;
}

/** Returns the target of each link of a page; null for a relation to no page. */
function targetsOf(x: RequestContext, page: PagePlan, taken: ListPage, url: string | null) {
  const places = placesOf(x, page, taken);
  const base = url === null ? '' : url + escaped(x.incoming.path);
  return (relation: Relation): string | null => {
    const place = places[relation];
    return place === undefined ? null : base + queryWith(x, page, place);
  };
}

/** Returns the page parameter for each link relation; null means no page parameter, undefined no link. */
function placesOf(x: RequestContext, page: PagePlan, taken: ListPage): Record<string, string | null | undefined> {
  const { limit, place, offset, number } = x.page!;
  const next = taken.next === null ? undefined : String(taken.next);
  if (page.by === 'cursor' || page.by === 'identity') return { first: place === null ? undefined : null, next };
  const pages = Math.max(1, Math.ceil((taken.total ?? 0) / limit));
  const [here, start, end] = page.by === 'number' ? [number, 1, pages] : [offset, 0, (pages - 1) * limit];
  const isPast = here > start && offset >= (taken.total ?? 0);
  const prev = here > start && taken.total !== null ? before(x.page!, page, taken.total) : null;
  return {
    first: here > start ? String(start) : undefined,
    prev: prev === null ? undefined : String(prev),
    next,
    last: end > here || isPast ? String(end) : undefined,
  };
}

/** Returns the query as sent, with another page parameter. */
function queryWith(x: RequestContext, page: PagePlan, place: string | null): string {
  const pairs = x.parameters.filter(([name]) => name !== page.place);
  if (place !== null) {
    const at = x.parameters.findIndex(([name]) => name === page.place);
    pairs.splice(at < 0 ? pairs.length : at, 0, [page.place, place]);
  }
  if (pairs.length === 0) return x.incoming.query === null ? '' : '?';
  return `?${pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')}`;
}

/** Returns a path as sent, with characters percent-encoded that a URI in a header can't hold. */
function escaped(path: string): string {
  const hex = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  return path.replace(/[^\x21-\x7e]|["<>\\^`{|}]/g, hex);
}
