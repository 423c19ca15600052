import { compile } from '../../src/compiler/compile.ts';
import {
  type Asked,
  about,
  all,
  cell,
  chunks,
  documentOf,
  FIND,
  IDS,
  PATH,
  type Place,
  type Probe,
  post,
  THINGS,
  thing,
  written,
} from './document.ts';
import { ROWS } from './probes.ts';

const BROKEN = '| broken | 409 | a rule says so | It is not so |';
const EVERYONE = '- Visible: everyone';
const list = (name: string, path: string): string =>
  `### \`GET ${path}\`\n\n1. List \`things\`: ${name}, earliest \`id\` first, all.\n2. ${IDS}`;

/** A resource for some functions at a time, of whose rows the first may not stand beside another like it. */
function apart(name: string, probes: readonly Probe[], bullet: (chunk: string) => string, size = 3200): Place {
  const parts = chunks((probe) => about('', probe), size, probes);
  return {
    name,
    document: documentOf({
      resources: parts
        .map(({ text }, i) => thing(`Thing${i}`, `${EVERYONE}\n- ${bullet(text)}, else broken`))
        .join('\n\n'),
      endpoints: parts
        .map((_one, i) => `${post(`Thing${i}`, `/things${i}`)}\n\n${list(`Thing${i}`, `/things${i}`)}`)
        .join('\n\n'),
      codes: [BROKEN],
      lists: true,
    }),
    refused: all.filter((one) => !probes.includes(one)).map(([id]) => id),
    created: parts.map((_one, i) => ({ path: `/things${i}`, only: null, again: [2, 3, 4] })),
    asked: parts.map(({ ids }, i) => ({
      functions: ids,
      method: 'GET',
      path: `/things${i}`,
      status: 200,
      gives: '{"ids":[1,2,3,4,6,7,8]}',
    })),
  };
}

const unique = (text: string): string => `Unique: text while \`${text}\``;

/** What `check` lets stand in the condition of an index, which every tool that opens the database computes. */
function indexed(): readonly Probe[] {
  return all.filter((probe) => {
    const resources = thing('Thing', `${EVERYONE}\n- ${unique(about('', probe))}, else broken`);
    return compile('index.md', documentOf({ resources, endpoints: post(), codes: [BROKEN] })).plan !== null;
  });
}

/** A field for some functions at a time, given as its row is changed or moved. */
function changed(name: string, moment: string, step: string, states: string | undefined, more: string): Place {
  const parts = chunks(written);
  const fields = parts
    .map(({ text }, i) => `\n| c${i} | boolean | | any | on create \`false\`; on ${moment} ${cell(text)} | | |`)
    .join('');
  const names = parts.map((_one, i) => `c${i}`).join(', ');
  const asked = (id: number): Asked => ({
    functions: all.map(([one]) => one),
    method: 'POST',
    path: `/things/${id}`,
    status: 200,
    gives: `{"id":${id},${parts.map((_one, i) => `"c${i}":true`).join(',')}}`,
  });
  return {
    name,
    document: documentOf({
      resources: thing('Thing', EVERYONE, `${fields}${more}`, `id, ${names}`),
      ...(states === undefined ? {} : { states }),
      endpoints: `${post()}\n\n### \`POST /things/{id}\`\n\n${PATH}\n\n${FIND}\n2. ${step}\n3. Answer 200 with \`thing\`.`,
      finds: true,
      codes: states === undefined ? [] : ['| no | 409 | a step says so | It is not so |'],
    }),
    created: THINGS,
    asked: ROWS.map(({ id }) => asked(Number(id))),
  };
}

/** A payload of errors whose members are computed: of each error, and of each fault. */
function errors(): Place {
  const parts = chunks(written);
  const member = (what: string, type: string, value: (chunk: string) => string): string[] =>
    parts.map(({ text }, i) => `| ${what}${i} | ${type} | ${value(text.replaceAll('|', '\\|'))} |`);
  const rows = [
    ...member('is', 'boolean', (text) => `\`${text}\``),
    ...member(
      'list',
      'list of string',
      (text) => `each \`${text} ? fault.rule : ""\`, else \`${text} ? error.code : ""\``,
    ),
    ...member(
      'map',
      'map of list of string',
      (text) =>
        `each \`fault.rule\` by \`${text} ? fault.rule : ""\`, else \`error.code\` by \`${text} ? error.code : ""\``,
    ),
    '| faults | list of Fault | `error.each` |',
  ];
  const fault = member('of', 'boolean', (text) => `\`${text}\``);
  const told = (code: string, faults: string): string =>
    `{${parts.map((_one, i) => `"is${i}":true`)},${parts.map((_one, i) => `"list${i}":["${code}"]`)},${parts.map((_one, i) => `"map${i}":{"${code}":["${code}"]}`)},"faults":[${faults}]}`;
  const ask = (method: string, path: string, status: number, gives: string, body?: unknown): Asked => ({
    functions: all.map(([id]) => id),
    method,
    path,
    status,
    gives,
    body,
  });
  return {
    name: 'what is told of an error',
    document: documentOf({
      resources: thing(),
      endpoints: post(),
      errors: `- Payload: Failure\n- Conditions: Ninefold common 1\n\n| Payload Failure | Type | Value |\n| --- | --- | --- |\n${rows.join('\n')}\n\n| Payload Fault | Type | Value |\n| --- | --- | --- |\n${fault.join('\n')}`,
    }),
    created: THINGS,
    asked: [
      ask('GET', '/nothing', 404, told('no_such_endpoint', '')),
      ask('POST', '/things', 422, told('too_small', `{${parts.map((_one, i) => `"of${i}":true`)}}`), {
        ...ROWS[0],
        id: 0,
      }),
    ],
  };
}

/** Rules that rows keep beside one another, what they are given as they change, and what errors tell. */
export const RULING: readonly Place[] = [
  apart('where No overlap begins', all, (text) => `No overlap: \`${text} ? 1 : id * 10\` to \`id * 10 + 5\``),
  apart('where No overlap ends', all, (text) => `No overlap: \`number\` to \`${text} ? 99 : number\``),
  apart('the condition of No overlap', all, (text) => `No overlap: \`id\` to \`99\` while \`${text}\``),
  apart('the condition of a rule that is unique', indexed(), unique),
  changed('on change', 'change', 'Change `thing`.', undefined, ''),
  changed(
    'on a transition',
    'go',
    'Move `thing` by go.',
    '### Thing.state\n\n- Initial: s\n- Final: none\n\n| Transition | From | To | When | Otherwise |\n| --- | --- | --- | --- | --- |\n| go | s, t | t | always | no |',
    '\n| state | string | | one of s, t | transitions | | |',
  ),
  errors(),
];
