import './whole-alone.ts';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { runHere } from '../src/cli/harness.test.ts';
import { compile } from '../src/compiler/compile.ts';
import { compareCallers } from '../src/diff/callers.ts';
import { readCases } from './cases.ts';
import { edited, ORDERS, PATIENT, until, Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { Receiver } from './receiver.ts';
import { IN_WHOLE } from './share.ts';

/** The document with another part Versioning. */
const versioned = (document: string, part: string): string =>
  `${document.slice(0, document.indexOf('## Versioning'))}## Versioning\n\n${part}\n`;

const older = (rows: string): string => `
- Scheme: a date in header \`Orders-Version\`
- Current version: 2026-11-01
- Without a version: current version
- Deprecation policy: a deprecated version answers for 12 months, with headers Deprecation (RFC 9745) and Sunset (RFC 8594)
${rows && `\n| Version | State | Deprecated | Sunset | Differs from the next version in |\n| --- | --- | --- | --- | --- |\n${rows}\n`}`;

const without = (document: string, code: string): string => document.replace(new RegExp(`^\\| ${code} .*\\n`, 'm'), '');
const UNVERSIONED = versioned(without(without(PATIENT, 'version_unknown'), 'version_retired'), '- Scheme: none');
const OTHER_NAMES = versioned(
  without(PATIENT, 'version_retired'),
  older('').replace('a date', 'a name').replace('2026-11-01', 'v1'),
);

/** What differs for callers between two documents in what it says of receivers. */
function differences(old: string, next: string): string[] {
  const [before, after] = [old, next].map((text) => compile('orders.md', text).plan);
  assert.ok(before && after);
  return compareCallers(before, after, { fields: new Map(), resources: new Map() }).flatMap(({ at, text, breaking }) =>
    at === 'receivers' ? [`${breaking ? 'BREAKING ' : ''}${text}`] : [],
  );
}

const mend = (version: string): string =>
  `wait, since it is not described any more, until \`receivers FILE change --waiting --version ${version}\``;

test('a comparison says what becomes of receivers where versions are adopted, dropped, renamed or retired', () => {
  assert.deepEqual(differences(UNVERSIONED, PATIENT), [
    `BREAKING those that were registered for no version ${mend('2026-11-01')}`,
  ]);
  assert.deepEqual(differences(PATIENT, UNVERSIONED), [
    `BREAKING those that were registered for version 2026-11-01 ${mend('none')}`,
    `BREAKING those that were registered for version 2025-06-01 ${mend('none')}`,
    `BREAKING those that were registered for version 2024-12-01 ${mend('none')}`,
  ]);
  const next = edited(
    PATIENT,
    ['Current version: 2026-11-01', 'Current version: 2027-01-01'],
    [
      '| 2025-06-01 | deprecated |',
      '| 2026-11-01 | deprecated | 2027-01-01 | 2028-01-01 | none |\n| 2025-06-01 | deprecated |',
    ],
  );
  assert.deepEqual(differences(PATIENT, next), [
    'those that were registered for version 2026-11-01 are told in its names as before',
  ]);
  const shorter = PATIENT.replace(/^\| 2024-12-01 \|.*\n/m, '');
  assert.deepEqual(
    differences(PATIENT, shorter),
    [`BREAKING those that were registered for version 2024-12-01 ${mend('2026-11-01')}`],
    'though requests in it were refused already',
  );
  assert.deepEqual(differences(PATIENT, edited(PATIENT, ['small shop', 'large shop'])), []);
});

test('so it does of receivers that are rows', () => {
  const hooks = readCases('src/compiler/events/cases/receivers.md')[0]!.document;
  const next = (names: string): string =>
    edited(
      hooks,
      ['Current version: 2026-11-01', 'Current version: 2027-01-01'],
      [
        '| 2025-06-01 | deprecated |',
        `| 2026-11-01 | deprecated | 2027-01-01 | 2028-01-01 | ${names} |\n| 2025-06-01 | deprecated |`,
      ],
    );
  const said = 'those that are rows are told in version 2027-01-01, and were told in version 2026-11-01';
  assert.deepEqual(differences(hooks, next('none')), [said]);
  assert.deepEqual(differences(hooks, next('Order.quantity is `amount`')), [`BREAKING ${said}`]);
});

test(
  'a receiver that was added without versions is told of, waits, and loses nothing, once it is given one',
  IN_WHOLE,
  async () => {
    await using space = new Workspace(UNVERSIONED);
    await using receiver = await new Receiver().up();
    const key = await space.key(await space.customer());
    const secret = await space.receiver(receiver.url);
    space.write(PATIENT);
    const migrated = await space.cli('migrate');
    assert.match(
      migrated.out,
      /the receiver rcv_\w+ \(http\S+\) waits, and its events are stored: registered for no version, and the document describes 2026-11-01, 2025-06-01, 2024-12-01 \(`receivers FILE change rcv_\w+ --version VERSION`\)/,
    );
    const dry = JSON.parse((await space.cli('migrate', '--dry-run', '--json')).out) as {
      receivers: { becomes: string }[];
    };
    assert.deepEqual(
      dry.receivers.map(({ becomes }) => becomes),
      ['waits'],
    );
    const service = await space.serve();
    await service.opened(key, 'REC-0001');
    const [listed] = JSON.parse((await space.cli('receivers', 'list', '--json')).out) as [Record<string, unknown>];
    assert.deepEqual([listed.version, listed.waits], ['', true]);
    for (const words of [[], ['--waiting'], ['--version', '2026-11-01'], ['rcv_none', '--version', '2026-11-01']])
      assert.notEqual((await space.cli('receivers', 'change', ...words)).code, 0, words.join(' '));
    assert.equal(
      (await space.cli('receivers', 'change', '--waiting', '--version', '2024-12-01')).code,
      2,
      'it is over',
    );
    assert.equal((await space.cli('receivers', 'change', '--waiting', '--version', 'none')).code, 2);
    const changed = await space.cli('receivers', 'change', '--waiting', '--version', '2025-06-01');
    assert.deepEqual([changed.code, changed.out], [0, `Changed ${listed.id}.\n`]);
    assert.equal(
      (await space.cli('receivers', 'change', '--waiting', '--version', '2025-06-01')).out,
      'No receiver waits for a version.\n',
    );
    await until(() => receiver.got.length === 1, 'what was kept for it');
    const [got] = receiver.verified(secret) as [{ data: Record<string, unknown> }];
    assert.equal(got.data.product, 'REC-0001', 'in the names of its version, and signed with its own secret');
  },
);

test('events that no webhook tells of any more are said, and a receiver is given others', async () => {
  await using space = new Workspace(PATIENT);
  await space.receiver('http://127.0.0.1:9/', '--events', 'order.opened,order.cancelled');
  space.write(PATIENT.replace(/^\| order\.cancelled \|.*\n/m, ''));
  const migrated = await space.cli('migrate');
  assert.match(
    migrated.out,
    /no longer gets all events that it has chosen: order\.cancelled is no longer sent by webhook/,
  );
  const [{ id }] = JSON.parse((await space.cli('receivers', 'list', '--json')).out) as [{ id: string }];
  assert.equal((await space.cli('receivers', 'change', id, '--events', 'order.cancelled')).code, 2);
  assert.equal((await space.cli('receivers', 'change', id, '--events', 'order.opened,order.placed')).code, 0);
  const [{ events }] = JSON.parse((await space.cli('receivers', 'list', '--json')).out) as [{ events: string[] }];
  assert.deepEqual(events, ['order.opened', 'order.placed']);
  assert.doesNotMatch((await space.cli('migrate')).out, /receiver/);
});

const NO_EVENTS = PATIENT.replace(/(## Events\n\n)[\s\S]*?(?=## Errors)/, '$1- Events: none\n\n');

/** A document whose receivers are rows. */
const HOOKS = readCases('src/compiler/events/cases/receivers.md')[0]!.document;

test('a document that renames an event lists who has chosen it, and one command mends them all', async () => {
  await using space = new Workspace(PATIENT);
  const next = PATIENT.replaceAll('order.cancelled', 'order.ended');
  for (const path of ['a', 'b', 'c', 'd']) await space.receiver(`http://127.0.0.1:9/${path}`);
  await space.receiver('http://127.0.0.1:9/e', '--events', 'order.opened');
  const old = space.file.replace('orders.md', 'old.md');
  writeFileSync(old, PATIENT);
  space.write(next);
  const diff = await runHere('diff', old, space.file);
  const mend = 'receivers FILE change --rename-event order.cancelled=EVENT';
  assert.ok(
    diff.out.includes(
      `For receivers of webhooks:\n  receivers that have chosen order.cancelled are no longer told of it  (\`${mend}\`)\n`,
    ),
    diff.out,
  );
  const migrated = (await space.cli('migrate', '--dry-run')).out;
  assert.match(
    migrated,
    /4 receivers no longer get all events that they have chosen: order\.cancelled is no longer sent/,
  );
  assert.ok(migrated.includes(`(\`${mend}\`): rcv_`), migrated);
  assert.match(migrated, / and 1 more\n/);
  const rename = (...to: string[]) => space.cli('receivers', 'change', '--rename-event', ...to);
  assert.match((await rename('order.cancelled=order.endde')).err, /did you mean “order\.ended”\?/);
  assert.equal((await rename('order.cancelled')).code, 2);
  assert.equal((await rename('order.cancelled=order.ended')).out.match(/Changed/g)?.length, 4);
  assert.equal((await rename('order.cancelled=order.ended')).out, 'No receiver has chosen order.cancelled.\n');
  assert.doesNotMatch((await space.cli('migrate')).out, /receiver/);
});

test('a document that drops its webhooks says so of their receivers, which can be removed', async () => {
  await using space = new Workspace(PATIENT);
  await space.receiver('http://127.0.0.1:9/', '--events', 'order.opened');
  const old = space.file.replace('orders.md', 'old.md');
  writeFileSync(old, PATIENT);
  space.write(NO_EVENTS);
  const diff = JSON.parse((await runHere('diff', old, space.file, '--json')).out) as { receivers: unknown[] };
  assert.deepEqual(diff.receivers, [
    {
      who: 'receivers that the operator has registered',
      becomes: 'are sent nothing more, and their pending deliveries stay stored: the document has no webhooks',
      mend: 'receivers FILE remove ID',
    },
  ]);
  const [, id = ''] =
    /the document has no webhooks \(`receivers FILE remove (rcv_\w+)`\)/.exec((await space.cli('migrate')).out) ?? [];
  assert.equal((await space.cli('receivers', 'remove', id)).code, 0);
  assert.doesNotMatch((await space.cli('migrate')).out, /receiver/);
});

test('receivers of another kind than the document has are listed, and are left by one command each', async () => {
  await using space = new Workspace(PATIENT, 'hooks.md');
  await space.receiver('http://127.0.0.1:9/', '--events', 'order.opened');
  const [old, next] = ['old.md', 'next.md'].map((name) => space.file.replace('hooks.md', name)) as [string, string];
  writeFileSync(old, PATIENT);
  writeFileSync(next, HOOKS);
  assert.match((await runHere('diff', old, next)).out, /are replaced: receivers are the rows of Hook/);
  assert.match((await runHere('diff', next, old)).out, /rows of Hook are replaced: the operator registers receivers/);
  const [{ id }] = JSON.parse((await space.cli('receivers', 'list', '--json')).out) as [{ id: string }];
  space.write(HOOKS);
  const migrated = await space.cli('migrate');
  assert.match(
    migrated.out,
    /the receivers of the document are the rows of Hook \(`receivers FILE remove rcv_/,
    migrated.err,
  );
  const rotated = await space.cli('receivers', 'rotate', id, '--old-secret-for', '0');
  assert.equal(rotated.code, 1);
  assert.match(rotated.err, /the rows of Hook: use `rows`\. `rows FILE change Hook ID secret=…` changes it/);
  assert.equal((await space.cli('receivers', 'pause', id)).code, 1);
  assert.match((await space.cli('receivers', 'list')).out, new RegExp(id), 'those that are left are listed');
  assert.equal((await space.cli('receivers', 'remove', id)).code, 0);
  assert.equal((await space.cli('receivers', 'list')).code, 1);
});

test('what can’t be done to a receiver is refused with what can', async () => {
  await using space = new Workspace(PATIENT);
  await space.receiver('http://127.0.0.1:9/', '--events', 'order.opened');
  const [{ id }] = JSON.parse((await space.cli('receivers', 'list', '--json')).out) as [{ id: string }];
  const refusals: ReadonlyArray<readonly [words: string[], code: number, said: RegExp]> = [
    [['pause'], 2, /takes the ids of receivers: `list` shows them/],
    [['pause', id, 'rcv_x'], 1, /There is no receiver “rcv_x”\. `list` shows/],
    [['resume', 'rcv_x'], 1, /There is no receiver “rcv_x”/],
    [['rotate', id], 2, /--old-secret-for TIME/],
    [['rotate', 'rcv_x', '--old-secret-for', '1h'], 1, /There is no receiver “rcv_x”/],
    [['rotate', id, '--old-secret-for', '-1h'], 2, /a number with a unit/],
    [['rotate', id, '--old-secret-for', '366 days'], 2, /at most 365 days/],
    [['rotate', id, '--old-secret-for', '999999999d'], 2, /at most 365 days/],
    [['change', id], 2, /takes --address URL, --version VERSION, --events EVENTS or --rename-event/],
    [['change', id, '--url', 'https://x.example'], 2, /--url is the public address of the service/],
    [['change', id, '--address', 'ftp://x.example'], 2, /not an http or https URL/],
    [['change', id, '--address', 'https://u:p@x.example'], 2, /no user and no password/],
    [['change', id, '--address', 'http://[::1]/'], 1, /private address/],
    [['change', '--waiting', '--address', 'https://x.example'], 2, /takes the id of one receiver/],
    [['change', id, '--version', '2026-11-01', '--allow-private'], 2, /--allow-private goes with --address/],
    [['change', id, '--version', '2024-12-01'], 2, /There is no version “2024-12-01”/],
    [['pauze', id], 2, /There is no action “pauze”: add, change, pause/],
  ];
  for (const [words, code, said] of refusals) {
    const { err, ...ran } = await space.cli('receivers', ...words);
    assert.match(err, said, words.join(' '));
    assert.equal(ran.code, code, words.join(' '));
  }
  const [after] = JSON.parse((await space.cli('receivers', 'list', '--json')).out) as [Record<string, unknown>];
  assert.deepEqual([after.paused, after.url, after.oldSecretUntil], [null, 'http://127.0.0.1:9/', null]);
});

describe('on PostgreSQL', () => {
  let server: PostgresServer | null = null;
  after(() => server?.[Symbol.asyncDispose]());

  test('versions that are named otherwise leave receivers waiting, until they are given one', async () => {
    server = await PostgresServer.shared();
    await using space = new Workspace(ORDERS);
    space.place = ['--store', await server.database()];
    await space.receiver('http://127.0.0.1:9/');
    space.write(OTHER_NAMES);
    assert.match(
      (await space.cli('migrate', '--dry-run')).out,
      /waits, and its events are stored: registered for version 2026-11-01, and the document describes v1/,
    );
    assert.equal((await space.cli('receivers', 'change', '--waiting', '--version', 'v1')).code, 0);
    assert.doesNotMatch((await space.cli('migrate')).out, /receiver/);
    space.write(UNVERSIONED);
    assert.match((await space.cli('migrate')).out, /registered for version v1, and the document has no versions/);
    assert.equal((await space.cli('receivers', 'change', '--waiting', '--version', 'none')).code, 0);
    assert.doesNotMatch((await space.cli('migrate')).out, /receiver/);
  });
});
