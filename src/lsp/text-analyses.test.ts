import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { largeDocument } from '../../samples/large.ts';
import { TextAnalyses } from './text-analyses.ts';

const ORDERS = readFileSync(new URL('../../examples/orders.md', import.meta.url), 'utf8');

test('questions about several texts at once are answered, each for its own text', async () => {
  const analyses = new TextAnalyses('orders.md');
  try {
    const texts = [ORDERS, ORDERS.replace('- Visible: ', '- Visibel: '), ORDERS];
    const counts = await Promise.all(
      texts.map(async (text) => ((await analyses.ask('diagnostics', text)) ?? []).length > 0),
    );
    assert.deepEqual(counts, [false, true, false]);
  } finally {
    analyses.end();
  }
});

test('a text that takes too long, or too much memory, is not compiled, and the next one is', async () => {
  for (const [limits, why] of [
    [{ seconds: 0.01, mebibytes: 512 }, /longer than 0\.01 seconds/],
    [{ seconds: 120, mebibytes: 24 }, /more than 24 MiB/],
  ] as const) {
    const analyses = new TextAnalyses('orders.md', limits);
    try {
      await assert.rejects(analyses.ask('diagnostics', largeDocument(3000)), why);
      if (limits.seconds > 1) assert.deepEqual(await analyses.ask('folds', '# Nothing'), []);
    } finally {
      analyses.end();
    }
  }
});

test('an open question is rejected when the threads end', async () => {
  const analyses = new TextAnalyses('orders.md');
  const open = analyses.ask('diagnostics', ORDERS);
  analyses.end();
  await assert.rejects(open, /has ended/);
});

test('fixes of which nobody awaits the answer are ended, and findings do not wait for fixes', async () => {
  const analyses = new TextAnalyses('orders.md');
  try {
    const long = largeDocument(1500).replace('- Visible: ', '- Visibel: ');
    const line = long.split('\n').findIndex((one) => one.startsWith('- Visibel'));
    const range = { start: { line, character: 0 }, end: { line, character: 20 } };
    await analyses.ask('diagnostics', ORDERS);
    const abort = new AbortController();
    let isDone = false;
    const fixes = analyses.ask('actions', long, { range }, abort.signal).finally(() => {
      isDone = true;
    });
    const ended = assert.rejects(fixes, /Nobody awaits the answer/);
    assert.equal((await analyses.ask('diagnostics', ORDERS))?.length, 0);
    assert.equal(isDone, false, 'findings come first');
    abort.abort();
    await ended;
    assert.equal((await analyses.ask('actions', ORDERS, { range }))?.length, 0);
  } finally {
    analyses.end();
  }
});
