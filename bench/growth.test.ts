import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge, type Point } from './growth/fit.ts';
import { readGrowthOptions } from './growth/options.ts';
import { idOf, orderOf } from './growth/orders.ts';

const SIZES = [1000, 10_000, 100_000, 1_000_000];
const costs = (sizes: readonly number[], of: (size: number) => number): Point[] =>
  sizes.map((size) => ({ size, cost: of(size) }));

test('what grows as a logarithm is within its bound, and what grows as a power is not', () => {
  for (const [of, holds] of [
    [() => 40, true],
    [(n: number) => 20 + 5 * Math.log10(n), true],
    [(n: number) => 7 * Math.log(n), true],
    [(n: number) => 5 * n ** 0.25, false],
    [(n: number) => 40 + n / 5000, false],
  ] as const)
    assert.equal(judge(costs(SIZES, of), 'logarithm').holds, holds, String(of));
  const { a, b, exponent } = judge(
    costs(SIZES, (n) => 20 + 5 * Math.log10(n)),
    'logarithm',
  );
  assert.ok(Math.abs(a - 20) < 1e-6 && Math.abs(b - 5) < 1e-6);
  assert.ok(
    Math.abs(
      judge(
        costs(SIZES, (n) => n ** 0.5),
        'logarithm',
      ).exponent - 0.5,
    ) < 1e-9 && exponent < 0.1,
  );
});

test('none of something counts as few of it', () => {
  assert.equal(
    judge(
      costs([0, 1_000_000], (n) => (n ? 75 : 40)),
      'logarithm',
    ).holds,
    true,
  );
  assert.equal(
    judge(
      costs([0, 1_000_000], (n) => (n ? 100 : 40)),
      'logarithm',
    ).holds,
    false,
  );
});

test('what is sent may cost more by the piece, and no piece more than one before it', () => {
  const sizes = [1, 10, 25, 50, 100];
  for (const [of, holds] of [
    [(n: number) => 30 + 2 * n, true],
    [(n: number) => 30 + 2 * n ** 0.9, true],
    [(n: number) => 30 + n + n * n * 0.05, false],
  ] as const)
    assert.equal(judge(costs(sizes, of), 'line').holds, holds, String(of));
});

test('orders follow from their numbers, in the order of their identities', () => {
  const mass = { orders: 5000, base: Date.UTC(2026, 0, 1), note: null };
  const ids = Array.from({ length: mass.orders }, (_, i) => idOf(i, mass));
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(ids).size, mass.orders);
  assert.match(ids[4321]!, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(orderOf(7, { ...mass, note: 5000 }, []).note?.length, 5000);
});

test('the command line is read, and what cannot be followed is refused', () => {
  const sizes = (...args: string[]) => readGrowthOptions(args)!.chosen.map((one) => one.sizes);
  assert.deepEqual(sizes('--grow', 'rows'), [SIZES]);
  assert.deepEqual(sizes('--grow', 'rows', '--full', '--most', '10000000'), [[...SIZES, 10_000_000]]);
  assert.deepEqual(sizes('--grow', 'page', '--sizes', '50,2'), [[2, 50]]);
  assert.equal(readGrowthOptions(['--help']), null);
  for (const args of ['--grow nothing', '--sizes 1,2', '--grow rows --most 1000', '--rounds 0', '--seconds x', '--so'])
    assert.throws(() => readGrowthOptions(args.split(' ')), { name: 'Error' }, args);
});
