import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { compile } from '../../src/compiler/compile.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import { STREAM_FACTS, WEBHOOK_FACTS } from '../../src/plan/event-facts.ts';
import { eachFact, type Facts } from '../../src/plan/plain-fact.ts';
import { corpus } from '../frozen/corpus.ts';
import { share } from '../share.ts';

const SCHEMA = JSON.parse(readFileSync(new URL('../../docs/contract.schema.json', import.meta.url), 'utf8')) as Record<
  string,
  unknown
>;

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { date: /^\d{4}-\d{2}-\d{2}$/ } });
const validate = ajv.compile(SCHEMA);

/** How many documents a run looks at. */
const MOST = 15;

const all = [...corpus()];

test('what the command prints is as the published schema describes it', (t) => {
  const whole = all.filter(({ name }) => name.startsWith('examples/') || name.startsWith('docs/'));
  const { cases, which } = share(
    all.filter((one) => !whole.includes(one)),
    MOST,
    6,
  );
  let judged = 0;
  for (const { name, text } of [...whole, ...cases]) {
    const { plan } = compile('document.md', text);
    if (!plan) continue;
    const printed: unknown = JSON.parse(JSON.stringify(contractOf(plan)));
    assert.ok(validate(printed), `${name}: ${ajv.errorsText(validate.errors)}`);
    judged++;
  }
  t.diagnostic(`${judged} contracts of ${whole.length} whole documents and ${cases.length} others (${which})`);
  assert.ok(judged > whole.length);
});

test('the schema has the facts of webhooks and streams as their tables have them', () => {
  const schema = SCHEMA as { $defs: Record<string, { properties: Record<string, unknown>; required: string[] }> };
  for (const [part, facts] of [
    ['webhook', WEBHOOK_FACTS],
    ['stream', STREAM_FACTS],
  ] as const) {
    const { properties, required } = schema.$defs[part]!;
    const derived = eachFact<Facts, Record<string, unknown>>(
      facts,
      ({ contract, fact: { form, about } }) => ({
        [contract]: { ...(about && { description: about }), ...form.schema },
      }),
      {},
    );
    for (const [name, member] of derived.flatMap((one) => Object.entries(one ?? {}))) {
      assert.deepEqual(properties[name], member, `$defs.${part} needs "${name}": ${JSON.stringify(member)}`);
      assert.ok(required.includes(name), `$defs.${part} needs ${name} among the required members`);
    }
  }
});

test('the schema refuses a contract with a member more or less', () => {
  const { plan } = compile('orders.md', readFileSync(new URL('../../examples/orders.md', import.meta.url), 'utf8'));
  assert.ok(plan);
  const contract = contractOf(plan);
  assert.ok(!validate({ ...contract, more: 1 }));
  const { stream: _stream, ...less } = contract;
  assert.ok(!validate(less));
});

test('a contract is data: it is the same after it was written and read again, and each time it is made', () => {
  for (const { text } of share(all, 10, 6).cases) {
    const { plan } = compile('document.md', text);
    if (!plan) continue;
    const contract = contractOf(plan);
    assert.deepEqual(JSON.parse(JSON.stringify(contract)), contract);
    assert.equal(JSON.stringify(contractOf(plan)), JSON.stringify(contract));
  }
});
