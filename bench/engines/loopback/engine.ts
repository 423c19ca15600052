import { join } from 'node:path';
import { type Engine, PLACED, PLAIN } from '../engine.ts';
import { copyTables } from '../rows.ts';

const LATEST = { limit: 20, order: ['created DESC', 'id DESC'] };

/** LoopBack 4: a model, a repository and a controller as its command line writes them, on Sequelize. */
export const LOOPBACK: Engine = {
  ...PLAIN,
  name: 'loopback',
  title: 'LoopBack 4',
  store: 'SQLite',
  made: 'The model states the fields; an authentication strategy and the controller in code know the key, set what the service gives, and keep callers to their own rows.',
  dialect: {
    list: `/orders?filter=${encodeURIComponent(JSON.stringify(LATEST))}`,
    place: PLACED,
    refusedStatus: 422,
    placesAgain: true,
    createdStatus: 200,
  },
  async make({ orders }, directory) {
    copyTables(orders, join(directory, 'orders.sqlite'));
  },
};
