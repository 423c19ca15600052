import {
  type Asked,
  about,
  type Chunk,
  cell,
  chunks,
  documentOf,
  IDS,
  type Parts,
  type Place,
  post,
  type Sent,
  thing,
} from './document.ts';
import { PROBES } from './probes.ts';

/** Before the instant of the first row, and after it. */
const BEFORE = Date.parse('2026-11-19T00:00:00Z');
const AFTER = Date.parse('2026-11-21T00:00:00Z');

const PARTS = chunks((probe) => about('', probe), 3200);
const ALL_FUNCTIONS = Object.keys(PROBES);

const WEBHOOK = `### Webhook

- Receivers: registered by the operator, each for chosen events
- Signature: Standard Webhooks
- Time-out: 5 seconds
- Attempts: 1
- Order: none
- Delivery: at least once
- Kept: forever`;
const HEAD = '| Event | When | Payload | Notified by |\n| --- | --- | --- | --- |';

/** A resource for some functions at a time, created before the instant and asked about after it. */
function timed(
  name: string,
  resource: (chunk: Chunk, i: number) => string,
  own: Omit<Parts, 'resources' | 'endpoints'>,
  asked: (ids: readonly string[], i: number) => Pick<Asked, 'gives'>,
  sent: (ids: readonly string[], i: number) => readonly Sent[],
): Place {
  const list = (i: number): string =>
    `### \`GET /things${i}\`\n\n1. List \`things\`: Thing${i}, earliest \`id\` first, all.\n2. ${IDS.replace('things.map', 'things.filter(t, t.flag || t.number == 7).map')}`;
  return {
    name,
    document: documentOf({
      ...own,
      resources: PARTS.map(resource).join('\n\n'),
      endpoints: PARTS.map((_one, i) => `${post(`Thing${i}`, `/things${i}`)}\n\n${list(i)}`).join('\n\n'),
      lists: true,
    }),
    created: PARTS.map((_one, i) => ({ path: `/things${i}`, only: null })),
    at: BEFORE,
    asked: PARTS.map(({ ids }, i) => ({
      functions: ids,
      method: 'GET',
      path: `/things${i}`,
      status: 200,
      at: AFTER,
      ...asked(ids, i),
    })),
    sent: PARTS.flatMap(({ ids }, i) => sent(ids, i)),
  };
}

const EVERYONE = '- Visible: everyone';
const STATE = '\n| state | string | | one of waiting, done | transitions | | |';
const anyone = { gives: null };
const first =
  (type: string) =>
  (functions: readonly string[], i: number): readonly Sent[] => [
    { functions, type: `${type}${i}`, data: ['{"id":1}'] },
  ];

