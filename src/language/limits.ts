import type { PageKind, Pages, PageValue, Relation } from '../plan/limits.ts';
import { allowing, catalogue, row, type Written } from '../syntax/diagnostic.ts';
import { type Name, refuseNested, refuseRepeats } from '../syntax/names.ts';
import type { Phrase } from '../syntax/phrase.ts';
import { takeDuration, takeUnit } from '../syntax/units.ts';
import { keysOf } from '../text/own-members.ts';
import { nearest } from '../text/suggest.ts';
import { showDuration, unitOf } from '../text/units.ts';
import { orEmpty, size, unless } from './common-values.ts';
import {
  type AnyGrammar,
  choice,
  code,
  coded,
  constant,
  count,
  duration,
  either,
  flag,
  followed,
  type Grammar,
  implied,
  isNumber,
  isText,
  led,
  list,
  made,
  name,
  oneOf,
  optional,
  placed,
  sequence,
  shown,
  where,
  words,
} from './grammar.ts';
import type { BulletStatements } from './statement.ts';

/** Findings about values of limits that were meant as such and are wrong. */
export const limitValues = catalogue('limits', {
  rateForm: {
    severity: 'error',
    effects: ['hides a statement'],
    what: (p) =>
      `“${p.found}” is not a rate. Write the number of requests and a window in seconds, minutes, hours or days, such as “600 requests per minute” or “600 requests per 15 minutes”.`,
    why: 'A rate has one form, so that every reader understands the same.',
    write: (p) => p.write || null,
  },
  rateUnit: {
    severity: 'error',
    effects: ['hides a statement'],
    what: (p) =>
      `A rate does not count for each “${p.found}”. To count the requests of all callers that refer to one row together, write the reference in inline code, such as “each \`caller.${p.member}\`”. The other units are “each caller”, “each address, before authentication” and “each address without a caller”.`,
    why: 'Callers can have several references to one resource.',
    write: (p) => `\`caller.${p.member}\``,
  },
  pageValue: {
    severity: 'error',
    what: (p) =>
      p.nearest
        ? `A page has no “${p.found}”: did you mean “${p.nearest}”? A page by ${p.by} has ${p.known}.`
        : `A page by ${p.by} has no “${p.found}”. A page by ${p.by} has ${p.known}.`,
    why: 'These are the values that a page has.',
    write: (p) => `\`${p.nearest || 'page.items'}\``,
  },
});

/** An endpoint, or every endpoint at or below a path. */
interface NamedTarget {
  readonly kind: 'endpoint' | 'below';
  readonly name: Name;
}

/** Every endpoint with a method, at or below a path if one is stated. `name` is the whole text. */
interface MethodTarget {
  readonly kind: 'method';
  readonly name: Name;
  readonly method: string;
  readonly below: NamedTarget | null;
}

export type Target = NamedTarget | MethodTarget;

const target = (kind: NamedTarget['kind'], what: string): Grammar<NamedTarget> =>
  coded({
    role: 'use',
    what,
    sample: kind === 'below' ? '/orders' : 'GET /orders',
    take: ({ text, inner }): NamedTarget => ({ kind, name: { text, ...inner } }),
    show: ({ name: { text } }) => text,
    writes: (given) => (given as Target | null)?.kind === kind,
  });

const PATH = target('below', 'a path in inline code');

/** All endpoints (no target), or the endpoints below a path. */
const every = (grammar: Grammar<NamedTarget | null>): Grammar<readonly Target[]> =>
  made(
    grammar,
    (below): readonly Target[] => (below ? [below] : []),
    ([below]) => (below as NamedTarget | undefined) ?? null,
    (given) => Array.isArray(given) && given.every(PATH.writes),
  );

const endpointBut = (all: string): Grammar<Target> =>
  target('endpoint', `${all}, or an endpoint in inline code`) as Grammar<Target>;

/** A method, in capitals as in requests: `check` refuses one that no endpoint has. */
const METHOD: Grammar<string> = {
  read: (phrase) => {
    const word = phrase.peek()?.text ?? '';
    if (/^[A-Z]+$/.test(word)) return phrase.word('value', 'a method')?.text;
    phrase.fail(`${word === 'endpoint' ? '' : '“endpoint”, or '}a method, such as GET`);
    return undefined;
  },
  print: String,
  writes: isText,
  samples: ['GET'],
};

