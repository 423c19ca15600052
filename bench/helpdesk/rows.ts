import { randomUUIDv7 } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '../load/connection.ts';
import type { Db } from '../peers/helpdesk/database.ts';
import { secondsOf } from '../peers/helpdesk/durations.ts';
import { Running, type Where } from '../process.ts';
import { templateIn } from '../storage/sqlite.ts';
import { addCast, type Cast, copyCast, type Person, type Wanted } from './people.ts';
import { BODY_WORDS, type Dataset, requestOf, SUBJECT_WORDS } from './requests.ts';
import { NINEFOLD_HELPDESK } from './servers.ts';
import { numbers, textOf } from './words.ts';

const PLAN = { name: 'bench', rate: 1_000_000, agents: 100 };
const TEAMS = ['North', 'East', 'South', 'West'];
const AGENTS = ['Ada', 'Ben'];
const CUSTOMERS = ['Eve', 'Fay', 'Gus', 'Hal', 'Ida'];
const WANTED: Wanted = TEAMS.map((name) => ({
  name,
  plan: PLAN.name,
  people: [
    ['Olga', 'owner'],
    ...AGENTS.map((one) => [one, 'agent'] as const),
    ...CUSTOMERS.map((one) => [one, 'customer'] as const),
  ],
}));
const TAGS = 8;
const PRIORITIES = ['low', 'normal', 'high', 'urgent'];
/** So late that nothing is due while the services are measured. */
const TARGETS = { low: 'P20D', normal: 'P10D', high: 'P5D', urgent: 'P2D' };
const CONNECTIONS = 16;

interface Named {
  readonly id: string;
}
interface Shown extends Named {
  readonly number: number;
  readonly requester: Named;
  readonly assignee: Named | null;
  readonly subject: string;
  readonly body: string;
  readonly priority: string;
  readonly tags: readonly string[];
  readonly status: string;
  readonly due: string | null;
  readonly created: string;
  readonly changed: string;
  readonly solved: string | null;
}
interface Said extends Named {
  readonly author: Named;
  readonly text: string;
  readonly internal: boolean;
  readonly created: string;
}
interface Whole {
  readonly ticket: Shown;
  readonly comments: readonly Said[];
}

/** What an organisation has. */
interface Team {
  readonly id: string;
  readonly people: readonly Person[];
  readonly tags: readonly { readonly id: string; readonly name: string }[];
  readonly tickets: Whole[];
}

export const datasetFile = (data: string): string => join(data, 'dataset.json');

/**
 * Makes the rows: people by Ninefold's own commands, everything else by requests to Ninefold itself. The service by hand is
 * given the same rows under the same identities, so that both can be asked the same.
 */
