import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { compile } from '../../src/compiler/compile.ts';
import type { Contract, VersionContract } from '../../src/contract/contract.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import { arazzoOf } from '../../src/export/arazzo/document.ts';
import { openApiOf } from '../../src/export/openapi/document.ts';
import { yamlText } from '../../src/export/yaml.ts';
import { documents, example } from '../fixtures.ts';
import { edited } from '../harness.ts';
import { IN_WHOLE } from '../share.ts';
import { unshared } from './exports.ts';
import { runTool } from './tools/tool.ts';

interface Step {
  readonly stepId: string;
  readonly operationId: string;
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly in: string; readonly value: string }>;
  readonly requestBody?: { readonly contentType: string; readonly payload: string };
  readonly successCriteria: ReadonlyArray<{ readonly condition: string }>;
  readonly outputs?: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly workflowId: string;
  readonly inputs: { readonly properties: Readonly<Record<string, object>>; readonly required: readonly string[] };
  readonly steps: readonly Step[];
  readonly outputs?: Readonly<Record<string, string>>;
}

interface Arazzo {
  readonly workflows: readonly Workflow[];
  readonly 'x-ninefold-not-expressed': ReadonlyArray<{ readonly what: string; readonly at?: readonly string[] }>;
}

interface Operation {
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly in: string; readonly required?: boolean }>;
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, object>> };
  readonly responses: Readonly<Record<string, object>>;
}

function contractIn(name: string, text: string): Contract {
  const { plan } = compile(name, text);
  assert.ok(plan);
  return contractOf(plan);
}

function arazzoIn(contract: Contract, version: VersionContract | undefined): Arazzo | null {
  assert.ok(version);
  const made = arazzoOf(contract, version, true);
  return made && (JSON.parse(JSON.stringify(made)) as Arazzo);
}

/** The operations of the OpenAPI export, by their ids. */
function operationsIn(contract: Contract, version: VersionContract): Map<string, Operation> {
  const { paths } = JSON.parse(JSON.stringify(unshared(openApiOf(contract, version, '3.1'))));
  const all = Object.values<Record<string, Operation & { operationId: string }>>(paths).flatMap(Object.values);
  return new Map(all.map((one) => [one.operationId, one]));
}

for (const { name, text } of documents())
  test(`the workflows of ${name} call what its OpenAPI export has, with all that it needs`, () => {
    const contract = contractIn(name, text);
    for (const version of contract.versions.filter((one) => one.status !== 'retired')) {
      const made = arazzoIn(contract, version);
      assert.deepEqual(arazzoIn(contractIn(name, text), version), made, 'it is the same each time');
      const stated = contract.resources.some((one) => one.states);
      if (!stated) assert.equal(made, null);
      if (!made) continue;
      const written = arazzoOf(contract, version, true);
      assert.deepEqual(written && parse(yamlText(written)), made);
      const operations = operationsIn(contract, version);
      for (const workflow of made.workflows) callable(workflow, operations);
      const ids = made.workflows.map((one) => one.workflowId);
      assert.equal(new Set(ids).size, ids.length);
      assert.deepEqual(untold(contract, made), []);
    }
  });

/** Every step is a call that can be made by what is known before it. */
function callable(workflow: Workflow, operations: ReadonlyMap<string, Operation>): void {
  const known = new Set(Object.keys(workflow.inputs.properties).map((one) => `$inputs.${one}`));
  assert.deepEqual([...workflow.inputs.required].sort(), Object.keys(workflow.inputs.properties).sort());
  const used = new Set<string>();
  const resolves = (value: unknown): void => {
    for (const [expression] of String(value).matchAll(/\$(?:inputs|steps)\.[\w.]+/g)) {
      assert.ok(known.has(expression), `${workflow.workflowId}: ${expression}`);
      used.add(expression);
    }
  };
  for (const { stepId, operationId, parameters = [], requestBody, successCriteria, outputs = {} } of workflow.steps) {
    const operation = operations.get(operationId);
    assert.ok(operation, operationId);
    for (const { value } of parameters) resolves(value);
    resolves(requestBody?.payload ?? '');
    const given = new Set(parameters.map((one) => `${one.in} ${one.name}`));
    const needed = (operation.parameters ?? []).filter((one) => one.required).map((one) => `${one.in} ${one.name}`);
    assert.deepEqual(
      needed.filter((one) => !given.has(one)),
      [],
      `${workflow.workflowId} ${stepId}`,
    );
    if (operation.requestBody?.required)
      assert.ok(requestBody && requestBody.contentType in operation.requestBody.content);
    const status = /^\$statusCode == (\d+)$/.exec(successCriteria[0]?.condition ?? '')?.[1];
    assert.ok(status !== undefined && status in operation.responses);
    for (const output of Object.keys(outputs)) known.add(`$steps.${stepId}.outputs.${output}`);
  }
  for (const output of Object.values(workflow.outputs ?? {})) resolves(output);
  const inputs = [...known].filter((one) => one.startsWith('$inputs'));
  assert.deepEqual(
    inputs.filter((one) => !used.has(one)),
    [],
    'every input is used',
  );
}

