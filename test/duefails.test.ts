import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { Service } from '../src/runtime/service.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import { StoreError } from '../src/store/store.ts';
import { readCases } from './cases.ts';
import { until } from './harness.ts';

test('what is due waits a second for a store that fails, and is done once it does not', async () => {
  const { plan } = compile('case.md', readCases('src/compiler/states/cases/timed.md')[0]!.document);
  const store = new SqliteStore(':memory:', plan!);
  const tried: number[] = [];
  const service = new Service({
    host: '127.0.0.1',
    port: 0,
    admin: null,
    url: null,
    log: (_level, event) => {
      if (event === 'timer.failed') tried.push(performance.now());
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
    await until(() => tried.length >= 3, 'attempts');
    // A timer never rings early, however late it may.
    for (const [n, at] of tried.entries()) assert.ok(n === 0 || at - (tried[n - 1] ?? 0) >= 990, `${tried}`);
    store.write = write;
    await until(async () => /"tries":1,"status":"lapsed"/.test(await (await fetch(jobs)).text()), 'what was due');
  } finally {
    await service.stop();
  }
});
