import './whole-alone.ts';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Service, Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { times } from './share.ts';
import { documentText } from './subject.ts';

const TICKETS = documentText('docs/documents/tickets.md');
const KILLS = times(3, 20);
const CLIENTS = 6;

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

type Row = Readonly<Record<string, unknown>>;

for (const name of ['SQLite', 'PostgreSQL'])
  test(`killed ${KILLS} times under load on ${name}: the entries of each ticket add up to it`, async (t) => {
    await using space = new Workspace(TICKETS, 'tickets.md');
    if (name === 'PostgreSQL') space.place = ['--store', await server.database()];
    await space.cliHere('rows', 'add', 'Member', 'number=1', 'name=Ada');
    const issued = await space.cliHere('keys', 'issue', 'Member', '1', '--scopes', 'tickets,tickets:audit');
    assert.equal(issued.code, 0, issued.err);
    const headers = { Authorization: `Key ${issued.out.trim()}`, 'Content-Type': 'application/json' };
    const send = (service: Service, method: string, path: string, body: Row | null = null): Promise<Response> =>
      fetch(service.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });

    /** The acknowledged changes of a priority, by ticket. */
    const acknowledged = new Map<string, number>();

    /** Creates, changes, moves and removes tickets until the service is gone. */
    async function live(service: Service, client: number): Promise<void> {
      try {
        for (let i = 0; ; i++) {
          const made = await send(service, 'POST', '/tickets', { title: `${client} ${i}`, priority: 5 });
          if (made.status !== 201) continue;
          const { id } = (await made.json()) as { id: string };
          acknowledged.set(id, 1);
          for (const priority of [4, 4, 3]) {
            const changed = await send(service, 'PATCH', `/tickets/${id}`, { priority });
            const { priority: is } = (await changed.json()) as Row;
            if (changed.status === 200) acknowledged.set(id, 6 - Number(is));
          }
          if (i % 3 === 0) await send(service, 'POST', '/escalation');
          if (i % 3 === 1) await send(service, 'POST', `/tickets/${id}/close`);
          if (i % 3 === 2) await send(service, 'DELETE', `/tickets/${id}`);
        }
      } catch {
        // The service has been killed.
      }
    }

    for (let kill = 0; kill < KILLS; kill++) {
      const service = await space.serve();
      const clients = Promise.all(Array.from({ length: CLIENTS }, (_, client) => live(service, client)));
      await sleep(300 + Math.random() * 900);
      await service.kill();
      await clients;
    }
    const list = async (resource: string): Promise<Row[]> =>
      JSON.parse((await space.cliHere('rows', 'list', resource, '--json')).out);
    const tickets = new Map((await list('Ticket')).map((row) => [String(row.id), row]));
    const entries = Map.groupBy(await list('TicketChange'), (row) => String(row.ticket));
    for (const id of [...acknowledged.keys(), ...tickets.keys()]) assert.ok(entries.has(id), `${id} has entries`);
    for (const [id, all] of entries) {
      assert.deepEqual(
        all.map(({ what }) => what),
        all.map((_, i) => (i === 0 ? 'created' : i === all.length - 1 && !tickets.has(id) ? 'removed' : 'changed')),
      );
      for (const field of ['status', 'priority', 'assignee']) {
        const ends = all.map((row) => row[`after.${field}`] ?? null);
        assert.deepEqual(
          all.map((row) => row[`before.${field}`] ?? null).slice(1),
          ends.slice(0, -1),
          `${id} ${field}`,
        );
        assert.equal(ends.at(-1), tickets.get(id)?.[field] ?? null, `${id} ${field}`);
      }
      const told = all.filter(({ what }) => what !== 'removed').length;
      assert.ok(told >= (acknowledged.get(id) ?? 0), `${id}: ${told} entries, ${acknowledged.get(id)} acknowledged`);
    }
    t.diagnostic(
      `${acknowledged.size} acknowledged, ${tickets.size} tickets, ${[...entries.values()].flat().length} entries`,
    );
  });
