import { join } from 'node:path';
import { type Engine, PLACED, PLAIN } from '../engine.ts';
import { copyTables } from '../rows.ts';

/** Feathers 5: a service on a table by Knex, with hooks and schemas as its generator writes them. */
export const FEATHERS: Engine = {
  ...PLAIN,
  name: 'feathers',
  title: 'Feathers 5',
  store: 'SQLite',
  made: 'Schemas state the fields; an authentication strategy and resolvers in code know the key, set what the service gives, and keep callers to their own rows.',
  dialect: {
    list: '/orders?$limit=20&$sort%5Bcreated%5D=-1&$sort%5Bid%5D=-1',
    place: PLACED,
    refusedStatus: 400,
    placesAgain: true,
  },
  async make({ orders }, directory) {
    copyTables(orders, join(directory, 'orders.sqlite'));
  },
  held: (answer) => (answer as { data?: unknown }).data ?? answer,
};
