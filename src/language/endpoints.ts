import { DESCRIPTION_CONTENTS, DESCRIPTION_FORMATS, type PreconditionsKind } from '../plan/step.ts';
import { bullet, catalogue } from '../syntax/diagnostic.ts';
import { type Located, type Name, refuseRepeats, takeName } from '../syntax/names.ts';
import type { Phrase } from '../syntax/phrase.ts';
import type { Token } from '../syntax/tokens.ts';
import { nearest } from '../text/suggest.ts';
import { path } from './common-values.ts';
import {
  checked,
  choice,
  code,
  coded,
  constant,
  count,
  duration,
  either,
  type Grammar,
  implied,
  integer,
  led,
  list,
  made,
  name,
  oneOf,
  optional,
  placed,
  quoted,
  sequence,
  shown,
  type ValueOf,
  where,
  words,
} from './grammar.ts';
import { isFieldName, isSentAlready } from './header-fields.ts';
import { PAGES } from './limits.ts';
import type { BulletStatements, ColumnStatements, Stated } from './statement.ts';
import { SORT_KEYS } from './steps.ts';
import { ALLOWED, TYPE } from './values.ts';
import { DEPRECATION } from './versioning.ts';

/** Findings about values that are understood but not allowed. */
const VALUES = catalogue('endpoints', {
  itemBounds: {
    severity: 'error',
    what: () => 'The maximum of items is less than the minimum. The smaller number comes first.',
    why: 'No list could have an allowed length.',
    write: () => '1 to 50 items',
  },
  jsonPatch: {
    severity: 'error',
    effects: ['hides a statement'],
    what: () =>
      'A body cannot be a JSON Patch (RFC 6902), whose operations could name any place of a row. Write “each optional” after the fields: the body is then a JSON Merge Patch (RFC 7396), in which an absent member keeps its value. Operations on the items of a list are endpoints of their own.',
    why: 'The document says which fields a body may set, and each of them is checked.',
    write: () => bullet('Request', 'Order with quantity, note, each optional'),
  },
  headerName: {
    severity: 'error',
    what: (p) =>
      `“${p.found}” is not a name for this header. A name has up to 256 letters, digits and marks such as “-”, and HTTP or another statement does not use it already.`,
    why: 'Header names are tokens (RFC 9110, section 5.1), and each header has one meaning.',
    write: () => '`Idempotency-Key`',
  },
  replayMark: {
    severity: 'error',
    what: (p) =>
      `“${p.found}” is no header with a value. Write a name, a colon, a space, and up to 256 visible ASCII characters.`,
    why: 'The header of a repeated answer has one value, which a client compares as text (RFC 9110, section 5.5).',
    write: () => '`Idempotent-Replayed: true`',
  },
  replayMarkTaken: {
    severity: 'error',
    what: (p) => `Answers have the header “${p.name}” for another purpose. Mark replays by another header.`,
    why: 'A client could not tell a repeated answer from the first one.',
    write: () => '`Idempotent-Replayed: true`',
  },
  answersBelow: {
    severity: 'error',
    what: (p) => `${p.status} is not a bound on statuses. Write a number from 200 to 600.`,
    why: 'The service stores the answers whose status is below the bound.',
    write: () => '500',
  },
});
const { report } = VALUES;
export const ENDPOINT_VALUES = VALUES.entries;

/** The callers that an endpoint allows: those with scopes, those that are rows of resources, or anyone, known or not. */
export interface Access {
  readonly kind: 'scope' | 'any' | 'anyone';
  /** The scopes, the resources, or `anyone` itself. */
  readonly names: readonly [Name, ...Name[]];
  /** Whether a caller needs all of several scopes, and not one of them. */
  readonly all: boolean;
}

const ACCESS_FORMS = '“anyone”, “any” and a resource, or a scope';

/**
 * `orders:read`, `orders:read or orders:admin`, `orders:read and orders:write`, `any Customer or Staff` or `anyone`.
 * `isMore`: whether a token after the first belongs to the access.
 */
