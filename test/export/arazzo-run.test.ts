import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import { arazzoOf } from '../../src/export/arazzo/document.ts';
import { openApiOf } from '../../src/export/openapi/document.ts';
import { example } from '../fixtures.ts';
import { edited, PATIENT, type Service, Workspace } from '../harness.ts';
import { IN_WHOLE } from '../share.ts';
import { runTool } from './tools/tool.ts';

/** What a workflow is given, by the names of its inputs; keys of idempotency are drawn. */
type Inputs = Readonly<Record<string, unknown>>;

/** A document, who calls, and what has to be there before the workflows begin. */
interface Stage {
  readonly name: string;
  readonly text: string;
  /** Enters rows and issues a key: gives the inputs that hold credentials. */
  readonly callers: (space: Workspace) => Promise<Inputs>;
  /** Makes by requests what bodies speak of. */
  readonly inputs: (service: Service, key: string) => Promise<Inputs>;
  /** The inputs that an older version has otherwise. */
  readonly older?: Inputs;
}

async function keyOf(space: Workspace, resource: string, fields: readonly string[], scopes: string | null) {
  const added = await space.cli('rows', 'add', resource, ...fields, '--json');
  assert.equal(added.code, 0, added.err);
  const id = String(Object.values(JSON.parse(added.out)[0] ?? JSON.parse(added.out))[0]);
  const issued = await space.cli('keys', 'issue', resource, id, ...(scopes === null ? [] : ['--scopes', scopes]));
  assert.equal(issued.code, 0, issued.err);
  return issued.out.trim();
}

