import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Finding } from '../../../syntax/diagnostic.ts';
import { compile } from '../../compile.ts';

/** The findings that a step is not understood. */
function ununderstood(step: string): Finding[] {
  const { findings } = compile('t.md', `# T\n\n## Endpoints\n\n### \`GET /t\`\n\n1. ${step}\n`);
  return findings.filter(({ code }) => code === 'language/unknown' || code === 'language/missing');
}

const VERBS = [
  ...['Find', 'List', 'Authenticate', 'Require', 'Match', 'Create', 'Ensure', 'Change', 'Move', 'Remove'],
  ...['Remove every', 'Run', 'Issue', 'Revoke', 'Answer'],
];

for (const verb of VERBS)
  test(`a ${verb} that is not understood says how one is written, and that is understood`, () => {
    const [finding] = ununderstood(`${verb}, please.`);
    const form = finding?.why.split('Such a step is written: ')[1] ?? '';
    assert.ok(form.startsWith(`${verb} `), `${finding?.why}`);
    assert.deepEqual(ununderstood(form), []);
  });
