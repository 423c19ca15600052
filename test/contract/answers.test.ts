import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import { effectiveEndpoints } from '../../src/compiler/document/effective.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import { corpus } from '../frozen/corpus.ts';
import { share } from '../share.ts';
import { statedCodes } from './stated-codes.ts';

/** How many documents a run looks at. */
const MOST = 15;

const { cases, which } = share([...corpus()], MOST, 8);

test('the answers of an endpoint are those that the checker says can arise, and those that its steps name', (t) => {
  let endpoints = 0;
  let answers = 0;
  for (const { name, text } of cases) {
    const { plan, model } = compile('document.md', text);
    if (!plan) continue;
    const stated = effectiveEndpoints(model);
    const current = contractOf(plan).versions[0];
    assert.ok(current);
    for (const endpoint of current.endpoints) {
      const planned: readonly string[] | undefined = plan.endpoints
        .find((one) => one.name === endpoint.name)
        ?.conditions.toSorted();
      const told = endpoint.answers.flatMap(({ because }) => (because.kind === 'condition' ? [because.name] : []));
      assert.deepEqual([...new Set(told)].sort(), planned, `${name}: ${endpoint.name}`);
      const codes = new Set(endpoint.answers.map((answer) => answer.code));
      const effective = stated.find((one) => one.endpoint.name === endpoint.name);
      assert.ok(effective);
      for (const code of statedCodes(model, effective))
        assert.ok(codes.has(code), `${name}: ${endpoint.name} lacks ${code}`);
      endpoints++;
      answers += endpoint.answers.length;
    }
  }
  t.diagnostic(`${cases.length} documents (${which}): ${endpoints} endpoints, ${answers} answers`);
  assert.ok(endpoints > 0);
});

test('the success comes last, and every other answer has its lines or is the service’s own', () => {
  for (const { name, text } of cases) {
    const { plan } = compile('document.md', text);
    for (const version of plan ? contractOf(plan).versions : [])
      for (const endpoint of version.endpoints) {
        const where = `${name}: ${endpoint.name}`;
        assert.equal(endpoint.answers.at(-1)?.because.kind, 'success', where);
        for (const { lines, code, because } of endpoint.answers)
          assert.ok(lines.length > 0 || code === null, `${where}: no line states ${code} (${because.text})`);
      }
  }
});
