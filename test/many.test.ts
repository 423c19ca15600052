import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { inProportion } from './growth.ts';
import { documentOf, FIND, PATH, type Parts, post, thing } from './places/document.ts';
import { times } from './share.ts';

/** So many of something, each on a line of its own, or what stands between them. */
const many = (count: number, one: (i: number) => string, between = '\n'): string =>
  Array.from({ length: count }, (_, i) => one(i)).join(between);

const FLAG = '\n| flagged | boolean | | any | steps | optional | |';
const EVERYONE = '- Visible: everyone';
const SHOWN = 'id, price, at, day, length, flagged';
const NO = '| no | 409 | a step says so | It is not so |';
const FLAGS = 'with flagged `true`';
/** The request that creates a row, with further steps. */
const steps = (more: string): string => post().replace('2. Answer', `2. Change \`made\` ${FLAGS}.\n${more}\n3. Answer`);
const ANOTHER = '| Transition | From | To | When | Otherwise |\n| --- | --- | --- | --- | --- |\n';

/** A document with very many of one thing, what is found of it, and how many there are of it. */
const KINDS: ReadonlyArray<
  readonly [name: string, length: number, of: (count: number) => Partial<Parts>, code: string]
> = [
  [
    'errors that nobody can receive',
    20_000,
    (count) => ({
      codes: Array.from({ length: count }, (_, i) => `| code_${i} | 409 | a step says so | Title ${i} |`),
    }),
    'errors/unreachable',
  ],
  [
    'errors that steps raise',
    4000,
    (count) => ({
      codes: Array.from({ length: count }, (_, i) => `| code_${i} | 409 | a step says so | Title ${i} |`),
      endpoints: steps(many(count, (i) => `2. Require \`made.number > ${i}\`, else code_${i}.`)),
    }),
    '',
  ],
  [
    'endpoints',
    3000,
    (count) => ({
      finds: true,
      endpoints: `${steps('')}\n\n${many(count, (i) => `### \`GET /e${i}/{id}\`\n\n${PATH}\n\n${FIND}\n2. Answer 200 with \`thing\`.`, '\n\n')}`,
    }),
    '',
  ],
  [
    'endpoints that write rows of one resource',
    3000,
    (count) => ({
      finds: true,
      endpoints: `${steps('')}\n\n${many(count, (i) => `### \`POST /e${i}/{id}\`\n\n${PATH}\n\n${FIND}\n2. Change \`thing\` ${FLAGS}.\n3. Answer 200 with \`thing\`.`, '\n\n')}`,
    }),
    '',
  ],
  [
    'fields that say nothing',
    20_000,
    (count) => ({
      resources: thing(
        'Thing',
        EVERYONE,
        `${FLAG}\n${many(count, (i) => `| f${i} | integer | | 1 to 9 | | | |`)}`,
        SHOWN,
      ),
    }),
    'resources/blank-cell',
  ],
  [
    'scopes and codes that wait for an open question',
    8000,
    (count) => ({
      codes: Array.from({ length: count }, (_, i) => `| code_${i} | 409 | a step says so | Title ${i} |`),
      endpoints: steps('2. Require `made.number > 1`.'),
    }),
    'endpoints/require-code',
  ],
  ['steps', 15_000, (count) => ({ endpoints: steps(many(count, () => `2. Change \`made\` ${FLAGS}.`)) }), ''],
  [
    'rows that steps find',
    6000,
    (count) => ({
      finds: true,
      endpoints: steps(
        many(
          count,
          (i) => `2. Find \`t${i}\`: Thing where \`id == ${i % 99}\`, else not_found.\n2. Change \`t${i}\` ${FLAGS}.`,
        ),
      ),
    }),
    '',
  ],
  [
    'states, transitions and moves',
    8000,
    (count) => ({
      resources: thing(
        'Thing',
        EVERYONE,
        `${FLAG}\n| state | string | | one of ${many(count, (i) => `s${i}`, ', ')} | transitions | | |`,
        SHOWN,
      ),
      codes: [NO],
      states: `### Thing.state\n\n- Initial: s0\n- Final: none\n\n${ANOTHER}${many(count, (i) => `| t${i} | s${i} | s${(i + 1) % count} | always | no |`)}`,
      endpoints: steps(many(count, (i) => `2. Move \`made\` by t${i}.`)),
    }),
    '',
  ],
  [
    'values of a field',
    200_000,
    (count) => ({
      resources: thing(
        'Thing',
        EVERYONE,
        `${FLAG}\n| state | string | | one of ${many(count, (i) => `s${i}`, ', ')} | steps | optional | |`,
        SHOWN,
      ),
      endpoints: steps('2. Change `made` with state `"s0"`.'),
    }),
    '',
  ],
  [
    'fields',
    20_000,
    (count) => ({
      resources: thing(
        'Thing',
        EVERYONE,
        `${FLAG}\n${many(count, (i) => `| f${i} | integer | | 1 to 9 | request | | |`)}`,
        SHOWN,
      ),
      endpoints: steps('').replace('with id', `with ${many(count, (i) => `f${i}`, ', ')}, id`),
    }),
    'store/columns',
  ],
  [
    'derived fields',
    8000,
    (count) => ({
      resources: thing(
        'Thing',
        `${EVERYONE}\n${many(count, (i) => `- Derived d${i}: boolean, \`number > ${i}\``)}`,
        FLAG,
        `${SHOWN}, ${many(count, (i) => `d${i}`, ', ')}`,
      ),
    }),
    'store/members',
  ],
];

for (const [name, most, of, code] of KINDS) {
  // A call takes only so many arguments: this many values have to be tried by every run.
  const length = most === 200_000 ? most : times(most / 8, most);
  test(`a document of ${length} ${name} is checked in proportion to them`, () => {
    inProportion((count) => {
      const parts = { resources: thing('Thing', EVERYONE, FLAG, SHOWN), endpoints: steps(''), ...of(count) };
      const { findings } = compile('many.md', documentOf(parts));
      if (count === length) assert.equal(findings[0]?.code ?? '', code);
    }, length);
  });
}
