import { FixedSources } from '../../exchanges/fixed-sources.ts';
import type { Json } from '../../export/json.ts';
import { descriptions } from '../../export/served/descriptions.ts';
import type { Plan } from '../../plan/step.ts';
import type { Log } from '../../runtime/log.ts';
import { Service } from '../../runtime/service.ts';
import type { Store } from '../../store/store.ts';
import type { Setup } from '../../verify/setup/setup.ts';
import { withFastHashes } from './hashing.ts';
import { firstInstant } from './moved-store.ts';
import { OwnOperator } from './own-operator.ts';
import { type OwnStores, ownStoresOf } from './own-stores.ts';
import { TestKeys, withOwnKeys } from './tokens.ts';

interface OwnServiceOptions {
  /**
   * The start of the clock, in milliseconds since the epoch; the default is a day on which all described versions
   * answer.
   */
  readonly start?: number;
  /** The value of `service.url` in the document; the default is the address of the port. */
  readonly serviceUrl?: string;
  /** The place of the rows: `memory` (the default), `sqlite`, or the address of a PostgreSQL database. */
  readonly store?: string;
  /** The log of the service; the default discards it. */
  readonly log?: Log;
}

/** A service that is started for a test. */
export interface OwnService {
  /** The address of the service, on this machine only. */
  readonly url: string;
  /** The value of `service.url` in the document. */
  readonly serviceUrl: string;
  readonly setup: Setup;
  stop(): Promise<void>;
}

/** The most instants at which the clock stops on its way; work that is due at later ones runs at the end. */
const MOST_STOPS = 10_000;

/**
 * Starts a document’s service in this process, in memory, on a free port of 127.0.0.1, with a clock that only the test
 * advances. This clock determines `now()`, timed transitions, deliveries and their retries, rates, idempotency, tokens,
 * versions and the retention of events. The clock of the machine determines timeouts of requests, deliveries and
 * handlers, the heartbeat of a stream, and the header Date. Rejects with KeyError, HandlerError or StoreError where the
 * document can’t be served.
 */
export async function startOwnService(plan: Plan, options: OwnServiceOptions = {}): Promise<OwnService> {
  const own = new Own(plan, options);
  await own.begin();
  return own;
}

class Own implements OwnService {
  private readonly plan: Plan;
  private readonly start: number;
  private readonly keys = new TestKeys();
  private readonly service: Service;
  private readonly stores: OwnStores;
  private readonly given: string | undefined;
  private clock: FixedSources;
  /** The source of identities and secrets: the same ones in each run, without duplicates. */
  private readonly source: FixedSources;
  readonly setup: Setup;

  /** The service runs no schedules: the test knows only of changes that follow from its requests and its clock. */
  constructor(plan: Plan, { start, serviceUrl, store = 'memory', log = () => {} }: OwnServiceOptions) {
    const { schedules: _, ...asked } = plan;
    this.plan = withFastHashes({ ...asked, schemes: plan.schemes.map(withOwnKeys) });
    this.stores = ownStoresOf(store);
    this.start = start ?? firstInstant(plan);
    this.clock = new FixedSources(this.start);
    this.source = this.clock;
    this.given = plan.address.url ?? serviceUrl;
    const own = this;
    this.service = new Service({
      host: '127.0.0.1',
      port: 0,
      admin: null,
      // The port is known once the service has started.
      get url() {
        return own.serviceUrl;
      },
      secrets: this.keys.secrets,
      allowPrivate: true,
      describe: descriptions(),
      log,
    });
    this.setup = this.members();
  }

  get url(): string {
    return `http://127.0.0.1:${this.service.port}`;
  }

  get serviceUrl(): string {
    return this.given ?? this.url;
  }

  async begin(): Promise<void> {
    let store: Store | null = null;
    try {
      store = await this.newStore();
      await this.service.start(this.plan, store);
    } catch (error) {
      await store?.close();
      await this.stores.close();
      throw error;
    }
    // Rows that depend on the address were computed before the port was known, so they are reset.
    if (this.given === undefined && this.plan.address.used) await this.reset();
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.stores.close();
  }

  private newStore(): Promise<Store> {
    this.clock = new FixedSources(this.start);
    return this.stores.open(this.plan, { now: this.clock.now, random: this.source.random });
  }

  private async reset(): Promise<void> {
    await this.service.exchange(async () => ({ plan: this.plan, store: await this.newStore() }));
  }

  /**
   * Advances the clock, and runs everything that is due in between, each at its instant. Work that is running finishes
   * at the time of its start.
   */
  private async pass(milliseconds: number): Promise<void> {
    const until = this.clock.now() + milliseconds;
    for (let next = await this.service.catchUp(), stops = 0; ; stops++) {
      const now = this.clock.now();
      const to = next > now && next < until && stops < MOST_STOPS ? next : until;
      this.clock.pass(to - now);
      next = await this.service.catchUp();
      if (to === until) return;
    }
  }

  private members(): Setup {
    const operator = (): OwnOperator => {
      const { engine } = this.service;
      if (!engine) throw new Error('The service has stopped.');
      return new OwnOperator(engine, this.keys);
    };
    return {
      row: (resource, fields: Readonly<Record<string, Json>>) => operator().row(resource, fields),
      caller: (...of) => operator().caller(...of),
      receiver: (url, events, version) => operator().receiver(url, events, version),
      list: (resource) => operator().list(resource),
      clock: {
        now: async () => this.clock.now(),
        pass: (milliseconds) => this.pass(milliseconds),
      },
      reset: () => this.reset(),
    };
  }
}
