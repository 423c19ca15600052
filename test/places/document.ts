import { PROBES } from './probes.ts';

/** A document in which every function stands in one place, and what is asked of it. */
export interface Place {
  readonly name: string;
  readonly document: string;
  /** Requests once the rows are there, each with the functions that it is about and what is expected of it. */
  readonly asked: readonly Asked[];
  /** Where rows are created, and which of them may be; all, where it is null. */
  readonly created: readonly Created[];
  /** When they are created. */
  readonly at?: number;
  /** What is asked before any is. */
  readonly before?: readonly Asked[];
  /** Functions that `check` refuses there. */
  readonly refused?: readonly string[];
  /** What receivers of webhooks are sent in the end; nothing, where nothing is said. */
  readonly sent?: readonly Sent[];
  /** What a stream sends while requests are made. */
  readonly streamed?: Streamed;
}

/** What a stream sends, in the end, to whoever reads it from the start: these messages first. */
export interface Streamed {
  readonly path: string;
  readonly first: readonly string[];
}

/** Where rows are created: all of them, but for those that are refused where only some may be. */
export interface Created {
  readonly path: string;
  readonly only: readonly number[] | null;
  /** Another row like each, under the identity of a row that isn't there: which of them may be. */
  readonly again?: readonly number[];
}

/** What receivers are told of an event: of which rows, and what of them. */
export interface Sent {
  readonly functions: readonly string[];
  readonly type: string;
  /** The payloads, as JSON. */
  readonly data: readonly string[];
}

export interface Asked {
  readonly functions: readonly string[];
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: readonly string[];
  /** Whose key is sent, by resource and identity, and in which header. */
  readonly as?: readonly [resource: string, id: string, header: string];
  readonly status: number;
  /** What the answer has to be, as JSON; null where the status says it. */
  readonly gives: string | null;
  /** A header that the answer has to have, and its value. */
  readonly header?: readonly [name: string, value: string];
  /** When it is asked, in milliseconds since the epoch; now, where nothing is said. */
  readonly at?: number;
}

export const FIELDS = `| Field | Type | Format | Allowed values | Given by | Presence | Unique |
| --- | --- | --- | --- | --- | --- | --- |
| id | integer | | 1 to 99 | request | | identity |
| text | string | | at most 2000 characters | request | | |
| said | string | | at most 2000 characters | request | | |
| dated | string | | at most 2000 characters | request | | |
| seconds | string | | at most 2000 characters | request | | |
| digits | string | | at most 2000 characters | request | | |
| truth | string | | at most 2000 characters | request | | |
| number | integer | | -9007199254740991 to 9007199254740991 | request | | |
| price | decimal | | -9999999999999.99 to 9999999999999.99 | request | | |
| at | timestamp | | any | request | | |
| day | date | | any | request | | |
| length | duration | | any | request | | |
| flag | boolean | | any | request | | |
| words | list of string | | at most 5 items, each at most 9 characters | request | | |
| numbers | list of integer | | at most 5 items, each -9007199254740991 to 9007199254740991 | request | | |
| labels | map of string | | at most 5 items, keys at most 9 characters, each at most 9 characters | request | | |`;
export const ALL =
  'id, text, said, dated, seconds, digits, truth, number, price, at, day, length, flag, words, numbers, labels';

const LITERALS: Readonly<Record<string, string>> = {
  text: '" Äpfel-Mus "',
  said: '"2026-11-20T09:30:00Z"',
  dated: '"2026-11-20"',
  seconds: '"1h"',
  digits: '"42"',
  truth: '"true"',
  number: '7',
  price: '12.50',
  at: 'timestamp("2026-11-20T09:30:15.250Z")',
  day: 'date("2026-11-20")',
  length: 'duration("1h30m")',
  flag: 'true',
  words: '["b", "a", "b"]',
  numbers: '[3, 1, 2]',
  labels: '{"k": "v"}',
};

export type Probe = readonly [id: string, condition: string];
export const all: readonly Probe[] = Object.entries(PROBES);

/** A condition about a row that is called so. */
export const about = (row: string, [, condition]: Probe): string => condition.replaceAll('$', row);
/** The same of values that are written out. */
export const written = ([, condition]: Probe): string =>
  condition.replaceAll(/\$(\w+)/g, (_all, name: string) => LITERALS[name]!);
export const cell = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

/** Several conditions in one. */
export interface Chunk {
  readonly ids: readonly string[];
  readonly text: string;
}

