import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../src/compiler/compile.ts';
import type { Contract } from '../../src/contract/contract.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import { asyncApiOf } from '../../src/export/asyncapi/document.ts';
import { forNobody, withoutEndpoints } from '../../src/export/left-out.ts';
import { openApiOf } from '../../src/export/openapi/document.ts';
import type { Plan } from '../../src/plan/step.ts';
import { documents, example, fileOf, type Whole } from '../fixtures.ts';
import { edited } from '../harness.ts';
import { share } from '../share.ts';
import { planOf } from '../subject.ts';

/** How many endpoints a run hides in one document. */
const MOST = 4;

/** A document with one endpoint that is for nobody, and without this endpoint. */
interface Hidden {
  readonly name: string;
  readonly hidden: string;
  readonly removed: string;
}

/** Every endpoint of a document, from its heading to the next. */
function hiddenIn({ text }: Whole): Hidden[] {
  return [...text.matchAll(/^### `([A-Z]+ [^`]+)`\n\n(?:(?!^#{2,3} )[^\n]*\n)*/gm)].map(
    ({ 0: section, 1: name = '' }) => ({
      name,
      hidden: text.replace(section, () => withAudience(section)),
      removed: text.replace(section, ''),
    }),
  );
}

/** A document with some endpoints that are for nobody. */
const hiding = (text: string, ...concealed: readonly string[]): string =>
  concealed.reduce((all, endpoint) => {
    const found = hiddenIn({ name: endpoint, text: all }).find(({ name }) => name === endpoint);
    assert.ok(found, endpoint);
    return found.hidden;
  }, text);

/** The bullet comes after the prose, before a table and the steps. */
function withAudience(section: string): string {
  const lines = section.split('\n');
  const at = lines.findIndex((line, i) => i > 0 && /^(?:- |\||1\. )/.test(line));
  const isBullet = lines[at]?.startsWith('- ');
  return lines.toSpliced(at, 0, '- Audience: none', ...(isBullet ? [] : [''])).join('\n');
}

const bare = (value: unknown): string => JSON.stringify(value, (key, one) => (key === 'lines' ? undefined : one));

function exportsOf(contract: Contract, events?: ReadonlySet<string>): string[] {
  return contract.versions.flatMap((version) => {
    const told = version.events.filter(({ name }) => events?.has(name) ?? true);
    const shown = withoutEndpoints({ contract, version: { ...version, events: told } }, forNobody(version));
    const openapi = version.status === 'retired' ? null : openApiOf(shown.contract, shown.version, '3.1');
    return [bare(openapi), bare(asyncApiOf(shown.contract, shown.version))];
  });
}

/** The events that are described. */
function eventsIn(contract: Contract): Set<string> {
  const [version] = contract.versions;
  assert.ok(version);
  return new Set(withoutEndpoints({ contract, version }, forNobody(version)).version.events.map(({ name }) => name));
}

/** What other endpoints do. */
const others = ({ versions }: Contract, name: string): string =>
  bare(versions.map(({ endpoints }) => endpoints.filter((one) => one.name !== name)));

/** Where two texts begin to differ; empty where they do not. */
function firstDifference(one: string, other: string): string {
  if (one === other) return '';
  const at = [...one].findIndex((character, i) => character !== other[i]);
  return `${one.slice(Math.max(0, at - 200), at + 200)}\n≠\n${other.slice(Math.max(0, at - 200), at + 200)}`;
}

/** What a service does, wherever it is stated, without the audiences of its endpoints. */
const enforced = (plan: Plan | null): string =>
  JSON.stringify(plan, (key, one) => (key === 'line' || key === 'lines' || key === 'audience' ? undefined : one));

for (const document of share(documents(), 3).cases)
  test(`${document.name} with an endpoint that is for nobody is described as without the endpoint`, () => {
    const file = fileOf(document.name);
    const whole = enforced(compile(file, document.text).plan);
    let compared = 0;
    for (const { name, hidden, removed } of share(hiddenIn(document), MOST).cases) {
      const without = compile(file, removed);
      const quiet = compile(file, hidden);
      assert.deepEqual(
        quiet.findings.map(({ message }) => message),
        [],
        name,
      );
      assert.ok(quiet.plan);
      assert.equal(enforced(quiet.plan), whole, `${name} is answered as before`);
      // Other statements may need the endpoint: a code that nothing else raises, a transition that nothing else makes.
      if (without.findings.length > 0 || !without.plan) continue;
      const [quieter, gone] = [contractOf(quiet.plan), contractOf(without.plan)];
      // Without a GET, other endpoints of its address have no entity tag to compare with.
      if (others(quieter, name) !== others(gone, name)) continue;
      compared++;
      // An event that nothing makes any more may still be stated.
      const [found, expected] = [exportsOf(quieter), exportsOf(gone, eventsIn(quieter))];
      for (const [i, text] of found.entries()) assert.equal(firstDifference(text, expected[i] ?? ''), '', name);
    }
    console.log(`${document.name}: ${compared} compared`);
  });

test('an event that only endpoints for nobody emit is not described', () => {
  const text = example('alarms');
  const describes = (document: string): boolean => eventsIn(contractOf(planOf(document))).has('alarm.raised');
  const one = hiding(text, 'POST /drills');
  assert.deepEqual([describes(text), describes(one)], [true, true]);
  assert.equal(describes(hiding(one, 'POST /sensors/{id}/readings')), false);
});

test('an event that is emitted after a transition is described where an endpoint shown makes the transition', () => {
  const text = example('alarms').replace('#### After listen', '#### After mute');
  const hidden = text.replace('### `POST /sensors/{id}/mute`\n', (heading) => `${heading}\n- Audience: none\n`);
  const described = (document: string) => [...eventsIn(contractOf(planOf(document)))];
  assert.deepEqual(described(text), ['sensor.added', 'alarm.raised', 'sensor.listens', 'day.counted']);
  assert.deepEqual(described(hidden), ['sensor.added', 'alarm.raised', 'day.counted']);
});

/** A helpdesk with events about people and tags of tickets, and with people changed after a handler. */
const PEOPLE = edited(
  example('helpdesk'),
  ['ticket.overdue, comment.created', 'ticket.overdue, ticket.tagged, person.added, person.left, comment.created'],
  [
    '#### When invite fails\n',
    [
      '3. For each `one`: Person where `left != null`, earliest `joined` first:',
      '   1. Change `one` with left `now()`.',
      '',
      '#### When invite fails',
      '',
    ].join('\n'),
  ],
  [
    '| comment.created |',
    [
      '| person.added    | a Person is created               | Person as Name  | webhook |',
      '| person.left     | a Person is changed in left       | Person as Name  | webhook |',
      '| ticket.tagged   | a Ticket is changed in tags       | Ticket as Line  | webhook |',
      '| comment.created |',
    ].join('\n'),
  ],
);

test('the contract names the origins of events about rows: steps after handlers, the operator, and cleared references', () => {
  const events = contractOf(planOf(PEOPLE)).versions[0]?.events ?? [];
  const makersOf = (event: string) =>
    events.find(({ name }) => name === event)?.madeBy?.map(({ kind, name }) => `${kind} ${name}`);
  assert.deepEqual(makersOf('person.added'), ['endpoint POST /people', 'operator operator']);
  assert.deepEqual(makersOf('person.left'), ['endpoint DELETE /people/{person}', 'handler invite']);
  assert.deepEqual(makersOf('ticket.tagged'), ['endpoint DELETE /tags/{tag}', 'endpoint PATCH /tickets/{number}']);
  // Its transitions have the makers of the one, and time makes the other.
  assert.deepEqual([makersOf('ticket.moved'), makersOf('ticket.overdue')], [undefined, undefined]);
});

test('the operator, who gives new rows their identity alone, changes none', () => {
  const plan = planOf(PEOPLE);
  const resources = plan.resources.map((one) => {
    const [giving] = one.givings;
    if (one.name !== 'Person' || !giving) return one;
    const from = (operator: boolean) => ({ steps: false, transitions: false, operator });
    const columns = one.columns.map((column) => ({ ...column, from: from(column.name === one.identity) }));
    return { ...one, columns, givings: [...one.givings, { ...giving, field: 'left', moment: 'change' }] };
  });
  const events = contractOf({ ...plan, resources }).versions[0]?.events ?? [];
  const makers = events.find(({ name }) => name === 'person.left')?.madeBy ?? [];
  assert.ok(makers.length > 0 && makers.every(({ kind }) => kind !== 'operator'));
});

test('an event about rows is described unless only concealed endpoints, and what follows from them, make it', () => {
  const described = (event: string, ...concealed: readonly string[]): boolean => {
    return eventsIn(contractOf(planOf(hiding(PEOPLE, ...concealed)))).has(event);
  };
  assert.equal(described('person.added', 'POST /people'), true, 'the operator adds people');
  assert.equal(described('person.left', 'DELETE /people/{person}'), true, 'steps after the handler change them');
  assert.equal(described('person.left', 'DELETE /people/{person}', 'POST /invitations'), false);
  assert.equal(described('ticket.tagged', 'PATCH /tickets/{number}'), true, 'removed tags change tickets');
  assert.equal(described('ticket.tagged', 'PATCH /tickets/{number}', 'DELETE /tags/{tag}'), false);
});

test('an event of removed rows is made by all that removes a row to which they refer, and by nothing else', () => {
  const text = edited(example('issues'), [
    '| comment.created |',
    '| comment.removed | a Comment is removed | Comment | webhook |\n| comment.created |',
  ]);
  const comment = 'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}';
  const repo = 'DELETE /repos/{owner}/{repo}';
  const event = contractOf(planOf(text)).versions[0]?.events.find(({ name }) => name === 'comment.removed');
  assert.deepEqual(event?.madeBy?.map(({ name }) => name).toSorted(), [repo, comment]);
  const described = (...concealed: readonly string[]): boolean =>
    eventsIn(contractOf(planOf(hiding(text, ...concealed)))).has('comment.removed');
  assert.deepEqual([described(comment), described(repo), described(comment, repo)], [true, true, false]);
});
