import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import { asyncApiOf } from '../../src/export/asyncapi/document.ts';
import { yamlText } from '../../src/export/yaml.ts';
import { documents } from '../fixtures.ts';
import { IN_WHOLE, SEED } from '../share.ts';
import { toolModule } from './tools/tool.ts';

/** What this test uses of `@asyncapi/parser`. */
interface Parsing {
  readonly Parser: new () => {
    parse(text: string): Promise<{
      readonly document?: { operations(): { all(): ReadonlyArray<{ id(): string | undefined }> } };
      readonly diagnostics: ReadonlyArray<{ readonly code: string | number; readonly message: string }>;
    }>;
  };
}

test('AsyncAPI’s own parser finds nothing in any version of any example, in JSON or YAML', IN_WHOLE, async (t) => {
  const { Parser } = toolModule('@asyncapi/parser') as Parsing;
  const parser = new Parser();
  let read = 0;
  for (const { name, text } of documents()) {
    const { plan } = compile(name, text);
    assert.ok(plan);
    const contract = contractOf(plan);
    for (const version of contract.versions) {
      const made = asyncApiOf(contract, version);
      // One of the two, by turns: both have the same data (`yaml.test.ts`).
      // One of the two, by turns: what is written in YAML has the same data (`asyncapi.test.ts`).
      const written = (read + SEED) % 2 === 0 ? JSON.stringify(made) : yamlText(made);
      const { document, diagnostics } = await parser.parse(written);
      assert.deepEqual(diagnostics, [], `${name} ${version.name}`);
      const ids = document?.operations().all() ?? [];
      assert.deepEqual(
        ids.map((one) => one.id()),
        Object.keys(made.operations ?? {}),
      );
      read++;
      // Whoever finds nothing might not have looked.
      const spoilt = await parser.parse(JSON.stringify({ ...made, channels: { one: { address: 1 } } }));
      assert.notDeepEqual(spoilt.diagnostics, []);
    }
  }
  t.diagnostic(`${read} documents`);
});
