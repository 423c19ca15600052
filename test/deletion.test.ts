import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../src/compile.ts';
import { deletions, example } from './fixtures.ts';

test('every statement of orders.md that is removed is missed, or the document is complete without it', () => {
  const reported: string[] = [];
  const complete: string[] = [];
  for (const { what, line, text } of deletions(example('orders'))) {
    const { findings, plan } = compile('orders.md', text);
    if (findings.length) reported.push(what);
    else {
      assert.ok(plan, `${line}: ${what} leaves nothing to ask and nothing to serve`);
      complete.push(`${line}: ${what}`);
    }
  }
  console.log(`statements removed ${reported.length + complete.length}: reported ${reported.length}, complete without it ${complete.length}`);
  console.log(complete.join('\n'));
  assert.ok(reported.length > 0 && complete.length > 0);
});
