import assert from 'node:assert/strict';
import { after, mock, type TestContext, test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { Random } from '../src/verify/requests/random.ts';
import { converse } from './differential/conversation.ts';
import { makeDocument } from './differential/document/make.ts';
import { inMemory, type OpenStore } from './differential/engine.ts';
import { shrink, tell } from './differential/shrink.ts';
import { edited } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { settable } from './settable.ts';
import { IN_WHOLE, SEED, times } from './share.ts';
import { documentText } from './subject.ts';

/**
 * Random documents, each with random requests, through a naive interpreter of the model and through the compiled plan.
 *
 * The seed of a run and the number of its document make both the document and the requests, so that a difference can
 * be seen again: `NINEFOLD_SEED=… NINEFOLD_CASE=… node --test test/differential.test.ts`.
 */
const CASE = process.env.NINEFOLD_CASE;
const REQUESTS = 50;
/** The most differences that are made small and told. */
const TOLD = 3;

/** A store, and how much is asked of it: over a network, and with a database for each document, all takes longer. */
interface Place {
  readonly name: string;
  readonly documents: number;
  readonly conversations: number;
  readonly open: OpenStore;
}

const server = await PostgresServer.shared();
after(() => server[Symbol.asyncDispose]());
const many = (usual: number): number => Number(process.env.NINEFOLD_DOCUMENTS ?? usual);
const PLACES: readonly Place[] = [
  { name: 'SQLite', documents: many(times(4, 40)), conversations: times(1, 4), open: inMemory },
  {
    name: 'PostgreSQL',
    documents: many(times(1, 6)),
    conversations: times(1, 2),
    open: async (plan) => settable(await PostgresStore.open(await server.database(), plan)),
  },
];

for (const place of PLACES) {
  test(`the interpreter and the plan give the same answers, in ${place.name}`, (t) => onRandomDocuments(t, place));
  const usual = place.name === 'SQLite' ? {} : IN_WHOLE;
  test(`so they do on whole documents, in ${place.name}`, usual, (t) => onWholeDocuments(t, place));
}

async function onRandomDocuments(t: TestContext, { documents, open }: Place): Promise<void> {
  mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 20, 12) });
  t.after(() => mock.timers.reset());
  const answers = new Map<number, number>();
  const wrong: string[] = [];
  let [compared, refused] = [0, 0];
  for (let i = CASE === undefined ? 0 : Number(CASE); compared < documents; i++) {
    const random = Random.of(SEED, i);
    const text = makeDocument(random);
    const document = compile('document.md', text);
    if (document.findings.length === 0) {
      compared++;
      const { turns, difference, statuses } = await converse(document, random, REQUESTS, open);
      for (const [status, count] of statuses) answers.set(status, (answers.get(status) ?? 0) + count);
      if (difference) wrong.push(wrong.length < TOLD ? await told(i, text, turns, difference, open) : replayOf(i));
    } else refused++;
    assert.ok(refused < 30 + compared / 4, `check refuses too many of the documents: ${refused}, beside ${compared}`);
    if (CASE !== undefined) break;
  }
  t.diagnostic(`seed ${SEED}: ${compared} documents compared, ${refused} more that check refuses`);
  t.diagnostic(`answers: ${counted(answers)}`);
  assert.equal(wrong.length, 0, `${wrong.length} documents are answered differently:\n\n${wrong.join('\n\n')}`);
}

/** The examples that hold nothing which the interpreter doesn’t know. */
const EXAMPLES = ['orders', 'todos', 'bookings', 'issues'];

/** Lists and sets of references, without parameters that are references. */
const TAGS = [
  [
    '| tag       | path | Tag | any | always   | no_tag   |',
    '| tag       | path | Tag.id | any | always   | no_tag   |',
  ],
  [
    '2. Require `!(path.tag in task.tags)`, else taken.\n3. Change `task` with tags `task.tags + [path.tag]`.\n4. Answer',
    '2. Find `tag`: Tag where `id == path.tag`, else no_tag.\n3. Require `!(tag in task.tags)`, else taken.\n4. Change `task` with tags `task.tags + [tag]`.\n5. Answer',
  ],
  ['| tag       | query | Tag    |', '| tag       | query | Tag.id |'],
  ['with `task` as Short', 'with `task`'],
  ['- Shown as Short: id, tags as name\n', ''],
  ['`query.tag in tags`', '`tags.exists(t, t.id == query.tag)`'],
].reduce(
  (text, [from, to]) => edited(text, [from!, to!]),
  documentText('src/compiler/resources/cases/documents/tags.md'),
);

/** The whole documents, by name. */
const WHOLE: ReadonlyArray<readonly [name: string, text: string]> = [
  ...EXAMPLES.map((name) => [name, documentText(`examples/${name}.md`)] as const),
  ['tags', TAGS],
];

async function onWholeDocuments(t: TestContext, { conversations, open }: Place): Promise<void> {
  mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 20, 12) });
  t.after(() => mock.timers.reset());
  for (const [name, text] of WHOLE) {
    const document = compile(`${name}.md`, text);
    const answers = new Map<number, number>();
    for (let i = 0; i < conversations; i++) {
      const { turns, difference, statuses } = await converse(document, Random.of(SEED, i), REQUESTS, open);
      for (const [status, count] of statuses) answers.set(status, (answers.get(status) ?? 0) + count);
      if (!difference) continue;
      const least = await shrink(text, turns, difference, open);
      const { interpreter, engine } = least.difference;
      const said = [...least.turns.map(tell), 'The interpreter says:', interpreter, 'The engine says:', engine];
      assert.fail([`${name}, NINEFOLD_SEED=${SEED}, conversation ${i}`, ...said].join('\n'));
    }
    t.diagnostic(`${name}: ${counted(answers)}`);
  }
}

const counted = (answers: ReadonlyMap<number, number>): string =>
  [...answers]
    .sort()
    .map(([status, count]) => `${status} × ${count}`)
    .join(', ');

const replayOf = (index: number): string =>
  `NINEFOLD_SEED=${SEED} NINEFOLD_CASE=${index} node --test test/differential.test.ts`;

/** A difference with the least of a document and a conversation that show it. */
async function told(
  index: number,
  text: string,
  ...[turns, difference, open]: Parameters<typeof shrink> extends [string, ...infer R] ? R : never
): Promise<string> {
  const least = await shrink(text, turns, difference, open);
  return [
    replayOf(index),
    least.text,
    ...least.turns.map(tell),
    `\nThe interpreter says:\n${least.difference.interpreter}`,
    `\nThe engine says:\n${least.difference.engine}`,
  ].join('\n');
}
