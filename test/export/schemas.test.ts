import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv, type ValidateFunction } from 'ajv';
import { compile } from '../../src/compiler/compile.ts';
import type { Contract, VersionContract } from '../../src/contract/contract.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import { arazzoOf } from '../../src/export/arazzo/document.ts';
import { asyncApiOf } from '../../src/export/asyncapi/document.ts';
import { openApiOf } from '../../src/export/openapi/document.ts';
import { corpus } from '../frozen/corpus.ts';
import { IN_WHOLE, share } from '../share.ts';
import { runTool, toolModule } from './tools/tool.ts';

// The exports of all cases, examples and documents, by the schemas that their standards publish.

/** How many documents a usual run exports. */
const MOST = 8;

interface Exported {
  readonly name: string;
  readonly contract: Contract;
  readonly version: VersionContract;
}

/** Every version of documents that are served; of random documents, a twentieth. */
function* versionsOf(documents: Iterable<{ readonly name: string; readonly text: string }>): Generator<Exported> {
  for (const { name, text } of documents) {
    const { plan } = compile('document.md', text);
    if (!plan) continue;
    const contract = contractOf(plan);
    for (const version of contract.versions) yield { name: `${name} ${version.name ?? ''}`, contract, version };
  }
}

const ALL = [...corpus()].filter(({ name }, i) => !name.startsWith('random ') || i % 20 === 0);
const { cases, which } = share(ALL, MOST, 8);

const isAnswered = ({ version }: Exported): boolean => version.status !== 'retired';

test('the exports of cases are what the schemas of OpenAPI 3.1 and 3.2 allow', async (t) => {
  const validator = new Validator();
  let judged = 0;
  for (const one of versionsOf(cases)) {
    if (!isAnswered(one)) continue;
    for (const format of ['3.1', '3.2'] as const) {
      const { valid, errors } = await validator.validate(
        JSON.parse(JSON.stringify(openApiOf(one.contract, one.version, format))),
      );
      assert.ok(valid, `${one.name}, OpenAPI ${format}: ${JSON.stringify(errors)}`);
      judged++;
    }
  }
  t.diagnostic(`${judged} exports of ${cases.length} documents (${which})`);
});

test('the exports of cases are what the schema of AsyncAPI 3.1 allows', IN_WHOLE, (t) => {
  const { schemas } = toolModule('@asyncapi/specs') as { readonly schemas: Readonly<Record<string, object>> };
  // The schema of AsyncAPI brings its own copy of draft 07.
  const ajv = new Ajv({ strict: false, validateFormats: false, logger: false, meta: false, validateSchema: false });
  const isValid: ValidateFunction = ajv.compile(schemas['3.1.0'] ?? {});
  let judged = 0;
  for (const { name, contract, version } of versionsOf(cases)) {
    assert.ok(
      isValid(JSON.parse(JSON.stringify(asyncApiOf(contract, version)))),
      `${name}: ${JSON.stringify(isValid.errors)}`,
    );
    judged++;
  }
  assert.ok(!isValid({ asyncapi: '3.1.0', channels: [] }), 'whoever finds nothing might not have looked');
  t.diagnostic(`${judged} exports of ${cases.length} documents (${which})`);
});

test('Redocly’s rules of Arazzo find nothing in the workflows of cases', IN_WHOLE, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-workflows-'));
  try {
    const files: string[] = [];
    for (const one of versionsOf(cases)) {
      const made = isAnswered(one) ? arazzoOf(one.contract, one.version) : null;
      if (!made) continue;
      assert.deepEqual(undefinedOutputs(made), [], one.name);
      const place = `${files.length}`;
      mkdirSync(join(folder, place));
      writeFileSync(join(folder, place, 'openapi.json'), JSON.stringify(openApiOf(one.contract, one.version, '3.1')));
      writeFileSync(join(folder, place, 'arazzo.json'), JSON.stringify(made));
      files.push(join(place, 'arazzo.json'));
    }
    // Its rule of outputs looks for a step in whichever workflow has one of that name first.
    const skipped = ['--skip-rule', 'outputs-defined'];
    const args = ['lint', ...files, '--extends', 'recommended', ...skipped, '--format', 'github-actions'];
    assert.equal((await runTool('redocly', args, folder)).out, '');
    t.diagnostic(`${files.length} exports of ${cases.length} documents (${which})`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** What a workflow reads of its steps, where none of them gives it out (Arazzo 1.0, runtime expressions). */
function undefinedOutputs(made: object): string[] {
  const { workflows } = JSON.parse(JSON.stringify(made)) as {
    readonly workflows: ReadonlyArray<{ readonly steps: ReadonlyArray<{ stepId: string; outputs?: object }> }>;
  };
  return workflows.flatMap((workflow) => {
    const given = new Set(
      workflow.steps.flatMap(({ stepId, outputs = {} }) =>
        Object.keys(outputs).map((name) => `${stepId}.outputs.${name}`),
      ),
    );
    const read = JSON.stringify(workflow).matchAll(/\$steps\.([\w-]+\.outputs\.[\w-]+)/g);
    return [...read].flatMap(([, name = '']) => (given.has(name) ? [] : name));
  });
}
