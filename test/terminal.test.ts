import './whole-alone.ts';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import { type Ran, runHere } from '../src/cli/harness.test.ts';
import { run } from '../src/cli/main.ts';
import { createLog } from '../src/runtime/log.ts';
import { edited, ORDERS, Workspace } from './harness.ts';

/** What a terminal would obey or hide: escape sequences of both kinds, ends of lines, what turns the direction of text, and what has no width. */
const HOSTILE = 'a\x1b[2J\x1b]0;owned\x07b\u009b31mc\u202ed\u2066e\u061cf\u2028g\u2029h\x7fi\x08j\u200bk';
const ACTING = /[^\P{Cc}\n]|[\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\u200B]/u;

const spaces: Workspace[] = [];
after(async () => {
  for (const space of spaces) await space[Symbol.asyncDispose]();
});
function workspace(document: string): Workspace {
  const space = new Workspace(document);
  spaces.push(space);
  return space;
}

/** A field that takes any text, and a list of them. */
const NOTES = edited(ORDERS, [
  '| name  | string |',
  '| tags  | list of string | | at most 9 items, each at most 200 characters | operator | |\n| name  | string |',
]);

function mustBeQuiet(ran: Ran, lines: number | null): void {
  assert.doesNotMatch(ran.out, ACTING);
  assert.doesNotMatch(ran.err, ACTING);
  if (lines !== null) assert.equal(ran.out.split('\n').length - 1, lines, ran.out);
}

test('rows are listed without anything that a terminal would obey, a line for each', async () => {
  const space = workspace(ORDERS);
  const id = '0195c2a0-0000-7000-8000-000000000001';
  const on = (...args: string[]) => runHere('rows', space.file, ...args, ...space.place);
  const name = `${HOSTILE}\nid=forged  name=x`;
  mustBeQuiet(await on('add', 'Customer', `id=${id}`, `name=${name}`, 'email=a@example.com'), 1);
  mustBeQuiet(await on('list', 'Customer'), 1);
  const json = await on('list', 'Customer', '--json');
  mustBeQuiet(json, null);
  assert.equal(JSON.parse(json.out)[0].name, name, 'JSON says what is stored');
  mustBeQuiet(await on('list', 'Customer', HOSTILE), null);
  mustBeQuiet(await on('change', 'Customer', `${HOSTILE}\n`, 'name=b'), 0);
  mustBeQuiet(await on('remove', 'Customer', HOSTILE), 0);
  mustBeQuiet(await on(HOSTILE, HOSTILE), 0);
  mustBeQuiet(await runHere('keys', space.file, 'revoke', HOSTILE, ...space.place), 0);
  mustBeQuiet(await runHere('events', space.file, 'replay', HOSTILE, ...space.place), 0);
  mustBeQuiet(await runHere('receivers', space.file, 'remove', HOSTILE, ...space.place), 0);
});

test('an item of a list never begins a line, and can be told from the next', async () => {
  const space = workspace(NOTES);
  const checked = await runHere('check', '--no-try', space.file);
  assert.equal(checked.code, 0, checked.out);
  const id = '0195c2a0-0000-7000-8000-000000000001';
  const tags = JSON.stringify(['one', 'two,three', `four\n${HOSTILE}`]);
  const words = [`id=${id}`, 'name=Ada', 'email=a@example.com', `tags=${tags}`];
  const ran = await runHere('rows', space.file, 'add', 'Customer', ...words, ...space.place);
  mustBeQuiet(ran, 1);
  assert.match(ran.out, /tags=one,"two,three","four\\na\\u001b\[2J/);
});

test('what a hostile document says is shown, and acts on nothing', async () => {
  const space = workspace(ORDERS);
  const hostile = edited(ORDERS, ['# Orders\n', `# Orders ${HOSTILE.replace(/[\u2028\u2029]/g, '')}\n`]);
  for (const text of [hostile, `${hostile}\n- ${HOSTILE}: \`${HOSTILE}\`\n`, `# ${HOSTILE}`]) {
    const file = join(space.dir, 'hostile.md');
    writeFileSync(file, text);
    for (const command of [
      ['check'],
      ['check', '--json', '--no-try'],
      ['plan'],
      ['plan', '--json'],
      ['types'],
      ['diff', space.file],
      ['diff', space.file, '--json'],
      ['migrate', '--dry-run', '--json'],
    ]) {
      const [name, ...more] = command as [string, ...string[]];
      mustBeQuiet(await runHere(name, file, ...more), null);
    }
  }
  for (const args of [
    ['check', HOSTILE],
    [HOSTILE],
    ['plan', space.file, HOSTILE],
    ['serve', space.file, '--port', HOSTILE],
    ['check', space.file, `--${HOSTILE}`],
    ['backup', space.file, '--to', HOSTILE, '--data', HOSTILE],
  ])
    mustBeQuiet(await runHere(...args), null);
});

test('colours are ours alone', async () => {
  const space = workspace(`# ${HOSTILE}\n\n- ${HOSTILE}\n`);
  let out = '';
  const take = (text: string): void => {
    out += text;
  };
  await run(['check', space.file], { out: take, err: take, color: true, exit: () => {} });
  assert.match(out, /\x1b\[31m/);
  assert.doesNotMatch(out.replaceAll(/\x1b\[\d+m/g, ''), ACTING);
});

for (const text of [true, false])
  test(`a log line is one line and acts on nothing, as ${text ? 'text' : 'JSON'}`, () => {
    const stream = new PassThrough();
    createLog(stream, { text, level: 'info' })('warn', 'request.failed', {
      message: `${HOSTILE}\nforged`,
      list: [HOSTILE],
    });
    const line = String(stream.read());
    assert.doesNotMatch(line, ACTING);
    assert.equal(line.split('\n').length, 2);
    if (!text) assert.equal(JSON.parse(line).message, `${HOSTILE}\nforged`);
  });
