import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HandlerPlan, Plan, ValueRule } from '../plan/step.ts';
import { handlerTypes } from './types.ts';

const RULE: ValueRule = {
  ...{ kind: 'text', format: null, min: null, max: null, pattern: null, oneOf: null, whole: null },
  ...{ scale: 0, items: null, keys: null },
};

test('lists, maps and maps of maps have the types of what a handler is given', () => {
  const list: ValueRule = { ...RULE, kind: 'list', items: RULE };
  const map = (items: ValueRule): ValueRule => ({ ...RULE, kind: 'map', keys: RULE, items });
  const takes = [
    { name: 'names', rule: list, nullable: false },
    { name: 'words', rule: map({ ...RULE, kind: 'integer' }), nullable: true },
    { name: 'deep', rule: map(map(RULE)), nullable: false },
  ];
  const handler = { name: 'score', kind: 'pure', takes, gives: [], fails: [] } as unknown as HandlerPlan;
  const types = handlerTypes({ title: 'Scores', handlers: [handler], wire: { decimals: null } } as unknown as Plan);
  assert.match(types, /readonly names: readonly \(string\)\[\];/);
  assert.match(types, /readonly words: \{ readonly \[key: string\]: number \} \| null;/);
  assert.match(types, /readonly deep: \{ readonly \[key: string\]: \{ readonly \[key: string\]: string \} \};/);
});
