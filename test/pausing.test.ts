import './whole-alone.ts';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import Database from 'better-sqlite3';
import { Webhook } from 'standardwebhooks';
import { edited, PATIENT, type Service, until, Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { type Got, Receiver } from './receiver.ts';
import { IN_WHOLE } from './share.ts';

// Receivers are paused, moved and given other secrets while a service runs, or two nodes do: what is sent, and by which secret.

const STATED = '8, after 5 seconds, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours, 14 hours';
/** As many attempts as are made while a busy machine runs a few commands. */
const STEADY = edited(PATIENT, [
  `Attempts: ${STATED}`,
  `Attempts: 101, after ${Array(100).fill('2 seconds').join(', ')}`,
]);

let server: PostgresServer | null = null;
after(() => server?.[Symbol.asyncDispose]());

interface Listed {
  readonly id: string;
  readonly url: string;
  readonly paused: string | null;
  readonly oldSecretUntil: string | null;
}

interface Delivery {
  readonly receiver: string;
  readonly state: string;
  readonly attempts: number;
  readonly due: string | null;
}

/** The orders document in a store, served by one process, or by two that share a database. */
class Shop implements AsyncDisposable {
  readonly space = new Workspace(STEADY);
  readonly nodes: Service[] = [];
  key = '';
  private url = '';
  private opened = 0;

  static async in(store: 'SQLite' | 'PostgreSQL'): Promise<Shop> {
    const shop = new Shop();
    if (store === 'PostgreSQL') {
      server ??= await PostgresServer.shared();
      shop.url = await server.database();
      shop.space.place = ['--store', shop.url];
    }
    shop.key = await shop.space.key(await shop.space.customer());
    return shop;
  }

  async serve(): Promise<void> {
    for (let n = this.url ? 2 : 1; n > 0; n--) this.nodes.push(await this.space.serve());
  }

  /** Opens an order at one node after the other; gives its id. */
  async open(): Promise<string> {
    const node = this.nodes[this.opened++ % this.nodes.length]!;
    return node.opened(this.key, `PAU-${String(this.opened).padStart(4, '0')}`);
  }

  async json<T>(...words: [command: string, ...args: string[]]): Promise<T> {
    const { code, out, err } = await this.space.cli(...words, '--json');
    assert.equal(code, 0, err);
    return JSON.parse(out) as T;
  }

  receivers = (): Promise<Listed[]> => this.json('receivers', 'list');

  async deliveriesTo(id: string): Promise<Delivery[]> {
    return (await this.json<Delivery[]>('events', 'list')).filter(({ receiver }) => receiver === id);
  }

  /** Changes the stored tables behind the service's back. */
  async change(sql: string): Promise<void> {
    if (this.url) return void (await server!.query(this.url, sql));
    const db = new Database(join(this.space.data, 'ninefold.sqlite'));
    db.exec(sql);
    db.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.space[Symbol.asyncDispose]();
  }
}

/** Whether a delivery verifies by a secret, as the reference implementation of Standard Webhooks says. */
function verifies({ body, headers }: Got, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, { ...headers });
    return true;
  } catch {
    return false;
  }
}

const signatures = ({ headers }: Got): number => headers['webhook-signature']!.split(' ').length;

