import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { filled, MISTAKES, make } from './mistakes/mistakes.ts';
import { IN_WHOLE } from './share.ts';

const PAGE = join(import.meta.dirname, '..', 'docs', 'mistakes.md');
const HEAD = `# What operators get wrong

Each section shows a wrong command and its output. The test \`test/mistakes.test.ts\` runs each command and compares the output with this page; with \`NINEFOLD_GOLDENS=1\`, the test writes this page. The commands run in a directory \`/srv\` with three of the examples, and another program uses port 8080.
`;

test('what operators get wrong is told in words, with what to do', IN_WHOLE, async () => {
  const sections: string[] = [];
  for (const mistake of MISTAKES) {
    const dir = mkdtempSync(join(tmpdir(), 'ninefold-'));
    try {
      const { out, err, code } = await make(mistake, dir);
      const said = `${out}${err}`.trimEnd();
      assert.doesNotMatch(said, /^\s+at |node:|defect of Ninefold|undefined|\[object/m, mistake.what);
      assert.notEqual(said, '', mistake.what);
      const command = filled(mistake.words).join(' ');
      sections.push(`## ${mistake.what}\n\n~~~text\n$ ninefold ${command}\n${said}\n~~~\n\nExit code ${code ?? 0}.\n`);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }
  const page = `${HEAD}\n${sections.join('\n')}`;
  if (process.env.NINEFOLD_GOLDENS) writeFileSync(PAGE, page);
  assert.equal(page, readFileSync(PAGE, 'utf8'));
});
