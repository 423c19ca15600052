import {
  type Asked,
  about,
  type Chunk,
  chunks,
  documentOf,
  FIND,
  PATH,
  type Parts,
  type Place,
  post,
  THINGS,
  thing,
} from './document.ts';
import { PROBES, ROWS } from './probes.ts';

const KEYS = `- Unaccepted credentials where none are needed: refused
- Browser origins: none

### Key

- Scheme: API key
- Header: \`Authorization: Bearer {key}\`
- Credentials: issued and revoked by steps, each for one Thing, kept as a hash
- Caller: Thing
- Scopes: none`;

const SCOPED = KEYS.replace('- Scopes: none', '\n| Scope | Lets the caller |\n| --- | --- |\n| member | see it |');
const MEMBERS = '### `GET /members`\n\n- Access: member\n\n1. Answer 200 with ok: `true`.';

const CODES = ['| not_known | 422 | a step says so | The password is wrong |'];
const SECRET = 'correct horse battery staple';

/** An endpoint for some functions at a time, about each row, of a document whose rows may call. */
function holding(
  name: string,
  row: string,
  step: (chunk: Chunk) => string,
  own: Pick<Parts, 'codes' | 'passwords'> & {
    readonly more: string;
    readonly bullets: string;
    readonly scoped?: boolean;
  },
  asked: (id: number) => Pick<Asked, 'status' | 'gives' | 'body'>,
): Place {
  const parts = chunks((probe) => about(row, probe), 3200);
  const endpoint = (chunk: Chunk, i: number): string =>
    `### \`POST /p${i}/{id}\`\n\n${PATH}${own.more}\n\n${FIND}\n${step(chunk)}`;
  return {
    name,
    document: documentOf({
      codes: own.codes ?? [],
      ...(own.passwords ? { passwords: true } : { authentication: own.scoped ? SCOPED : KEYS, access: 'anyone' }),
      resources: thing('Thing', '- Visible: everyone', own.bullets),
      endpoints: [post(), ...parts.map(endpoint), ...(own.scoped ? [MEMBERS] : [])].join('\n\n'),
      finds: true,
    }),
    created: THINGS,
    asked: parts.flatMap(({ ids }, i) =>
      // A password takes a while to compute.
      ROWS.slice(0, own.passwords ? 2 : 4).map(({ id }) => ({
        functions: ids,
        method: 'POST',
        path: `/p${i}/${id}`,
        ...asked(Number(id)),
      })),
    ),
  };
}

/** Callers whose credentials are accepted where the functions hold. */
function calling(): Place {
  const parts = chunks((probe) => about('', probe), 3200);
  const asked = ({ ids: functions }: Chunk, i: number): readonly Asked[] =>
    ROWS.slice(0, 4).map(({ id }) => ({
      functions,
      method: 'GET',
      path: `/me${i}`,
      as: [`Thing${i}`, String(id), `X-Key-${i}`] as const,
      status: id === 1 ? 200 : 401,
      gives: id === 1 ? '{"id":1}' : null,
    }));
  return ofCallers('the condition of callers', parts, ({ text }) => ` while \`${text}\``, asked);
}

/** Callers who may send two requests where the functions hold, and one elsewhere. */
function rated(): Place {
  const parts = chunks((probe) => about('caller.', probe), 3200);
  const asked = ({ ids: functions }: Chunk, i: number): readonly Asked[] =>
    ROWS.slice(0, 4).flatMap(({ id }) => {
      const as = [`Thing${i}`, String(id), `X-Key-${i}`] as const;
      const one = { functions, method: 'GET', path: `/me${i}`, as, status: 200, gives: `{"id":${id}}` };
      return [one, id === 1 ? one : { ...one, status: 429, gives: null }];
    });
  const rates = parts.map(({ text }, i) => `\`${text} ? 2 : 1\` requests per day | each caller, at \`GET /me${i}\``);
  return ofCallers('the number of a rate', parts, () => '', asked, rates);
}

/** Resources whose rows call for some functions at a time, each by keys of a header of their own. */
function ofCallers(
  place: string,
  parts: readonly Chunk[],
  condition: (one: Chunk) => string,
  asked: (one: Chunk, i: number) => readonly Asked[],
  rates?: readonly string[],
): Place {
  const name = (i: number): string => `Thing${i}`;
  const scheme = (one: Chunk, i: number): string => `### Key ${i}

- Scheme: API key
- Header: \`X-Key-${i}: {key}\`
- Credentials: issued and revoked by the operator, each for one ${name(i)}, kept as a hash
- Caller: ${name(i)}${condition(one)}
- Scopes: none`;
  const mine = (_one: Chunk, i: number): string =>
    `### \`GET /me${i}\`\n\n- Access: any ${name(i)}\n\n1. Answer 200 with id: \`caller.id\`.`;
  return {
    name: place,
    document: documentOf({
      authentication: [KEYS.slice(0, KEYS.indexOf('### Key')).trimEnd(), ...parts.map(scheme)].join('\n\n'),
      access: 'anyone',
      resources: parts.map((_one, i) => thing(name(i))).join('\n\n'),
      endpoints: parts.map((one, i) => `${post(name(i), `/things${i}`)}\n\n${mine(one, i)}`).join('\n\n'),
      ...(rates && { rates }),
    }),
    created: parts.map((_one, i) => ({ path: `/things${i}`, only: null })),
    asked: parts.flatMap(asked),
  };
}

