// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is written here is source text
import { ofKind } from './fault.ts';

const SERVICE = 'orders/service.ts';
const STORE = 'orders/store.ts';
const LIFECYCLE = 'orders/lifecycle.ts';
const GUARD = "if (order.status !== 'draft' || (order.quantity > PLACED_WITHOUT_NOTE && order.note === undefined))";

export const STATES = [
  ...ofKind('illegal transition', [
    {
      id: 'place-from-anywhere',
      peer: 'express',
      what: 'An order may be placed from every state but placed',
      breaks: ['place', 'notPlaceable', 'moveByPlace'],
      file: SERVICE,
      edits: [["if (order.status !== 'draft' ||", "if (order.status === 'placed' ||"]],
    },
    {
      id: 'cancel-shipped',
      peer: 'fastify',
      what: 'A shipped order may be cancelled',
      breaks: ['cancel', 'notOpen', 'moveByCancel'],
      file: LIFECYCLE,
      edits: [["cancel: { from: ['draft', 'placed']", "cancel: { from: ['draft', 'placed', 'shipped']"]],
    },
    {
      id: 'cancel-placed-refused',
      peer: 'hono',
      what: 'A placed order may not be cancelled',
      breaks: ['cancel', 'moveByCancel'],
      file: LIFECYCLE,
      edits: [["cancel: { from: ['draft', 'placed']", "cancel: { from: ['draft']"]],
    },
    {
      id: 'ship-draft',
      peer: 'nest',
      what: 'A draft may be shipped',
      breaks: ['ship', 'moveByShip'],
      file: LIFECYCLE,
      edits: [["ship: { from: ['placed']", "ship: { from: ['placed', 'draft']"]],
    },
    {
      id: 'deliver-placed',
      peer: 'express',
      what: 'A placed order may be delivered',
      breaks: ['deliver', 'moveByDeliver'],
      file: LIFECYCLE,
      edits: [["deliver: { from: ['shipped']", "deliver: { from: ['shipped', 'placed']"]],
    },
    {
      id: 'deliver-twice',
      peer: 'fastify',
      what: 'An order may be delivered again',
      breaks: ['deliver', 'moveByDeliver'],
      file: LIFECYCLE,
      edits: [["deliver: { from: ['shipped']", "deliver: { from: ['shipped', 'delivered']"]],
    },
    {
      id: 'cancel-twice',
      peer: 'hono',
      what: 'A cancelled order may be cancelled again',
      breaks: ['cancel', 'moveByCancel', 'cancelled'],
      file: LIFECYCLE,
      edits: [["cancel: { from: ['draft', 'placed']", "cancel: { from: ['draft', 'placed', 'cancelled']"]],
    },
    {
      id: 'ship-cancelled',
      peer: 'nest',
      what: 'A cancelled order may be shipped',
      breaks: ['ship', 'moveByShip'],
      file: LIFECYCLE,
      edits: [["ship: { from: ['placed']", "ship: { from: ['placed', 'cancelled']"]],
    },
    {
      id: 'note-always-needed',
      peer: 'express',
      what: 'An order without a note may not be placed',
      breaks: ['place', 'notPlaceable'],
      file: SERVICE,
      edits: [[GUARD, GUARD.replace(' && order.note', ' || order.note')]],
    },
    {
      id: 'note-never-needed',
      peer: 'nest',
      what: 'A large order without a note may be placed',
      breaks: ['place', 'notPlaceable'],
      file: SERVICE,
      edits: [[GUARD, "if (order.status !== 'draft' || order.quantity > PLACED_WITHOUT_NOTE * 1e6)"]],
    },
    {
      id: 'change-placed',
      peer: 'hono',
      what: 'A placed order may be changed',
      breaks: ['requireDraft', 'notOpen'],
      file: LIFECYCLE,
      edits: [
        [
          "      if (order.status !== 'draft') throw problem('order_not_open');",
          "      if (order.status !== 'draft' && order.status !== 'placed') throw problem('order_not_open');",
        ],
      ],
    },
    {
      id: 'remove-draft',
      peer: 'fastify',
      what: 'A draft may be removed',
      breaks: ['requireCancelled', 'stillOpen'],
      file: LIFECYCLE,
      edits: [
        [
          "if (order.status !== 'cancelled') throw",
          "if (order.status !== 'cancelled' && order.status !== 'draft') throw",
        ],
      ],
    },
    {
      id: 'remove-delivered',
      peer: 'express',
      what: 'A delivered order may be removed',
      breaks: ['requireCancelled', 'stillOpen'],
      file: LIFECYCLE,
      edits: [
        [
          "if (order.status !== 'cancelled') throw",
          "if (order.status !== 'cancelled' && order.status !== 'delivered') throw",
        ],
      ],
    },
    {
      id: 'placed-at-once',
      peer: 'nest',
      what: 'A new order is stored as placed',
      breaks: ['initial'],
      file: STORE,
      edits: [["?, ?, ?, ?, ?, 'draft', ?, 1)", "?, ?, ?, ?, ?, 'placed', ?, 1)"]],
    },
  ]),
  ...ofKind('state lost', [
    {
      id: 'ship-not-stored',
      peer: 'express',
      what: 'A shipment is answered and not stored',
      breaks: ['ship', 'moveByShip', 'deliver'],
      file: LIFECYCLE,
      edits: [['      this.store.move(order.id, to);', "      if (to !== 'shipped') this.store.move(order.id, to);"]],
    },
    {
      id: 'remove-not-done',
      peer: 'fastify',
      what: 'A removal is answered and not done',
      breaks: ['remove'],
      file: LIFECYCLE,
      edits: [['      this.store.remove(order.id);', '      void order.id;']],
    },
    {
      id: 'change-of-note-lost',
      peer: 'hono',
      what: 'A change answers with the note and does not store it',
      breaks: ['change'],
      file: STORE,
      edits: [
        [
          'this.changing.run(quantity, note ?? null, id);',
          'void note;\n    this.changing.run(quantity, this.find(id)?.order.note ?? null, id);',
        ],
      ],
    },
    {
      id: 'place-clears-note',
      peer: 'nest',
      what: 'A placing loses the note',
      breaks: ['place', 'note', 'moveByPlace'],
      file: STORE,
      edits: [["SET status = 'placed', revision", "SET status = 'placed', note = NULL, revision"]],
    },
    {
      id: 'units-of-placed-alone',
      peer: 'express',
      what: 'The summary adds the pieces of placed orders alone',
      breaks: ['summary'],
      file: STORE,
      edits: [
        ['total(quantity) FROM orders', "coalesce(sum(quantity) FILTER (WHERE status = 'placed'), 0) FROM orders"],
      ],
    },
    {
      id: 'open-counts-drafts',
      peer: 'fastify',
      what: 'The summary counts drafts as open',
      breaks: ['summary'],
      file: STORE,
      edits: [["FILTER (WHERE status = 'placed'), total", "FILTER (WHERE status IN ('placed', 'draft')), total"]],
    },
    {
      id: 'unique-in-every-state',
      peer: 'hono',
      what: 'A product that was ever ordered cannot be ordered again',
      breaks: ['unique', 'alreadyOpen'],
      file: 'orders/schema.ts',
      edits: [["(customer, sku) WHERE status = 'draft';", '(customer, sku);']],
    },
    {
      id: 'unique-not-kept',
      peer: 'nest',
      what: 'A customer may have two open drafts of one product',
      breaks: ['unique', 'alreadyOpen'],
      file: 'orders/schema.ts',
      edits: [['CREATE UNIQUE INDEX orders_open_draft', 'CREATE INDEX orders_open_draft']],
    },
    {
      id: 'deliver-resets-quantity',
      peer: 'express',
      what: 'The answer to a cancellation shows the state of before',
      breaks: ['cancel', 'moveByCancel'],
      file: LIFECYCLE,
      edits: [['      return moved;', "      return to === 'cancelled' ? order : moved;"]],
    },
  ]),
];