/** `every GET`, `` every GET below `/admin` `` */
const METHOD_TARGET: Grammar<MethodTarget> = made(
  placed(sequence('every', { method: METHOD }, { below: optional('below', PATH) })),
  ({ value: { method, below }, from, to }): MethodTarget => {
    const text = `every ${method}${below ? ` below ${below.name.text}` : ''}`;
    return { kind: 'method', name: { text, from, to }, method, below };
  },
  ({ method, below, name: { from, to } }) => ({ value: { method, below }, from, to }),
  (given) => (given as Target | null)?.kind === 'method',
);

/** Every endpoint, those below a path, or some by their names and methods. */
const AT_ENDPOINTS = shown(
  either(
    every(led('every endpoint', optional('below', PATH))),
    list(
      either(
        where((phrase) => phrase.peek()?.text === 'every', METHOD_TARGET as Grammar<Target>),
        endpointBut('every endpoint'),
      ),
    ),
  ),
  'every endpoint',
  'every endpoint below `/orders`',
  'every GET, every POST below `/orders`',
  '`POST /orders`, `GET /orders`',
);

/** The lists of a kind at every endpoint, or at some. */
const atLists = (all: string): Grammar<readonly Target[]> =>
  shown(
    either(every(either(led('every endpoint', led('below', PATH)), constant(all, null))), list(endpointBut(all))),
    all,
    '`GET /orders`',
  );

const AT_SOME = orEmpty(optional(', at', AT_ENDPOINTS));

const WINDOW: Grammar<number> = {
  read: (phrase) => (/^\d/.test(phrase.peek()?.text ?? '') ? takeDuration(phrase) : takeUnit(phrase)) ?? undefined,
  print: (milliseconds) => showDuration(milliseconds).replace(/^1 /, ''),
  writes: isNumber,
  samples: ['minute', '15 minutes'],
};

/** `600 requests per minute`, `5 requests per 15 minutes`, `` `caller.plan.rate` requests per minute`` */
const RATE = unless(
  sequence(
    {
      count: either(
        code('expression', 'an integer expression in inline code', 'caller.plan.rate'),
        count('a number of requests', '600'),
      ),
    },
    'requests per',
    { milliseconds: WINDOW },
  ),
  refusesRate,
);

/** Reports a rate as it is written elsewhere (`600/min`, `10 rps`, `100 per hour`), and how it is written here. */
function refusesRate(phrase: Phrase): boolean {
  const { source, from, to } = phrase.text;
  const found = source.slice(from, to);
  if (/^\d+ requests per [1-9a-z]/.test(found) && !/ (?:ms|secs?|s|mins?|m|hrs?|h|d)$/.test(found)) return false;
  const match =
    /^(\d+)\s*(?:requests?|reqs?|calls?|times|r)?\s*(?:\/|p(?=[smhd]$)|per|an?|each|every|in|within)\s*(\d*)\s*([a-z]+)$/i.exec(
      found,
    );
  const [, number = '', times = '', word = ''] = match ?? [];
  const unit = unitOf(word);
  if (!match || !unit || !Number(number)) return false;
  const write = `${number} requests per ${Number(times || 1) > 1 ? `${times} ${unit}s` : unit}`;
  return !phrase.refuse(limitValues.report.rateForm(phrase.span, { found, write }));
}

const PER = {
  caller: 'each caller',
  address: 'each address, before authentication',
  nobody: 'each address without a caller',
} as const;
/** A reference of the caller's row, by its path. */
const ROW = code('expression', 'a reference of the caller in inline code', 'caller.organisation');
const WITHOUT_ROW = sequence({ per: constant('each caller without', 'rowless') }, { row: ROW });
const COUNTED_AT = [
  ...Object.values(PER),
  'each `caller.organisation`',
  'each caller without `caller.organisation`',
].map((each) => `${each}, at \`POST /orders\``);

