import './whole-alone.ts';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { edited, Workspace } from './harness.ts';
import { PostgresServer } from './postgres.ts';
import { documentText } from './subject.ts';

const TICKETS = documentText('docs/documents/tickets.md');
const GIVEN = 'request or operator, else `3`; steps |    |        ';
/** Tickets without a priority are allowed. */
const OPTIONAL = edited(
  TICKETS,
  [GIVEN, 'request or operator; steps | optional | '],
  ['&& priority < 4`', '&& priority != null && priority < 4`'],
);
const FEWER = edited(TICKETS, ['Audited: status, priority, assignee', 'Audited: status, priority']);
const RENAMED = TICKETS.replaceAll('priority', 'urgency').replaceAll('TicketChange', 'Change');
const RENAMES = [
  'Ticket.priority=Ticket.urgency',
  'TicketChange=Change',
  'TicketChange.before.priority=Change.before.urgency',
  'TicketChange.after.priority=Change.after.urgency',
].flatMap((one) => ['--rename', one]);

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.shared();
});
after(() => server[Symbol.asyncDispose]());

for (const name of ['SQLite', 'PostgreSQL']) {
  const on = async (document: string): Promise<Workspace> => {
    const space = new Workspace(document, 'tickets.md');
    if (name === 'PostgreSQL') space.place = ['--store', await server.database()];
    return space;
  };
  const entries = async (space: Workspace, resource = 'TicketChange'): Promise<Array<Record<string, unknown>>> => {
    const { out, err, code } = await space.cliHere('rows', 'list', resource, '--json');
    assert.equal(code, 0, err);
    return JSON.parse(out);
  };

  test(`values of an audited field are filled without entries only where the operator accepts it, on ${name}`, async () => {
    await using space = await on(OPTIONAL);
    assert.equal((await space.cliHere('rows', 'add', 'Ticket', 'title=One')).code, 0);
    space.write(TICKETS);
    const refused = await space.cli('migrate');
    assert.equal(refused.code, 1, refused.out);
    assert.match(refused.err, /1 row would change without an entry of the audit .*--accept "change Ticket\.priority"/);
    assert.equal((await space.cli('migrate', '--accept', 'change Ticket.priority')).code, 0);
    assert.equal((await entries(space)).length, 1);
  });

  test(`entries keep their values under other names, on ${name}`, async () => {
    await using space = await on(TICKETS);
    await space.cliHere('rows', 'add', 'Ticket', 'title=One', 'priority=2');
    const before = await entries(space);
    space.write(RENAMED);
    const dry = await space.cli('migrate', '--dry-run', ...RENAMES);
    assert.doesNotMatch(dry.out, /other changes|is changed/);
    assert.equal((await space.cli('migrate', ...RENAMES)).code, 0);
    const [entry] = await entries(space, 'Change');
    assert.equal(entry!['after.urgency'], before[0]!['after.priority']);
    await space.cliHere('rows', 'change', 'Ticket', String(entry!.ticket), 'urgency=5');
    assert.deepEqual(
      (await entries(space, 'Change')).map((one) => one['after.urgency']),
      [2, 5],
    );
  });

  test(`a node that records less does not run beside one that records more, on ${name}`, async () => {
    await using space = await on(FEWER);
    await space.cliHere('rows', 'add', 'Ticket', 'title=One', 'priority=2');
    space.write(TICKETS);
    const { out, err } = await space.cli('migrate', '--dry-run', '--json');
    const { changes } = JSON.parse(out) as { changes: Array<Record<string, unknown>> };
    assert.deepEqual(
      changes.map(({ text, besideOld }) => [text, besideOld]),
      [['other changes of Ticket are recorded: those of status, priority, assignee', false]],
      err,
    );
  });
}
