import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { newSecret } from '../../../src/expression/values/secret.ts';
import { sign } from '../../../src/runtime/events/sign.ts';
import { noBrowser, startChromium } from '../../chromium.ts';
import { changed, example } from '../../fixtures.ts';
import { Workspace } from '../../harness.ts';
import { IN_WHOLE } from '../../share.ts';
import { toolModule } from '../tools/tool.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import { clientText } from './made.ts';

// The client in a real browser, in a page of another origin than the service.

/** Serves a page of its own origin with clients as scripts of it. */
async function pageWith(clients: Readonly<Record<string, string>>) {
  const { transformSync } = toolModule('esbuild') as {
    transformSync(text: string, options: object): { readonly code: string };
  };
  const scripts = new Map(
    Object.entries(clients).map(([name, text]) => [
      `/${name}.js`,
      transformSync(text, { loader: 'ts', minify: true, format: 'esm', target: 'es2022' }).code,
    ]),
  );
  const server = createServer(({ url = '' }, response) => {
    const script = scripts.get(url);
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript');
    response.end(script ?? '<!doctype html><title>Another origin</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address && typeof address === 'object');
  return { server, url: `http://127.0.0.1:${address.port}/` };
}

const ISSUES = example('issues').replace('| Time-out     | 10 seconds ', '| Time-out     | 120 seconds');
const APIARY = changed(example('apiary'), [
  '- Browser origins: none\n',
  '- Browser origins: any, without credentials, preflight not kept, showing no headers\n',
]).replace('| Time-out     | 5 seconds ', '| Time-out     | 120 seconds');

test('a page of another origin lists pages, asks for what is new, and listens to a stream that is cut', {
  ...IN_WHOLE,
  timeout: 240_000,
}, async (t) => {
  const missing = noBrowser();
  if (missing !== null) return t.skip(missing);
  await using issues = new Workspace(ISSUES, 'issues.md');
  await using apiary = new Workspace(APIARY, 'apiary.md');
  const clients = { issues: clientText('issues.md', ISSUES), apiary: clientText('apiary.md', APIARY) };
  const page = await pageWith(clients);
  const browser = await startChromium();
  let proxy: CuttingProxy | null = null;
  try {
    const opened = await browser.newPage();
    await opened.goto(page.url);

    assert.equal((await issues.cli('rows', 'add', 'User', 'login=ada')).code, 0);
    const token = (await issues.cli('keys', 'issue', 'User', '1')).out.trim();
    const service = await issues.serve({ args: ['--url', 'https://issues.example'] });
    assert.notEqual(new URL(service.url).origin, new URL(page.url).origin);
    const kept = await opened.evaluate(
      `fetch('${page.url.replace('127.0.0.1', 'localhost')}').then(() => 'open', () => 'kept away')`,
    );
    assert.equal(kept, 'kept away', 'the browser keeps pages away from what names no origins');
    const seen = await opened.evaluate(`(async () => {
      const { createClient, unwrap } = await import('/issues.js');
      const client = createClient({ baseUrl: '${service.url}', personalToken: '${token}' });
      unwrap(await client.user.repos.create({ name: 'engine' }));
      const repo = { owner: 'ada', repo: 'engine' };
      for (let i = 1; i <= 5; i++) unwrap(await client.repos.issues.create(repo, { title: 'Fault ' + i }));
      const found = [];
      for await (const issue of client.repos.issues.listAll(repo, { per_page: 2, direction: 'asc' })) found.push(issue.number);
      const at = { ...repo, number: 1 };
      const first = await client.repos.issues.get(at);
      const same = await client.repos.issues.getIfChanged(at, first.etag);
      const refused = await client.repos.issues.get({ ...repo, number: 99 });
      const { origin } = location;
      return { origin, found, etag: first.etag !== undefined, same: [same.status, same.data], refused: refused.error.code };
    })()`);
    assert.deepEqual(seen, {
      origin: new URL(page.url).origin,
      found: [1, 2, 3, 4, 5],
      etag: true,
      same: [304, null],
      refused: 'not_found',
    });

    const secret = newSecret();
    const seconds = Math.floor(Date.now() / 1000);
    const body = '{"type":"issue.opened","timestamp":"2026-11-23T10:00:00.000Z","data":{"title":"Übung"}}';
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(seconds),
      'webhook-signature': sign(secret, 'msg_1', seconds, body),
    };
    const verified = await opened.evaluate(`(async () => {
      const { verifyWebhook } = await import('/issues.js');
      const [headers, body, secret] = ${JSON.stringify([headers, body, secret])};
      const event = await verifyWebhook(new Headers(headers), body, secret);
      const refused = await verifyWebhook(headers, body + ' ', secret).catch((error) => error.name);
      return [event.data.title, refused];
    })()`);
    assert.deepEqual(verified, ['Übung', 'WebhookError']);

    assert.equal((await apiary.cli('rows', 'add', 'Keeper', 'number=1', 'name=Maya', 'inspector=false')).code, 0);
    const key = (await apiary.cli('keys', 'issue', 'Keeper', '1')).out.trim();
    const bees = await apiary.serve({ args: ['--url', 'https://bees.example'] });
    proxy = new CuttingProxy(bees.url, () => 'nowhere');
    const through = await proxy.listen();
    const heard = opened.evaluate(`(async () => {
      const { createClient, unwrap } = await import('/apiary.js');
      const client = createClient({ baseUrl: '${bees.url}', keepersKey: '${key}' });
      let opened = () => {};
      const open = new Promise((resolve) => (opened = resolve));
      const observe = (one) => one.kind === 'answer' && opened();
      const listener = createClient({ baseUrl: '${through}', keepersKey: '${key}', observe });
      const location = { latitude: '46.9480', longitude: '7.4474' };
      unwrap(await client.apiaries.create({ name: 'Meadow', zone: 'UTC', location, forage: [] }));
      for (let i = 0; i < 2; i++) unwrap(await client.apiaries.hives.create(1, { race: 'carnica' }));
      const inspect = (hive) =>
        client.apiaries.hives.inspections.create({ apiary: 1, hive }, { day: '2026-06-15', mites: { 'frame-1': 250 } });
      const heard = [];
      const stream = listener.alerts.stream();
      const first = stream.next();
      await open;
      unwrap(await inspect(1));
      heard.push((await first).value.data.hive);
      document.title = 'cut me';
      while (document.title !== 'was cut') await new Promise((on) => setTimeout(on, 20));
      const second = stream.next();
      unwrap(await inspect(2));
      heard.push((await second).value.data.hive);
      await stream.return();
      return heard;
    })()`);
    // The page says when its stream has told of something: then the network is cut.
    while ((await opened.evaluate<string>('document.title')) !== 'cut me')
      await new Promise((on) => setTimeout(on, 20));
    proxy.cutAll();
    await opened.evaluate("document.title = 'was cut'");
    assert.deepEqual(await heard, [1, 2]);
  } finally {
    await browser.close();
    await proxy?.close();
    page.server.close();
  }
});
