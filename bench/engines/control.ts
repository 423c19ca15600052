import { processIo } from '../../src/cli/io.ts';
import { withOperator } from '../../src/cli/open.ts';
import { ORDERS } from '../load/requests.ts';
import { PLAIN, type Spoken } from './engine.ts';

/** Ninefold, of which the same is tried: a trial that fails of it as well would show nothing of engines. */
export const CONTROL: Spoken = {
  ...PLAIN,
  dialect: ORDERS,
  held: (answer) => (answer as { items?: unknown }).items ?? answer,
  async addReceiver({ data, where }, url) {
    await withOperator(where.document, { data }, processIo(), async ({ receivers }) => {
      await receivers.add(url, ['order.opened'], null, true);
    });
  },
};
