import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '../plan/conditions.ts';
import type { ValueRule } from '../plan/step.ts';
import { FREE as ANY } from '../plan/value-forms.ts';
import { type Validator, validator } from './validate.ts';

const WIRE = {
  timestamps: 'seconds',
  durations: 'whole seconds',
  decimals: { as: 'strings', rounding: 'refused' },
  text: 'as sent',
  emptyText: 'kept',
} as const;

const FREE: ValueRule = { kind: 'text', ...ANY };

/** The order of faults: where a value has several, the first of this list is reported (docs/language/errors.md). */
const ORDER: readonly Fault[] = [
  'not_text',
  'not_uuid',
  'not_integer',
  'not_decimal',
  'not_timestamp',
  'not_duration',
  'not_list',
  'not_an_object',
  'not_one_of',
  'not_whole_minutes',
  'too_small',
  'too_large',
  'too_many',
  'too_long',
  'too_short',
  'not_matching',
  'not_email',
  'not_uri',
  'null_refused',
  'repeated',
  'too_few',
];

const ITEM: ValueRule = { ...FREE, max: 2 };

/** Rules of every kind, with values that break as many of their parts as can be broken at once. */
const RULES: ReadonlyArray<readonly [what: string, rule: ValueRule, values: readonly unknown[]]> = [
  [
    'text',
    { ...FREE, oneOf: ['abc'], min: 3, max: 4, pattern: '^[a-c]*$', format: 'email' },
    [5, null, {}, '\0', 'x\0xxxx', '\ud800', 'a', 'abcde', 'x', 'xxxxx', 'abca', 'a@b', 'x@b.c'],
  ],
  ['uuid', { ...FREE, kind: 'uuid' }, [5, null, {}, '', 'x', '\0', '\ud800', '0195c2a0-0000-7000-8000-00000000000g']],
  ['integer', { ...FREE, kind: 'integer', min: 2, max: 3 }, ['2', 1.5, 99.5, 1, 4, null, {}]],
  ['decimal', { ...FREE, kind: 'decimal', scale: 1, min: 20, max: 30 }, [2, '1.55', '9.55', '1.5', '3.1', 'x', null]],
  [
    'timestamp',
    { ...FREE, kind: 'timestamp', whole: 60_000 },
    ['x', '2026-02-30T00:00:01Z', '2026-01-01T00:00:01Z', 5],
  ],
  ['duration', { ...FREE, kind: 'duration', min: 2000, max: 3000 }, ['x', 'PT1S', 'PT4S', 'PT0.5S', 'P1M', 5]],
  [
    'set',
    { ...FREE, kind: 'set', min: 2, max: 3, items: ITEM },
    [
      5,
      {},
      ['a'],
      ['abc'],
      [5],
      [null],
      ['a', 'a'],
      ['a', 'a', 'abc'],
      ['a', 'a', 'a', 'a'],
      [5, 'a', 'b', 'c'],
      [null, 5],
    ],
  ],
  [
    'map',
    { ...FREE, kind: 'map', min: 2, max: 3, items: ITEM, keys: { ...FREE, max: 2 } },
    [5, [], { a: 5 }, { abc: 'a' }, { abc: 5 }, { a: null }, { a: 5, b: 5, c: 5, d: 5 }, { abc: null, b: 'abc' }],
  ],
];

const told = (check: Validator, value: unknown): Fault[] => {
  const got = check(value);
  if ('value' in got) return [];
  return [...new Set(got.items ? got.items.map(({ code }) => code) : [got.fault])];
};

/** Returns rules that each have the type and one limit of a rule. */
function partsOf(rule: ValueRule): ValueRule[] {
  const bare: ValueRule = { ...FREE, kind: rule.kind, scale: rule.scale };
  if (!rule.items) {
    const names = ['format', 'min', 'max', 'pattern', 'oneOf', 'whole'] as const;
    return [bare, ...names.map((name): ValueRule => ({ ...bare, [name]: rule[name] }))];
  }
  const open: ValueRule = { ...bare, items: FREE, keys: rule.keys && FREE };
  return [
    open,
    { ...open, min: rule.min },
    { ...open, max: rule.max },
    { ...open, items: rule.items, keys: rule.keys },
  ];
}

for (const [what, rule, values] of RULES)
  test(`of several faults of one value, the first in the order of the reference is told: ${what}`, () => {
    const parts = partsOf(rule).map((part) => validator(part, WIRE));
    const pairs = new Set<string>();
    for (const value of values) {
      const all = [...new Set(parts.flatMap((part) => told(part, value)))].sort(byOrder);
      for (const [i, one] of all.entries()) for (const other of all.slice(i + 1)) pairs.add(`${one} ${other}`);
      const [first] = told(validator(rule, WIRE), value);
      // A fault of the whole list is reported alone; without one, the faults of the items are reported together, in
      // order.
      const ofWhole = all.find((one) => isOfWhole(one));
      const expected = rule.items ? (ofWhole ?? (all.some(isOfItems) ? first : all[0])) : all[0];
      assert.equal(first, expected, `${JSON.stringify(value)}: ${all.join(', ')}`);
    }
    if (what === 'text')
      assert.deepEqual([...pairs].sort(), [
        'not_matching not_email',
        'not_one_of not_email',
        'not_one_of not_matching',
        'not_one_of too_long',
        'not_one_of too_short',
        'too_long not_email',
        'too_long not_matching',
        'too_short not_email',
        'too_short not_matching',
      ]);
  });

const byOrder = (a: Fault, b: Fault): number => ORDER.indexOf(a) - ORDER.indexOf(b);
const isOfItems = (fault: Fault): boolean => ['not_text', 'too_long', 'null_refused', 'repeated'].includes(fault);
const isOfWhole = (fault: Fault): boolean => ['not_list', 'not_an_object', 'too_many'].includes(fault);

test('a UUID is told as one whatever else is sent', () => {
  const check = validator({ ...FREE, kind: 'uuid' }, WIRE);
  for (const value of [5, true, {}, [], '', 'x', '\0', '\ud800']) assert.deepEqual(told(check, value), ['not_uuid']);
});

test('of an entry of a map, the key is told before the value', () => {
  const check = validator({ ...FREE, kind: 'map', items: ITEM, keys: { ...FREE, max: 2 } }, WIRE);
  const got = check({ abc: 5, a: 5, 'b\0': null });
  assert.ok('items' in got);
  assert.deepEqual(got.items, [
    { at: '/abc', code: 'too_long' },
    { at: '/a', code: 'not_text' },
    { at: '/b\0', code: 'not_text' },
  ]);
});
