// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is written here is source text
import { ofKind } from './fault.ts';

const SERVICE = 'orders/service.ts';
const LIFECYCLE = 'orders/lifecycle.ts';
/** A gap in which another request gets its turn, as one with a database that answers later has. */
const GAP = 'await new Promise((resolve) => setTimeout(resolve, 20));';

const PLACE = `  place(caller: Caller, id: string): Order | Promise<Order> {
    this.expireDue();
    return this.writer.write(() => {
      const { order } = this.visible(caller, id);
      mustBePlaceable(order);`;

const MOVE = `    this.service.expireDue();
    return this.writer.write(() => {
      const { order } = this.service.visible(caller, id);
      if (!from.includes(order.status)) throw problem(code);`;

const MOVE_WITH_GAP = `    this.service.expireDue();
    const { order } = this.service.visible(caller, id);
    if (!from.includes(order.status)) throw problem(code);
    ${GAP}
    return this.writer.write(() => {`;

const MOVE_HEAD = '  move(caller: Caller, id: string, name: MoveName): Order | Promise<Order> {';
const ASYNC_MOVE_HEAD = '  async move(caller: Caller, id: string, name: MoveName): Promise<Order> {';

const CREATED = `    const created = this.writer.write(() => this.createOrReplay(caller, draft, key, fingerprint));
    if (!(created instanceof Promise)) return created;
    this.claimed.add(claim);`;

