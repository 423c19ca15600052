import '../../whole-alone.ts';
import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { example } from '../../fixtures.ts';
import { until, Workspace } from '../../harness.ts';
import { Receiver } from '../../receiver.ts';
import { IN_WHOLE } from '../../share.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import { clientText, imported } from './made.ts';

// What a user of each example does, through its client, against the service as it is served. The orders have a file of
// their own.

/** A time-out is not what is looked at. */
const patient = (name: string): string =>
  example(name).replace(/\| Time-out {5}\| \d+ seconds {0,1}/, '| Time-out     | 120 seconds');

/** An example that is about to be served, and its client. */
async function prepared(name: string) {
  const text = patient(name);
  return { space: new Workspace(text, `${name}.md`), module: await imported(clientText(`${name}.md`, text)) };
}

/** Enters a row, and gives a key for it. */
async function keyFor(space: Workspace, resource: string, id: string, fields: readonly string[], scopes?: string) {
  const added = await space.cli('rows', 'add', resource, ...fields);
  assert.equal(added.code, 0, added.err);
  const issued = await space.cli('keys', 'issue', resource, id, ...(scopes ? ['--scopes', scopes] : []));
  assert.equal(issued.code, 0, issued.err);
  return issued.out.trim();
}

test('todos: a list is kept, by whoever comes', IN_WHOLE, async () => {
  const { space, module } = await prepared('todos');
  await using _ = space;
  const service = await space.serve({ args: ['--url', 'https://todos.example'] });
  const client = module.createClient({ baseUrl: service.url });
  const milk = module.unwrap(await client.create({ title: ' buy milk ' }));
  assert.deepEqual(milk, { url: 'https://todos.example/1', title: 'buy milk', completed: false, order: null });
  assert.deepEqual(module.unwrap(await client.get(1)), milk);
  assert.equal(module.unwrap(await client.update(1, { completed: true, order: 95 })).order, 95);
  module.unwrap(await client.create({ title: 'drink it' }));
  assert.equal(module.unwrap(await client.list()).length, 2);
  assert.equal((await client.delete(1)).status, 204);
  assert.equal((await client.get(1)).error.code, 'not_found');
  module.unwrap(await client.deleteAll());
  assert.deepEqual(module.unwrap(await client.list()), []);
});

test(
  'apiary: bees are brought, and whoever listens hears of each alert once, though the network is cut',
  IN_WHOLE,
  async () => {
    const { space, module } = await prepared('apiary');
    await using _ = space;
    const key = async (number: string, inspector: string): Promise<string> =>
      keyFor(space, 'Keeper', number, [`number=${number}`, `name=Keeper ${number}`, `inspector=${inspector}`]);
    const [keeper, inspector] = [await key('1', 'false'), await key('9', 'true')];
    const service = await space.serve({ args: ['--url', 'https://bees.example'] });
    const client = (keepersKey?: string, baseUrl = service.url) =>
      module.createClient({ baseUrl, ...(keepersKey ? { keepersKey } : {}), pause: 10 });
    const mine = client(keeper);
    const place = module.unwrap(
      await mine.apiaries.create({
        name: 'Meadow',
        zone: 'Europe/Zurich',
        location: { latitude: '46.9480', longitude: '7.4474' },
        forage: ['lime'],
      }),
    );
    assert.deepEqual(place.location, { latitude: '46.9480', longitude: '7.4474', altitude: null });
    assert.equal((await client().places.list({ forage: 'lime' })).data.total, 1);
    assert.equal((await client().apiaries.get(1)).error.code, 'credentials_missing');
    for (let i = 0; i < 4; i++) module.unwrap(await mine.apiaries.hives.create(1, { race: 'carnica' }));

    const proxy = new CuttingProxy(service.url, () => 'nowhere');
    const ending = new AbortController();
    const heard: Array<{ type: string; id: string; data: { hive: number } }> = [];
    const open: string[] = [];
    try {
      const listener = module.createClient({
        baseUrl: await proxy.listen(),
        keepersKey: inspector,
        pause: 10,
        observe: (one: { kind: string; status?: number }) => one.kind === 'answer' && open.push(String(one.status)),
      });
      const listening = (async () => {
        for await (const event of listener.alerts.stream({ signal: ending.signal })) heard.push(event);
      })();
      await until(() => open.length === 1, 'the stream is open');
      const many = { day: '2026-06-15', mites: { 'frame-1': 250 } };
      for (const hive of [1, 2, 3, 4]) {
        module.unwrap(await mine.apiaries.hives.inspections.create({ apiary: 1, hive }, many));
        if (hive === 2) await until(() => heard.length === 2, 'two alerts');
        if (hive % 2 === 0) proxy.cutAll();
      }
      module.unwrap(await client(inspector).apiaries.hives.finding({ apiary: 1, hive: 1, finding: 'confirm' }));
      await until(() => heard.length === 5, 'five alerts');
      assert.deepEqual(
        heard.map((one) => [one.type, one.data.hive]),
        [...[1, 2, 3, 4].map((hive) => ['colony.suspect', hive]), ['colony.infected', 1]],
      );
      ending.abort(new Error('enough'));
      await assert.rejects(listening, { message: 'enough' });
    } finally {
      await proxy.close();
    }
  },
);

