import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compile } from '../src/compiler/compile.ts';
import { contractOf } from '../src/contract/contract-of.ts';
import type { Candidate } from '../src/verify/requests/candidate.ts';
import { candidatesFor, randomCandidate } from '../src/verify/requests/candidates.ts';
import { elsewhere } from '../src/verify/requests/elsewhere.ts';
import type { Known } from '../src/verify/requests/known.ts';
import { Random } from '../src/verify/requests/random.ts';

const ROOT = join(import.meta.dirname, '..');
const EXAMPLES = ['orders', 'bookings', 'payments', 'issues', 'blogging', 'apiary', 'todos'];
const SEED = 21;

const NOTHING: Known = {
  now: Date.UTC(2026, 10, 23, 20),
  credentials: [],
  rows: () => [],
  tags: [],
  places: [],
  keys: [],
  removed: () => [],
};

function everyCandidate(name: string, seed: number): Candidate[] {
  const { plan } = compile(`${name}.md`, readFileSync(join(ROOT, 'examples', `${name}.md`), 'utf8'));
  assert.ok(plan);
  const contract = contractOf(plan);
  const random = new Random(seed);
  const made = contract.versions.flatMap((version) => [
    ...version.endpoints.flatMap((endpoint) => [...candidatesFor(contract, version, endpoint, NOTHING, random, plan)]),
    ...elsewhere(contract, version, NOTHING, random),
  ]);
  const some = Array.from({ length: 100 }, () => randomCandidate(contract, NOTHING, random, plan));
  return [...made, ...some.filter((one) => one !== null)];
}

for (const name of EXAMPLES)
  test(`the same seed gives the same candidates for ${name}, and another seed gives others`, (t) => {
    const once = everyCandidate(name, SEED);
    t.diagnostic(`${once.length} candidates with the seed ${SEED}`);
    assert.deepEqual(everyCandidate(name, SEED), once);
    assert.notDeepEqual(everyCandidate(name, SEED + 1), once);
  });
