import { PROBES } from './places.probes.ts';

/** A document in which every function stands in one place, and what is asked of it. */
export interface Place {
  readonly name: string;
  readonly document: string;
  /** Requests once the rows are there, each with the functions that it is about and what is expected of it. */
  readonly asked: readonly Asked[];
  /** Where rows are created, and which of them may be; all, where it is null. */
  readonly created: readonly { readonly path: string; readonly only: readonly number[] | null }[];
}

export interface Asked {
  readonly functions: readonly string[];
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly status: number;
  /** What the answer has to be, as JSON; null where the status says it. */
  readonly gives: string | null;
}

const FIELDS = `| Field | Type | Format | Allowed values | Given by | Presence | Unique |
| --- | --- | --- | --- | --- | --- | --- |
| id | integer | | 1 to 9 | request | | identity |
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
const ALL =
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

type Probe = readonly [id: string, condition: string];
const all: readonly Probe[] = Object.entries(PROBES);

/** A condition about a row that is called so. */
const about = (row: string, [, condition]: Probe): string => condition.replaceAll('$', row);
/** The same of values that are written out. */
const written = ([, condition]: Probe): string =>
  condition.replaceAll(/\$(\w+)/g, (_all, name: string) => LITERALS[name]!);
const cell = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

/** Several conditions in one, as long as an expression may be. */
function chunks(text: (probe: Probe) => string): Array<{ ids: string[]; text: string }> {
  const out: Array<{ ids: string[]; text: string }> = [];
  for (const probe of all) {
    const last = out.at(-1);
    const one = `(${text(probe)})`;
    if (last && last.text.length + one.length < 3500) {
      last.ids.push(probe[0]);
      last.text += ` && ${one}`;
    } else out.push({ ids: [probe[0]], text: one });
  }
  return out;
}

interface Parts {
  readonly resources: string;
  readonly states?: string;
  readonly endpoints: string;
  readonly codes?: readonly string[];
  readonly lists?: boolean;
  readonly finds?: boolean;
}

const SETTINGS = `- Payloads: JSON (RFC 8259)
- Request: none
- Unread bodies: ignored
- Unknown parameters: ignored
- HEAD: not served
- Conditional requests: none
- Idempotency: none`;

function documentOf({ resources, states = '- States: none', endpoints, codes = [], lists, finds }: Parts): string {
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
- Unknown fields: refused
- Blank cells: Format none, Presence always, Unique no

${resources}

## States and transitions

${states}

## Endpoints

${SETTINGS}

${endpoints}

### \`GET /any\`

1. Answer 200 with most: \`${/### (\w+)/.exec(resources)![1]}.map(t, t.number).max()\`.

## Authentication

- Scheme: none
- Browser origins: none

## Events

- Events: none

## Errors

- Payload: RFC 9457
- Conditions: Ninefold common 1
${rows.length ? `\n| Code | Status | When | Title |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n` : ''}
## Limits

Rate limits: none. Time-outs: none. Pagination bounds and defaults: none.

| Limit | Value | Applies to |
| --- | --- | --- |
| Request size | 64 KiB | every endpoint |${lists ? '\n| Whole list | 50 at most, more is left out | every list of all |' : ''}

## Versioning

- Scheme: none
`;
}

const thing = (name = 'Thing', bullets = '- Visible: everyone', more = '', shown = 'id'): string =>
  `### ${name}\n\n${FIELDS}${more}\n\n${bullets}\n- Shown: ${shown}`;
const post = (name = 'Thing', path = '/things'): string =>
  `### \`POST ${path}\`\n\n- Request: ${name} with ${ALL}\n\n1. Create \`made\`: ${name} from \`request\`.\n2. Answer 201 with \`made\`.`;
const THINGS = [{ path: '/things', only: null }];
const PATH = `| Parameter | In | Type | Allowed values | Presence | Otherwise |
| --- | --- | --- | --- | --- | --- |
| id | path | Thing.id | any | always | not_found |`;

