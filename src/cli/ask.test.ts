import assert from 'node:assert/strict';
import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { example } from '../../test/fixtures.ts';
import { until } from '../../test/harness.ts';
import { compile } from '../compiler/compile.ts';
import { NOTHING_SHOWN, type Ran, runProcess, temporary } from './harness.test.ts';
import { run } from './main.ts';

const GOLDEN = new URL('./ask.test.txt', import.meta.url);

/** An act of a person at the next question: a typed line, or first a change of the file. */
type Step = string | ((shown: string) => string);

/** Leads a conversation in this process: the next step follows each prompt; after the last, the input ends. */
async function talk(file: string, steps: readonly Step[]): Promise<Ran> {
  const input = new PassThrough();
  const left = [...steps];
  let out = '';
  let asked = 0;
  let err = '';
  let code: number | null = null;
  await run(['ask', file], {
    out: (text) => {
      out += text;
      if (!text.endsWith('> ')) return;
      const shown = out.slice(asked);
      asked = out.length;
      const step = left.shift();
      if (step === undefined) input.end();
      else input.write(`${typeof step === 'string' ? step : step(shown)}\n`);
    },
    err: (text) => {
      err += text;
    },
    color: false,
    input: () => ({ stream: input, terminal: null }),
    exit: (given) => {
      code = given;
    },
  });
  return { out, err, code };
}

function fileOf(t: TestContext, text: string, name = 'service.md'): string {
  const file = join(temporary(t), name);
  writeFileSync(file, text);
  return file;
}

/** Somebody else writes the file while a question is shown; then the line is typed. */
const writing = (file: string, content: string | Uint8Array, line: string) => (): string => {
  writeFileSync(file, content);
  return line;
};

const read = (file: string): string => readFileSync(file, 'utf8');

/** Orders without its bullet about text, so that one question is open. */
const ORDERS = example('orders');
const UNANSWERED = ORDERS.replace('- Text: trimmed\n', '');
const TRIMMED = /Text/;

test('a conversation through the empty form reads as the golden transcript', async (t) => {
  const file = fileOf(t, NOTHING_SHOWN);
  const steps = ['?', 'none of your business', '1', '', '7', 's', 'b', '- Nothing: at all', '1'];
  const ran = await talk(file, [...steps, ...Array(40).fill('1'), 'Take orders | and follow `each`', 'q']);
  const transcript = ran.out.replaceAll(file, 'service.md');
  if (process.env.UPDATE) writeFileSync(GOLDEN, transcript);
  assert.equal(transcript, readFileSync(GOLDEN, 'utf8'));
  assert.equal(ran.err, '');
  assert.equal(compile('service.md', read(file)).findings.filter(({ severity }) => severity === 'error').length, 0);
});

test('one answer settles a document, and the exit code says so', async (t) => {
  const file = fileOf(t, UNANSWERED);
  const before = await talk(file, ['q']);
  assert.equal(before.code, 1);
  assert.match(before.out, /1 of about 1\n/);
  assert.match(before.out, /Left open:\n/);
  assert.equal(read(file), UNANSWERED);
  const ran = await talk(file, ['trimmed']);
  assert.match(ran.out, TRIMMED);
  assert.equal(ran.code, 0, ran.out);
  assert.match(ran.out, /No findings\. 31 items/);
  assert.deepEqual(compile('o.md', read(file)).findings, []);
  assert.deepEqual(readdirSync(join(file, '..')), ['service.md'], 'no temporary file is left');
});

test('orders without a bullet, a row, a cell and a step is settled by typing them', async (t) => {
  const removed = [
    ['resources/visible', /- Visible: .*\n/.exec(ORDERS)![0]],
    ['limits/time-outs', /\| Time-out .*\n/.exec(ORDERS)![0]],
    ['limits/blank-cell', '64 KiB'],
    ['endpoints/no-answer', /\d\. Answer 201 .*\n/.exec(ORDERS)![0]],
  ] as const;
  const text = removed.reduce((left, [code, one]) => {
    assert.ok(left.includes(one), one);
    return left.replace(one, code === 'limits/blank-cell' ? ' '.repeat(one.length) : '');
  }, ORDERS);
  const file = fileOf(t, text);
  const answers = new Map<string, string>(removed);
  const said: string[] = [];
  const step = (shown: string): string => {
    const code = shown.match(/(?:question|error) (\w+\/[\w-]+)/)?.[1] ?? '';
    said.push(code);
    return answers.get(code)?.trim() ?? 'q';
  };
  const ran = await talk(file, Array(8).fill(step));
  assert.equal(ran.code, 0, ran.out);
  assert.deepEqual(said.toSorted(), removed.map(([code]) => code).toSorted());
  const plan = (source: string) =>
    JSON.stringify(compile('o.md', source).model.endpoints.list.map(({ name, steps }) => [name, steps.length]));
  assert.equal(plan(read(file)), plan(ORDERS));
});