export async function makeRows(count: number, where: Where): Promise<void> {
  const directories = { ninefold: templateIn(where.data, 'ninefold'), fastify: templateIn(where.data, 'fastify') };
  for (const directory of Object.values(directories)) rmSync(directory, { recursive: true, force: true });
  const cast = await addCast(where.document, directories.ninefold, [PLAN], WANTED);
  const running = await Running.start(NINEFOLD_HELPDESK, { ...where, data: directories.ninefold, pinned: false });
  let teams: Team[];
  try {
    teams = await addTickets(count, cast, running.port);
  } finally {
    await running.stop();
  }
  const db = await copyCast(cast, directories.fastify);
  db.transaction(() => {
    for (const team of teams) copyTeam(db, team);
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  const keysOf = ({ people }: Team, isIn: (role: string) => boolean): string[] =>
    people.filter(({ role }) => isIn(role)).map(({ key }) => key);
  const dataset: Dataset = {
    teams: teams.map((team) => ({
      agents: keysOf(team, (role) => role !== 'customer'),
      customers: keysOf(team, (role) => role === 'customer'),
      tickets: team.tickets.length,
    })),
  };
  writeFileSync(datasetFile(where.data), JSON.stringify(dataset));
}

async function addTickets(count: number, cast: Cast, port: number): Promise<Team[]> {
  const failed = Promise.withResolvers<never>();
  const random = numbers(1);
  const open = async () => {
    const connection = await Connection.open(port, failed.reject);
    const send = async <T>(method: string, path: string, key: string, body?: object): Promise<T> => {
      const { status, body: text } = await connection.ask(requestOf(method, path, key, body));
      if (status >= 300) throw new Error(`Ninefold answers ${status} to ${method} ${path}: ${text}`);
      return JSON.parse(text.toString()) as T;
    };
    return { send, [Symbol.dispose]: () => connection.close() };
  };
  const teams = await Promise.race([addTeams(cast, open), failed.promise]);
  let next = 0;
  const work = async (): Promise<void> => {
    using connection = await open();
    while (next < count) {
      const team = teams[next % teams.length]!;
      team.tickets.push(await addTicket(next++, team, connection.send, random));
    }
  };
  await Promise.race([Promise.all(Array.from({ length: CONNECTIONS }, work)), failed.promise]);
  return teams;
}

type Open = () => Promise<{ readonly send: Send } & Disposable>;

/** States the targets and tags of every organisation. */
async function addTeams(cast: Cast, open: Open): Promise<Team[]> {
  using connection = await open();
  const { send } = connection;
  const teams: Team[] = [];
  for (const { id } of cast.organisations) {
    const people = cast.people.filter(({ organisation }) => organisation === id);
    const { key } = people[0]!;
    for (const [priority, answer] of Object.entries(TARGETS))
      await send('PUT', `/targets/${priority}`, key, { answer });
    const tags: Array<{ id: string; name: string }> = [];
    for (let i = 0; i < TAGS; i++) tags.push(await send('POST', '/tags', key, { name: `tag-${i}` }));
    teams.push({ id, people, tags, tickets: [] });
  }
  return teams;
}

type Send = <T>(method: string, path: string, key: string, body?: object) => Promise<T>;

/** A ticket with two comments, of which one in three is assigned, solved or has a note inside. */
async function addTicket(i: number, { people, tags }: Team, send: Send, random: () => number): Promise<Whole> {
  const of = (role: string): Person[] => people.filter((one) => one.role === role);
  const customer = of('customer')[i % CUSTOMERS.length]!;
  const agent = of('agent')[i % AGENTS.length]!;
  const { number } = await send<Shown>('POST', '/tickets', customer.key, {
    subject: textOf(SUBJECT_WORDS, random),
    body: textOf(BODY_WORDS, random),
    priority: PRIORITIES[Math.floor(random() * PRIORITIES.length)],
    tags: tags.filter(() => random() < 0.2).map(({ id }) => id),
  });
  const path = `/tickets/${number}`;
  if (random() < 0.5) await send('PUT', `${path}/assignee`, agent.key, { person: agent.id });
  await send('POST', `${path}/comments`, customer.key, { text: textOf(30, random) });
  await send('POST', `${path}/comments`, agent.key, { text: textOf(30, random), internal: random() < 0.3 });
  if (random() < 0.3) await send('POST', `${path}/solve`, agent.key);
  return send('GET', path, agent.key);
}

/** Writes what an organisation has into the tables of the service by hand, with the events of its tickets. */
function copyTeam(db: Db, { id: organisation, tags, tickets }: Team): void {
  const into = (table: string, row: readonly unknown[]): number | bigint =>
    db.prepare(`INSERT INTO ${table} VALUES (${row.map(() => '?').join(', ')})`).run(...row).lastInsertRowid;
  const event = (type: string, at: string, data: object): void =>
    void into('event', [null, `evt_${randomUUIDv7()}`, type, at, JSON.stringify({ type, timestamp: at, data })]);
  for (const [priority, answer] of Object.entries(TARGETS)) into('target', [organisation, priority, secondsOf(answer)]);
  for (const { id, name } of tags) into('tag', [id, organisation, name]);
  for (const { ticket, comments } of tickets.toSorted((a, b) => a.ticket.number - b.ticket.number)) {
    const { id, number, requester, assignee, subject, body, priority, status, due, created, changed, solved } = ticket;
    const isAwaited = status === 'new' || status === 'open';
    const row = [null, id, number, organisation, requester.id, assignee?.id ?? null, subject, body, priority, status];
    const seq = into('ticket', [...row, due, created, changed, solved, isAwaited ? due : null]);
    for (const name of ticket.tags) into('ticket_tag', [seq, tags.find((one) => one.name === name)!.id]);
    const values = [status, priority, assignee?.id ?? null];
    const entry = (action: string, at: string, before: readonly unknown[], after: readonly unknown[]): void =>
      void into('ticket_change', [null, id, organisation, action, 'request', requester.id, at, ...before, ...after]);
    entry('created', created, [null, null, null], ['new', priority, null]);
    if (status !== 'new') entry('changed', changed, ['new', priority, null], values);
    event('ticket.created', created, ticket);
    if (status !== 'new') event('ticket.moved', changed, ticket);
    for (const comment of comments) {
      into('comment', [comment.id, seq, comment.author.id, comment.text, Number(comment.internal), comment.created]);
      event('comment.created', comment.created, comment);
    }
  }
  db.prepare('UPDATE organisation SET tickets = ? WHERE id = ?').run(tickets.length, organisation);
}
