import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { contractOf } from '../../../src/contract/contract-of.ts';
import { isSameId } from '../../../src/plan/lines.ts';
import { transitionsIn } from '../../../src/plan/machines.ts';
import type { Statement } from '../../../src/verify/statements/statement.ts';
import { statementsOf } from '../../../src/verify/statements/statements.ts';
import { documentText, planOf } from '../../subject.ts';

const PAGE = join(import.meta.dirname, '..', '..', '..', 'docs', 'needs.md');

const DOCUMENTS = [
  ...['accounts', 'articles', 'blog', 'catalogue', 'files', 'notes', 'readings', 'sessions', 'tasks', 'tickets'].map(
    (name) => `docs/documents/${name}.md`,
  ),
  ...['forms', 'queries', 'reports', 'rooms'].map((name) => `src/compiler/endpoints/cases/documents/${name}.md`),
  ...['apiary', 'blogging', 'bookings', 'issues', 'orders', 'payments', 'todos'].map((name) => `examples/${name}.md`),
];

/** A need in words that hold for any document. */
function general(
  text: string,
  { plan, states }: { plan: ReturnType<typeof planOf>; states: ReadonlySet<string> },
): string {
  const resources = plan.resources.map(({ name }) => name);
  return text
    .replace(/“[^”]*”/g, '“…”')
    .replace(/^equal (?!rows).*/, 'equal CONDITION')
    .replace(/^not .*[<>].*/, 'not N CONDITION')
    .replace(/(tells) \S+ from \S+ in/, '$1 N from M in')
    .replace(/(?<![\w+]|rounds )-?(?:P[0-9DTHMS.]+|\d+(?:\.\d+)?)(?![\w)])/g, 'N')
    .split(' ')
    .map((word) => (states.has(word) ? 'STATE' : resources.includes(word) ? 'RESOURCE' : word))
    .join(' ')
    .replace(/a row with another \S+/, 'a row with another FIELD')
    .replace(/(the entry of a change of) \S+/, '$1 FIELD')
    .replace(/^changed \S+$/, 'changed FIELD')
    .replace(/^refused after (?!another).*/, 'refused after WORD')
    .replace(/^kept with another \S+/, 'kept with another FIELD')
    .replace(/that is no .* is refused/, 'that is no FORMAT is refused');
}

/** The plan and the statements of a document. */
function stated(path: string) {
  const text = documentText(path);
  const plan = planOf(text);
  return { plan, statements: statementsOf(plan, contractOf(plan), text) };
}

/** The needs of each kind of statement over all documents, as a page. */
function pageOfNeeds(all: ReadonlyArray<ReturnType<typeof stated>>): string {
  const rows = new Map<string, Set<string>>();
  for (const { plan, statements } of all) {
    const states = new Set(
      plan.resources.flatMap((one) => [
        ...one.machines.map(({ initial }) => initial),
        ...transitionsIn(one.machines).flatMap(({ from, to }) => [...from, to]),
      ]),
    );
    const about = { plan, states };
    for (const { part, item, id, needs } of statements)
      for (const need of needs) {
        const of = need.traces.filter((one) => isSameId(one.statement, id));
        const met = (of.length > 0 ? of : need.traces).map(({ what }) => `\`${general(what, about)}\``);
        const row = `| ${part}: ${item} | ${general(need.name, about)} |`;
        rows.set(row, new Set([...(rows.get(row) ?? []), ...met]));
      }
  }
  const table = [...rows].map(
    ([row, met]) => `${row} ${[...met].sort().slice(0, MOST_SHOWN).join(', ').replaceAll('|', '\\|')} |`,
  );
  return `${HEAD}\n\n| Item | What has to be tried | Trace |\n| --- | --- | --- |\n${table.sort().join('\n')}\n`;
}

/** So many traces of one need are listed. */
const MOST_SHOWN = 6;

const HEAD = `# What a statement needs

The test counts a statement as kept once it has tried each of its needs and every answer was the required one ([testing](testing.md#three-outcomes)). This page lists the needs of all examples and of the documents of this documentation. Each row has the item of the statement, what the test has to try, and the trace that shows it: what the test notes of a request that the service has answered as the document says. One of the traces in a row is enough. A trace of another statement may show a need too. N and M stand for numbers of the document, STATE, FIELD, RESOURCE, FORMAT, CONDITION and WORD for what it names, and “…” for its text. The tests of the project write this page (\`UPDATE=1 npx node --test test/verify/needs/page.test.ts\`).`;

test('docs/needs.md lists the needs of all statements, and none of them is without a trace', () => {
  const all = DOCUMENTS.map(stated);
  const page = pageOfNeeds(all);
  if (process.env.UPDATE) writeFileSync(PAGE, page);
  assert.equal(readFileSync(PAGE, 'utf8'), page);
  const without = (one: Statement): boolean => one.needs.some(({ traces }) => traces.length === 0);
  assert.deepEqual(
    all.flatMap(({ statements }) => statements.filter(without)),
    [],
  );
});