async function made(service: Service, path: string, key: string, body: unknown): Promise<Record<string, unknown>> {
  const headers = { 'x-register-key': key };
  const answer = await service.request('POST', path, { key, headers, body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body as Record<string, unknown>;
}

/** A day so many days from now, in UTC. */
const dayIn = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Orders that are placed and cancelled by those alone who have seen them as they are. */
const MATCHED = edited(
  PATIENT,
  ['1. Move `order` by place.\n2.', '1. Match If-Match to `etag(order)`.\n2. Move `order` by place.\n3.'],
  ['1. Move `order` by cancel.\n2.', '1. Match If-Match to `etag(order)`.\n2. Move `order` by cancel.\n3.'],
);

const STAGES: readonly Stage[] = [
  {
    name: 'orders.md',
    text: PATIENT,
    callers: async (space) => {
      const key = await space.key(await space.customer());
      return { credentials_orders_write: key, credentials_orders_fulfil: key };
    },
    inputs: async () => ({ create_body: { sku: 'ARA-0001', quantity: 3 } }),
    older: { create_body: { product: 'ARA-0001', quantity: 3 } },
  },
  {
    name: 'orders that are matched.md',
    text: MATCHED,
    callers: async (space) => {
      const key = await space.key(await space.customer());
      return { credentials_orders_write: key, credentials_orders_read: key, credentials_orders_fulfil: key };
    },
    inputs: async () => ({ create_body: { sku: 'ARA-0003', quantity: 3 } }),
    older: { create_body: { product: 'ARA-0003', quantity: 3 } },
  },
  {
    name: 'payments.md',
    text: example('payments'),
    callers: async (space) => {
      const fields = [`id=${randomUUID()}`, 'name=Books'];
      return { credentials_payments_write: await keyOf(space, 'Merchant', fields, 'payments:read,payments:write') };
    },
    inputs: async () => ({ create_body: { amount: 1250, currency: 'eur', method: 'card' } }),
    older: { create_body: { amount: 1250, currency: 'eur', payment_method: 'card' } },
  },
  {
    name: 'bookings.md',
    text: example('bookings'),
    callers: async (space) => ({
      credentials: await keyOf(space, 'Person', [`id=${randomUUID()}`, 'name=Ada', 'staff=true'], null),
    }),
    inputs: async (service, key) => {
      const room = await made(service, '/rooms', key, { name: 'Blue', capacity: 9, zone: 'UTC' });
      const [starts, ends] = [`${dayIn(5)}T10:00:00Z`, `${dayIn(5)}T11:00:00Z`];
      return { create_body: { room: room.id, starts, ends } };
    },
  },
  {
    name: 'issues.md',
    text: example('issues'),
    callers: async (space) => ({ credentials: await keyOf(space, 'User', ['login=ada'], null) }),
    inputs: async (service, key) => {
      await made(service, '/user/repos', key, { name: 'engine' });
      return {
        path_owner: 'ada',
        path_repo: 'engine',
        create_body: { title: 'It stops' },
        close_body: { state: 'closed' },
        reopen_body: { state: 'open' },
      };
    },
  },
  {
    name: 'apiary.md',
    // Respect writes hyphens in names of members as underscores.
    text: example('apiary').replaceAll('frame-', 'frame_'),
    callers: async (space) => ({
      credentials: await keyOf(space, 'Keeper', ['number=1', 'name=Maya', 'inspector=true'], null),
    }),
    inputs: async (service, key) => {
      const location = { latitude: '46.9480', longitude: '7.4474' };
      await made(service, '/apiaries', key, { name: 'Meadow', zone: 'UTC', location, forage: ['lime'] });
      // What was found long ago has settled since.
      const found = { day: dayIn(-1), mites: { frame_1: 500 } };
      return {
        path_apiary: '1',
        create_body: { queen: '2025-05-01', race: 'carnica' },
        suspect_body: found,
        suspect2_body: { ...found, day: dayIn(-2) },
        confirm_finding: 'confirm',
        clear_finding: 'clear',
        destroy_finding: 'destroy',
      };
    },
  },
];

interface Workflows {
  readonly workflows: ReadonlyArray<{
    readonly workflowId: string;
    readonly inputs: { readonly required: readonly string[] };
    readonly steps: readonly unknown[];
  }>;
}

for (const { name, text, callers, inputs, older } of STAGES)
  test(`Redocly’s Respect runs every workflow of ${name}, and every step of it is as told`, IN_WHOLE, async (t) => {
    await using space = new Workspace(text, name);
    const credentials = await callers(space);
    const service = await space.serve({ args: ['--url', 'https://service.example'] });
    const given = { ...credentials, ...(await inputs(service, String(Object.values(credentials)[0]))) };
    const { plan } = compile(name, text);
    assert.ok(plan);
    const contract = contractOf(plan);
    const folder = mkdtempSync(join(tmpdir(), 'ninefold-arazzo-'));
    try {
      let steps = 0;
      for (const version of contract.versions.filter((one) => one.status !== 'retired')) {
        const arazzo = arazzoOf(contract, version);
        assert.ok(arazzo);
        writeFileSync(join(folder, 'openapi.json'), JSON.stringify(openApiOf(contract, version, '3.1')));
        writeFileSync(join(folder, 'arazzo.json'), JSON.stringify(arazzo, withoutMaps));
        for (const workflow of (arazzo as unknown as Workflows).workflows) {
          steps += workflow.steps.length;
          assert.deepEqual(
            await respect(folder, service, workflow, version.status === 'current' ? given : { ...given, ...older }),
            [],
            `${version.name} ${workflow.workflowId}`,
          );
        }
      }
      t.diagnostic(`${steps} steps`);
      if (name !== 'orders.md') return;
      // Whoever finds nothing wrong might not have looked.
      const other = readFileSync(join(folder, 'arazzo.json'), 'utf8').replaceAll("== 'placed'", "== 'shipped'");
      writeFileSync(join(folder, 'arazzo.json'), other);
      const [first] = (JSON.parse(other) as Workflows).workflows;
      assert.ok(first);
      assert.notDeepEqual(await respect(folder, service, first, { ...given, ...older }), []);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

/** Respect takes the entries out of every map that it is given, unless it doesn’t know that it is one. */
const withoutMaps = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'propertyNames' in value ? {} : value;

/** Runs one workflow; gives what Respect says of the checks that failed. */
async function respect(folder: string, service: Service, workflow: Workflows['workflows'][number], given: Inputs) {
  const drawn = workflow.inputs.required.filter((name) => name.endsWith('_Idempotency_Key'));
  const values = { ...given, ...Object.fromEntries(drawn.map((name) => [name, randomUUID()])) };
  const missing = workflow.inputs.required.filter((name) => !(name in values));
  assert.deepEqual(missing, [], workflow.workflowId);
  const args = ['respect', 'arazzo.json', '--workflow', workflow.workflowId, '--input', JSON.stringify(values)];
  const out = join(folder, 'out.json');
  const ended = await runTool('redocly', [...args, '--server', `service=${service.url}`, '--json-output', out], folder);
  return ended.code === 0 ? [] : [ended.out, ended.err, readFileSync(out, 'utf8')];
}