/** The unit that a rate counts for, such as each caller, and the endpoints at which it counts. */
const RATE_AT = shown(
  sequence(
    either(
      WITHOUT_ROW,
      where((phrase) => phrase.peek(1)?.kind === 'code', sequence({ per: constant('each', 'row') }, { row: ROW })),
      unless(sequence({ per: choice(PER) }, { row: implied(null) }), refusesUnit),
    ),
    { at: AT_SOME },
  ),
  ...COUNTED_AT,
);

/** Reports a resource that is named as the unit of a rate, in place of a reference to its rows. */
function refusesUnit(phrase: Phrase): boolean {
  const [each, unit] = [phrase.peek(), phrase.peek(1)];
  if (each?.text !== 'each' || !unit || !/^[A-Z]\w*$/.test(unit.text)) return false;
  const member = unit.text.charAt(0).toLowerCase() + unit.text.slice(1);
  return !phrase.refuse(limitValues.report.rateUnit(unit, { found: unit.text, member }));
}

/** States that requests without a caller, or of callers without a row, count towards no rate, and at which endpoints. */
export const UNCOUNTED_AT = shown(
  sequence(either(WITHOUT_ROW, sequence({ per: constant(PER.nobody, 'nobody') }, { row: implied(null) })), {
    at: AT_SOME,
  }),
  ...COUNTED_AT,
);

const items = (sample: string) => count('a number of items', sample);
const BEYOND = choice({ refused: 'more is refused', 'left out': 'more is left out' });

/** A row of the table of limits: its value, what it applies to, and the cells of a row to write. */
interface LimitStatement {
  readonly value: AnyGrammar;
  readonly at: AnyGrammar;
  readonly write: readonly [value: string, at: string];
  /** The member of the model with the default: the limit of every endpoint or list that states none of its own. */
  readonly member?: string;
}

/** The rows of the table of limits. */
export const LIMITS = {
  Rate: {
    value: shown(
      either(words('any number of requests'), RATE),
      '600 requests per minute',
      '5 requests per 15 minutes',
      '`caller.plan.rate` requests per minute',
      'any number of requests',
    ),
    at: RATE_AT,
    write: ['600 requests per minute', 'each caller'],
  },
  'Request size': {
    member: 'requestSize',
    value: size('64 KiB', '500 B', '2 MB'),
    at: AT_ENDPOINTS,
    write: ['64 KiB', 'every endpoint'],
  },
  'Time-out': {
    member: 'timeout',
    value: shown(duration('5 seconds'), '5 seconds', '1 minute'),
    at: AT_ENDPOINTS,
    write: ['5 seconds', 'every endpoint'],
  },
  'Page size': {
    member: 'pageSize',
    value: sequence({ standard: items('20') }, 'by default,', { most: items('100') }, 'at most,', { beyond: BEYOND }),
    at: atLists('every list in pages'),
    write: ['20 by default, 100 at most, more is refused', 'every list in pages'],
  },
  'Whole list': {
    member: 'wholeList',
    value: sequence({ most: items('500') }, 'at most,', { beyond: BEYOND }),
    at: atLists('every list of all'),
    write: ['500 at most, more is left out', 'every list of all'],
  },
} as const satisfies Readonly<Record<string, LimitStatement>>;

/** The first cell of a row of limits. */
export const LIMIT = oneOf(...keysOf(LIMITS));

/** A row of limits to write. */
export const limitRow = (limit: keyof typeof LIMITS): Written => row(limit, ...LIMITS[limit].write);

/**
 * The values of each kind of page, and the relations of its links: a request cannot ask for the page before a cursor.
 */
const FORMS: Readonly<
  Record<PageKind, { readonly values: readonly PageValue[]; readonly links: readonly Relation[] }>
> = {
  cursor: { values: ['items', 'next', 'more', 'total', 'size'], links: ['first', 'next'] },
  offset: {
    values: ['items', 'next', 'previous', 'more', 'total', 'size', 'offset'],
    links: ['first', 'prev', 'next', 'last'],
  },
  number: {
    values: ['items', 'next', 'previous', 'more', 'total', 'size', 'number', 'pages'],
    links: ['first', 'prev', 'next', 'last'],
  },
  identity: { values: ['items', 'next', 'more', 'total', 'size'], links: ['first', 'next'] },
};