test(
  'blogging: people sign up, write and follow; refusals have no code, and are told by their status',
  IN_WHOLE,
  async () => {
    const { space, module } = await prepared('blogging');
    await using _ = space;
    const secret = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const service = await space.serve({ args: ['--url', 'https://b.example'], env: { NINEFOLD_KEY_TOKEN: secret } });
    const client = (token?: string) => module.createClient({ baseUrl: service.url, ...(token ? { token } : {}) });
    const password = 'correct horse battery';
    const signUp = async (username: string) => {
      const user = { username, email: `${username}@example.com`, password };
      return module.unwrap(await client().users.create({ user })).token;
    };
    const [ada, bob] = [client(await signUp('ada')), client(await signUp('bob'))];
    const wrong = await client().users.login({ email: 'ada@example.com', password: 'wrong horse' });
    assert.ok(!wrong.ok && wrong.error.status === 401 && !('code' in wrong.error));
    assert.deepEqual(wrong.error.problem, { errors: { email: ["is not known, or the password isn't its own"] } });
    const written = module.unwrap(
      await ada.articles.create({
        article: { title: 'How to keep bees', description: 'In short', body: 'Slowly.', tags: ['bees'] },
      }),
    ).article;
    module.unwrap(await bob.profiles.follow.add('ada'));
    module.unwrap(await bob.articles.favourite.add(written.slug));
    module.unwrap(await bob.articles.comments.create(written.slug, { comment: { body: 'So true' } }));
    const feed = [];
    for await (const article of bob.feed.listAll()) feed.push(article.slug);
    assert.deepEqual(feed, ['how-to-keep-bees']);
    assert.equal(module.unwrap(await client().articles.comments.list(written.slug)).comments.length, 1);
    const forbidden = await bob.articles.delete(written.slug);
    assert.ok(!forbidden.ok && forbidden.error.status === 403);
    assert.equal((await ada.articles.delete(written.slug)).status, 204);
    assert.deepEqual(module.unwrap(await client().tags.get()).tags, []);
  },
);

test('bookings: rooms are booked, one by one and all or none', IN_WHOLE, async () => {
  const { space, module } = await prepared('bookings');
  await using _ = space;
  const key = async (name: string, staff: string): Promise<string> => {
    const id = randomUUID();
    return keyFor(space, 'Person', id, [`id=${id}`, `name=${name}`, `staff=${staff}`]);
  };
  const [staff, guest] = [await key('Sam', 'true'), await key('Gil', 'false')];
  const service = await space.serve({ args: ['--url', 'https://rooms.example'] });
  const client = (apiKey: string) => module.createClient({ baseUrl: service.url, apiKey });
  const wanted = { name: 'Hall', capacity: 20, zone: 'UTC', opens: 0, closes: 24, notice: 'PT1H' };
  assert.equal((await client(guest).rooms.create(wanted)).error.code, 'staff_only');
  const hall = module.unwrap(await client(staff).rooms.create(wanted));
  assert.equal(hall.notice, 'PT1H');
  const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  const at = (hour: string): string => `${day}T${hour}:00:00Z`;
  const mine = client(guest);
  const booked = module.unwrap(await mine.bookings.create({ room: hall.id, starts: at('10'), ends: at('11') }));
  assert.equal(booked.status, 'confirmed');
  const times = [
    { room: hall.id, starts: at('12'), ends: at('13') },
    { room: hall.id, starts: at('10'), ends: at('12') },
  ];
  assert.equal((await mine.bookings.bulk({ bookings: times })).error.code, 'room_taken');
  assert.equal(module.unwrap(await mine.bookings.bulk({ bookings: times.slice(0, 1) })).bookings.length, 1);
  const seen = [];
  for await (const one of mine.rooms.bookings.listAll(hall.id, { from: at('00'), to: at('23'), limit: 1 }))
    seen.push(one.starts);
  assert.deepEqual(
    seen.map((one) => one.slice(11, 13)),
    ['10', '12'],
  );
  module.unwrap(await mine.bookings.seats.create(booked.id));
  assert.equal(module.unwrap(await mine.bookings.seats.list(booked.id)).free, 19);
  assert.equal(module.unwrap(await mine.bookings.cancel(booked.id)).status, 'cancelled');
});

