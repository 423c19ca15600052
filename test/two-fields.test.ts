import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startOwnService } from '../src/cli/testing/own-service.ts';
import { contractOf } from '../src/contract/contract-of.ts';
import { showContract } from '../src/contract/show.ts';
import { explainPlan } from '../src/explain/explain.ts';
import { drawingsOf } from '../src/export/diagram/drawings.ts';
import { diagramsOf } from '../src/export/mermaid.ts';
import { compareShapes } from '../src/store/migration/compare.ts';
import { NO_ANSWERS } from '../src/store/migration/upgrade.ts';
import { shapeOf } from '../src/store/shape.ts';
import { PostgresServer } from './postgres.ts';
import { documentText, planOf } from './subject.ts';

const plan = planOf(documentText('src/compiler/states/cases/documents/parcels.md'));
const HOUR_MS = 3_600_000;

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

const STORES: Readonly<Record<string, () => Promise<string>>> = {
  SQLite: async () => 'sqlite',
  PostgreSQL: () => server.database(),
};

for (const [name, place] of Object.entries(STORES))
  describe(`a parcel with a status and a payment, on ${name}`, () => {
    test('moves in both fields, by requests and at an instant of both', async () => {
      const own = await startOwnService(plan, { store: await place() });
      const { clock } = own.setup;
      assert.ok(clock);
      try {
        const send = async (path: string, body?: object): Promise<unknown> => {
          const answer = await fetch(`${own.url}${path}`, {
            method: 'POST',
            ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
          });
          const { code, status, payment } = (await answer.json()) as Record<string, unknown>;
          return code ?? `${status} ${payment}`;
        };
        const now = await clock.now();
        const soon = new Date(now + HOUR_MS).toISOString();
        const later = new Date(now + 2 * HOUR_MS).toISOString();
        for (const id of [1, 2, 3, 4]) assert.equal(await send('/parcels', { id, until: soon }), 'open due');
        assert.equal(await send('/parcels', { id: 5, until: later, express: true }), 'open due');
        assert.deepEqual(
          [await send('/parcels/2/pay'), await send('/parcels/3/pay'), await send('/parcels/3/send')],
          ['open paid', 'open paid', 'sent paid'],
        );
        assert.deepEqual(
          [await send('/parcels/1/send'), await send('/parcels/3/pay'), await send('/parcels/5/send')],
          ['not_sendable', 'not_due', 'sent due'],
        );
        assert.equal(await send('/parcels/4/stop'), 'stopped due');
        const all = async (): Promise<string[]> => {
          const answer = await fetch(`${own.url}/parcels`);
          const { parcels } = (await answer.json()) as { parcels: ReadonlyArray<Record<string, unknown>> };
          return parcels.map(({ status, payment }) => `${status} ${payment}`);
        };
        await clock.pass(HOUR_MS - 1);
        const before = ['open due', 'open paid', 'sent paid', 'stopped due', 'sent due'];
        assert.deepEqual(await all(), before);
        await clock.pass(1);
        // The second parcel is stopped, and what it paid is refunded.
        const then = ['stopped abandoned', 'stopped refunded', 'sent paid', 'stopped abandoned', 'sent due'];
        assert.deepEqual(await all(), then);
        await clock.pass(HOUR_MS);
        assert.deepEqual(await all(), then.with(4, 'sent abandoned'));
      } finally {
        await own.stop();
      }
    });
  });

test('the plan, the contract and the diagrams have both fields', () => {
  const contract = contractOf(plan);
  const [version] = contract.versions;
  assert.ok(version);
  const shown = showContract(contract, version).split('\n');
  assert.deepEqual(
    shown.filter((line) => line.includes(' starts as ')).map((line) => line.replace(/ {2}\(.*/, '')),
    [
      '  Parcel.status starts as open; final: sent, stopped',
      '  Parcel.payment starts as due; final: refunded, abandoned',
    ],
  );
  const words = explainPlan(plan, null);
  assert.match(words, /send: open → sent in status when .*\n/);
  assert.match(words, /starts as open in status\n {2}pay: due → paid in payment when/);
  assert.deepEqual([...drawingsOf(contract).keys()], ['Parcel.status', 'Parcel.payment', 'resources']);
  const headings = (of: string): string[] => diagramsOf(contract, of).match(/(?<=## ).*/g) ?? [];
  assert.deepEqual(headings('Parcel'), ['Parcel.status', 'Parcel.payment']);
  assert.deepEqual(headings('Parcel.payment'), ['Parcel.payment']);
});

test('a timed transition that goes to the other field counts by the states of that field', () => {
  const text = documentText('src/compiler/states/cases/documents/parcels.md');
  const alike = text.replace(/\bdue\b/g, 'open');
  const exchanged = alike
    .replaceAll('expire', 'later')
    .replaceAll('abandon ', 'expire ')
    .replaceAll('later', 'abandon');
  const changes = (was: string, next: string): string[] =>
    compareShapes(shapeOf(planOf(was)), shapeOf(planOf(next)), NO_ANSWERS).changes.map(({ kind }) => kind);
  assert.deepEqual(changes(alike, alike), []);
  assert.deepEqual(changes(alike, exchanged), ['change timer', 'change timer']);
});
