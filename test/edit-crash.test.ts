import './whole-alone.ts';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ORDERS, type Service, until, Workspace } from './harness.ts';
import { times } from './share.ts';

// A process that is killed while it saves the document leaves the whole old text or the whole new one.

const KILLS = times(3, 20);
const PROSE = 'This paragraph is for readers, and has no effect.\n\n'.repeat(4000);

/** The same service, in texts of a length that takes a while to write. */
const texts = ['One', 'Two'].map((name) => `${ORDERS.trimEnd()}\n\n${PROSE}${name}\n`);

/** Opens the console; gives what sends requests to it. */
async function entered(service: Service) {
  const link = await until(() => /The console is at (\S+)/.exec(service.out)?.[1], 'the link');
  const { origin } = new URL(link);
  const first = await fetch(link, { redirect: 'manual' });
  const headers = {
    cookie: (first.headers.get('set-cookie') ?? '').split(';')[0] ?? '',
    'content-type': 'application/json',
    'x-ninefold-console': '1',
  };
  return (path: string, body?: object, more: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${origin}/console/api${path}`, {
      headers: { ...headers, ...more },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
}

test(`killed ${KILLS} times while it saves, the file is whole`, async (t) => {
  await using space = new Workspace(texts[0]!);
  const seen = new Map<string, number>();
  for (let kill = 0; kill < KILLS; kill++) {
    const service = await space.serve({ args: ['--admin', '127.0.0.1:0', '--edit'] });
    const ask = await entered(service);
    const { etag } = (await (await ask('/edit')).json()) as { readonly etag: string };
    const text = texts.find((one) => one !== readFileSync(space.file, 'utf8'));
    const saving = ask('/edit/save', { text }, { 'if-match': etag }).catch(() => null);
    await sleep(Math.random() * 25);
    await service.kill();
    await saving;
    const now = readFileSync(space.file, 'utf8');
    assert.ok(texts.includes(now), `${now.length} characters, of ${texts[0]?.length}`);
    const what = now === text ? 'saved' : 'as before';
    seen.set(what, (seen.get(what) ?? 0) + 1);
  }
  t.diagnostic(JSON.stringify(Object.fromEntries(seen)));
});
