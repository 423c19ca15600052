import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { example } from '../fixtures.ts';
import { edited, type Service, until, Workspace } from '../harness.ts';
import { listenApart } from '../ports.ts';
import { PostgresServer } from '../postgres.ts';
import { Receiver } from '../receiver.ts';

// A working day of two organisations: people join, tickets are written, answered, searched, exported and solved.

const PASSWORD = 'correct horse battery';

/** The example with the rates of an address raised: everybody here has the same one. */
const DOCUMENT = edited(
  example('helpdesk'),
  ['| 10 requests per minute ', '| 1000 requests per minute '],
  ['| 1200 requests per minute ', '| 100000 requests per minute '],
);

type Body = Record<string, unknown>;
interface Answered {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
  readonly text: string;
}

/** A service that sends mail, and keeps it. */
class Mail {
  readonly sent: Array<{ readonly to: string; readonly text: string }> = [];
  /** How many messages it will refuse before it takes one. */
  refusing = 0;
  port = 0;
  private readonly server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (this.refusing-- > 0) return response.writeHead(503).end();
    this.sent.push(JSON.parse(Buffer.concat(chunks).toString()));
    return response.writeHead(202).end();
  });

  async up(): Promise<this> {
    this.port = await listenApart(this.server);
    return this;
  }

  down(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** The key in the last message to an address, once there is one. */
  async keyTo(address: string): Promise<string> {
    const message = await until(() => this.sent.findLast(({ to }) => to === address), `mail to ${address}`);
    return /#(\S+)$/.exec(message.text)?.[1] ?? '';
  }
}

