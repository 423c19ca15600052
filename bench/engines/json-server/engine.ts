import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type Engine, PLACED, PLAIN } from '../engine.ts';
import { COLUMNS } from '../rows.ts';

/** json-server: a JSON file that is read at the start, kept in memory, and written whole at each change. */
export const JSON_SERVER: Engine = {
  ...PLAIN,
  name: 'json-server',
  title: 'json-server',
  store: 'a JSON file',
  made: 'A hook before its router knows the key, adds the customer to lists and creates, and sets status and time.',
  dialect: {
    list: '/orders?_limit=20&_sort=created,id&_order=desc,desc',
    place: PLACED,
    refusedStatus: 201,
    placesAgain: true,
  },
  async make({ orders, dataset }, directory) {
    const db = new Database(orders, { readonly: true });
    const rows = db.prepare(`SELECT ${COLUMNS} FROM orders ORDER BY created, id`).all();
    db.close();
    const keys = dataset.customers.map(({ id, key }) => [hash('sha256', key), id]);
    writeFileSync(join(directory, 'db.json'), JSON.stringify({ orders: rows }));
    writeFileSync(join(directory, 'keys.json'), JSON.stringify(Object.fromEntries(keys)));
  },
};
