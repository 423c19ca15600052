import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHere } from '../cli/harness.test.ts';
import { ADA, Shown, until } from './harness.test.ts';
import type { ActsAnswer, ServiceAnswer } from './protocol.ts';

test('a command prints another link while the service runs, for an operator by name, and ends the sessions', async () => {
  const page = await Shown.open();
  try {
    const place = ['--data', `${page.folder}/data`, '--admin', `127.0.0.1:${page.port}`];
    const command = (...words: string[]) => runHere('console', page.file, ...words, ...place);
    const { out, err } = await command('--name', 'Ada L.');
    assert.equal(err, '', 'the service answers');
    const path = /(\/console\?key=\S+)/.exec(out)?.[1] ?? '';
    const came = await page.ask(path);
    assert.equal(came.status, 303);
    assert.equal((await page.ask(path)).status, 401, 'the link works once');
    const first = page.cookie;
    page.cookie = String(came.headers['set-cookie'] ?? '').split(';')[0] ?? '';
    assert.equal((await page.get<ServiceAnswer>('/service')).operator, 'Ada L.');
    await page.customer();
    const refused = await page.post(`/rows/Customer/${ADA}/change`, { fields: { nothing: 'x' } });
    assert.equal(refused.http, 400);
    const issued = { scheme: 'API key', holder: ADA, scopes: ['orders:read'] };
    assert.equal((await page.post('/keys', issued)).http, 200);
    assert.equal((await page.post('/deliveries/replay', { event: 'evt_1' })).http, 409);
    const { acts } = await page.get<ActsAnswer>('/acts');
    assert.deepEqual(
      acts.map(({ at: _, ...act }) => act),
      [
        { by: 'Ada L.', what: '/deliveries/replay evt_1', refused: true },
        { by: 'Ada L.', what: `/keys ${ADA}`, refused: false },
        { by: 'Ada L.', what: `/rows/Customer/${ADA}/change`, refused: true },
        { by: 'Ada L.', what: `/rows/Customer ${ADA}`, refused: false },
      ],
    );
    assert.equal((await command('end', '--name', 'Ada L.')).code ?? 0, 0);
    await until(async () => (await page.get('/service')).http === 401, 'the session ends');
    page.cookie = first;
    assert.equal((await page.get('/service')).http, 200, 'that of another name goes on');
    for (const wrong of ['', '<b>', 'a'.repeat(61), '../x', 'ada ', 'a  b', '😀'])
      assert.notEqual((await command('--name', wrong)).code ?? 0, 0, `“${wrong}” is no name`);
    assert.notEqual((await command('nothing')).code ?? 0, 0);
    const at = (admin: string) => runHere('console', page.file, '--data', `${page.folder}/data`, '--admin', admin);
    const everywhere = `http://localhost:${page.port}/console?key=`;
    for (const host of ['0.0.0.0', '[::]']) {
      const printed = (await at(`${host}:${page.port}`)).out;
      assert.ok(printed.startsWith(everywhere), `no client asks for ${host}`);
    }
    for (const wrong of ['127.0.0.1', 'u:p@x/y', 'a b:1']) assert.notEqual((await at(wrong)).code ?? 0, 0, wrong);
  } finally {
    await page.stop();
  }
});