test('an answer that reveals an error elsewhere is written, and the error is asked next', async (t) => {
  // No endpoint requires the scope, which the open question of the rates could still do.
  const text = ORDERS.replaceAll('Access: orders:write', 'Access: orders:read').replace(/\| Rate {2}.*\n/g, '');
  const file = fileOf(t, text);
  const rate = '| Rate | 600 requests per minute | each caller |';
  const ends = ['q', 'b'];
  const answer = (shown: string): string => {
    if (shown.includes('scope-unused')) return ends.pop() ?? 'q';
    return shown.includes('limits/rate-limits') ? (ends.length === 2 ? rate : 'q') : 's';
  };
  const ran = await talk(file, Array(8).fill(answer));
  assert.match(ran.out, /limits\/rate-limits[\s\S]*Written\. The answer reveals an error of another statement/);
  assert.match(ran.out, /authentication\/scope-unused/);
  assert.equal(read(file), text);
});

test('a document without findings is asked nothing', async (t) => {
  const ran = await talk(fileOf(t, ORDERS), []);
  assert.equal(ran.code, 0);
  assert.match(ran.out, /^No findings\./);
});

test('back takes the last answer out of the file, byte for byte, and shows its question again', async (t) => {
  const file = fileOf(t, NOTHING_SHOWN);
  const texts: string[] = [];
  const noting = (line: string) => () => {
    texts.push(read(file));
    return line;
  };
  await talk(file, [noting('1'), noting('1'), noting('b'), noting('b'), noting('b'), 'q']);
  assert.equal(texts.length, 5);
  assert.equal(texts[3], texts[1]);
  assert.equal(texts[4], texts[0]);
  assert.notEqual(texts[1], texts[0]);
  assert.equal(read(file), NOTHING_SHOWN);
});

test('a file that changed meanwhile is read again, and keeps what was written', async (t) => {
  const file = fileOf(t, NOTHING_SHOWN);
  const theirs = NOTHING_SHOWN.replace('# A service', '# Their service');
  const ran = await talk(file, [writing(file, theirs, '1'), 'q']);
  assert.match(ran.out, /has changed, and was read again/);
  assert.equal(read(file), theirs);
  const answered = await talk(file, ['1', writing(file, theirs, 's'), 'b', 'b', 'q']);
  assert.match(answered.out, /The file has changed since the last answer/);
  assert.equal(read(file), theirs);
});

test('a document that can no longer be read ends the conversation', async (t) => {
  const file = fileOf(t, NOTHING_SHOWN);
  const ran = await talk(file, [writing(file, Buffer.from([0xff, 0xfe]), '1')]);
  assert.equal(ran.code, 2);
  assert.match(ran.err, /is not UTF-8/);
});

for (const [what, of] of [
  ['CRLF', (text: string) => text.replaceAll('\n', '\r\n')],
  ['CR', (text: string) => text.replaceAll('\n', '\r')],
  ['no last line end', (text: string) => text.trimEnd()],
  ['a byte order mark', (text: string) => `\uFEFF${text}`],
  ['a byte order mark and CRLF', (text: string) => `\uFEFF${text.replaceAll('\n', '\r\n')}`],
] as const)
  test(`a file with ${what} keeps it`, async (t) => {
    for (const text of [NOTHING_SHOWN, UNANSWERED]) {
      const [plain, file] = [fileOf(t, text), fileOf(t, of(text))];
      const steps = text === UNANSWERED ? ['trimmed'] : ['1', '### Order', '1', '1', '1', '1', '1', '1', '1', '1'];
      await talk(plain, steps);
      await talk(file, steps);
      assert.equal(read(file), of(read(plain)));
      assert.notEqual(read(file), of(text));
    }
  });

test('a text that is not understood is refused with the finding, and nothing is written', async (t) => {
  const file = fileOf(t, UNANSWERED);
  const texts = [
    'trimed',
    'trimmed\\\n- Nonsense: yes',
    'trimmed\\\n## Limits',
    'trimmed <!--',
    'trimmed\\\n```',
    '```\\\n',
    '<table>',
    '| a | b |',
    '### X',
    '# Another title',
    '1. Answer 204',
    'a\u001b[31mb',
    'a\u202eb',
    'a\u0000b',
    '=',
    '=s',
    '=7',
    '12345',
    '\\\n',
    '---',
    '> quoted',
    'x'.repeat(5000),
    'x'.repeat(1 << 20),
    Array(300).fill('trimmed').join('\\\n'),
  ];
  let shown = '';
  const looking = (text: string) => (): string => {
    assert.equal(read(file), UNANSWERED, shown);
    shown = text.slice(0, 40);
    return text;
  };
  const ran = await talk(file, [...texts.map(looking), looking('q')]);
  assert.equal(read(file), UNANSWERED);
  assert.equal(ran.code, 1);
  assert.doesNotMatch(ran.out, /[^\P{Cc}\n]|\p{Bidi_Control}/u);
  assert.equal(ran.out.match(/too long for an answer/g)?.length, 3);
  assert.match(ran.out, /With this text:\n.*error language\/unknown\n {2}“trimed” is not allowed here/);
});