test('issues: a repository is made, and its issues are listed by pages that a header tells', IN_WHOLE, async () => {
  const { space, module } = await prepared('issues');
  await using _ = space;
  const ada = await keyFor(space, 'User', '1', ['login=ada']);
  const service = await space.serve({ args: ['--url', 'https://issues.example'] });
  const client = module.createClient({ baseUrl: service.url, personalToken: ada });
  const anyone = module.createClient({ baseUrl: service.url });
  assert.equal(module.unwrap(await client.user.repos.create({ name: 'engine' })).full_name, 'ada/engine');
  const repo = { owner: 'ada', repo: 'engine' };
  module.unwrap(await client.repos.labels.create(repo, { name: 'bug', color: 'ff0000' }));
  for (let i = 1; i <= 5; i++)
    module.unwrap(await client.repos.issues.create(repo, { title: `Fault ${i}`, labels: i % 2 ? ['bug'] : [] }));
  const found = [];
  for await (const issue of anyone.repos.issues.listAll(repo, { per_page: 2, labels: ['bug'], direction: 'asc' }))
    found.push(issue.number);
  assert.deepEqual(found, [1, 3, 5]);
  const at = { ...repo, number: 1 };
  const first = await anyone.repos.issues.get(at);
  assert.equal((await anyone.repos.issues.getIfChanged(at, first.etag)).data, null);
  module.unwrap(await client.repos.issues.update(at, { state: 'closed', state_reason: 'completed' }));
  assert.equal((await anyone.repos.issues.getIfChanged(at, first.etag)).data.state, 'closed');
  assert.equal((await client.repos.issues.lock.set(at, { lock_reason: 'resolved' })).status, 204);
  const comment = module.unwrap(await client.repos.issues.comments.create(at, { body: 'Mended' }));
  assert.equal(
    module.unwrap(await anyone.repos.issues.comments.get({ ...repo, comment_id: comment.id })).body,
    'Mended',
  );
  assert.equal((await anyone.repos.issues.create(repo, { title: 'No' })).error.code, 'requires_login');
  assert.equal((await client.repos.get({ owner: 'ada', repo: 'none' })).error.code, 'not_found');
});

test('payments: what is paid is paid once, and its webhook is verified by the client', async () => {
  const { space, module } = await prepared('payments');
  await using _ = space;
  await using receiver = new Receiver();
  await receiver.up();
  const id = randomUUID();
  const scopes = 'payments:read,payments:write,refunds:write';
  const apiKey = await keyFor(space, 'Merchant', id, [`id=${id}`, 'name=Books'], scopes);
  const secret = await space.receiver(receiver.url, '--events', 'intent.captured');
  const service = await space.serve();
  const client = module.createClient({ baseUrl: service.url, secretKey: apiKey });
  const once = { idempotencyKey: randomUUID() };
  const wanted = { amount: 1250, currency: 'chf', metadata: { order: '7' } };
  const intent = module.unwrap(await client.intents.create(wanted, once));
  assert.deepEqual(module.unwrap(await client.intents.create(wanted, once)), intent);
  assert.equal((await client.intents.update(intent.id, { method: 'card' })).error.status, 428);
  module.unwrap(await client.intents.get(intent.id));
  module.unwrap(await client.intents.update(intent.id, { method: 'card' }));
  module.unwrap(await client.intents.confirm(intent.id));
  assert.equal(module.unwrap(await client.intents.capture(intent.id)).status, 'captured');
  const refund = module.unwrap(await client.refunds.create({ intent: intent.id, amount: 250, reason: 'asked_for' }));
  assert.equal(module.unwrap(await client.refunds.get(refund.id)).amount, 250);
  assert.equal(module.unwrap(await client.intents.refunds.list(intent.id)).refundable, 1000);
  assert.deepEqual(module.unwrap(await client.balance.get()), { intents: 1, captured: 1250, refunded: 250 });
  const got = await until(() => receiver.accepted[0], 'the webhook');
  const event = await module.verifyWebhook(got.headers, got.body, secret);
  assert.deepEqual([event.type, event.data.id], ['intent.captured', intent.id]);
  await assert.rejects(module.verifyWebhook(got.headers, `${got.body} `, secret), { name: 'WebhookError' });
});