const access = (isMore: (token: Token) => boolean): Grammar<Access> => ({
  read: (phrase) => {
    const at = phrase.peek()?.from ?? phrase.text.to;
    if (phrase.take('anyone'))
      return { kind: 'anyone', names: [{ text: 'anyone', from: at, to: at + 'anyone'.length }], all: false };
    const second = phrase.peek(1);
    const joined = second?.text === 'or' || second?.text === 'and';
    // No resource has a name with a colon, so that what comes after such a scope is wrong.
    const isScope = !second || !isMore(second) || joined || phrase.peek()?.text.includes(':') === true;
    if (!isScope && !phrase.take('any')) phrase.fail(ACCESS_FORMS);
    const first = takeName(phrase, 'use', isScope ? ACCESS_FORMS : 'a resource');
    if (!first) return undefined;
    const names: [Name, ...Name[]] = [first];
    const all = isScope && phrase.take('and');
    const joint = all ? 'and' : 'or';
    for (let more = all || phrase.take('or'); more; more = phrase.take(joint)) {
      const next = takeName(phrase, 'use', isScope ? 'a scope' : 'a resource');
      if (!next) return undefined;
      names.push(next);
    }
    refuseRepeats(names, phrase.findings);
    return { kind: isScope ? 'scope' : 'any', names, all };
  },
  print: accessText,
  writes: (given) => typeof given === 'object' && given !== null && 'kind' in given,
  samples: [
    'orders:read',
    'orders:read or orders:admin',
    'orders:read and orders:write',
    'any Customer',
    'any Customer or Staff',
    'anyone',
  ],
});