export const RACES = ofKind('race', [
  {
    id: 'place-reads-before-transaction',
    peer: 'express',
    what: 'Two placings at once both succeed: the state is read before the transaction',
    breaks: ['place', 'moveByPlace', 'placed'],
    file: SERVICE,
    edits: [
      [
        PLACE,
        `  async place(caller: Caller, id: string): Promise<Order> {
    this.expireDue();
    const { order } = this.visible(caller, id);
    mustBePlaceable(order);
    ${GAP}
    return this.writer.write(() => {`,
      ],
    ],
  },
  {
    id: 'move-reads-before-transaction',
    peer: 'fastify',
    what: 'Two cancellations, shipments or deliveries at once both succeed',
    breaks: ['cancel', 'ship', 'deliver', 'moveByCancel', 'moveByShip', 'moveByDeliver', 'cancelled'],
    file: LIFECYCLE,
    edits: [
      [MOVE_HEAD, ASYNC_MOVE_HEAD],
      [MOVE, MOVE_WITH_GAP],
    ],
  },
  {
    id: 'lost-update',
    peer: 'hono',
    what: 'Two changes with the same If-Match both succeed: the tag is compared before the transaction',
    breaks: ['match', 'change'],
    file: LIFECYCLE,
    edits: [
      [
        '  change(caller: Caller, id: string, patch: Patch, match: string | undefined): Tagged | Promise<Tagged> {',
        '  async change(caller: Caller, id: string, patch: Patch, match: string | undefined): Promise<Tagged> {',
      ],
      [
        `    this.service.expireDue();
    return this.writer.write(() => {
      const { order, revision } = this.service.visible(caller, id);
      mustMatch(match, tagOf(revision, caller.older));
      if (order.status !== 'draft') throw problem('order_not_open');`,
        `    this.service.expireDue();
    const { order, revision } = this.service.visible(caller, id);
    mustMatch(match, tagOf(revision, caller.older));
    if (order.status !== 'draft') throw problem('order_not_open');
    ${GAP}
    return this.writer.write(() => {`,
      ],
    ],
  },
  {
    id: 'double-create-one-key',
    peer: 'nest',
    what: 'Two creations at once with one idempotency key are both carried out',
    breaks: ['idempotency', 'unique'],
    file: SERVICE,
    edits: [
      [
        CREATED,
        `    const kept = this.store.kept(caller.customer, key, this.clock.now());
    const created = new Promise((resolve) => setTimeout(resolve, 20)).then(() =>
      this.writer.write(() => {
        if (kept?.fingerprint.equals(fingerprint)) return kept;
        if (kept) throw problem('idempotency_key_reused');
        const now = this.clock.now();
        const creation = this.insert(caller, draft, now);
        this.store.keep(caller.customer, key, { ...creation, fingerprint }, now + KEY_LASTS);
        return creation;
      }),
    );`,
      ],
    ],
  },
  {
    id: 'in-flight-not-claimed',
    peer: 'hono',
    what: 'A second request with the key of one that is being answered is answered too, whatever it holds',
    breaks: ['idempotency'],
    file: SERVICE,
    edits: [
      [
        CREATED,
        `    const kept = this.store.kept(caller.customer, key, this.clock.now());
    const created = new Promise((resolve) => setTimeout(resolve, 20)).then(() =>
      this.writer.write(() => (kept ? this.createOrReplay(caller, draft, key, fingerprint) : this.insert(caller, draft, this.clock.now()))),
    );`,
      ],
    ],
  },
  {
    id: 'unique-by-select',
    peer: 'fastify',
    what: 'Two creations at once leave two open drafts of one product: uniqueness is asked for before the insertion',
    breaks: ['unique', 'alreadyOpen'],
    file: SERVICE,
    edits: [
      [
        CREATED,
        `    const kept = this.store.kept(caller.customer, key, this.clock.now());
    const taken = this.store.page(caller.customer, { sku: draft.sku, status: 'draft' }, null, 1).length > 0;
    if (taken && !kept) throw problem('order_already_open');
    const created = new Promise((resolve) => setTimeout(resolve, 20)).then(() =>
      this.writer.write(() => this.createOrReplay(caller, draft, key, fingerprint)),
    );
    this.claimed.add(claim);`,
      ],
    ],
    more: [
      { file: 'orders/schema.ts', from: 'CREATE UNIQUE INDEX orders_open_draft', to: 'CREATE INDEX orders_open_draft' },
    ],
  },
  {
    id: 'remove-after-check',
    peer: 'express',
    what: 'Two removals at once both succeed',
    breaks: ['remove', 'requireCancelled', 'find'],
    file: LIFECYCLE,
    edits: [
      [
        '  remove(caller: Caller, id: string): unknown {',
        '  async remove(caller: Caller, id: string): Promise<unknown> {',
      ],
      [
        `    return this.writer.write(() => {
      const { order } = this.service.visible(caller, id);
      if (order.status !== 'cancelled') throw problem('order_still_open');`,
        `    const { order } = this.service.visible(caller, id);
    if (order.status !== 'cancelled') throw problem('order_still_open');
    ${GAP}
    return this.writer.write(() => {`,
      ],
    ],
  },
  {
    id: 'rate-counted-late',
    peer: 'fastify',
    what: 'A burst passes the rate: requests are counted a moment after they were let in',
    breaks: ['rateOfCaller', 'rateOfAddress', 'rateHeaders'],
    file: 'orders/rates.ts',
    edits: [['    if (allowed) window.count++;', '    if (allowed) setTimeout(() => window.count++, 50);']],
  },
  {
    id: 'change-races-place',
    peer: 'nest',
    what: 'A change that races with a placing is made to an order that is placed already',
    breaks: ['requireDraft', 'match', 'change'],
    file: LIFECYCLE,
    edits: [
      [
        '  change(caller: Caller, id: string, patch: Patch, match: string | undefined): Tagged | Promise<Tagged> {',
        '  async change(caller: Caller, id: string, patch: Patch, match: string | undefined): Promise<Tagged> {',
      ],
      [
        `    return this.writer.write(() => {
      const { order, revision } = this.service.visible(caller, id);
      mustMatch(match, tagOf(revision, caller.older));
      if (order.status !== 'draft') throw problem('order_not_open');`,
        `    const before = this.service.visible(caller, id).order;
    mustMatch(match, this.service.read(caller, id).etag);
    if (before.status !== 'draft') throw problem('order_not_open');
    ${GAP}
    return this.writer.write(() => {
      const { order, revision } = this.service.visible(caller, id);`,
      ],
    ],
  },
]);
