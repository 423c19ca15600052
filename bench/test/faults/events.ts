// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is written here is source text
import { ofKind } from './fault.ts';

const SERVICE = 'orders/service.ts';
const LIFECYCLE = 'orders/lifecycle.ts';
const DISPATCHER = 'orders/dispatcher.ts';
const STORE = 'orders/store.ts';

const OPENED = "    this.store.record('order.opened', order.id, now, body);\n";
const PLACED = "      this.store.record('order.placed', order.id, this.clock.now(), JSON.stringify(placed));\n";
const EXPIRED =
  "          this.store.record('order.cancelled', order.id, Date.parse(order.created) + DRAFT_LASTS, data);\n";
const MOVED =
  '      if (event !== null) this.store.record(event, order.id, this.clock.now(), JSON.stringify(moved));\n';
const CANCEL = "code: 'order_not_open', event: 'order.cancelled' }";
const SHIP = "code: 'order_not_shippable', event: null }";
const AGAIN = '    const again = delivered || delay === undefined ? null : this.clock.now() + delay;\n';

export const EVENTS = [
  ...ofKind('event lost', [
    {
      id: 'opened-lost',
      peer: 'express',
      what: 'Nobody is told that an order was opened',
      breaks: ['opened'],
      file: SERVICE,
      edits: [[OPENED, '']],
    },
    {
      id: 'placed-lost',
      peer: 'fastify',
      what: 'Nobody is told that an order was placed',
      breaks: ['placed'],
      file: SERVICE,
      edits: [[PLACED, '']],
    },
    {
      id: 'cancelled-lost',
      peer: 'hono',
      what: 'Nobody is told that a caller cancelled an order',
      breaks: ['cancelled'],
      file: LIFECYCLE,
      edits: [[CANCEL, "code: 'order_not_open', event: null }"]],
    },
    {
      id: 'expired-lost',
      peer: 'nest',
      what: 'Nobody is told that a draft expired',
      breaks: ['cancelled', 'expire'],
      file: SERVICE,
      edits: [[EXPIRED, '']],
    },
    {
      id: 'cancelled-of-draft-lost',
      peer: 'express',
      what: 'Nobody is told of the cancellation of a draft, but of that of a placed order',
      breaks: ['cancelled'],
      file: LIFECYCLE,
      edits: [[MOVED, MOVED.replace('event !== null', "event !== null && order.status !== 'draft'")]],
    },
    {
      id: 'opened-with-note-lost',
      peer: 'hono',
      what: 'Nobody is told of an order that was opened in the deprecated version',
      breaks: ['opened'],
      file: SERVICE,
      edits: [[OPENED, OPENED.replace('    this', '    if (!older) this')]],
    },
    {
      id: 'no-retry',
      peer: 'fastify',
      what: 'A delivery that failed is given up',
      breaks: ['attempts', 'delivery'],
      file: DISPATCHER,
      edits: [[AGAIN, '    const again = null;\n    void [delivered, delay];\n']],
    },
    {
      id: 'redirect-is-success',
      peer: 'nest',
      what: 'A redirect counts as delivered',
      breaks: ['signature', 'attempts', 'delivery'],
      file: DISPATCHER,
      edits: [['answer.status < 300;', 'answer.status < 400;']],
    },
    {
      id: 'refusal-is-success',
      peer: 'express',
      what: 'Whatever a receiver answers counts as delivered',
      breaks: ['signature', 'attempts', 'delivery'],
      file: DISPATCHER,
      edits: [['return answer.status >= 200 && answer.status < 300;', 'return answer.status > 0;']],
    },
    {
      id: 'one-attempt-less',
      peer: 'hono',
      what: 'Seven attempts are made, not eight',
      breaks: ['attempts'],
      file: 'orders/terms.ts',
      edits: [[', 36_000, 50_400]', ', 36_000]']],
    },
  ]),
  ...ofKind('event doubled', [
    {
      id: 'opened-doubled',
      peer: 'fastify',
      what: 'An order that was opened is told of twice',
      breaks: ['opened'],
      file: SERVICE,
      edits: [[OPENED, OPENED + OPENED]],
    },
    {
      id: 'placed-doubled',
      peer: 'hono',
      what: 'An order that was placed is told of twice',
      breaks: ['placed'],
      file: SERVICE,
      edits: [[PLACED, PLACED + PLACED]],
    },
    {
      id: 'replay-tells-again',
      peer: 'nest',
      what: 'A creation that is only repeated is told of again',
      breaks: ['opened', 'idempotency'],
      file: SERVICE,
      edits: [
        [
          '      return kept;\n',
          "      if (kept.status === 201) this.store.record('order.opened', JSON.parse(kept.body).id, now, kept.body);\n      return kept;\n",
        ],
      ],
    },
    {
      id: 'ship-tells-of-placing',
      peer: 'express',
      what: 'A shipment is told of as a placing',
      breaks: ['placed'],
      file: LIFECYCLE,
      edits: [[SHIP, SHIP.replace('null', "'order.placed'")]],
    },
    {
      id: 'refused-place-told',
      peer: 'fastify',
      what: 'A placing that is refused is told of',
      breaks: ['placed'],
      file: SERVICE,
      edits: [
        [
          '    this.expireDue();\n    return this.writer.write(() => {\n      const { order } = this.visible(caller, id);\n',
          "    this.expireDue();\n    const early = this.visible(caller, id).order;\n    this.store.record('order.placed', early.id, this.clock.now(), JSON.stringify({ ...early, status: 'placed' }));\n    return this.writer.write(() => {\n      const { order } = this.visible(caller, id);\n",
        ],
        [PLACED, ''],
      ],
    },
    {
      id: 'delivered-again',
      peer: 'hono',
      what: 'What was delivered is delivered again',
      breaks: ['delivery', 'attempts', 'opened', 'placed', 'cancelled'],
      file: DISPATCHER,
      edits: [
        [AGAIN, '    const again = delay === undefined ? null : this.clock.now() + delay;\n    void delivered;\n'],
      ],
    },
    {
      id: 'only-200-is-success',
      peer: 'nest',
      what: 'A receiver that answers 204 is sent the event again',
      breaks: ['signature', 'attempts', 'delivery'],
      file: DISPATCHER,
      edits: [['return answer.status >= 200 && answer.status < 300;', 'return answer.status === 200;']],
    },
    {
      id: 'subscriptions-ignored',
      peer: 'express',
      what: 'Each receiver is sent every event, whatever it chose',
      breaks: ['receivers'],
      file: STORE,
      edits: [
        ['FROM subscription WHERE event = ?', 'FROM (SELECT DISTINCT receiver FROM subscription) WHERE ? IS NOT NULL'],
      ],
    },
  ]),
  ...ofKind('webhook wrong', [
    {
      id: 'signs-body-alone',
      peer: 'express',
      what: 'The signature is of the body alone',
      breaks: ['signature'],
      file: DISPATCHER,
      edits: [['.update(`${id}.${seconds}.${body}`)', '.update(body)']],
    },
    {
      id: 'signs-in-hex',
      peer: 'fastify',
      what: 'The signature is in hex',
      breaks: ['signature'],
      file: DISPATCHER,
      edits: [[".digest('base64')", ".digest('hex')"]],
    },
    {
      id: 'signs-with-text-of-secret',
      peer: 'hono',
      what: 'The key of the signature is the text of the secret, not what it encodes',
      breaks: ['signature'],
      file: DISPATCHER,
      edits: [["Buffer.from(secret.slice('whsec_'.length), 'base64')", "Buffer.from(secret.slice('whsec_'.length))"]],
    },
    {
      id: 'signature-without-version',
      peer: 'nest',
      what: 'The signature lacks its `v1,`',
      breaks: ['signature'],
      file: DISPATCHER,
      edits: [['return `v1,${', 'return `${']],
    },
    {
      id: 'timestamp-in-milliseconds',
      peer: 'express',
      what: 'webhook-timestamp is in milliseconds',
      breaks: ['signature'],
      file: DISPATCHER,
      edits: [['Math.floor(this.clock.now() / 1000)', 'this.clock.now()']],
    },
    {
      id: 'id-of-attempt',
      peer: 'fastify',
      what: 'Each attempt has another webhook-id',
      breaks: ['signature', 'attempts', 'delivery'],
      file: DISPATCHER,
      edits: [
        ['version, event, type, at, data }: Delivery', 'version, event: of, type, at, data, attempts }: Delivery'],
        [
          '    const older = version !== VERSION;\n',
          '    const event = `${of}_${attempts}`;\n    const older = version !== VERSION;\n',
        ],
      ],
    },
    {
      id: 'payload-of-before',
      peer: 'hono',
      what: 'The payload of a placing shows the order as it was before',
      breaks: ['placed'],
      file: SERVICE,
      edits: [['this.clock.now(), JSON.stringify(placed));', 'this.clock.now(), JSON.stringify(order));']],
    },
    {
      id: 'payload-in-current-version',
      peer: 'nest',
      what: 'A receiver of the deprecated version is sent payloads of the current one',
      breaks: ['deprecated', 'receivers'],
      file: DISPATCHER,
      edits: [['const older = version !== VERSION;', 'const older = version === "";']],
    },
    {
      id: 'timestamp-of-attempt',
      peer: 'express',
      what: 'The payload has the time of the attempt, not of the event',
      breaks: ['signature', 'opened', 'placed', 'cancelled', 'attempts'],
      file: DISPATCHER,
      edits: [['new Date(at).toISOString()', 'new Date(this.clock.now() + 0 * at).toISOString()']],
    },
    {
      id: 'type-misspelt',
      peer: 'fastify',
      what: 'The event of a cancellation has another name',
      breaks: ['cancelled'],
      file: DISPATCHER,
      edits: [
        ['JSON.stringify({ type, timestamp', "JSON.stringify({ type: type.replace('cancelled', 'canceled'), timestamp"],
      ],
    },
    {
      id: 'payload-too-much',
      peer: 'hono',
      what: 'The payload is the order alone, without type and timestamp',
      breaks: ['signature', 'opened', 'placed', 'cancelled'],
      file: DISPATCHER,
      edits: [
        ['JSON.stringify({ type, timestamp: new Date(at).toISOString(), data: payload })', 'JSON.stringify(payload)'],
      ],
    },
    {
      id: 'retry-too-late',
      peer: 'nest',
      what: 'The second attempt is made after 50 seconds, not 5',
      breaks: ['attempts'],
      file: 'orders/terms.ts',
      edits: [['readonly number[] = [5, 300', 'readonly number[] = [50, 300']],
    },
    {
      id: 'retry-too-soon',
      peer: 'express',
      what: 'The second attempt is made after 1 second, not 5',
      breaks: ['attempts'],
      file: 'orders/terms.ts',
      edits: [['readonly number[] = [5, 300', 'readonly number[] = [1, 300']],
    },
    {
      id: 'order-not-kept',
      peer: 'fastify',
      what: 'An event does not wait for an earlier one of its order that has failed',
      breaks: ['order'],
      file: STORE,
      edits: [['earlier.due IS NOT NULL', 'earlier.due < 0']],
    },
    {
      id: 'redirects-followed',
      peer: 'express',
      what: 'A redirect of a receiver is followed',
      breaks: ['signature', 'receivers', 'delivery'],
      file: DISPATCHER,
      edits: [["redirect: 'manual'", "redirect: 'follow'"]],
    },
  ]),
];