/** An endpoint for each function. */
function each(
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

const get = (id: string, path: string, gives: string | null, status = 200): Asked => ({
  functions: [id],
  method: 'GET',
  path,
  status,
  gives,
});
const IDS = 'Answer 200 with ids: `things.map(t, t.id)`.';
const FIND = '1. Find `thing`: Thing where `id == path.id`, else not_found.';

const selecting: readonly Place[] = [
  each(
    'a condition of a list',
    { lists: true },
    (probe, path) =>
      `### \`GET ${path}\`\n\n1. List \`things\`: Thing where \`${about('', probe)}\`, earliest \`id\` first, all.\n2. ${IDS}`,
    (id, path) => [get(id, path, '{"ids":[1]}')],
  ),
  each(
    'a filter of a parameter',
    { lists: true },
    (probe, path) => `### \`GET ${path}\`

| Parameter | In | Type | Allowed values | Presence | Keeps rows where |
| --- | --- | --- | --- | --- | --- |
| on | query | boolean | any | optional | ${cell(`(${about('', probe)}) == query.on`)} |

1. List \`things\`: Thing, as the parameters say, earliest \`id\` first, all.\n2. ${IDS}`,
    (id, path) => [get(id, `${path}?on=true`, '{"ids":[1]}')],
  ),
  each(
    'an order',
    { lists: true },
    (probe, path) =>
      `### \`GET ${path}\`\n\n1. List \`things\`: Thing where \`id < 3\`, latest \`${about('', probe)}\` first, all.\n2. ${IDS}`,
    (id, path) => [get(id, path, '{"ids":[1,2]}')],
  ),
  each(
    'an aggregate',
    {},
    (probe, path) =>
      `### \`GET ${path}\`\n\n1. Answer 200 with ids: \`Thing.filter(t, ${about('t.', probe)}).map(t, t.id)\`.`,
    (id, path) => [get(id, path, '{"ids":[1]}')],
  ),
  each(
    'an answer',
    { finds: true },
    (probe, path) =>
      `### \`GET ${path}/{id}\`\n\n${PATH}\n\n${FIND}\n2. Answer 200 with is: \`${about('thing.', probe)}\`.`,
    (id, path) => [
      get(id, `${path}/1`, '{"is":true}'),
      get(id, `${path}/2`, '{"is":false}'),
      get(id, `${path}/3`, null),
      get(id, `${path}/4`, null),
    ],
  ),
  each(
    'a Require',
    { finds: true, codes: ['| no | 409 | a step says so | It is not so |'] },
    (probe, path) =>
      `### \`GET ${path}/{id}\`\n\n${PATH}\n\n${FIND}\n2. Require \`${about('thing.', probe)}\`, else no.\n3. Answer 200 with \`thing\`.`,
    (id, path) => [get(id, `${path}/1`, '{"id":1}'), get(id, `${path}/2`, null, 409), get(id, `${path}/3`, null, 409)],
  ),
  each(
    'a Remove every',
    {},
    (probe, path) =>
      `### \`DELETE ${path}\`\n\n1. Remove every Thing where \`id > 4 && (${about('', probe)})\`.\n2. Answer 204.`,
    (id, path) => [{ ...get(id, path, null, 204), method: 'DELETE' }],
  ),
];

/** A derived field for each function, all shown in one list. */
function derived(): Place {
  const fields = all.map((probe, i) => `- Derived d${i}: boolean, \`${about('', probe)}\``).join('\n');
  const shown = all.map((_probe, i) => `d${i}`).join(', ');
  const list =
    '### `GET /things`\n\n1. List `things`: Thing where `id < 3`, earliest `id` first, all.\n2. Answer 200 with `things`.';
  const poisoned = '### `GET /all`\n\n1. List `things`: Thing, earliest `id` first, all.\n2. Answer 200 with `things`.';
  const row = (is: boolean): string => `{${all.map((_probe, i) => `"d${i}":${is}`).join(',')}}`;
  return {
    name: 'a derived field',
    document: documentOf({
      resources: thing('Thing', `- Visible: everyone\n${fields}`, '', shown),
      endpoints: [post(), list, poisoned].join('\n\n'),
      lists: true,
    }),
    asked: [
      {
        functions: all.map(([id]) => id),
        method: 'GET',
        path: '/things',
        status: 200,
        gives: `[${row(true)},${row(false)}]`,
      },
      { functions: all.map(([id]) => id), method: 'GET', path: '/all', status: 200, gives: null },
    ],
    created: THINGS,
  };
}

/** A resource for some functions at a time, with a bullet that all of them stand in. */
function ruled(name: string, bullet: (chunk: string) => string, only: readonly number[] | null, gives: string): Place {
  const parts = chunks((probe) => about('', probe));
  const endpoints = parts.map(
    (_one, i) =>
      `${post(`Thing${i}`, `/things${i}`)}\n\n### \`GET /things${i}\`\n\n1. List \`things\`: Thing${i}, earliest \`id\` first, all.\n2. ${IDS}`,
  );
  const codes = bullet('').includes('broken') ? ['| broken | 409 | a rule says so | It is not so |'] : [];
  return {
    name,
    document: documentOf({
      resources: parts.map(({ text }, i) => thing(`Thing${i}`, bullet(text))).join('\n\n'),
      endpoints: endpoints.join('\n\n'),
      codes,
      lists: true,
    }),
    asked: parts.map(({ ids }, i) => ({ functions: ids, method: 'GET', path: `/things${i}`, status: 200, gives })),
    created: parts.map((_one, i) => ({ path: `/things${i}`, only })),
  };
}

/** A transition for some functions at a time, which the first row makes, and the second may not. */
function guards(): Place {
  const parts = chunks((probe) => about('', probe));
  const states = ['s', ...parts.map((_one, i) => `s${i}`)];
  const rows = parts.map(({ text }, i) => `| go${i} | ${states[i]} | ${states[i + 1]} | ${cell(text)} | no |`);
  const resources = thing(
    'Thing',
    '- Visible: everyone',
    `\n| state | string | | one of ${states.join(', ')} | transitions | | |`,
  );
  const endpoints = parts.map(
    (_one, i) => `### \`POST /p${i}/{id}\`\n\n${PATH}\n\n${FIND}\n2. Move \`thing\` by go${i}.\n3. Answer 204.`,
  );
  return {
    name: 'a guard',
    document: documentOf({
      resources,
      states: `### Thing.state\n\n- Initial: s\n- Final: ${states.at(-1)}\n\n| Transition | From | To | When | Otherwise |\n| --- | --- | --- | --- | --- |\n${rows.join('\n')}`,
      endpoints: [post(), ...endpoints].join('\n\n'),
      codes: ['| no | 409 | a step says so | It is not so |'],
      finds: true,
    }),
    asked: parts.flatMap(({ ids }, i) =>
      [1, 2, 3].map((id) => ({
        functions: ids,
        method: 'POST',
        path: `/p${i}/${id}`,
        status: id === 1 ? 204 : 409,
        gives: null,
      })),
    ),
    created: THINGS,
  };
}

/** A field for some functions at a time, of values that are written out. */
function values(name: string, giving: (chunk: string) => string, asked: boolean): Place {
  const parts = chunks(written);
  const more = parts
    .map(({ text }, i) => `\n| c${i} | boolean | | any | ${giving(text).replaceAll('|', '\\|')} | | |`)
    .join('');
  const names = parts.map((_one, i) => `c${i}`).join(', ');
  const request = asked ? post().replace(ALL, `${ALL}, ${names}`) : post();
  const resources = thing('Thing', '- Visible: everyone', more, `id, ${names}`);
  const list =
    '### `GET /things`\n\n1. List `things`: Thing where `id == 1`, earliest `id` first, all.\n2. Answer 200 with `things`.';
  return {
    name,
    document: documentOf({ resources, endpoints: [request, list].join('\n\n'), lists: true }),
    asked: [
      {
        functions: all.map(([id]) => id),
        method: 'GET',
        path: '/things',
        status: 200,
        gives: `[{"id":1,${parts.map((_one, i) => `"c${i}":true`).join(',')}}]`,
      },
    ],
    created: THINGS,
  };
}

/** A parameter for some functions at a time, whose value stands in when none is sent. */
function parameters(): Place {
  const parts = chunks(written);
  const endpoints = parts.map(
    ({ text }, i) => `### \`GET /p${i}\`

| Parameter | In | Type | Allowed values | Presence |
| --- | --- | --- | --- | --- |
| on | query | boolean | any | else ${cell(text)} |

1. Answer 200 with is: \`query.on\`.`,
  );
  return {
    name: 'a parameter that is not sent',
    document: documentOf({ resources: thing(), endpoints: [post(), ...endpoints].join('\n\n') }),
    asked: parts.map(({ ids }, i) => ({
      functions: ids,
      method: 'GET',
      path: `/p${i}`,
      status: 200,
      gives: '{"is":true}',
    })),
    created: THINGS,
  };
}

/** Every place in which every function is tried. */
export const PLACES: readonly Place[] = [
  ...selecting,
  derived(),
  ruled('Visible', (chunk) => `- Visible: \`${chunk}\``, null, '{"ids":[1]}'),
  ruled('Holds', (chunk) => `- Visible: everyone\n- Holds: \`${chunk}\`, else broken`, [1], '{"ids":[1]}'),
  guards(),
  values('a default', (chunk) => `request, else \`${chunk}\``, true),
  values('on create', (chunk) => `on create \`${chunk}\``, false),
  parameters(),
];