/** The text of an Access, as a document states it. */
export function accessText({ kind, names, all }: Access): string {
  const text = names.map((name) => name.text).join(all ? ' and ' : ' or ');
  return kind === 'any' ? `any ${text}` : text;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** The body an endpoint reads: some fields of a resource. */
export interface Requested {
  /** The member of the body that holds them; null where the body itself does. */
  readonly member: Name | null;
  /** For a list: how many items it may have, where that is stated. */
  readonly list: { readonly items: Located<Bounds> | null } | null;
  readonly resource: Name;
  readonly fields: readonly Name[];
  /** True for `each optional`: a merge patch (RFC 7396). */
  readonly optional: boolean;
  /** The field whose bytes are the whole body; absent for a body with members. */
  readonly bytes?: Name;
}

/** `1 to 50 items`, `at most 50 items` */
const ITEMS = checked(
  placed(
    either(
      sequence({ min: constant('at most', 0) }, { max: count('a number of items', '50') }, 'items'),
      sequence({ min: count('a number of items', '1') }, 'to', { max: count('a number of items', '50') }, 'items'),
    ),
  ),
  (items, phrase) => {
    if (items.value.max < items.value.min) phrase.findings.push(report.itemBounds(items));
  },
);

const REQUEST_FORMS =
  '“none”, a resource and those of its fields that the body may have, such as “Order with sku, note”, or “bytes of” and a field of bytes';

/** `bytes of Attachment.content`: the body is the bytes of the field, and nothing else. */
const BYTES_REQUESTED: Grammar<Requested> = where(
  (phrase) => phrase.peek()?.text === 'bytes' && phrase.peek(1)?.text === 'of',
  made(
    led('bytes of', path('a field of bytes, such as Attachment.content', 'Attachment.content')),
    ({ resource, field }): Requested => ({
      member: null,
      list: null,
      resource,
      fields: [field],
      optional: false,
      bytes: field,
    }),
    ({ resource, bytes }) => ({ resource, field: bytes! }),
    (given) => typeof given === 'object' && given !== null && 'bytes' in given,
  ),
);

const JSON_PATCH = /\bJSON[ -]Patch\b(?: \(RFC 6902\))?|\bapplication\/json-patch(?:\+json)?|\bRFC 6902\b/;

/** A grammar that refuses JSON Patch by its name. */
const withoutJsonPatch = <T>(grammar: Grammar<T>): Grammar<T> => ({
  ...grammar,
  read: (phrase) => {
    const { source, from, to } = phrase.text;
    const found = JSON_PATCH.exec(source.slice(from, to));
    if (!found) return grammar.read(phrase);
    const at = from + found.index;
    phrase.refuse(report.jsonPatch({ from: at, to: at + found[0].length }));
    return undefined;
  },
});

/** `Order with quantity, note, each optional`, alone, or in a member: `order: Order with …`, `orders: list of Order with …` */
const REQUESTED: Grammar<Requested> = {
  read: (phrase) => {
    const isResource = (): boolean => /^[A-Z]/.test(phrase.peek()?.text ?? '');
    if (phrase.tokens.length === 1 && !isResource()) phrase.fail(REQUEST_FORMS);
    const wrapped = phrase.peek(1)?.kind === 'mark' && phrase.peek(1)?.text === ':';
    const member = wrapped ? takeName(phrase, 'declaration', 'the name of a member') : null;
    if (wrapped && !phrase.mark(':')) return undefined;
    const isList = wrapped && phrase.take('list of');
    if (wrapped && !isList && !isResource()) phrase.fail('a resource');
    const resource = takeName(phrase, 'use', 'a resource');
    if (!resource || !phrase.expect('with')) return undefined;
    const rest = takeFields(phrase, isList);
    return rest && { member, list: isList ? { items: rest.items } : null, resource, ...rest.of };
  },
  print: ({ member, list: listed, resource, fields, optional }) =>
    [
      member ? `${member.text}: ` : '',
      listed ? 'list of ' : '',
      `${resource.text} with ${fields.map(({ text }) => text).join(', ')}`,
      optional ? ', each optional' : '',
      listed?.items ? `, ${ITEMS.print(listed.items)}` : '',
    ].join(''),
  writes: (given) => typeof given === 'object',
  samples: [
    'Order with sku, note',
    'Order with sku, note, each optional',
    'order: Order with sku, note',
    'orders: list of Order with sku, note, 1 to 50 items',
  ],
};

/** The fields, and what may follow them: how many items a list has, or that each field is optional. */
function takeFields(
  phrase: Phrase,
  isList: boolean,
): { of: Pick<Requested, 'fields' | 'optional'>; items: Located<Bounds> | null } | undefined {
  const fields: Name[] = [];
  let optional = false;
  let items: Located<Bounds> | null = null;
  do {
    if (fields.length && phrase.peek(1)?.kind === 'word' && isEnding(phrase, isList)) {
      if (isList) items = ITEMS.read(phrase) ?? null;
      else optional = phrase.expect('each optional');
      break;
    }
    const field = takeName(phrase, 'use', fields.length && !items ? 'a field, or “each optional”' : 'a field');
    if (!field) return undefined;
    fields.push(field);
  } while (phrase.mark(','));
  refuseRepeats(fields, phrase.findings);
  return { of: { fields, optional }, items };
}

/** True where the words after the fields begin, and no field with a word too many after it. */
function isEnding(phrase: Phrase, isList: boolean): boolean {
  const [first = '', second = ''] = [phrase.peek()?.text, phrase.peek(1)?.text];
  if (isList) return /^\d/.test(first) || nearest(first, ['at']) !== null;
  return nearest(first, ['each']) !== null || nearest(second, ['optional']) !== null;
}

/** The header of repeated answers, with its value. */
interface ReplayMark {
  readonly name: string;
  readonly value: string;
}

function takeReplayMark({ text, inner }: Token, phrase: Phrase): ReplayMark | undefined {
  const [, name = '', value = ''] = /^([^ :]+): ([!-~]+(?: [!-~]+)*)$/.exec(text) ?? [];
  if (!isFieldName(name) || value.length > LONGEST_REPLAY_MARK) {
    phrase.findings.push(report.replayMark(inner, { found: text }));
    return undefined;
  }
  if (isSentAlready(name))
    phrase.findings.push(report.replayMarkTaken({ from: inner.from, to: inner.from + name.length }, { name }));
  return { name, value };
}

const LONGEST_REPLAY_MARK = 256;

/** `Idempotent-Replayed: true` */
const REPLAY_MARK = coded({
  role: 'value',
  what: 'a header with a value in inline code, such as `Idempotent-Replayed: true`',
  sample: 'Idempotent-Replayed: true',
  take: takeReplayMark,
  show: ({ name, value }) => `${name}: ${value}`,
  writes: (given) => typeof given === 'object',
});

/** ``header `Idempotency-Key`, required, for each caller, kept 24 hours, answers below 500``, or `optional` */
const IDEMPOTENCY = checked(
  sequence(
    'header',
    {
      header: quoted('the name of a header in inline code', 'Idempotency-Key', ({ text, inner }, phrase) => {
        if (!isFieldName(text)) phrase.findings.push(report.headerName(inner, { found: text }));
      }),
    },
    ',',
    { presence: oneOf('required', 'optional') },
    ', for each caller, kept',
    { keptMilliseconds: duration('24 hours') },
    ', answers below',
    { answersBelow: integer('a status, such as 500', '500') },
    { replayed: optional(', replays marked', REPLAY_MARK) },
  ),
  ({ answersBelow: below }, phrase) => {
    if (below < 200 || below > 600) phrase.findings.push(report.answersBelow(phrase.span, { status: `${below}` }));
  },
);

/**
 * ``created by `created_at`, urgent by `priority` nulls last then `created_at` ``: names that a request can sort by, and
 * the sort keys of each.
 */
const SORT = checked(list(sequence({ name: name('a name to sort by', 'created') }, SORT_KEYS)), (keys, phrase) =>
  refuseRepeats(
    keys.map((key) => key.name),
    phrase.findings,
  ),
);
export type SortKey = ValueOf<typeof SORT>[number];

/** ``OpenAPI 3.1 at `/openapi.json` for anyone with every endpoint, AsyncAPI 3.1 at `/asyncapi.json` with …`` */
const DESCRIPTIONS = list(
  placed(
    sequence(
      { format: oneOf(...DESCRIPTION_FORMATS) },
      'at',
      { path: code('value', 'a path in inline code', '/openapi.json') },
      {
        access: optional(
          'for',
          access(({ kind, text }) => kind === 'word' && text !== 'with'),
        ),
      },
      // Without callers, there is nothing to state: everybody may call every endpoint.
      { content: optional('with', oneOf(...DESCRIPTION_CONTENTS)) },
    ),
  ),
);
export type Description = ValueOf<typeof DESCRIPTIONS>[number];

const conditional = (tag: string) =>
  ({
    member: 'conditional',
    value: choice({ none: 'none', 'strong ETag': tag }),
    fact: {
      what: 'A client sends {endpoint} an If-None-Match with the ETag of an earlier answer (RFC 9110, section 13). Is the answer 304 without a body where nothing has changed, or do answers have no ETag?',
      write: 'none',
    },
  }) as const;

/** The methods of endpoints. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY'] as const;
export type Method = (typeof METHODS)[number];

/**
 * The formats of bodies: answers are JSON; requests are JSON, or forms of HTML (application/x-www-form-urlencoded, or
 * multipart/form-data).
 */
const PAYLOADS = made(
  sequence('JSON (RFC 8259)', {
    requests: optional(
      ', requests as',
      choice({
        form: 'form (URL Standard)',
        'JSON or form': 'JSON or form (URL Standard)',
        'multipart form': 'multipart form (RFC 7578)',
      }),
    ),
  }),
  ({ requests }) => requests ?? 'JSON',
  (requests) => ({ requests: requests === 'JSON' ? null : requests }),
  (given) => typeof given === 'string',
);

const IDEMPOTENCY_OR_NONE = either(words('none'), IDEMPOTENCY);

/** Idempotency at the endpoints of one method. */
const idempotencyOf = <const M extends Method>(method: M) => ({
  member: `idempotencyOf${method}` as const,
  value: IDEMPOTENCY_OR_NONE,
});

/** The bullets of an endpoint that the part can state for all endpoints. `{endpoint}` is the one that a question is about. */
export const SETTINGS = {
  Payloads: {
    member: 'payloads',
    value: withoutJsonPatch(PAYLOADS),
    fact: { what: 'In which format are the bodies of {endpoint}?', write: 'JSON (RFC 8259)' },
  },
  Access: {
    member: 'access',
    value: access(({ text }) => text !== '.'),
    fact: {
      what: 'Who may call {endpoint}: anyone, any caller of a resource, or callers with a scope?',
      write: 'orders:read',
    },
  },
  Request: {
    member: 'request',
    value: withoutJsonPatch(either(words('none'), BYTES_REQUESTED, REQUESTED)),
    fact: { what: 'Which fields does the body of {endpoint} have?', write: 'none' },
  },
  'Unread bodies': {
    member: 'unreadBodies',
    value: oneOf('refused', 'ignored'),
    fact: {
      what: 'A client sends a body to {endpoint}, which takes none. Is the request refused, or the body ignored?',
      write: 'refused',
    },
  },
  'Unknown parameters': {
    member: 'unknownParameters',
    value: oneOf('refused', 'ignored'),
    fact: {
      what: 'A client sends {endpoint} a query parameter that is not declared. Is the request refused, or the parameter ignored?',
      write: 'refused',
    },
  },
  HEAD: {
    member: 'head',
    value: oneOf('not served', 'as GET'),
    fact: {
      what: 'A client sends HEAD to the path of {endpoint}. Does the service answer as to GET, or refuse the method?',
      write: 'not served',
    },
  },
  'Conditional requests': conditional('RFC 9110, strong ETag of the answer'),
  /** The treatment of the preconditions of requests that write, such as If-Match, where no step matches them. */
  'Preconditions on writes': {
    member: 'preconditions',
    value: oneOf<PreconditionsKind>('required', 'evaluated', 'refused', 'ignored'),
    fact: {
      what: 'A client sends {endpoint} an If-Match, If-None-Match or If-Unmodified-Since by the ETag that GET answers at this address. Is the precondition evaluated, and perhaps required, the request refused, or the precondition ignored?',
      write: 'evaluated',
    },
  },
  /** The treatment of preconditions where no GET of the address has an ETag to compare them with. */
  'Preconditions without an ETag': {
    member: 'untagged',
    // Without the bullet, preconditions are ignored, and `check` has a notice.
    value: oneOf('refused', 'ignored'),
  },
  /** The callers to whom descriptions show the endpoint. Without the bullet, the endpoint is in each description. */
  Audience: {
    member: 'audience',
    value: either(
      words('none'),
      access(({ text }) => text !== '.'),
    ),
  },
  Idempotency: {
    member: 'idempotency',
    value: IDEMPOTENCY_OR_NONE,
    fact: {
      what: 'A client repeats a request to {endpoint} after a lost connection. Does an idempotency key prevent a second effect?',
      write: 'none',
    },
  },
} as const satisfies BulletStatements;

/** `## Endpoints` */
export const ENDPOINTS = {
  ...SETTINGS,
  'Conditional requests': conditional('RFC 9110, strong ETag of the answer, every GET'),
  'Idempotency of GET': idempotencyOf('GET'),
  'Idempotency of POST': idempotencyOf('POST'),
  'Idempotency of PUT': idempotencyOf('PUT'),
  'Idempotency of PATCH': idempotencyOf('PATCH'),
  'Idempotency of DELETE': idempotencyOf('DELETE'),
  'Idempotency of QUERY': idempotencyOf('QUERY'),
  Description: { member: 'descriptions', value: DESCRIPTIONS },
  // Only endpoints may have this bullet: the part reads it in order to report it.
  Sort: { member: 'sort', value: { ...SORT, samples: [] } },
} as const satisfies BulletStatements;

/** The heading of an endpoint. */
export const ENDPOINT = {
  ...SETTINGS,
  /** The form of the endpoint's pages, where it isn't that of all pages. */
  Pages: { member: 'pages', value: PAGES },
  Sort: { member: 'sort', value: SORT },
  /** The tag of the operation in descriptions. Without the bullet, it is the resource that the endpoint is about. */
  Tag: { member: 'tag', value: name('a tag or a resource', 'Billing') },
  /** Without the bullet, the endpoint is not deprecated. */
  Deprecated: { member: 'deprecated', value: DEPRECATION },
} as const satisfies BulletStatements;

export type EndpointBullets = Stated<typeof ENDPOINT>;

/** The headings below `## Endpoints`: an endpoint, the steps that come first below a path, a handler, a schedule, or a tag. */
export const ENDPOINTS_HEADING = either(
  sequence('Tag', { tag: name('the name of a tag', 'Billing', 'declaration') }),
  sequence('Handler', { handler: name('the name of a handler', 'quote', 'declaration') }),
  sequence('Schedule', { schedule: name('the name of a schedule', 'nightly', 'declaration') }),
  sequence('Under', { under: code('value', 'a path in inline code, such as `/orders/{id}`', '/orders/{id}') }),
  sequence({ endpoint: code('value', 'a method and a path in inline code, such as `GET /orders`', 'GET /orders') }),
);

/** `separated by commas`: how a list or a set is written in an address or a header. */
const SEPARATED = {
  separated: made(
    optional(',', words('separated by commas')),
    (stated) => stated !== null,
    (separated) => (separated ? ('separated by commas' as const) : null),
    (given) => typeof given === 'boolean',
  ),
};

/** A parameter's type: a field's, with its bounds, or one of its own. */
const PARAMETER_TYPE = shown(
  either(
    where(
      (phrase) => phrase.peek()?.text.includes('.') === true,
      sequence({ kind: implied('field') }, path('a field, such as Order.id', 'Order.status'), SEPARATED),
    ),
    sequence({ kind: implied('plain') }, { type: TYPE }, SEPARATED),
  ),
  'string',
  'Order',
  'Order.status',
  'set of string, separated by commas',
);
export type ParameterType = ValueOf<typeof PARAMETER_TYPE>;

/** The place of a parameter in a request. Members of the body and header fields are parameters too. */
const PLACES = ['path', 'query', 'header', 'body'] as const;
export type ParameterPlace = (typeof PLACES)[number];

/** The table of parameters. */
export const PARAMETER = {
  Parameter: {
    member: 'name',
    value: name('the name of a parameter', 'status', 'declaration'),
    blank: 'the name of the parameter',
  },
  In: { member: 'in', value: oneOf(...PLACES), blank: '“path”, “query”, “header” or “body”' },
  Type: { member: 'type', value: PARAMETER_TYPE, blank: 'a type, a resource, or a field such as Order.id' },
  'Allowed values': {
    member: 'allowed',
    value: ALLOWED,
    blank: 'the values, such as “1 to 50 characters” or “one of asc, desc”, or “any” beside a field',
  },
  Presence: {
    member: 'presence',
    value: either(
      words('always'),
      words('optional'),
      led('else', code('expression', 'an expression in inline code', '20')),
    ),
    blank: '“always”, “optional”, or “else” and a value in inline code',
  },
  Otherwise: { member: 'otherwise', value: name('an error code', 'order_not_found') },
  'Keeps rows where': {
    member: 'keeps',
    value: code('expression', 'a condition in inline code', 'status == query.status'),
  },
} as const satisfies ColumnStatements;

export type ParameterCells = Stated<typeof PARAMETER>;
