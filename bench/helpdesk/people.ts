import { hash, randomUUIDv7 } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { processIo } from '../../src/cli/io.ts';
import { withOperator } from '../../src/cli/open.ts';
import { hashedPassword } from '../peers/helpdesk/credentials.ts';
import { type Db, openDatabase } from '../peers/helpdesk/database.ts';
import { placeOf } from '../storage/storage.ts';

/** A plan, as the operator adds it. */
export interface Plan {
  readonly name: string;
  readonly rate: number;
  readonly agents: number;
}

export interface Organisation {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
}

/** A person with a session. */
export interface Person {
  readonly id: string;
  readonly organisation: string;
  readonly role: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly joined: string;
  readonly key: string;
}

/** Who there is, before anybody has asked anything. */
export interface Cast {
  readonly plans: readonly Plan[];
  readonly organisations: readonly Organisation[];
  readonly people: readonly Person[];
}

/** The people of each organisation: their roles by their names. */
export type Wanted = ReadonlyArray<{
  readonly name: string;
  readonly plan: string;
  readonly people: ReadonlyArray<readonly [name: string, role: string]>;
}>;

export const PASSWORD = 'correct horse battery';

/** Adds plans, organisations and people by the operator's commands, each person with a key. */
export async function addCast(document: string, data: string, plans: readonly Plan[], wanted: Wanted): Promise<Cast> {
  const organisations: Organisation[] = [];
  const people: Person[] = [];
  const fields = (given: object): Map<string, string> =>
    new Map(Object.entries(given).map(([name, value]) => [name, String(value)]));
  await withOperator(document, placeOf(data), processIo(), async (operator) => {
    for (const plan of plans) await operator.add('Plan', fields(plan));
    for (const { name, plan, people: members } of wanted) {
      const id = randomUUIDv7();
      await operator.add('Organisation', fields({ id, name, plan }));
      organisations.push({ id, name, plan });
      for (const [person, role] of members) {
        const email = `${person.toLowerCase()}@${name.toLowerCase()}.example`;
        const given = { organisation: id, role, name: person, email, password: PASSWORD };
        const added = await operator.add('Person', fields(given));
        const { key } = await operator.issueKey('Person', String(added.id), null);
        people.push({ ...given, id: String(added.id), joined: String(added.joined), key });
      }
    }
  });
  // What the operator may not do is printed.
  if (organisations.length < wanted.length) throw new Error('Not everybody could be added');
  return { plans, organisations, people };
}

/** Where the rows of the service by hand are, inside its data directory. */
export const databaseFile = (data: string): string => join(data, 'helpdesk.sqlite');

/** Gives the service by hand the same people with the same keys. */
export async function copyCast({ plans, organisations, people }: Cast, data: string): Promise<Db> {
  mkdirSync(data, { recursive: true });
  const db = openDatabase(databaseFile(data));
  // One password for all: each hash takes as long as it is meant to.
  const password = await hashedPassword(PASSWORD);
  db.transaction(() => {
    const insert = (table: string, rows: ReadonlyArray<readonly unknown[]>): void => {
      for (const row of rows) db.prepare(`INSERT INTO ${table} VALUES (${row.map(() => '?').join(', ')})`).run(...row);
    };
    insert(
      'plan',
      plans.map(({ name, rate, agents }) => [name, rate, agents]),
    );
    insert(
      'organisation',
      organisations.map(({ id, name, plan }) => [id, name, plan, 0]),
    );
    insert(
      'person',
      people.map(({ id, organisation, role, name, email, joined }) => {
        return [id, organisation, role, name, email, password, joined, null];
      }),
    );
    insert(
      'session',
      people.map(({ id, key }) => [hash('sha256', key, 'buffer'), id]),
    );
  })();
  return db;
}
