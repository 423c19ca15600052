import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { edited } from '../../test/harness.ts';
import { IN_WHOLE } from '../../test/share.ts';
import { serve } from '../cli/serve.ts';
import { ORDERS, Shown, until } from './harness.test.ts';
import type {
  ActsAnswer,
  CompletionsAnswer,
  EditAnswer,
  EditPreviewAnswer,
  FindingsAnswer,
  FixesAnswer,
  HoverAnswer,
  Problem,
  SavedAnswer,
  ServiceAnswer,
} from './protocol.ts';

const EDIT = { edit: true };

let page: Shown;
before(async () => {
  page = await Shown.open(ORDERS, EDIT);
  await page.customer();
  await page.order('ABC-0001', 2);
});
after(() => page.stop());

type Saved = (SavedAnswer | Problem) & { readonly http: number };

/** Saves a text as the page does, over the file with this entity tag. */
async function save(shown: Shown, text: string, etag: string, more: object = {}): Promise<Saved> {
  return sent(shown, '/edit/save', { text, ...more }, { 'if-match': etag });
}

async function sent(
  shown: Shown,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<Saved> {
  const came = await shown.ask(`/console/api${path}`, {
    method: 'POST',
    headers: { cookie: shown.cookie, 'content-type': 'application/json', 'x-ninefold-console': '1', ...headers },
    body: JSON.stringify(body),
  });
  return { ...JSON.parse(came.text), http: came.status };
}

/** Saves over the file as it is; the save has to be taken. */
async function saved(shown: Shown, text: string, more: object = {}): Promise<SavedAnswer> {
  const { etag } = await shown.get<EditAnswer>('/edit');
  const answer = await save(shown, text, etag, more);
  assert.equal(answer.http, 200, JSON.stringify(answer));
  return answer as SavedAnswer;
}

/** A change that concerns no stored row. */
const OTHER = edited(ORDERS, ['20 by default, 100 at most', '25 by default, 100 at most']);

test('a text that is saved is served, and the act has the name of the operator', async () => {
  const opened = await page.get<EditAnswer>('/edit');
  assert.equal(opened.text, ORDERS);
  assert.deepEqual([opened.isServed, opened.readOnly], [true, null]);
  const answer = await save(page, OTHER, opened.etag);
  assert.equal(answer.http, 200, JSON.stringify(answer));
  assert.deepEqual((answer as SavedAnswer).outcome, { kind: 'served' });
  assert.equal(readFileSync(page.file, 'utf8'), OTHER);
  const now = await page.get<EditAnswer>('/edit');
  assert.deepEqual([now.etag, now.isServed], [(answer as SavedAnswer).etag, true]);
  assert.match((await page.get<{ readonly text: string }>('/document')).text, /25 by default/);
  const { acts } = await page.get<ActsAnswer>('/acts');
  assert.deepEqual([acts[0]?.what, acts[0]?.by, acts[0]?.refused], ['/edit/save', 'operator', false]);
  await saved(page, ORDERS);
});

test(
  'a file that somebody else has changed is not overwritten, and of two saves at once one is refused',
  IN_WHOLE,
  async () => {
    const { etag } = await page.get<EditAnswer>('/edit');
    writeFileSync(page.file, `${ORDERS}\nBy another editor.\n`);
    const refused = await save(page, OTHER, etag);
    assert.deepEqual([refused.http, (refused as Problem).kind], [412, 'changed']);
    assert.equal(readFileSync(page.file, 'utf8'), `${ORDERS}\nBy another editor.\n`);
    const theirs = await page.get<EditAnswer>('/edit');
    assert.deepEqual([theirs.isServed, theirs.text.endsWith('By another editor.\n')], [false, true]);
    const both = await Promise.all([save(page, OTHER, theirs.etag), save(page, ORDERS, theirs.etag)]);
    assert.deepEqual(both.map(({ http }) => http).sort(), [200, 412]);
    await saved(page, ORDERS);
  },
);

test('only the page of an operator can save, and says what it has edited', async () => {
  const headers = { cookie: page.cookie, 'content-type': 'application/json', 'x-ninefold-console': '1' };
  const body = JSON.stringify({ text: 'x' });
  const { etag } = await page.get<EditAnswer>('/edit');
  const status = async (more: Readonly<Record<string, string>>): Promise<number> =>
    (
      await page.ask('/console/api/edit/save', {
        method: 'POST',
        headers: { ...headers, 'if-match': etag, ...more },
        body,
      })
    ).status;
  assert.equal(await status({ cookie: '' }), 401);
  assert.equal(await status({ 'x-ninefold-console': '' }), 403);
  assert.equal(await status({ origin: 'http://127.0.0.1:1' }), 403);
  assert.equal(await status({ 'sec-fetch-site': 'same-site' }), 403);
  assert.equal(await status({ 'content-type': 'text/plain' }), 415);
  assert.equal(await status({ 'if-match': '*' }), 412);
  const without = await page.ask('/console/api/edit/save', { method: 'POST', headers, body });
  assert.equal(without.status, 428);
  assert.equal((await page.ask('/console/api/edit')).status, 401);
  assert.equal(readFileSync(page.file, 'utf8'), ORDERS);
  const long = await save(page, 'x'.repeat(8_000_000), etag);
  assert.equal(long.http, 413);
  assert.equal((await save(page, 'x'.repeat(2_000_001), etag)).http, 409);
  const half = await page.ask('/console/api/edit/save', {
    method: 'POST',
    headers: { ...headers, 'if-match': etag },
    body: '{"text":"\\ud800"}',
  });
  assert.equal(half.status, 400);
  assert.equal(readFileSync(page.file, 'utf8'), ORDERS);
});

test('findings come with fixes that mend them, and statements with their words', async () => {
  const broken = edited(ORDERS, ['- Visible: ', '- Visibel: ']);
  const line = broken.split('\n').findIndex((one) => one.startsWith('- Visibel'));
  const { findings } = await page.post<FindingsAnswer>('/edit/findings', { text: broken });
  const here = findings.filter(({ span }) => span.start.line === line);
  assert.ok(
    here.some(({ severity }) => severity === 'error'),
    JSON.stringify(findings),
  );
  const { fixes } = await page.post<FixesAnswer>('/edit/fixes', { text: broken, line });
  const fix = fixes.find(({ title }) => title.includes('Visible'));
  assert.ok(fix, JSON.stringify(fixes));
  assert.ok(fix.mends.some(({ message }) => here.some((one) => one.message === message)));
  const [edit] = fix.edits;
  assert.ok(edit);
  const lines = broken.split('\n');
  const [old = ''] = lines.slice(edit.span.start.line, edit.span.start.line + 1);
  lines[edit.span.start.line] =
    old.slice(0, edit.span.start.character) + edit.text + old.slice(edit.span.end.character);
  assert.equal(lines.join('\n'), ORDERS);
  const step = '1. Create `order`: Order from `request`.';
  const begun = edited(ORDERS, [step, '1. Cr']);
  const at = { line: begun.split('\n').indexOf('1. Cr'), character: 5 };
  const { completions } = await page.post<CompletionsAnswer>('/edit/completions', { text: begun, ...at });
  assert.ok(
    completions.some(({ label, edit: { span } }) => label === 'Create' && span.start.character === 3),
    JSON.stringify(completions),
  );
  const { text } = await page.post<HoverAnswer>('/edit/hover', { text: ORDERS, line, character: 4 });
  assert.match(text ?? '', /Visible/);
  assert.equal((await page.post('/edit/findings', { text: ORDERS, line: -1 })).http, 200);
  assert.equal((await page.post('/edit/fixes', { text: ORDERS, line: -1 })).http, 400);
  const { acts } = await page.get<ActsAnswer>('/acts');
  assert.ok(
    acts.every(({ what }) => !/findings|fixes|completions|hover/.test(what)),
    'a question is no act',
  );
});

test('a document with findings is saved, and the last good one stays in force', async () => {
  const { outcome } = await saved(page, edited(ORDERS, ['- Visible: ', '- Visibel: ']));
  assert.equal(outcome.kind, 'findings');
  assert.match((await page.get<{ readonly text: string }>('/document')).text, /- Visible: /);
  assert.equal((await page.get<EditAnswer>('/edit')).isServed, false);
  assert.ok((await page.order('ABC-0002')).length > 0, 'the service answers');
  assert.deepEqual((await saved(page, ORDERS)).outcome, { kind: 'served' });
});

test('values are dropped only when the operator has confirmed it', async () => {
  const without = edited(
    ORDERS,
    [/^\| note .*\n/m.exec(ORDERS)?.[0] ?? 'a line of notes', ''],
    ['quantity, note, status', 'quantity, status'],
    [' \\|\\| note != null', ''],
    ['with sku, quantity, note', 'with sku, quantity'],
    ['with quantity, note, each', 'with quantity, each'],
    ['; Order.note absent', ''],
  );
  const { etag, outcome } = await saved(page, without);
  assert.equal(outcome.kind, 'unconfirmed', JSON.stringify(outcome));
  const changes = outcome.kind === 'unconfirmed' ? outcome.changes : [];
  assert.deepEqual(changes, ['Order.note is removed, with its values']);
  const serve = (confirmed: readonly string[], tag = etag): Promise<Saved> =>
    sent(page, '/edit/serve', { confirmed }, { 'if-match': tag });
  assert.deepEqual(((await serve(['Order.sku is removed, with its values'])) as SavedAnswer).outcome, outcome);
  assert.equal((await serve(changes, '"other"')).http, 412);
  const row = await page.get<{ readonly rows: readonly object[] }>('/rows/Order');
  assert.equal(row.http, 200);
  assert.deepEqual(((await serve(changes)) as SavedAnswer).outcome, { kind: 'served' });
  const { acts } = await page.get<ActsAnswer>('/acts');
  assert.equal(acts[0]?.what, '/edit/serve Order.note is removed, with its values');
  assert.doesNotMatch((await page.get<{ readonly text: string }>('/document')).text, /\| note /);
  assert.deepEqual((await saved(page, ORDERS)).outcome, { kind: 'served' });
});

test(
  'a text is previewed without being saved, with options of the migration, which are served with it',
  IN_WHOLE,
  async () => {
    const wider = edited(
      ORDERS,
      [
        '| created  | timestamp |',
        '| extra    | string    |        | at most 40 characters | request | | |\n| created  | timestamp |',
      ],
      ['quantity, note, status, created\n', 'quantity, note, status, created, extra\n'],
      ['- Request: Order with sku, quantity, note\n', '- Request: Order with sku, quantity, note, extra\n'],
    );
    const previewed = async (answers: readonly string[]): Promise<unknown> => {
      await page.post('/edit/preview', { text: wider, answers });
      return until(async () => {
        const { preview } = await page.get<EditPreviewAnswer>('/edit/preview');
        const outcome = preview?.state === 'done' ? preview.outcome : null;
        return outcome && (outcome.kind === 'compiled' ? outcome.rows : JSON.stringify(outcome));
      }, 'the preview is done');
    };
    assert.equal(await previewed([]), 'refused');
    assert.equal(await previewed(['--fill Order.extra=none']), 'possible');
    const one = await page.post<EditPreviewAnswer>('/edit/preview', { text: wider });
    const began = encodeURIComponent(one.preview?.began ?? '');
    assert.deepEqual(
      (await page.get<EditPreviewAnswer>(`/edit/preview?began=${began}`)).preview?.began,
      one.preview?.began,
    );
    await until(async () => Date.now() > Date.parse(one.preview?.began ?? ''), 'the clock has gone on');
    await page.post('/edit/preview', { text: ORDERS });
    const replaced = await page.get<EditPreviewAnswer>(`/edit/preview?began=${began}`);
    assert.equal(replaced.preview, null, 'the preview of another tab is not taken for this one');
    assert.equal(readFileSync(page.file, 'utf8'), ORDERS);
    const { etag, outcome } = await saved(page, wider);
    assert.equal(outcome.kind, 'refused', JSON.stringify(outcome));
    assert.match(outcome.kind === 'refused' ? outcome.reason : '', /without a value/);
    const again = { answers: ['--fill "Order.extra=none"'], confirmed: [] };
    assert.deepEqual(((await sent(page, '/edit/serve', again, { 'if-match': etag })) as SavedAnswer).outcome, {
      kind: 'served',
    });
    const wrong = await sent(page, '/edit/serve', { answers: ['--force'] }, { 'if-match': etag });
    assert.equal(wrong.http, 400);
  },
);

test('a service without --edit has no editor', async () => {
  const plain = await Shown.open();
  try {
    assert.equal((await plain.get<ServiceAnswer>('/service')).edit, false);
    assert.equal((await plain.get('/edit')).http, 404);
    assert.equal((await save(plain, OTHER, '""')).http, 404);
    assert.equal(readFileSync(plain.file, 'utf8'), ORDERS);
  } finally {
    await plain.stop();
  }
});

test('line ends, the byte order mark, modes and links of the file stay as they are', IN_WHOLE, async () => {
  const shown = await Shown.open(`\uFEFF${ORDERS.replaceAll('\n', '\r\n')}`, EDIT);
  try {
    assert.equal((await shown.get<EditAnswer>('/edit')).text, ORDERS);
    chmodSync(shown.file, 0o664);
    await saved(shown, OTHER);
    assert.equal(readFileSync(shown.file, 'utf8'), `\uFEFF${OTHER.replaceAll('\n', '\r\n')}`);
    assert.equal(statSync(shown.file).mode & 0o777, 0o664);

    const [folder, elsewhere] = [join(shown.folder, 'real'), join(shown.folder, 'elsewhere.md')];
    mkdirSync(folder);
    renameSync(shown.file, join(folder, 'orders.md'));
    symlinkSync(join('real', 'orders.md'), shown.file);
    await saved(shown, ORDERS);
    assert.ok(lstatSync(shown.file).isSymbolicLink());
    assert.match(readFileSync(join(folder, 'orders.md'), 'utf8'), /20 by default/);

    // Lines around the changed ones keep their own ends.
    writeFileSync(elsewhere, ORDERS.replace('\n', '\r\n'));
    renameSync(elsewhere, shown.file);
    await saved(shown, OTHER);
    assert.equal(readFileSync(shown.file, 'utf8'), OTHER.replace('\n', '\r\n'));
  } finally {
    await shown.stop();
  }
});

test('the temporary file of a save that was killed is removed by the next start, and no other file', async () => {
  const shown = await Shown.open(ORDERS, EDIT);
  const noted = join(shown.folder, 'data', 'unfinished-write');
  try {
    const part = (id: string): string => `${shown.file}.${id}.part`;
    const [own, other] = [part(randomUUID()), part(randomUUID())];
    const started = async (note: string): Promise<void> => {
      writeFileSync(own, 'half');
      writeFileSync(other, 'somebody else’s');
      writeFileSync(noted, note);
      const options = { host: '127.0.0.1', port: '0', admin: '127.0.0.1:0', log: 'error', edit: true };
      const io = { out: () => {}, err: () => {}, color: false, exit: () => {} };
      await shown.running.stop();
      const running = await serve(shown.file, { ...options, data: join(shown.folder, 'data') }, io);
      await running?.stop();
      assert.equal(existsSync(noted), false);
    };
    await started(own);
    assert.deepEqual([existsSync(own), existsSync(other)], [false, true]);
    await started(shown.file);
    assert.deepEqual([existsSync(own), existsSync(shown.file)], [true, true], 'only a temporary file is removed');
  } finally {
    await shown.stop();
  }
});

test('a save leaves no file but the document, and a note of none', async () => {
  await saved(page, OTHER);
  await saved(page, ORDERS);
  assert.deepEqual(readdirSync(page.folder).sort(), ['data', 'service.md']);
  assert.ok(!readdirSync(join(page.folder, 'data')).includes('unfinished-write'));
});

test('a save while the service stops is answered once, with the reason', async () => {
  const shown = await Shown.open(ORDERS, EDIT);
  const { etag } = await shown.get<EditAnswer>('/edit');
  const answer = save(shown, OTHER, etag);
  await until(async () => readFileSync(shown.file, 'utf8') === OTHER, 'the file is written');
  await shown.running.stop();
  assert.deepEqual(((await answer) as SavedAnswer).outcome, { kind: 'stops' });
  await shown.stop();
});

test('a file that cannot be written, or is no text, is refused with the reason, and stays', async () => {
  const shown = await Shown.open(ORDERS, EDIT);
  try {
    const { etag } = await shown.get<EditAnswer>('/edit');
    chmodSync(shown.file, 0o444);
    assert.match((await shown.get<EditAnswer>('/edit')).readOnly ?? '', /is read-only/);
    const refused = await save(shown, OTHER, etag);
    assert.deepEqual([refused.http, readFileSync(shown.file, 'utf8')], [409, ORDERS]);
    chmodSync(shown.file, 0o644);

    const bytes = Buffer.from([0x23, 0x20, 0xff, 0x0a]);
    writeFileSync(shown.file, bytes);
    const read = await shown.get<EditAnswer & Problem>('/edit');
    assert.deepEqual([read.http, /not UTF-8/.test(read.error)], [409, true]);
    assert.equal((await save(shown, OTHER, etag)).http, 409);
    assert.deepEqual(readFileSync(shown.file), bytes);
  } finally {
    await shown.stop();
  }
});

test('--edit is refused beside what makes no sense, with the reason', async () => {
  const refused: ReadonlyArray<readonly [more: Readonly<Record<string, unknown>>, why: RegExp]> = [
    [{ admin: undefined }, /needs the console/],
    [{ console: 'off' }, /needs the console/],
    [{ admin: '0.0.0.0:0' }, /address of this machine/],
    [{ store: 'postgres://127.0.0.1/none' }, /share a database/],
    [{ listen: 'unix:/tmp/none' }, /behind a proxy/],
  ];
  for (const [more, why] of refused) await assert.rejects(Shown.start(ORDERS, { ...EDIT, ...more }), why);
});