/** What happens by itself. */
const clocks: readonly Place[] = [
  timed(
    'the instant of a transition',
    (_chunk, i) => thing(`Thing${i}`, EVERYONE, STATE),
    {
      states: PARTS.map(
        ({ text }, i) =>
          `### Thing${i}.state\n\n- Initial: waiting\n- Final: done\n\n| Transition | From | To | When | Otherwise |\n| --- | --- | --- | --- | --- |\n| go | waiting | done | at ${cell(`${text} ? at : null`)} | none |`,
      ).join('\n\n'),
      events: `${HEAD}\n${PARTS.map((_one, i) => `| moved${i} | a Thing${i} moves by go | Thing${i} | webhook |`).join('\n')}\n\n${WEBHOOK}`,
    },
    () => anyone,
    first('moved'),
  ),
  timed(
    'the instant of an event',
    (_chunk, i) => thing(`Thing${i}`),
    {
      events: `${HEAD}\n${PARTS.map(({ text }, i) => `| due${i} | a Thing${i} is at ${cell(`${text} ? at : null`)} | Thing${i} | webhook |`).join('\n')}\n\n${WEBHOOK}`,
    },
    () => anyone,
    first('due'),
  ),
  timed(
    'the condition of an event',
    (_chunk, i) => thing(`Thing${i}`),
    {
      events: `${HEAD}\n${PARTS.map(({ text }, i) => `| due${i} | a Thing${i} is at \`at\` while ${cell(text)} | Thing${i} | webhook |`).join('\n')}\n\n${WEBHOOK}`,
    },
    () => anyone,
    first('due'),
  ),
  timed(
    'the payload of an event',
    ({ ids }, i) =>
      thing(
        `Thing${i}`,
        `${EVERYONE}\n${ids.map((id, j) => `- Derived d${j}: boolean, \`${about('', [id, PROBES[id]!])}\``).join('\n')}\n- Shown as Told: id, ${ids.map((_id, j) => `d${j}`).join(', ')}`,
      ),
    {
      events: `${HEAD}\n${PARTS.map((_one, i) => `| due${i} | a Thing${i} is at \`at\` while \`id < 3 && id > 0\` | Thing${i} as Told | webhook |`).join('\n')}\n\n${WEBHOOK}`,
    },
    () => anyone,
    (functions, i) => [
      { functions, type: `due${i}`, data: [`{"id":1,${functions.map((_id, j) => `"d${j}":true`).join(',')}}`] },
    ],
  ),
];

const HOOK = `### Hook

| Field | Type | Format | Allowed values | Given by | Presence | Unique |
| --- | --- | --- | --- | --- | --- | --- |
| id | integer | | 1 to 99 | request | | identity |
| url | string | uri | at most 200 characters | on create \`"https://hooks.example.com/"\` | | |
| secret | string | webhook secret | any | on create \`secret()\` | | |`;

/** What receivers that are rows hear of: those about whose row, or about whom, a condition holds. */
function heard(name: string, about_: string): Place {
  const parts = chunks((probe) => about(about_, probe), 3200);
  const own = about_ === '';
  const events = parts.map((_one, i) => `| made${i} | a Thing${i} is created | Thing${i} | webhook |`).join('\n');
  const hears = parts.map(({ text }, i) => `- Hears of Thing${i}: \`${text}\``).join('\n');
  const things = parts.map((_one, i) => thing(`Thing${i}`));
  const hook = own
    ? thing(
        'Hook',
        EVERYONE,
        '\n| url | string | uri | at most 200 characters | on create `"https://hooks.example.com/"` | | |\n| secret | string | webhook secret | any | on create `secret()` | | |',
        'id, secret',
      )
    : `${HOOK}\n\n- Visible: everyone\n- Shown: secret`;
  const makes = own
    ? post('Hook', '/hooks')
    : '### `POST /hooks`\n\n- Request: Hook with id\n\n1. Create Hook from `request`.\n2. Answer 204.';
  return {
    name,
    document: documentOf({
      resources: [...things, hook].join('\n\n'),
      endpoints: [...parts.map((_one, i) => post(`Thing${i}`, `/things${i}`)), makes].join('\n\n'),
      events: `${HEAD}\n${events}\n\n${WEBHOOK.replace('registered by the operator, each for chosen events', 'the rows of Hook, at url, for every event, signed with secret')}\n${hears}`,
    }),
    created: own
      ? [{ path: '/hooks', only: null }, ...parts.map((_one, i) => ({ path: `/things${i}`, only: null }))]
      : parts.map((_one, i) => ({ path: `/things${i}`, only: null })),
    before: own
      ? []
      : [{ functions: ALL_FUNCTIONS, method: 'POST', path: '/hooks', body: { id: 1 }, status: 204, gives: null }],
    asked: [],
    sent: parts.map(({ ids }, i) => ({
      functions: ids,
      type: `made${i}`,
      data: own ? ['{"id":1}', '{"id":2}', '{"id":3}', '{"id":4}'] : ['{"id":1}'],
    })),
  };
}

/** What happens, and who is told. */
export const HAPPENING: readonly Place[] = [
  ...clocks,
  heard('what a receiver hears of, by the row of the event', 'about.'),
  heard('what a receiver hears of, by its own fields', ''),
];
