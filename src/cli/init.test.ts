import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compile } from '../compiler/compile.ts';
import { ITEMS } from '../compiler/read/items.ts';
import { BULLET_KEYS } from '../language/keys.ts';
import { LIMITS } from '../language/limits.ts';
import { formOf, STEPS } from '../language/steps.ts';
import { keysOf } from '../text/own-members.ts';
import { EXAMPLES } from './examples.ts';
import { runHere, runProcess, temporary } from './harness.test.ts';
import { emptyForm } from './init.ts';
import { addressProblem } from './open.ts';

test('the form leaves exactly the 31 items open, and nothing in it is wrong', () => {
  const { items, findings } = compile('form.md', emptyForm());
  assert.deepEqual(
    findings.map(({ code, severity }) => `${severity} ${code}`),
    ITEMS.map(({ part, name }) => `question ${part}/${name.replaceAll(' ', '-')}`),
  );
  assert.ok(items.every((item) => item.state === 'not shown' && item.span !== null));
});

test('init writes service.md and says what comes next, and check answers with the 31 items', (t) => {
  const cwd = temporary(t);
  const ran = runProcess(['init'], { cwd });
  assert.equal(ran.code, 0);
  assert.match(ran.out, /^Wrote service\.md: .*\n.*\n {2}ninefold check service\.md\n$/);
  assert.equal(readFileSync(join(cwd, 'service.md'), 'utf8'), emptyForm());
  const checked = runProcess(['check', 'service.md'], { cwd });
  assert.equal(checked.code, 1);
  assert.match(
    checked.out,
    /31 items: 0 stated, 0 none, 31 not shown; 0 endpoints, 0 settled; 0 errors, 31 questions\./,
  );
});

test('a file that exists is left as it is, unless --force says otherwise', async (t) => {
  const file = join(temporary(t), 'mine.md');
  writeFileSync(file, 'mine');
  const refused = await runHere('init', file);
  assert.equal(refused.code, 2);
  assert.equal(refused.out, '');
  assert.match(refused.err, /^error: “.*mine\.md” exists already and has not been changed\. .*--force\.\n$/);
  assert.equal(readFileSync(file, 'utf8'), 'mine');
  const forced = await runHere('init', file, '--force');
  assert.equal(forced.code, 0);
  assert.equal(readFileSync(file, 'utf8'), emptyForm());
});

test('a place that can’t be written is wrong use, and says why', async (t) => {
  const folder = temporary(t);
  const missing = await runHere('init', join(folder, 'no', 'x.md'));
  assert.match(missing.err, /^error: “.*x\.md” cannot be written: there is no directory “.*no”\.\n$/);
  assert.equal(missing.code, 2);
  const directory = await runHere('init', folder, '--force');
  assert.match(directory.err, /is a directory\. Name a file in it/);
  assert.equal(directory.code, 2);
});

test('the next command can be pasted whatever the file is called', async (t) => {
  const file = join(temporary(t), 'it’s my service.md');
  const ran = await runHere('init', file);
  assert.ok(ran.out.endsWith(`  ninefold check '${file}'\n`));
});

test('the form has a form of every verb, bullet and limit', () => {
  const form = emptyForm();
  for (const verb of keysOf(STEPS)) assert.ok(form.includes(`1. ${formOf(verb)}`), verb);
  for (const place of keysOf(BULLET_KEYS))
    for (const key of BULLET_KEYS[place]) {
      const said = form.includes(`- ${key.trimEnd()}`);
      assert.ok(
        said ||
          /^(?:Idempotency of|Hears of|Visible of|Sort|Pages|Takes|States|Events|Kind|File|Fails with|Within|Attempts)/.test(
            key,
          ),
        key,
      );
    }
  for (const limit of keysOf(LIMITS)) assert.match(form, new RegExp(`^ {2}${limit}: .+ \\| .+$`, 'm'));
});

test('- writes the form to standard output', async () => {
  const ran = await runHere('init', '-');
  assert.equal(ran.out, emptyForm());
  assert.equal(ran.code, 0);
});

test('--example writes a whole document, of which check finds nothing', async (t) => {
  for (const { name } of EXAMPLES) {
    const file = join(temporary(t), `${name}.md`);
    const ran = await runHere('init', '--example', name, file);
    assert.equal(ran.code, 0);
    const { plan } = compile(file, readFileSync(file, 'utf8'));
    const url = plan && addressProblem(plan, null) ? ' --url http://localhost:3000' : '';
    assert.match(
      ran.out,
      new RegExp(`^Wrote .*${name}\\.md: .*\\nNext, serve it:\\n  ninefold serve .*\\.md'?${url}\\n$`),
    );
    assert.equal((await runHere('check', '--no-try', file)).code, 0, name);
  }
  const wrong = await runHere('init', '--example', 'shop', '-');
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /Allowed choices are notes, todos, blog, accounts, orders\./);
});
