import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { compile } from '../../src/compiler/compile.ts';
import type { Contract, VersionContract } from '../../src/contract/contract.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import { asyncApiOf } from '../../src/export/asyncapi/document.ts';
import { yamlText } from '../../src/export/yaml.ts';
import { readCases } from '../cases.ts';
import { deletions, documents, example, shortened, variations } from '../fixtures.ts';
import { edited, until, Workspace } from '../harness.ts';
import { Reader } from '../reader.ts';
import { Receiver } from '../receiver.ts';
import { IN_WHOLE, share } from '../share.ts';

interface AsyncApi {
  readonly channels?: Readonly<Record<string, Channel>>;
  readonly operations?: Readonly<Record<string, Operation>>;
  readonly components?: { readonly messageTraits?: Readonly<Record<string, { headers: object }>> };
  readonly servers?: object;
  readonly 'x-ninefold-not-expressed': ReadonlyArray<{ readonly what: string }>;
}

interface Channel {
  readonly address: string | null;
  readonly messages: Readonly<Record<string, { readonly payload: object }>>;
}

interface Operation {
  readonly channel: { readonly $ref: string };
  readonly messages: ReadonlyArray<{ readonly $ref: string }>;
  readonly security?: ReadonlyArray<{ readonly $ref: string }>;
}

function contractIn(name: string, text: string): Contract {
  const { plan } = compile(name, text);
  assert.ok(plan);
  return contractOf(plan);
}

const made = (contract: Contract, version: VersionContract): AsyncApi =>
  JSON.parse(JSON.stringify(asyncApiOf(contract, version, true)));

for (const { name, text } of share(documents(), 4).cases)
  test(`every version of ${name}, retired ones too, is an AsyncAPI document that is whole in itself`, () => {
    const contract = contractIn(name, text);
    for (const version of contract.versions) {
      const document = made(contract, version);
      assert.deepEqual(made(contractIn(name, text), version), document, 'it is the same each time');
      assert.deepEqual(parse(yamlText(asyncApiOf(contract, version, true))), document);
      assert.deepEqual(dangling(document), []);
      assert.deepEqual(untold(document), []);
      const notified = version.events.filter((one) => one.notifiedBy.includes('webhook')).map((one) => one.name);
      assert.deepEqual(Object.keys(document.channels?.webhooks?.messages ?? {}), notified);
      for (const [id, operation] of Object.entries(document.operations ?? {})) {
        assert.equal(operation.channel.$ref, `#/channels/${id}`);
        assert.equal(operation.messages.length, Object.keys(document.channels?.[id]?.messages ?? {}).length);
      }
      const { compile: compiled } = schemasOf(document);
      for (const { messages } of Object.values(document.channels ?? {}))
        for (const { payload } of Object.values(messages)) assert.ok(compiled(payload));
    }
  });

/** What judges values by the schemas of a document: those of AsyncAPI are JSON Schema’s draft 7, with more words. */
function schemasOf(document: AsyncApi) {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'https://exported/document', ...document });
  const absolute = (schema: object): object =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"https://exported/document#/components'));
  return { compile: (schema: object) => ajv.compile(absolute(schema)) };
}

/** References to what isn’t there. */
function dangling(document: AsyncApi): string[] {
  const references: string[] = [];
  JSON.stringify(document, (key, value) => {
    if (key === '$ref') references.push(value);
    return value;
  });
  return references.filter((reference) => {
    const path = reference.split('/').slice(1);
    return (
      path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document) === undefined
    );
  });
}

/** Members beside AsyncAPI’s own words that the list at the end doesn’t name. */
function untold(document: AsyncApi): string[] {
  const beside = new Set<string>();
  JSON.stringify(document, (key, value) => {
    if (key.startsWith('x-ninefold-')) beside.add(key);
    return value;
  });
  const told = JSON.stringify(document['x-ninefold-not-expressed']);
  return [...beside].filter(
    (key) => key !== 'x-ninefold-not-expressed' && !new RegExp(`${key}\\b(?!-)`).test(told) && !EXPLAINED.has(key),
  );
}

/** Members that stand in those that the list names. */
const EXPLAINED: ReadonlySet<string> = new Set(['x-ninefold-codes']);

test('a document without events has no channels, and says so', () => {
  const contract = contractIn('todos.md', example('todos'));
  const [version] = contract.versions;
  assert.ok(version);
  const { channels, operations, ...rest } = made(contract, version);
  assert.deepEqual([channels, operations], [undefined, undefined]);
  assert.ok(rest['x-ninefold-not-expressed'].some(({ what }) => what === 'no events'));
});

test('the address of the service is the server of its streams', () => {
  const stated = example('tasks').replace(
    '- Address: given by the operator',
    '- Address: `https://tasks.example.com/api`',
  );
  const contract = contractIn('tasks.md', stated);
  const [version] = contract.versions;
  assert.ok(version);
  assert.deepEqual(made(contract, version).servers, {
    service: { host: 'tasks.example.com', protocol: 'https', pathname: '/api' },
  });
});

/** Orders with a stream beside their webhooks. */
const STREAMED = readCases('src/compiler/events/cases/stream.md')[0]?.document ?? '';

