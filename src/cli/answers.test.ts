import assert from 'node:assert/strict';
import { test } from 'node:test';
import { example } from '../../test/fixtures.ts';
import { compile } from '../compiler/compile.ts';
import { readAnswers } from './answers.ts';

test('what can’t fill a field is told of in sentences that end once', () => {
  const compiled = compile('orders.md', example('orders'));
  assert.ok(compiled.plan);
  for (const written of ['`custmer.name`', '`quantity`', '`1 +`', '`now()`', '`"a".nothing()`']) {
    const answers = readAnswers(compiled, compiled.plan, { fill: [`Order.note=${written}`] });
    assert.ok('problem' in answers, written);
    assert.match(answers.problem, /[^.]\.$/);
    assert.doesNotMatch(answers.problem.replace(/“[^”]*”/g, ''), /\.\.|,\.|\s\.| ,/);
  }
});