for (const store of ['SQLite', 'PostgreSQL'] as const) {
  const when = store === 'SQLite' ? {} : IN_WHOLE;

  test(
    `what happens while a receiver is paused is sent once it is resumed, in order and by its schedule, in ${store}`,
    when,
    async () => {
      await using shop = await Shop.in(store);
      await using paused = await new Receiver().up();
      await using other = await new Receiver().up();
      await shop.space.receiver(paused.url);
      await shop.space.receiver(`${other.url}/other`);
      const id = (await shop.receivers()).find(({ url }) => url === paused.url)!.id;
      await shop.serve();
      paused.answer = () => 500;
      const first = await shop.open();
      await until(() => paused.got.length > 0, 'the attempt that fails');
      await until(async () => (await shop.deliveriesTo(id))[0]!.attempts > 0, 'it is written down');
      assert.equal((await shop.space.cli('receivers', 'pause', id)).code, 0);
      // An attempt that began before ends as it ends.
      const before = (await shop.deliveriesTo(id))[0]!;
      const tried = before.attempts;
      for (const verb of ['place', 'cancel'])
        assert.equal(
          (await shop.nodes.at(-1)!.request('POST', `/orders/${first}/${verb}`, { key: shop.key })).status,
          200,
        );
      const second = await shop.open();
      await until(() => Date.now() > Date.parse(before.due!) + 500, 'the next attempt is due');
      const third = await shop.open();
      await until(() => other.accepted.some(({ data }) => data.id === third), 'others are told');
      assert.ok(paused.got.length <= tried + 1, 'it is sent nothing, but for what was under way');
      const waiting = await shop.deliveriesTo(id);
      assert.deepEqual([...new Set(waiting.map(({ state }) => state))], ['pending']);
      assert.equal(waiting.length, 5);
      assert.ok(waiting.every(({ attempts }, n) => attempts === (n === 0 ? Math.max(tried, paused.got.length) : 0)));
      assert.match((await shop.receivers()).find((one) => one.id === id)!.paused ?? '', /^\d{4}-/);
      paused.answer = () => 204;
      assert.equal((await shop.space.cli('receivers', 'resume', id)).code, 0);
      await until(() => paused.accepted.length === 5, 'all that has waited');
      const told = (row: string): string[] =>
        paused.accepted.filter(({ data }) => data.id === row).map(({ type }) => type);
      assert.deepEqual(told(first), ['order.opened', 'order.placed', 'order.cancelled']);
      assert.deepEqual([told(second), told(third)], [['order.opened'], ['order.opened']]);
      await until(
        async () => (await shop.deliveriesTo(id)).every(({ state }) => state === 'delivered'),
        'all is settled',
      );
      assert.equal(
        (await shop.deliveriesTo(id))[0]!.attempts,
        paused.got.filter(({ id }) => id === paused.got[0]!.id).length,
      );
    },
  );

  test(
    `two secrets are valid for the time that was stated, and then the new one alone, in ${store}`,
    when,
    async () => {
      await using shop = await Shop.in(store);
      await using receiver = await new Receiver().up();
      const old = await shop.space.receiver(receiver.url, '--events', 'order.opened');
      const [{ id }] = (await shop.receivers()) as [Listed];
      await shop.serve();
      const next = async (): Promise<Got> => {
        const order = await shop.open();
        await until(() => receiver.accepted.some(({ data }) => data.id === order), 'the delivery');
        return receiver.accepted.find(({ data }) => data.id === order)!;
      };
      assert.equal(signatures(await next()), 1);
      const rotated = await shop.json<{ secret: string; oldSecretUntil: string }>(
        'receivers',
        'rotate',
        id,
        '--old-secret-for',
        '24h',
      );
      for (let node = 0; node < 2; node++) {
        const got = await next();
        assert.equal(signatures(got), 2);
        assert.ok(verifies(got, old) && verifies(got, rotated.secret), 'either secret verifies it');
      }
      const until24 = Date.parse(rotated.oldSecretUntil) - Date.now();
      assert.ok(until24 > 23 * 3_600_000 && until24 <= 24 * 3_600_000 + 60_000);
      assert.equal((await shop.receivers())[0]!.oldSecretUntil, rotated.oldSecretUntil);
      const again = await shop.space.cli('receivers', 'rotate', id, '--old-secret-for', '1h');
      assert.equal(again.code, 1);
      assert.match(again.err, /Two secrets of rcv_\w+ are valid until \S+Z: .* give 0/);
      // A day later.
      await shop.change(`UPDATE ninefold_receiver SET old_until = ${Date.now() - 1}`);
      for (let node = 0; node < 2; node++) {
        const got = await next();
        assert.equal(signatures(got), 1);
        assert.ok(verifies(got, rotated.secret) && !verifies(got, old), 'the old one is over');
      }
      assert.equal((await shop.receivers())[0]!.oldSecretUntil, null);
      const last = await shop.space.cli('receivers', 'rotate', id, '--old-secret-for', '0');
      const got = await next();
      assert.ok(verifies(got, last.out.trim()) && !verifies(got, rotated.secret));
      const said = JSON.stringify(await shop.receivers()) + (await shop.space.cli('receivers', 'list')).out;
      assert.doesNotMatch(said, /whsec_/);
    },
  );

  test(`what is pending goes to the address that a receiver has by then, in ${store}`, when, async () => {
    await using shop = await Shop.in(store);
    await using before = await new Receiver().up();
    await using now = await new Receiver().up();
    const secret = await shop.space.receiver(before.url, '--events', 'order.opened');
    const [{ id }] = (await shop.receivers()) as [Listed];
    await shop.serve();
    before.answer = () => 503;
    const order = await shop.open();
    await until(() => before.got.length > 0, 'an attempt at the old address');
    const refused = await shop.space.cli('receivers', 'change', id, '--address', now.url);
    assert.deepEqual([refused.code, /private address/.test(refused.err)], [1, true]);
    const changed = await shop.space.cli('receivers', 'change', id, '--address', now.url, '--allow-private');
    assert.match(changed.out, /its pending deliveries go to the new address/);
    await until(() => now.accepted.some(({ data }) => data.id === order), 'it comes to the new address');
    // A machine that is slow to answer is told once more.
    assert.ok(now.verified(secret).length >= 1);
    assert.equal((await shop.receivers())[0]!.url, now.url);
  });
}