test('webhooks and messages of a stream are as the export says, in the version that they speak', IN_WHOLE, async () => {
  await using space = new Workspace(STREAMED);
  await using receiver = await new Receiver().up();
  await space.receiver(receiver.url, '--events', 'order.opened,order.placed', '--version', '2025-06-01');
  const key = await space.key(await space.customer());
  const service = await space.serveHere();
  const reader = await Reader.open(`${service.url}/events`, { authorization: `Bearer ${key}` });
  const id = await service.opened(key, 'ASY-0001', { note: 'x' });
  const { status } = await service.request('POST', `/orders/${id}/place`, { key });
  assert.equal(status, 200);
  await until(() => receiver.accepted.length === 2, 'two webhooks');
  const contract = contractIn('orders.md', STREAMED);
  const [current] = contract.versions;
  const older = contract.versions.find((one) => one.name === '2025-06-01');
  assert.ok(current && older);
  const hooks = made(contract, older);
  for (const got of receiver.got) {
    assert.deepEqual(faultsOf(hooks, 'webhooks', got.type, JSON.parse(got.body)), []);
    const signature = hooks.components?.messageTraits?.['Standard-Webhooks'];
    assert.ok(signature);
    assert.ok(schemasOf(hooks).compile(signature.headers)(got.headers), JSON.stringify(got.headers));
    // The fields of this version are others: the check sees a difference.
    assert.notDeepEqual(faultsOf(made(contract, current), 'webhooks', got.type, JSON.parse(got.body)), []);
  }
  const [opened] = await reader.heard(1);
  reader.leave();
  assert.ok(opened);
  assert.deepEqual(faultsOf(made(contract, current), 'getEvents', opened.type, JSON.parse(opened.data)), []);
});

test('messages of a stream that have the form of webhooks are as the export says', IN_WHOLE, async () => {
  const text = edited(STREAMED, ['- Data: the payload', '- Data: type, timestamp, data']);
  await using space = new Workspace(text);
  const key = await space.key(await space.customer());
  const service = await space.serveHere();
  const reader = await Reader.open(`${service.url}/events`, { authorization: `Bearer ${key}` });
  await service.opened(key, 'ASY-0002');
  const [opened] = await reader.heard(1);
  reader.leave();
  assert.ok(opened);
  const document = (of: string): AsyncApi => {
    const contract = contractIn('orders.md', of);
    const [current] = contract.versions;
    assert.ok(current);
    return made(contract, current);
  };
  assert.deepEqual(faultsOf(document(text), 'getEvents', opened.type, JSON.parse(opened.data)), []);
  assert.notDeepEqual(faultsOf(document(STREAMED), 'getEvents', opened.type, JSON.parse(opened.data)), []);
});

/** What the schema of a message finds wrong with it, and what of it the schema doesn’t have. */
function faultsOf(document: AsyncApi, channel: string, type: string, payload: unknown): unknown[] {
  const message = document.channels?.[channel]?.messages[type];
  assert.ok(message, type);
  const judge = schemasOf(document).compile(message.payload);
  return judge(payload) ? [] : (judge.errors ?? ['refused']);
}

for (const { name, text } of share(documents(), 4).cases)
  test(`what changes how others are told of events in ${name} changes its AsyncAPI export`, (t) => {
    const whole = contractIn(name, text);
    const before = { told: toldText(whole), text: exportText(whole) };
    const all = [...deletions(text), ...shortened(text), ...variations({ name, text })];
    // What changes something of events is a small part of all, and each is looked for in a whole run.
    const { cases, which } = share(
      all.filter((one) => touches(text, one.text)),
      8,
    );
    const silent: string[] = [];
    let changed = 0;
    for (const one of cases) {
      const { findings, plan } = compile(name, one.text);
      if (findings.length || !plan) continue;
      const contract = contractOf(plan);
      if (toldText(contract) === before.told) continue;
      changed++;
      if (exportText(contract) === before.text) silent.push(differenceIn(text, one.text));
    }
    t.diagnostic(`${cases.length} removed or replaced (${which}), of which ${changed} change events`);
    assert.deepEqual(silent, []);
  });

/** Whether a change is in the part about events, or in what is shown. */
function touches(text: string, changed: string): boolean {
  const line = differenceIn(text, changed);
  const events = text.slice(text.indexOf('\n## Events'), text.indexOf('\n## Errors'));
  return events.includes(line) || /Shown|Visible|Version|Address/.test(line);
}

function differenceIn(one: string, other: string): string {
  const after = other.split('\n');
  return one.split('\n').find((line, i) => line !== after[i]) ?? '';
}

/** All that the contract says of events. */
const toldText = ({ webhook, stream, versions }: Contract): string =>
  JSON.stringify(
    [webhook, stream, versions.map(({ events, name, status, sunset }) => ({ events, name, status, sunset }))],
    (key, value) => (key === 'lines' ? undefined : value),
  );

/** Descriptions are for people. */
const exportText = (contract: Contract): string =>
  JSON.stringify(
    contract.versions.map((version) => asyncApiOf(contract, version, true)),
    (key, value) => (key === 'description' || key === 'summary' ? undefined : value),
  );

test('a member that is always null is described as null', () => {
  const text = example('alarms').replace('value `request.value`.', 'value `null`.');
  const [version] = contractIn('alarms.md', text).versions;
  assert.ok(version);
  const { channels } = asyncApiOf(contractIn('alarms.md', text), version) as unknown as AsyncApi;
  const payload = channels?.webhooks?.messages['alarm.raised']?.payload as {
    readonly properties: { readonly data: { readonly properties: object } };
  };
  assert.deepEqual(Object.entries(payload.properties.data.properties).at(-1), ['value', { type: 'null' }]);
});