const MINE = (text: string): string => `\`${text} ? thing : other\``;
const OTHER = '2. Find `other`: Thing where `id == 1`, else not_found.';

/** Who is given a credential, who loses theirs, and who is let in by a password. */
export const HOLDING: readonly Place[] = [
  holding(
    'whom a step issues a credential for',
    'thing.',
    ({ text }) => `${OTHER}\n3. Issue \`key\`: Key for ${MINE(text)}.\n4. Answer 201 with key: \`key\`.`,
    { more: '', bullets: '' },
    () => ({ status: 201, gives: null }),
  ),
  holding(
    'whose credentials a step revokes',
    'thing.',
    ({ text }) =>
      `${OTHER}\n3. Revoke every Key for ${MINE(text)}.\n4. Issue \`key\`: Key for \`thing\`.\n5. Answer 201 with key: \`key\`.`,
    { more: '', bullets: '' },
    () => ({ status: 201, gives: null }),
  ),
  holding(
    'the scopes of a credential that a step issues',
    'thing.',
    ({ text }) =>
      `2. Issue \`key\`: Key for \`thing\` with scopes \`${text} ? ["member"] : []\`.\n3. Answer 201 with key: \`key\`.`,
    { more: '', bullets: '', scoped: true },
    () => ({ status: 201, gives: null }),
  ),
  calling(),
  rated(),
  holding(
    'a condition of an Authenticate',
    '',
    ({ text }) =>
      `2. Change \`thing\` with password \`request.password\`.\n3. Authenticate \`me\`: Thing where \`id == path.id && ${text}\`, password \`request.password\`, else not_known.\n4. Answer 200 with id: \`me.id\`.`,
    {
      more: '\n| password | body | Thing.password | any | always | not_known |',
      bullets: '\n| password | string | password | 12 to 200 characters | steps | optional | |',
      codes: CODES,
      passwords: true,
    },
    (id) => ({ status: id === 1 ? 200 : 422, gives: id === 1 ? '{"id":1}' : null, body: { password: SECRET } }),
  ),
];

/** What a reader of a stream is sent of rows that not everyone may see: computed as the message is sent. */
export const STREAMED: Place = (() => {
  const ids = Object.keys(PROBES);
  const derived = ids.map(
    (id, i) => `- Derived d${i}: boolean, \`Other.exists(o, o.thing == this && ${about('o.', [id, PROBES[id]!])})\``,
  );
  const other = thing(
    'Other',
    '- Visible: `number > -41`\n- Removed with: thing',
    '\n| thing | Thing | | any | request | | |',
  );
  const told = (is: boolean): string => `{"id":${is ? 1 : 2},${ids.map((_id, i) => `"d${i}":${is}`).join(',')}}`;
  return {
    name: 'what a stream sends',
    document: documentOf({
      resources: `${thing('Thing', `- Visible: everyone\n${derived.join('\n')}\n- Shown as Told: id, ${ids.map((_id, i) => `d${i}`).join(', ')}`, '\n| state | string | | one of s, t | transitions | | |')}\n\n${other}`,
      states:
        '### Thing.state\n\n- Initial: s\n- Final: none\n\n| Transition | From | To | When | Otherwise |\n| --- | --- | --- | --- | --- |\n| tell | s, t | t | always | no |',
      codes: ['| no | 409 | a step says so | It is not so |'],
      endpoints: [
        post(),
        post('Other', '/others').replace('labels\n', 'labels, thing\n'),
        `### \`POST /told/{id}\`\n\n${PATH}\n\n${FIND}\n2. Move \`thing\` by tell.\n3. Answer 204.`,
        '### `GET /stream`\n\n1. Answer 200 with the stream.',
      ].join('\n\n'),
      events: `| Event | When | Payload | Notified by |\n| --- | --- | --- | --- |\n| told | a Thing moves by tell | Thing as Told | stream |\n\nWebhooks: none.\n\n### Stream\n\n- Format: server-sent events (WHATWG HTML)\n- Data: the payload\n- Resumption: none\n- Retry: none\n- Heartbeat: none\n- Slow readers: cut off after 30 seconds\n- At once: any number`,
      finds: true,
    }),
    created: THINGS,
    asked: [
      ...ROWS.map((row) => ({
        functions: ids,
        method: 'POST',
        path: '/others',
        body: { ...row, thing: row.id },
        status: 201,
        gives: null,
      })),
      ...ROWS.map(({ id }) => ({ functions: ids, method: 'POST', path: `/told/${id}`, status: 204, gives: null })),
    ],
    streamed: { path: '/stream', first: [told(true), told(false)] },
  };
})();
