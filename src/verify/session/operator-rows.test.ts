import assert from 'node:assert/strict';
import { test } from 'node:test';
import { example } from '../../../test/fixtures.ts';
import { planOf } from '../../../test/subject.ts';
import { Oracle } from '../oracle/oracle.ts';
import { Random } from '../requests/random.ts';
import { adopt, operatorFields } from './operator-rows.ts';

const NOW = Date.UTC(2026, 0, 5, 9);

test('no two rows of the operator have one identity, however few there are', () => {
  const plan = planOf(example('apiary'));
  const keepers = plan.resources.find(({ name }) => name === 'Keeper');
  assert.ok(keepers);
  for (let seed = 0; seed < 300; seed++) {
    const [oracle, random] = [Oracle.of(plan, null), Random.of(seed, 0)];
    for (let nth = 0; nth < 3; nth++)
      adopt(oracle, 'Keeper', operatorFields(oracle, keepers, random, NOW, nth) ?? {}, NOW);
    const identities = oracle.state.rows.all('Keeper').map((row) => oracle.state.rows.identity(row));
    assert.equal(new Set(identities).size, 3, `seed ${seed}: ${identities}`);
  }
});
