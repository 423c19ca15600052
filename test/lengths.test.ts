import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { layoutOf, toJavaScript } from '../src/expression/javascript.ts';
import { BOOLEAN, STRING } from '../src/expression/tree/types.ts';
import { emptyFrame } from '../src/expression/values/value.ts';
import { IN_WHOLE } from './share.ts';

/** The bound only ends a wait that would never end: what takes steps that grow with the square of the length takes many minutes. */
const NEVER = 240_000;

test('every function comes to an end on hundreds of thousands of characters and items', IN_WHOLE, async () => {
  const worker = new Worker(join(import.meta.dirname, 'lengths.worker.ts'));
  let last = 'the beginning';
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const never = setTimeout(() => reject(new Error(`${last} comes to no end`)), NEVER);
  worker.on('message', (id: string) => {
    last = id;
    if (id === 'done') resolve();
  });
  worker.on('error', reject);
  try {
    await promise;
  } finally {
    clearTimeout(never);
    await worker.terminate();
  }
  assert.equal(last, 'done');
});

test('items of one long list are looked for in another by an index', () => {
  const list = { kind: 'list', of: STRING, nullable: false } as const;
  let read = 0;
  const long = new Proxy(
    Array.from({ length: 2000 }, (_, i) => `w${i}`),
    {
      get(target, member, own) {
        if (typeof member === 'string' && /^\d+$/.test(member)) read++;
        return Reflect.get(target, member, own) as unknown;
      },
    },
  );
  const places = layoutOf('Two lists alone', { slot: (name) => (name === 'a' ? 0 : 1) });
  const all = toJavaScript(
    {
      op: 'each',
      macro: 'all',
      list: { op: 'name', name: 'a', type: list },
      name: 'x',
      body: {
        op: 'call',
        fn: 'in',
        args: [
          { op: 'name', name: 'x', type: STRING },
          { op: 'name', name: 'b', type: list },
        ],
        type: BOOLEAN,
      },
      type: BOOLEAN,
    },
    places,
  );
  assert.equal(all({ ...emptyFrame(0, ''), vars: [[...long], long] }), true);
  assert.ok(read < 10 * long.length, `${read} items are read of ${long.length}`);
});
