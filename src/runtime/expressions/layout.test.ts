import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { edited } from '../../../test/harness.ts';
import { compile } from '../../compiler/compile.ts';
import { SqliteStore } from '../../store/sqlite/store.ts';
import { Engine } from '../engine/engine.ts';
import { Handler } from '../request/handle.ts';

const NOTES = readFileSync(join(import.meta.dirname, '../../../docs/documents/notes.md'), 'utf8');

const PLAIN = '- Shown as Plain: id, double\n';
const ALL = '- Derived all: list of Note, `Note.filter(n, n.before == this)`\n';

/** Notes with a number, and its double, which may be beyond what numbers can be; an answer shows `shown` of a note. */
const document = (bullets: string, shown: string): string =>
  edited(
    NOTES,
    ['- Null in requests', '- Missing values in answers: null\n- Null in requests'],
    [
      '| created | timestamp |',
      '| number  | integer   |        | 0 to 9,007,199,254,740,991 | request   |          |          |\n' +
        '| before  | Note      |        | any                 | request            | optional |          |\n' +
        '| created | timestamp |',
    ],
    [
      '- Visible: everyone\n',
      `- Derived double: integer, \`number * 2\`\n${bullets}- Keeps: before\n- Visible: everyone\n`,
    ],
    ['Note with text\n', 'Note with text, number, before\n'],
    ['2. Answer 200 with `note`.', `2. Answer 200 with ${shown}.`],
  );

for (const [name, bullets, shown] of [
  ['a row', PLAIN, '`note` as Plain'],
  ['a row that another one refers to', `${PLAIN}- Shown as After: id, before as Plain\n`, '`note` as After'],
  ['a member that is a row', PLAIN, 'before: `note.before` as Plain, id: `note.id`'],
  ['rows in a row', `${PLAIN}${ALL}- Shown as First: id, all as Plain\n`, '`note` as First'],
  ['members that are rows', `${PLAIN}${ALL}`, 'all: `note.all` as Plain'],
] as const)
  test(`the log tells of a derived field without a result, in ${name}`, async (t) => {
    const { plan, findings } = compile('case.md', document(bullets, shown));
    assert.deepEqual(findings, []);
    const store = new SqliteStore(':memory:', plan!);
    t.after(() => store.close());
    const engine = await Engine.start(plan!, store, 'https://notes.example');
    const missing: string[] = [];
    engine.expressions.missing.onMissing = (field) => missing.push(field);
    const handler = new Handler(engine, { failed: () => {}, recorded: () => {} });
    const ask = async (method: string, path: string, sent: object | null = null): Promise<Record<string, string>> => {
      const body = Buffer.from(sent ? JSON.stringify(sent) : '');
      const rawHeaders = sent ? ['Content-Type', 'application/json', 'Content-Length', `${body.byteLength}`] : [];
      const now = Date.now();
      const asked = { method, path, query: null, rawHeaders, address: '', arrived: now, now, body: () => body };
      return JSON.parse((await handler.handle(asked)).answer.body as string);
    };
    const number = Number.MAX_SAFE_INTEGER;
    const { id } = await ask('POST', '/notes', { text: 'a', number });
    const { id: after } = await ask('POST', '/notes', { text: 'b', number, before: id! });
    assert.deepEqual(missing, []);
    for (const note of [id, after]) assert.equal((await ask('GET', `/notes/${note}`)).status, undefined);
    assert.deepEqual(missing, ['Note.double']);
  });
