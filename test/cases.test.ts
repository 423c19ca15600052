import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { after, describe, test } from 'node:test';
import { type Compiled, compile } from '../src/compiler/compile.ts';
import { explainPlan } from '../src/explain/explain.ts';
import { type Block, type Case, readCases, withGoldens } from './cases.ts';
import { Conversation } from './conversation.ts';

const ROOT = join(import.meta.dirname, '..');
/** `UPDATE=1` writes what comes of each case into its file, to be read before it is committed. */
const UPDATE = process.env.UPDATE === '1';

const files = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.md') && entry.parentPath.endsWith('cases'))
  .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
  .sort();

/** What comes of one golden block. */
async function outcome(block: Block, one: Case, compiled: Compiled): Promise<string> {
  switch (block.kind) {
    case 'findings':
      return findingsOf(compiled);
    case 'notices':
      return findingsOf(compiled, compiled.notices);
    case 'plan': {
      assert.ok(compiled.plan, `${one.name}: there is no plan\n${findingsOf(compiled)}`);
      const endpoint = compiled.plan.endpoints.find((each) => each.name === block.info) ?? null;
      return `${explainPlan(compiled.plan, endpoint)}\n`;
    }
    case 'exchange': {
      assert.ok(compiled.plan, `${one.name}: there is no plan\n${findingsOf(compiled)}`);
      await using conversation = await Conversation.start(compiled.plan);
      return await conversation.hold(block.text, block.info.split(' ').filter(Boolean));
    }
    default:
      throw new Error(`${one.file}: ${one.name}: there is no block “${block.kind}”`);
  }
}

function findingsOf(compiled: Compiled, findings = compiled.findings): string {
  return findings
    .map((finding) => {
      const place = finding.span ? compiled.lines.position(finding.span.from) : null;
      const at = place ? `${place.line}:${place.column}` : '-';
      const write = finding.suggestion === null ? '' : `    write: ${finding.suggestion}\n`;
      return `${at} ${finding.severity} ${finding.code}: ${finding.message}\n${write}`;
    })
    .join('');
}

const GOLDEN = ['findings', 'notices', 'plan', 'exchange'];

for (const file of files)
  describe(file, () => {
    const goldens: string[] = [];
    const cases = readCases(file);
    const expected = cases.flatMap((one) => one.blocks).filter((block) => GOLDEN.includes(block.kind)).length;
    for (const one of cases)
      test(one.name, async () => {
        const compiled = compile('case.md', one.document);
        for (const block of one.blocks.filter((each) => GOLDEN.includes(each.kind))) {
          const text = await outcome(block, one, compiled);
          goldens.push(text);
          if (!UPDATE) assert.equal(text, block.text);
        }
      });
    after(() => {
      // A case that failed gives no golden, and then nothing is written.
      if (UPDATE && goldens.length === expected) writeFileSync(join(ROOT, file), withGoldens(file, goldens));
    });
  });

test('there are cases', () => assert.ok(files.length > 0));
