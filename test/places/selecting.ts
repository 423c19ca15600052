import {
  ALL,
  about,
  all,
  cell,
  chunks,
  documentOf,
  each,
  FIND,
  get,
  IDS,
  PATH,
  type Place,
  post,
  THINGS,
  thing,
  written,
} from './document.ts';
import { WITHOUT_RESULT } from './probes.ts';

const places: readonly Place[] = [
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
    'a condition of a Group',
    { lists: true },
    (probe, path) =>
      `### \`GET ${path}\`\n\n1. Group \`groups\`: Thing where \`${about('', probe)}\` by id \`id\`, earliest \`id\` first, all.\n2. Answer 200 with ids: \`groups.map(g, g.id)\`.`,
    (id, path) => [get(id, path, '{"ids":[1]}')],
  ),
  each(
    'a key of a Group',
    { lists: true },
    (probe, path) =>
      `### \`GET ${path}\`\n\n1. Group \`groups\`: Thing where \`id < 3\` by is \`${about('', probe)}\` with ids \`rows.map(t, t.id).sum()\`, earliest \`is\` first, all.\n2. Answer 200 with \`groups\`.`,
    (id, path) => [get(id, path, '[{"is":false,"ids":2},{"is":true,"ids":1}]')],
  ),
  each(
    'an aggregate of a Group',
    { lists: true },
    (probe, path) =>
      `### \`GET ${path}\`\n\n1. Group \`groups\`: Thing by all \`id > 0\` with ids \`rows.filter(t, ${about('t.', probe)}).map(t, t.id).sum()\`, earliest \`all\` first, all.\n2. Answer 200 with \`groups\`.`,
    (id, path) => [get(id, path, '[{"all":true,"ids":1}]')],
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
      // An answer that has no value is none.
      ...[3, 4].map((row) => get(id, `${path}/${row}`, null, WITHOUT_RESULT[id]?.includes(row) ? 500 : 200)),
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

/** Conditions, orders, answers, rules and values. */
export const SELECTING: readonly Place[] = [
  ...places,
  derived(),
  ruled('Visible', (chunk) => `- Visible: \`${chunk}\``, null, '{"ids":[1]}'),
  ruled('Holds', (chunk) => `- Visible: everyone\n- Holds: \`${chunk}\`, else broken`, [1], '{"ids":[1]}'),
  guards(),
  values('a default', (chunk) => `request, else \`${chunk}\``, true),
  values('on create', (chunk) => `on create \`${chunk}\``, false),
  parameters(),
];
