import { benchedDocument } from '../document.ts';
import type { Kind, Script } from './asks.ts';
import type { Bound } from './fit.ts';
import { benchedLarge, fillLarge } from './large.ts';
import type { Mass } from './orders.ts';
import {
  deadPort,
  fillOrders,
  fillWithReceiver,
  folderOf,
  type Setting,
  SilentReceiver,
  writeDocument,
} from './setting.ts';

/** A store of one size, ready to be served. */
export interface Prepared {
  readonly document: string;
  readonly data: string;
  readonly script: Script;
  close?(): void;
}

/** Something that grows. */
export interface Thing {
  readonly name: string;
  readonly title: string;
  /** What its sizes count. */
  readonly unit: string;
  readonly kinds: readonly Kind[];
  readonly bound: Bound;
  /** The sizes of a run without options, and those that only --full asks for. */
  readonly sizes: readonly number[];
  readonly more: readonly number[];
  prepare(size: number, setting: Setting): Promise<Prepared>;
}

/** How many orders there are where something else grows. */
const ORDERS = 10_000;
const HOUR = 60 * 60 * 1000;

const massOf = (setting: Setting, orders: number, note: number | null = null): Mass => ({
  orders,
  base: setting.now,
  note,
});

const scriptOf = ({ customers }: Setting, mass: Mass, limit = 20): Script => ({
  service: 'orders',
  keys: customers.map(({ key }) => key),
  mass,
  limit,
});

const rows: Thing = {
  name: 'rows',
  title: 'Rows',
  unit: 'orders',
  kinds: ['read', 'list', 'filter', 'create', 'transition'],
  bound: 'logarithm',
  sizes: [1000, 10_000, 100_000, 1_000_000],
  more: [10_000_000],
  async prepare(size, setting) {
    const mass = massOf(setting, size);
    const data = folderOf(setting, 'rows', size);
    fillOrders(setting, data, mass);
    return { document: setting.where.document, data, script: scriptOf(setting, mass) };
  },
};

function endpointsOf(name: string, title: string, all: boolean): Thing {
  return {
    name,
    title,
    unit: 'endpoints',
    kinds: ['read', 'list', 'create', 'transition'],
    bound: 'level',
    sizes: [10, 100, 1000],
    more: [],
    async prepare(size, setting) {
      const data = folderOf(setting, name, size);
      const document = writeDocument(setting, `${name}-${size}.md`, benchedLarge(size));
      const script = await fillLarge(size, all, { ...setting.where, document, data });
      return { document, data, script };
    },
  };
}

const page: Thing = {
  name: 'page',
  title: 'Page size',
  unit: 'items',
  kinds: ['list'],
  bound: 'line',
  sizes: [1, 10, 25, 50, 100],
  more: [],
  async prepare(size, setting) {
    const mass = massOf(setting, ORDERS);
    const data = folderOf(setting, 'page', size);
    fillOrders(setting, data, mass);
    return { document: setting.where.document, data, script: scriptOf(setting, mass, size) };
  },
};

const payload: Thing = {
  name: 'payload',
  title: 'Payload: one long text, of ASCII',
  unit: 'bytes',
  kinds: ['read', 'list', 'create', 'transition'],
  bound: 'line',
  sizes: [100, 1000, 3000, 5000, 15_000, 30_000, 60_000],
  more: [],
  async prepare(size, setting) {
    const text = benchedDocument().replace('at most 500 characters', 'at most 65000 characters');
    const document = writeDocument(setting, 'payload.md', text);
    const mass = massOf(setting, 500, size);
    const data = folderOf(setting, 'payload', size);
    fillOrders(setting, data, mass);
    return { document, data, script: scriptOf(setting, mass) };
  },
};

const answers: Thing = {
  name: 'answers',
  title: 'Answers kept for idempotency keys',
  unit: 'answers',
  kinds: ['read', 'create', 'replay'],
  bound: 'logarithm',
  sizes: [0, 10_000, 100_000, 1_000_000],
  more: [],
  async prepare(size, setting) {
    const mass = massOf(setting, ORDERS);
    const data = folderOf(setting, 'answers', size);
    fillOrders(setting, data, mass, (bulk, ids) => bulk.answers(size, setting.now, ids));
    return { document: setting.where.document, data, script: scriptOf(setting, mass) };
  },
};

interface Deliveries {
  readonly name: string;
  readonly title: string;
  /** When each is due, of so many; null where they have been delivered. */
  readonly due: ((i: number, size: number, now: number) => number) | null;
  /** Whether the receiver takes requests and never answers, rather than refusing connections. */
  readonly silent: boolean;
}

const DELIVERIES: readonly Deliveries[] = [
  { name: 'delivered', title: 'Deliveries that were made', due: null, silent: false },
  {
    name: 'waiting',
    title: 'Deliveries to a receiver that is down, to be tried again later',
    due: (i, size, now) => now + 2 * HOUR + Math.floor((i * 10 * HOUR) / size),
    silent: false,
  },
  {
    name: 'overdue',
    title: 'Deliveries that are all due, to a receiver that never answers',
    due: (i, size, now) => now - HOUR + Math.floor((i * HOUR) / size),
    silent: true,
  },
];

const deliveries = DELIVERIES.map(
  ({ name, title, due, silent }): Thing => ({
    name,
    title,
    unit: 'deliveries',
    kinds: ['read', 'create', 'transition'],
    bound: 'logarithm',
    sizes: [0, 10_000, 100_000, 1_000_000],
    more: [],
    async prepare(size, setting) {
      const mass = massOf(setting, ORDERS);
      const data = folderOf(setting, name, size);
      const receiver = silent ? await SilentReceiver.open() : null;
      const { now } = setting;
      await fillWithReceiver(setting, data, mass, receiver?.port ?? (await deadPort()), (bulk, ids) =>
        bulk.deliveries(size, now, ids, due && ((i) => due(i, size, now))),
      );
      const prepared = { document: setting.where.document, data, script: scriptOf(setting, mass) };
      return receiver ? { ...prepared, close: () => receiver.close() } : prepared;
    },
  }),
);

/** Everything that grows, in the order in which it is measured. */
export const THINGS: readonly Thing[] = [
  rows,
  endpointsOf('endpoints', 'Endpoints, ten of which are asked', false),
  endpointsOf('endpoints-asked', 'Endpoints, all of which are asked', true),
  page,
  payload,
  answers,
  ...deliveries,
];