/** `page.items` · `page.links.next` */
function pageValue(by: PageKind): Grammar<PageValue> {
  const values = [...FORMS[by].values, ...FORMS[by].links.map((relation) => `links.${relation}` as const)];
  const known = values.map((value) => `page.${value}`);
  return coded({
    role: 'use',
    what: known.map((one) => `\`${one}\``).join(', '),
    sample: 'page.items',
    take: (token, phrase) => {
      const value = values.find((one) => `page.${one}` === token.text);
      const params = { found: token.text, nearest: nearest(token.text, known) ?? '', by, known: known.join(', ') };
      if (!value) phrase.refuse(allowing(limitValues.report.pageValue(token.inner, params), known));
      return value;
    },
    show: (value) => `page.${value}`,
    writes: isText,
  });
}

const MEMBER = 'the items alone, or the name of a member of the payload';

/** ``items `page.items`, next `page.next` `` */
const payload = (by: PageKind): Grammar<NonNullable<Pages['payload']>> =>
  made(
    unless(
      list(sequence({ name: name(MEMBER, 'items', 'declaration') }, { value: pageValue(by) })),
      // Two words in a row are not a member with its value.
      (phrase) => phrase.peek(1)?.kind === 'word' && !phrase.fail(MEMBER),
    ),
    (members, { findings }): NonNullable<Pages['payload']> => {
      const names = members.map((member) => member.name);
      refuseRepeats(names, findings);
      refuseNested(names, findings);
      return members.map(({ name: { text }, value }) => ({ name: text, value }));
    },
    (members) => members.map((member) => ({ ...member, name: { text: member.name, from: 0, to: 0 } })),
    Array.isArray,
  );

const PARAMETER = coded({
  role: 'declaration',
  what: 'the name of a parameter in inline code',
  sample: 'limit',
  take: ({ text }) => text,
  show: String,
  writes: isText,
});

const pagesBy = (by: PageKind): Grammar<Pages> =>
  sequence(
    { by: constant(`by ${by}`, by) },
    ', parameters',
    { limit: PARAMETER },
    'and',
    { place: PARAMETER },
    ';',
    { link: orEmpty(optional('header Link (RFC 8288) with', followed(list(oneOf(...FORMS[by].links)), ';'))) },
    'payload',
    { payload: either(constant('the items alone', null), payload(by)) },
  );

/**
 * The form of paginated lists: how a page is requested, and how links and items are returned. Limits states it for all
 * endpoints, and an endpoint may state its own.
 */
export const PAGES = shown(
  either(...keysOf(FORMS).map(pagesBy)),
  'by cursor, parameters `limit` and `cursor`; payload items `page.items`, next `page.next`',
  'by number, parameters `per_page` and `page`; header Link (RFC 8288) with first, prev, next, last; payload the items alone',
);

const DRAFT = 'RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers)';

/** The bullets of `## Limits`. */
export const LIMIT_BULLETS = {
  'Rate headers': {
    member: 'rateHeaders',
    value: either(
      sequence({ rateLimit: constant(DRAFT, true) }, { retryAfter: flag(', Retry-After') }),
      sequence(
        { rateLimit: implied(false) },
        { retryAfter: either(constant('Retry-After', true), constant('none', false)) },
      ),
    ),
    ask: {
      code: 'rateHeaders',
      what: 'Which headers tell a client about rates: RateLimit-Policy and RateLimit, Retry-After, both, or none?',
      why: 'Ninefold has no defaults.',
      write: 'Retry-After',
    },
  },
  Pages: {
    member: 'pages',
    value: PAGES,
    ask: {
      code: 'pages',
      what: 'A client reads a list in pages. Which parameters ask for the next page, and which members of the payload hold the items and the next page?',
      why: 'Ninefold has no defaults. Pages are by cursor, by offset, by number or by identity.',
      write: 'by cursor, parameters `limit` and `cursor`; payload items `page.items`, next `page.next`',
    },
  },
} as const satisfies BulletStatements;
