import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { compile } from '../src/compile.ts';
import { Service } from '../src/serve/service.ts';
import { SqliteStore } from '../src/store/sqlite.ts';
import { StoreError } from '../src/store/store.ts';
import { readCases } from './cases.ts';

test('what is due waits a second for a store that fails, and is done once it does not', async () => {
  const { plan } = compile('case.md', readCases('src/parts/states/cases/timed.md')[0]!.document);
  const store = new SqliteStore(':memory:', plan!);
  let failed = 0;
  const service = new Service({
    host: '127.0.0.1',
    port: 0,
    admin: null,
    url: null,
    log: (_level, event) => {
      if (event === 'timer.failed') failed++;
    },
  });
  await service.start(plan!, store);
  const jobs = `http://127.0.0.1:${service.port}/jobs`;
  try {
    await fetch(jobs);
    const body = JSON.stringify({ id: 1, tries: 0, due: new Date(Date.now() + 1000).toISOString() });
    const headers = { 'content-type': 'application/json' };
    assert.equal((await fetch(jobs, { method: 'POST', headers, body })).status, 201);
    const write = store.write.bind(store);
    store.write = async () => {
      throw new StoreError('full', 'No room is left');
    };
    await sleep(2500);
    assert.ok(failed >= 1 && failed <= 2, `it was tried ${failed} times in 1.5 s`);
    store.write = write;
    await sleep(1200);
    assert.match(await (await fetch(jobs)).text(), /"tries":1,"status":"lapsed"/);
  } finally {
    await service.stop();
  }
});