/** All conditions, as many in one as fit into an expression. */
export function chunks(text: (probe: Probe) => string, most = 3500, probes = all): Chunk[] {
  const out: Array<{ ids: string[]; text: string }> = [];
  for (const probe of probes) {
    const last = out.at(-1);
    const one = `(${text(probe)})`;
    if (last && last.text.length + one.length < most) {
      last.ids.push(probe[0]);
      last.text += ` && ${one}`;
    } else out.push({ ids: [probe[0]], text: one });
  }
  return out;
}

/** What of a document is its place's own. */
export interface Parts {
  readonly resources: string;
  readonly states?: string;
  readonly endpoints: string;
  readonly authentication?: string;
  /** Who may call, where the document says who anybody is. */
  readonly access?: string;
  readonly passwords?: boolean;
  readonly events?: string;
  readonly errors?: string;
  readonly codes?: readonly string[];
  readonly lists?: boolean;
  readonly finds?: boolean;
  /** The values of rates, and what each applies to. */
  readonly rates?: readonly string[];
}

const SETTINGS = `- Payloads: JSON (RFC 8259)
- Request: none
- Unread bodies: ignored
- Unknown parameters: ignored
- HEAD: not served
- Conditional requests: none
- Idempotency: none`;

export function documentOf({
  resources,
  states = '- States: none',
  endpoints,
  authentication = '- Scheme: none\n- Browser origins: none',
  access,
  passwords,
  events = '- Events: none',
  errors = '- Payload: RFC 9457\n- Conditions: Ninefold common 1',
  codes = [],
  lists,
  finds,
  rates,
}: Parts): string {
  const rows = [...(finds ? ['| not_found | 404 | a step says so | Not there |'] : []), ...codes];
  return `# Places

## What the service does

- Purpose: hold every function in one place
- Domain: tests
- Address: given by the operator

## Resources and their fields

- Timestamps: RFC 3339, UTC, milliseconds
- Dates: RFC 3339
- Durations: ISO 8601, milliseconds
- Decimals: strings, more digits refused
- Text: as sent
- Missing values in answers: null
- Null in requests: clears
- Empty text in requests: kept
- Unknown fields: refused${passwords ? '\n- Passwords: scrypt (RFC 7914), N 8192, r 8, p 10' : ''}
- Blank cells: Format none, Presence always, Unique no

${resources}

## States and transitions

${states}

## Endpoints

${SETTINGS}${access ? `\n- Access: ${access}` : ''}

${endpoints}

### \`GET /any\`

1. Answer 200 with most: \`${/### (\w+)/.exec(resources)![1]}.map(t, t.number).max()\`.

## Authentication

${authentication}

## Events

${events}

## Errors

${errors}
${rows.length ? `\n| Code | Status | When | Title |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n` : ''}
## Limits

${rates ? '- Rate headers: none\n\n' : 'Rate limits: none. '}Time-outs: none. Pagination bounds and defaults: none.

| Limit | Value | Applies to |
| --- | --- | --- |
| Request size | 64 KiB | every endpoint |${lists ? '\n| Whole list | 50 at most, more is left out | every list of all |' : ''}${(rates ?? []).map((rate) => `\n| Rate | ${rate} |`).join('')}

## Versioning

- Scheme: none
`;
}

export const thing = (name = 'Thing', bullets = '- Visible: everyone', more = '', shown = 'id'): string =>
  `### ${name}\n\n${FIELDS}${more}\n\n${bullets}\n- Shown: ${shown}`;
export const post = (name = 'Thing', path = '/things'): string =>
  `### \`POST ${path}\`\n\n- Request: ${name} with ${ALL}\n\n1. Create \`made\`: ${name} from \`request\`.\n2. Answer 201 with \`made\`.`;
export const THINGS = [{ path: '/things', only: null }];
export const PATH = `| Parameter | In | Type | Allowed values | Presence | Otherwise |
| --- | --- | --- | --- | --- | --- |
| id | path | Thing.id | any | always | not_found |`;

/** An endpoint for each function. */
export function each(
  name: string,
  parts: Omit<Parts, 'resources' | 'endpoints'>,
  endpoint: (probe: Probe, path: string) => string,
  asked: (id: string, path: string) => readonly Asked[],
): Place {
  const path = (i: number): string => `/p${i}`;
  const endpoints = [post(), ...all.map((probe, i) => endpoint(probe, path(i)))].join('\n\n');
  return {
    name,
    document: documentOf({ ...parts, resources: thing(), endpoints }),
    asked: all.flatMap(([id], i) => asked(id, path(i))),
    created: THINGS,
  };
}

export const get = (id: string, path: string, gives: string | null, status = 200): Asked => ({
  functions: [id],
  method: 'GET',
  path,
  status,
  gives,
});
export const IDS = 'Answer 200 with ids: `things.map(t, t.id)`.';
export const FIND = '1. Find `thing`: Thing where `id == path.id`, else not_found.';