test('bars of a text of one’s own do not break the table', async (t) => {
  const file = fileOf(t, ORDERS.replace('| No such order ', '|               '));
  const [blank] = compile('o.md', read(file)).findings;
  assert.match(blank?.message ?? '', /Title/);
  const ran = await talk(file, ['No order | at all']);
  assert.equal(ran.code, 0, ran.out);
  assert.match(read(file), /No order \\\| at all/);
});

test('errors come first; those that can mean one thing are mended by their number, and others are skipped', async (t) => {
  const file = fileOf(
    t,
    UNANSWERED.replace('- Initial: draft', '- Inital: draft').replace(
      ', else order_not_found',
      ', else order_nt_found',
    ),
  );
  const ran = await talk(file, ['1', 's', 'q']);
  assert.match(ran.out, /\+ \d+ │ - Initial: draft\nWritten|\+ \d+ │ - Initial: draft/);
  assert.match(read(file), /- Initial: draft/);
  assert.ok(ran.out.indexOf('error') < ran.out.indexOf('question'), ran.out);
  assert.equal(ran.code, 1);
});

/** A terminal on which a person types and pastes: what is shown, and the end of the conversation. */
function terminal(file: string): {
  readonly input: PassThrough;
  readonly shown: () => string;
  readonly done: Promise<void>;
} {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
  const screen = Object.assign(new PassThrough(), { columns: 80, rows: 24, isTTY: true });
  let shown = '';
  screen.on('data', (chunk) => {
    shown += chunk;
  });
  const done = run(['ask', file], {
    out: (text) => {
      shown += text;
    },
    err: () => {},
    color: false,
    input: () => ({ stream: input, terminal: screen as unknown as NodeJS.WriteStream }),
    exit: () => {},
  });
  return { input, shown: () => shown, done };
}

const prompts = (shown: string): number => shown.split('> \u001b[3G').length - 1;

test('in a terminal, lines that are pasted together are one answer, and Ctrl-C stops', async (t) => {
  const file = fileOf(t, NOTHING_SHOWN);
  const { input, shown, done } = terminal(file);
  await until(() => prompts(shown()) === 1, 'prompt 1');
  input.write('1\r1\r1\r');
  await until(() => prompts(shown()) === 2, 'prompt 2');
  assert.equal(read(file), NOTHING_SHOWN, 'no line of a paste answers another question');
  input.write('### Order\r');
  await until(() => prompts(shown()) === 3, 'prompt 3');
  input.write('| Field | Type | Format | Given by | Unique |\r| --- | --- | --- | --- | --- |\r');
  input.write('| id | string | uuid | on create `uuid()` | identity |\r');
  await until(() => prompts(shown()) === 4, 'prompt 4');
  assert.match(read(file), /### Order\n\n\| Field .*\n\| --- .*\n\| id \| string \|/, shown());
  input.write('half a line\u0003');
  await done;
  assert.match(shown(), /Left open:/);
});

test('in a terminal, an endless line is cut, and the conversation goes on', async (t) => {
  const file = fileOf(t, NOTHING_SHOWN);
  const { input, shown, done } = terminal(file);
  await until(() => prompts(shown()) === 1, 'prompt 1');
  input.write(`${'x'.repeat(1 << 20)}\r`);
  await until(() => /too long for an answer/.test(shown()), 'the refusal');
  input.write('\u0004');
  await done;
  assert.equal(read(file), NOTHING_SHOWN);
});

test('a link stays a link, and its file gets the answer', async (t) => {
  const file = fileOf(t, UNANSWERED);
  const link = `${file}.link`;
  symlinkSync(file, link);
  assert.equal((await talk(link, ['trimmed'])).code, 0);
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.notEqual(read(file), UNANSWERED);
});

test('wrong use', async (t) => {
  assert.equal((await talk('-', [])).code, 2);
  const missing = join(temporary(t), 'none.md');
  assert.equal((await talk(missing, [])).code, 2);
  assert.ok(!existsSync(missing));
});

test('as a process, the command reads lines and ends with the input', (t) => {
  const file = fileOf(t, UNANSWERED);
  const ran = runProcess(['ask', file], { input: 's' });
  assert.equal(ran.code, 1, ran.err);
  assert.equal(read(file), UNANSWERED);
  const settled = runProcess(['ask', file], { input: 'trimmed\n1\n1\n1\n' });
  assert.equal(settled.code, 0, settled.err);
  assert.equal(runProcess(['ask', file], { input: '' }).code, 0);
  assert.match(runProcess(['ask', '--help']).out, /Enter alone answers nothing/);
});