for (const store of ['SQLite', 'PostgreSQL'] as const)
  describe(`a helpdesk on ${store}`, () => {
    const space = new Workspace(DOCUMENT, 'helpdesk.md');
    const mail = new Mail();
    const receiver = new Receiver();
    let server: PostgresServer | null = null;
    let service: Service;
    /** The sessions of the people, by their names. */
    const keys: Record<string, string> = {};

    async function added(resource: string, ...fields: string[]): Promise<void> {
      const { code, err } = await space.cli('rows', 'add', resource, ...fields);
      assert.equal(code, 0, err);
    }

    async function ask(
      as: string | null,
      method: string,
      path: string,
      body?: unknown,
      headers: Record<string, string> = {},
    ): Promise<Answered> {
      const key = as === null ? {} : { key: keys[as]! };
      const answer = await service.request(method, path, { ...key, body, headers });
      return { ...answer, body: answer.body as Body };
    }

    /** Does the same for what is not JSON in one of the two ways. */
    async function raw(as: string, method: string, path: string, options: { body?: Buffer; headers?: Body } = {}) {
      const headers = { authorization: `Bearer ${keys[as]}`, ...(options.headers as Record<string, string>) };
      const answer = await fetch(service.url + path, { method, headers, body: options.body ?? null });
      return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
    }

    async function signedIn(name: string): Promise<void> {
      const answer = await ask(null, 'POST', '/sessions', { email: `${name}@example.com`, password: PASSWORD });
      assert.equal(answer.status, 201, answer.text);
      keys[name] = String(answer.body.token);
    }

    /** Invites somebody and accepts in their place. */
    async function joined(owner: string, name: string, role: string): Promise<Answered> {
      const email = `${name}@example.com`;
      const invited = await ask(owner, 'POST', '/invitations', { email, role });
      assert.equal(invited.status, 202, invited.text);
      const headers = { authorization: `Invitation ${await mail.keyTo(email)}` };
      const answer = await ask(null, 'POST', '/people', { name, password: PASSWORD }, headers);
      assert.equal(answer.status, 201, answer.text);
      keys[name] = String(answer.body.token);
      return answer;
    }

    async function ticket(as: string, fields: Body = {}): Promise<number> {
      const answer = await ask(as, 'POST', '/tickets', { subject: 'Printer', body: 'It is on fire.', ...fields });
      assert.equal(answer.status, 201, answer.text);
      assert.equal(answer.headers.get('location'), `/tickets/${answer.body.number}`);
      return Number(answer.body.number);
    }

    const numbers = (answer: Answered): unknown[] => (answer.body.items as Body[]).map(({ number }) => number);

    before(async () => {
      if (store === 'PostgreSQL') {
        server = await PostgresServer.shared();
        space.place = ['--store', await server.database()];
      }
      copyFileSync(join(import.meta.dirname, '..', '..', 'examples', 'helpdesk.ts'), join(space.dir, 'helpdesk.ts'));
      await mail.up();
      await receiver.up();
      await added('Plan', 'name=small', 'rate=100000', 'agents=3');
      await added('Plan', 'name=tiny', 'rate=12', 'agents=1');
      for (const [id, name, plan, owner] of [
        ['0195c2a0-0000-7000-8000-00000000000a', 'Apples', 'small', 'ada'],
        ['0195c2a0-0000-7000-8000-00000000000b', 'Berries', 'small', 'bob'],
        ['0195c2a0-0000-7000-8000-00000000000c', 'Cherries', 'tiny', 'cyd'],
      ] as const) {
        await added('Organisation', `id=${id}`, `name=${name}`, `plan=${plan}`);
        const who = [`organisation=${id}`, 'role=owner', `name=${owner}`, `email=${owner}@example.com`];
        await added('Person', ...who, `password=${PASSWORD}`);
      }
      const env = { MAIL_URL: `http://127.0.0.1:${mail.port}/messages` };
      service = await space.serve({ args: ['--allow-private'], env, declared: true });
      for (const owner of ['ada', 'bob', 'cyd']) await signedIn(owner);
    });
    after(async () => {
      await space[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
      mail.down();
      await server?.[Symbol.asyncDispose]();
    });

    test('people are invited by e-mail, join once, and as many agents as the plan has', async () => {
      mail.refusing = 1;
      const ann = await joined('ada', 'ann', 'agent');
      assert.equal((ann.body.person as Body).role, 'agent');
      const used = { authorization: `Invitation ${await mail.keyTo('ann@example.com')}` };
      const again = await ask(null, 'POST', '/people', { name: 'Eve', password: PASSWORD }, used);
      assert.equal(again.status, 401);
      await joined('ada', 'al', 'agent');
      const third = await ask('ada', 'POST', '/invitations', { email: 'ax@example.com', role: 'agent' });
      assert.deepEqual([third.status, third.body.code], [409, 'too_many_agents']);
      const taken = await ask('bob', 'POST', '/invitations', { email: 'ANN@example.com', role: 'agent' });
      assert.deepEqual([taken.status, taken.body.code], [409, 'email_taken']);
      await joined('ada', 'cat', 'customer');
      await joined('ada', 'cal', 'customer');
      await joined('bob', 'ben', 'customer');
      const pending = await ask('ada', 'POST', '/invitations', { email: 'later@example.com', role: 'customer' });
      await mail.keyTo('later@example.com');
      const sent = () => ask('ada', 'GET', '/invitations');
      await until(async () => (await sent()).text.includes('"sent"'), 'the invitation counts as sent');
      assert.equal((await ask('bob', 'DELETE', `/invitations/${pending.body.id}`)).status, 404);
      assert.equal((await ask('ada', 'DELETE', `/invitations/${pending.body.id}`)).status, 204);
      const late = { authorization: `Invitation ${await mail.keyTo('later@example.com')}` };
      assert.equal((await ask(null, 'POST', '/people', { name: 'Late', password: PASSWORD }, late)).status, 401);
      assert.equal((await ask('cat', 'POST', '/invitations', { email: 'x@example.com', role: 'agent' })).status, 403);
    });

    test('two who use one invitation at once make one account', async () => {
      await ask('bob', 'POST', '/invitations', { email: 'bea@example.com', role: 'agent' });
      const headers = { authorization: `Invitation ${await mail.keyTo('bea@example.com')}` };
      const tries = Array.from({ length: 6 }, () =>
        ask(null, 'POST', '/people', { name: 'bea', password: PASSWORD }, headers),
      );
      const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
      assert.equal(statuses.filter((one) => one === 201).length, 1, String(statuses));
      await signedIn('bea');
    });

    test('tickets are answered, wait for their customers, and internal notes stay internal', async () => {
      assert.equal((await ask('ada', 'PUT', '/targets/urgent', { answer: 'PT1H' })).status, 201);
      assert.equal((await ask('ada', 'PUT', '/targets/urgent', { answer: 'PT30M' })).status, 200);
      assert.equal((await ask('ann', 'PUT', '/targets/low', { answer: 'PT30M' })).status, 403);
      const tag = await ask('ann', 'POST', '/tags', { name: 'hardware' });
      assert.equal((await ask('al', 'POST', '/tags', { name: 'hardware' })).body.code, 'tag_taken');
      const number = await ticket('cat', { priority: 'urgent', tags: [tag.body.id] });
      const path = `/tickets/${number}`;
      const read = (await ask('cat', 'GET', path)).body.ticket as Body;
      assert.deepEqual([read.status, read.priority, read.tags], ['new', 'urgent', ['hardware']]);
      assert.equal(Date.parse(String(read.due)) - Date.parse(String(read.created)), 30 * 60_000);
      for (const other of ['cal', 'ben', 'bob']) assert.equal((await ask(other, 'GET', path)).status, 404);
      const me = ((await ask('ann', 'GET', '/me')).body.person as Body).id;
      const assigned = await ask('ann', 'PUT', `${path}/assignee`, { person: me });
      assert.deepEqual([assigned.status, assigned.body.status], [200, 'open']);
      const customer = ((await ask('cat', 'GET', '/me')).body.person as Body).id;
      assert.equal((await ask('ann', 'PUT', `${path}/assignee`, { person: customer })).body.code, 'not_an_agent');
      const stranger = ((await ask('bob', 'GET', '/me')).body.person as Body).id;
      assert.equal((await ask('ann', 'PUT', `${path}/assignee`, { person: stranger })).body.code, 'no_person');
      await ask('ann', 'POST', `${path}/comments`, { text: 'Not again.', internal: true });
      assert.equal((await ask('ann', 'POST', `${path}/comments`, { text: 'Did you try water?' })).status, 201);
      assert.equal((await ask('cat', 'POST', `${path}/comments`, { text: 'x', internal: true })).status, 403);
      const seen = async (as: string) => {
        const { body } = await ask(as, 'GET', path);
        return [(body.ticket as Body).status, (body.comments as Body[]).map(({ text }) => text)];
      };
      assert.deepEqual(await seen('cat'), ['waiting', ['Did you try water?']]);
      assert.deepEqual(await seen('al'), ['waiting', ['Not again.', 'Did you try water?']]);
      await ask('cat', 'POST', `${path}/comments`, { text: 'It helped.' });
      assert.equal((await seen('cat'))[0], 'open');
      assert.equal((await ask('ann', 'POST', `${path}/solve`)).body.status, 'solved');
      await ask('cat', 'POST', `${path}/comments`, { text: 'It burns again.' });
      assert.equal((await seen('cat'))[0], 'open');
      assert.equal((await ask('ann', 'PATCH', path, { priority: 'low' })).body.due, null);
      assert.equal((await ask('cat', 'PATCH', path, { priority: 'high' })).status, 403);
      assert.equal((await ask('cat', 'GET', `${path}/changes`)).status, 403);
      assert.deepEqual((await ask('bob', 'GET', `${path}/changes`)).status, 404);
      const changes = (await ask('al', 'GET', `${path}/changes`)).body.items as Array<Record<string, Body>>;
      assert.deepEqual(
        changes
          .reverse()
          .map(({ action, cause, by, after: then }) => [action, cause, by, then?.status, then?.priority]),
        [
          ['created', 'request', customer, 'new', 'urgent'],
          ['changed', 'request', me, 'new', 'urgent'],
          ['changed', 'request', me, 'open', 'urgent'],
          ['changed', 'request', me, 'waiting', 'urgent'],
          ['changed', 'request', customer, 'open', 'urgent'],
          ['changed', 'request', me, 'solved', 'urgent'],
          ['changed', 'request', customer, 'open', 'urgent'],
          ['changed', 'request', me, 'open', 'low'],
        ],
      );
    });

    test('files come with tickets, and nobody else reads them', async () => {
      const path = `/tickets/${await ticket('cat')}/attachments`;
      const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(300_000, 7)]);
      const headers = { 'content-type': 'image/png' };
      const made = await raw('cat', 'POST', `${path}?name=fire.png`, { body: png, headers });
      assert.equal(made.status, 201, made.bytes.toString());
      const { id, content } = JSON.parse(made.bytes.toString()) as { id: string; content: Body };
      assert.deepEqual([content.type, content.size], ['image/png', png.length]);
      const forged = await raw('cat', 'POST', `${path}?name=x.png`, { body: Buffer.from('<script>'), headers });
      assert.equal(forged.status >= 400 && forged.status < 500, true);
      const whole = await raw('ann', 'GET', `${path}/${id}`);
      assert.equal(whole.bytes.equals(png), true);
      assert.match(whole.headers.get('content-disposition') ?? '', /^attachment; filename="?fire\.png"?/);
      assert.equal(whole.headers.get('x-content-type-options'), 'nosniff');
      const part = await raw('ann', 'GET', `${path}/${id}`, { headers: { range: 'bytes=4-7' } });
      assert.deepEqual([part.status, part.bytes.toString('hex')], [206, '0d0a1a0a']);
      for (const other of ['cal', 'bob']) assert.equal((await raw(other, 'GET', `${path}/${id}`)).status, 404);
      const note = await raw('ann', 'POST', `${path}?name=log.pdf&internal=true`, {
        body: Buffer.from('%PDF-1.7 internal'),
        headers: { 'content-type': 'application/pdf' },
      });
      const internal = (JSON.parse(note.bytes.toString()) as Body).id;
      assert.equal((await raw('cat', 'GET', `${path}/${internal}`)).status, 404);
      assert.equal((await raw('al', 'GET', `${path}/${internal}`)).status, 200);
    });

    test('tickets are found by words, filtered, counted and exported, each organisation its own', async () => {
      const cafe = await ticket('cal', { subject: 'Café closed', body: 'The machine says =1+1', priority: 'high' });
      const other = await ticket('ben', { subject: 'Café open', body: 'Of another organisation' });
      assert.deepEqual(numbers(await ask('ann', 'GET', '/tickets:search?q=cafe+clo')), [cafe]);
      assert.deepEqual(numbers(await ask('cat', 'GET', '/tickets:search?q=cafe')), []);
      assert.deepEqual(numbers(await ask('bob', 'GET', '/tickets:search?q=caf%C3%89')), [other]);
      assert.deepEqual(numbers(await ask('ann', 'GET', '/tickets?priority=high')), [cafe]);
      assert.equal(numbers(await ask('ann', 'GET', '/tickets?tag=hardware')).length, 1);
      const first = await ask('ann', 'GET', '/tickets?limit=2&sort=number&direction=asc');
      const rest = await ask('ann', 'GET', `/tickets?limit=2&sort=number&direction=asc&cursor=${first.body.next}`);
      assert.deepEqual([...numbers(first), ...numbers(rest)], [1, 2, 3]);
      const sheet = await raw('ann', 'GET', '/tickets.csv');
      const lines = sheet.bytes.toString().trimEnd().split('\r\n');
      assert.equal(lines[0], 'number,status,priority,subject,requester,assignee,due,created,solved');
      assert.equal(lines.length, 4);
      assert.equal(
        lines.some((line) => line.startsWith(`${cafe},new,high,Café closed,cal,`)),
        true,
      );
      assert.equal((await ask('cat', 'GET', '/counts')).status, 403);
      const counts = await ask('ann', 'GET', '/counts');
      const high = (counts.body.priorities as Body[]).find(({ priority }) => priority === 'high');
      assert.deepEqual(high, { priority: 'high', count: 1, unassigned: 1, overdue: 0 });
      assert.deepEqual(
        (counts.body.agents as Body[]).map(({ name, open }) => [name, open]),
        [
          ['ada', 0],
          ['al', 0],
          ['ann', 1],
        ],
      );
      const report = await ask('ann', 'GET', '/reports/priorities');
      assert.deepEqual(report.body, { low: 1, normal: 1, high: 1, urgent: 0 });
      assert.match(report.headers.get('deprecation') ?? '', /^@\d+$/);
      assert.equal(report.headers.get('sunset'), 'Mon, 01 Nov 2027 00:00:00 GMT');
    });

    test('many tickets are solved at once, or none', async () => {
      const some = [await ticket('cat'), await ticket('cal'), await ticket('cat')];
      const status = async (number: number) =>
        ((await ask('ann', 'GET', `/tickets/${number}`)).body.ticket as Body).status;
      const missing = await ask('ann', 'POST', '/tickets:solve', { numbers: [...some, 999_999] });
      assert.deepEqual([missing.status, missing.body.code], [404, 'no_ticket']);
      assert.equal(await status(some[0]!), 'new');
      assert.deepEqual((await ask('ann', 'POST', '/tickets:solve', { numbers: some })).body, { solved: 3 });
      const again = await ask('ann', 'POST', '/tickets:solve', { numbers: [...some, await ticket('cal')] });
      assert.deepEqual([again.status, again.body.code], [409, 'not_possible']);
      const headers = { 'idempotency-key': randomUUID() };
      const one = await ticket('cat');
      const twice = [1, 2].map(() => ask('ann', 'POST', '/tickets:solve', { numbers: [one] }, headers));
      for (const { status: told } of await Promise.all(twice)) assert.equal([200, 409].includes(told), true);
      assert.deepEqual((await ask('ann', 'POST', '/tickets:solve', { numbers: [one] }, headers)).body, { solved: 1 });
      const { code, err } = await space.cli('schedules', 'run', 'close_solved');
      assert.equal(code, 0, err);
      assert.equal(await status(one), 'solved', 'nothing is closed before a week is over');
    });

    test('other systems hear of the tickets of their organisation alone, signed', async () => {
      const body = { url: receiver.url, events: ['ticket.created', 'ticket.moved', 'comment.created'] };
      const hook = await ask('ada', 'POST', '/hooks', body);
      assert.equal(hook.status, 201, hook.text);
      assert.equal((await ask('ann', 'POST', '/hooks', body)).status, 403);
      const mine = await ticket('cat', { subject: 'Heard' });
      await ticket('ben', { subject: 'Not heard' });
      await ask('ann', 'POST', `/tickets/${mine}/comments`, { text: 'secret', internal: true });
      await ask('ann', 'POST', `/tickets/${mine}/comments`, { text: 'public' });
      await until(() => receiver.accepted.length >= 4, 'four events');
      receiver.verified(String(hook.body.secret));
      const heard = receiver.accepted.map(({ type }) => type).sort();
      assert.deepEqual(heard, ['comment.created', 'comment.created', 'ticket.created', 'ticket.moved']);
      assert.equal(
        receiver.accepted.some(({ body: heardOf }) => heardOf.includes('Not heard')),
        false,
      );
      assert.equal((await ask('ada', 'DELETE', `/hooks/${(hook.body.hook as Body).id}`)).status, 204);
      await ticket('cat');
      assert.equal(receiver.got.length, 4);
    });

    test('an organisation sends as many requests as its plan has, all of its people together', async () => {
      const answers: Answered[] = [];
      for (let i = 0; i < 14; i++) answers.push(await ask('cyd', 'GET', '/me'));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [...Array.from({ length: 12 }, () => 200), 429, 429],
      );
      assert.equal((await ask('ada', 'GET', '/me')).status, 200);
    });

    test('who leaves calls no more, and leaves the tickets to others', async () => {
      const number = await ticket('cal');
      const ann = ((await ask('ann', 'GET', '/me')).body.person as Body).id;
      await ask('ann', 'PUT', `/tickets/${number}/assignee`, { person: ann });
      assert.equal((await ask('ada', 'DELETE', `/people/${ann}`)).status, 204);
      assert.equal((await ask('ann', 'GET', '/me')).status, 401);
      const login = await ask(null, 'POST', '/sessions', { email: 'ann@example.com', password: PASSWORD });
      assert.deepEqual([login.status, login.body.code], [401, 'not_known']);
      assert.equal(((await ask('al', 'GET', `/tickets/${number}`)).body.ticket as Body).assignee, null);
      assert.equal((await ask('ada', 'DELETE', '/sessions/current')).status, 204);
      assert.equal((await ask('ada', 'GET', '/me')).status, 401);
    });
  });