/** Transitions that neither a workflow makes nor the list names. */
function untold(contract: Contract, { workflows, 'x-ninefold-not-expressed': list }: Arazzo): string[] {
  const told = list.find((one) => one.what === 'not called')?.at ?? [];
  const ids = workflows.map((one) => one.workflowId);
  return contract.resources.flatMap(({ name, states }) =>
    (states?.transitions ?? [])
      .filter((one) => !told.includes(`${name}.${one.name}`))
      .filter((one) => !ids.some((id) => id.startsWith(`${name}-`) && id.split('-').includes(one.name)))
      .map((one) => `${name}.${one.name}`),
  );
}

test('each way to a final state is a workflow, and what no caller moves is told of in the list', () => {
  const contract = contractIn('orders.md', example('orders'));
  const made = arazzoIn(contract, contract.versions[0]);
  const ids = made?.workflows.map((one) => one.workflowId);
  assert.deepEqual(ids, ['Order-place-cancel', 'Order-place-ship-deliver', 'Order-cancel']);
  const told = made?.['x-ninefold-not-expressed'].map(({ what, at = [] }) => [what, ...at].join(' '));
  assert.deepEqual(told, [
    'no states Customer',
    'not called Order.expire',
    'guards Order.place',
    'inputs',
    'workflow credentials',
  ]);
});

test('a call that has to name an entity tag reads it before, and again once the row has changed', () => {
  const match = '1. Match If-Match to `etag(order)`.\n2. Move `order` by';
  const text = edited(
    example('orders'),
    ['1. Move `order` by place', `${match} place`],
    ['1. Move `order` by cancel', `${match} cancel`],
  ).replaceAll(/^(2\. Move `order` by (?:place|cancel)\.\n)2\./gm, '$13.');
  const contract = contractIn('orders.md', text);
  const [version] = contract.versions;
  assert.ok(version);
  const made = arazzoIn(contract, version);
  const workflow = made?.workflows.find((one) => one.workflowId === 'Order-place-cancel');
  assert.ok(workflow);
  callable(workflow, operationsIn(contract, version));
  assert.deepEqual(
    workflow.steps.map((one) => one.stepId),
    ['create', 'read', 'place', 'read2', 'cancel'],
  );
  const tags = workflow.steps.map((one) => one.parameters?.find(({ name }) => name === 'If-Match')?.value);
  assert.deepEqual(tags, [undefined, undefined, '$steps.read.outputs.tag', undefined, '$steps.read2.outputs.tag']);
});

test('Redocly’s and Spectral’s rules of Arazzo find nothing in any workflow', IN_WHOLE, async () => {
  for (const { name, text } of documents()) {
    const contract = contractIn(name, text);
    for (const version of contract.versions.filter((one) => one.status !== 'retired')) {
      const made = arazzoIn(contract, version);
      if (!made) continue;
      const folder = mkdtempSync(join(tmpdir(), 'ninefold-arazzo-'));
      try {
        writeFileSync(join(folder, 'openapi.json'), JSON.stringify(openApiOf(contract, version, '3.1')));
        const judged = async (document: unknown): Promise<string> => {
          writeFileSync(join(folder, 'arazzo.json'), JSON.stringify(document));
          const args = ['lint', 'arazzo.json', '--extends', 'recommended', '--format', 'github-actions'];
          const rules = join(import.meta.dirname, 'rules', 'spectral-arazzo.yaml');
          const words = [
            'lint',
            '--quiet',
            '--ruleset',
            rules,
            '--fail-severity',
            'hint',
            '--format',
            'text',
            'arazzo.json',
          ];
          const found = [await runTool('redocly', args, folder), await runTool('spectral', words, folder)];
          return found.map(({ out }) => out).join('');
        };
        assert.equal(await judged(made), '', name);
        // Whoever finds nothing might not have looked.
        const found = await judged({ ...made, workflows: [{ steps: [] }] });
        assert.match(found, /workflowId/);
        assert.match(found, /arazzo-document-schema/);
      } finally {
        rmSync(folder, { recursive: true });
      }
    }
  }
});
