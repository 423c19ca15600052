import type { Effective } from '../../src/compiler/document/effective.ts';
import type { Step } from '../../src/compiler/statements/endpoints.ts';
import type { Resource } from '../../src/compiler/statements/resources.ts';
import type { Pages, PageValue } from '../../src/plan/limits.ts';
import type { Document } from './document.ts';
import { type Expected, memberFaults } from './members.ts';
import { memberOf, rowFaults } from './rows.ts';

type Answer = Extract<Step, { verb: 'Answer' }>;

/** What a name of a step stands for, where it stands for rows. */
interface Rows {
  readonly resource: Resource;
  readonly as: 'row' | 'rows' | 'page';
  readonly none: boolean;
}

/** What the body of an answer isn't that the step says. */
export function* bodyFaults(
  document: Document,
  one: Effective,
  answer: Answer,
  version: string | null,
  body: string | null,
): Generator<string> {
  if (answer.stream) return;
  if (!answer.body && !answer.members.length) {
    if (body !== null && body !== '') yield `a body where none is stated: ${body}`;
    return;
  }
  let value: unknown;
  try {
    value = JSON.parse(body ?? '');
  } catch {
    return yield `a body that is no JSON: ${body}`;
  }
  const names = rowsOf(document, one);
  const missing = document.model.resources.rules.missing?.value ?? 'left out';
  if (answer.body)
    return yield* judge(document, one, names, answer.body.text, answer.view?.text ?? null, version, value, '');
  const expected = answer.members.map(({ field, value: token, as }): Expected => {
    // What an expression can be at most is not told here.
    const plain = /^\w+$/.test(token.text) && names.get(token.text);
    return {
      name: field.text,
      optional: !plain || plain.none,
      judge: (inner, at) => judge(document, one, names, token.text, as?.text ?? null, version, inner, at),
    };
  });
  yield* memberFaults(value, expected, missing, '');
}

function* judge(
  document: Document,
  one: Effective,
  names: ReadonlyMap<string, Rows>,
  text: string,
  view: string | null,
  version: string | null,
  value: unknown,
  at: string,
): Generator<string> {
  const path = /^(\w+)\.([\w.]+)$/.exec(text);
  const rows = names.get(path ? path[1]! : text);
  if (!rows) return;
  const row = (item: unknown, place: string) => rowFaults(document, rows.resource, view, version, item, place);
  if (path) {
    const known = [...rows.resource.fields, ...rows.resource.derived].some((field) => field.name.text === path[2]);
    if (rows.as === 'row' && known) yield* memberOf(document, rows.resource, path[2]!, view, version, value, at);
    return;
  }
  const list = function* (items: unknown, place: string): Generator<string> {
    if (!Array.isArray(items)) return yield `${place || 'the body'} is no list: ${JSON.stringify(items)}`;
    for (const [i, item] of items.entries()) yield* row(item, `${place}/${i}`);
  };
  if (rows.as === 'row') return yield* row(value, at);
  const pages = one.settings.pages?.value ?? document.model.limits.pages?.value;
  if (rows.as === 'rows' || !pages?.payload) return yield* list(value, at);
  yield* pageFaults(document, pages, list, value, at);
}

/** What a page isn't that its form says. */
function* pageFaults(
  document: Document,
  pages: Pages,
  list: Expected['judge'],
  value: unknown,
  at: string,
): Generator<string> {
  const counted = function* (one: unknown, place: string): Generator<string> {
    if (!Number.isSafeInteger(one) || (one as number) < 0) yield `${place} is no count: ${JSON.stringify(one)}`;
  };
  const place = function* (one: unknown, where: string): Generator<string> {
    if (typeof one !== 'string' && typeof one !== 'number') yield `${where} is no place: ${JSON.stringify(one)}`;
  };
  const more = function* (one: unknown, where: string): Generator<string> {
    if (typeof one !== 'boolean') yield `${where} is neither true nor false: ${JSON.stringify(one)}`;
  };
  const judges: Readonly<Record<PageValue, Expected['judge']>> = {
    items: list,
    next: place,
    previous: place,
    more,
    total: counted,
    size: counted,
    offset: counted,
    number: counted,
    pages: counted,
  };
  const expected = pages.payload!.map(
    ({ name, value: what }): Expected => ({
      name,
      optional: what === 'next' || what === 'previous',
      judge: judges[what],
    }),
  );
  yield* memberFaults(value, expected, document.model.resources.rules.missing?.value ?? 'left out', at);
}

/** The rows that the names of an endpoint's steps stand for. */
function rowsOf(document: Document, one: Effective): ReadonlyMap<string, Rows> {
  const names = new Map<string, Rows>();
  const callers = new Set(document.model.authentication.schemes.map((scheme) => scheme.caller?.text));
  const [caller] = callers;
  if (callers.size === 1 && caller)
    names.set('caller', { resource: document.resource(caller), as: 'row', none: false });
  const walk = (steps: readonly Step[], inside: boolean): void => {
    for (const step of steps) {
      if (step.verb === 'For each') walk(step.steps, true);
      if (!('as' in step) || !step.as || !('resource' in step)) continue;
      const paged = step.verb === 'List' && step.bound === 'pages';
      const as = step.verb === 'List' ? (paged ? 'page' : 'rows') : inside ? 'rows' : 'row';
      const none = step.verb === 'Find' && step.none !== null;
      names.set(step.as.text, { resource: document.resource(step.resource.text), as, none });
    }
  };
  walk(one.steps, false);
  return names;
}
