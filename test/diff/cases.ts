import type { Edit } from '../fixtures.ts';

/** An edit of a document, and all that callers are told of it. */
export interface DiffCase {
  readonly what: string;
  /** The document, of `examples/` or of those that the reference quotes. */
  readonly of: string;
  readonly edits: readonly Edit[];
  /** Whether each line is breaking (or the version that covers it), the line, and the reason. */
  readonly told: ReadonlyArray<readonly [verdict: string, line: string, reason: string]>;
}

export const CASES: readonly DiffCase[] = [
  {
    what: 'another name for the row of a step',
    of: 'orders',
    edits: [
      [
        '1. Create `order`: Order from `request`.\n2. Answer 201 with `order` and header Location `"/orders/" + order.id`',
        '1. Create `made`: Order from `request`.\n2. Answer 201 with `made` and header Location `"/orders/" + made.id`',
      ],
    ],
    told: [],
  },
  {
    what: 'a new state, which answers may hold',
    of: 'orders',
    edits: [
      [
        'one of draft, placed, shipped, delivered, cancelled',
        'one of draft, placed, shipped, delivered, cancelled, lost',
      ],
      ['- Final: delivered, cancelled', '- Final: delivered, cancelled, lost'],
      ['| deliver    ', '| lose | shipped | lost | always | order_not_shipped |\n| deliver    '],
      [
        '### `DELETE /orders/{id}`',
        '### `POST /orders/{id}/lose`\n\n- Access: orders:fulfil\n\n1. Move `order` by lose.\n2. Answer 200 with `order`.\n\n### `DELETE /orders/{id}`',
      ],
    ],
    told: [
      ['breaking', 'Order.status: a new value: lost', 'callers may receive a value that they do not know'],
      ['not', 'Order.lose: transition lose is new', 'every request that was accepted still is accepted'],
      [
        'not',
        'POST /orders/{id}/lose: the endpoint POST /orders/{id}/lose is new',
        'callers that do not use it are answered as before',
      ],
    ],
  },
  {
    what: 'a field that has to be there',
    of: 'orders',
    edits: [
      [
        'at most 500 characters                              | request            | optional |',
        'at most 500 characters                              | request            |  |',
      ],
      ['; Order.note absent', ''],
      ['`quantity <= 100 \\|\\| note != null` | order', '`quantity <= 100` | order'],
    ],
    told: [
      ['breaking', 'Order.note: it is always present now', 'a request that was accepted may be refused'],
      [
        'breaking',
        'Order.place: its guard is `this.quantity <= 100`, and was `this.quantity <= 100 || this.note != null`',
        'the same request may have another result',
      ],
      [
        'not',
        'Order.note in 2025-06-01, 2024-12-01: it is new in Order',
        'callers that do not use it are answered as before',
      ],
      [
        'breaking',
        'Order.note in 2025-06-01: it is new in the body, and has to be sent',
        'a request that was accepted may be refused',
      ],
      ['not', 'Order.note in 2025-06-01: it is new in the body', 'every request that was accepted still is accepted'],
    ],
  },
  {
    what: 'a field that may be absent',
    of: 'orders',
    edits: [
      [
        '| 1 to 1000                                           | request            |          | ',
        '| 1 to 1000                                           | request            | optional | ',
      ],
      ['quantity <= 100 \\|\\| note != null', 'note != null'],
      [', units: `Order.filter(o, o.customer == caller).map(o, o.quantity).sum()`', ''],
    ],
    told: [
      ['breaking', 'Order.quantity: it is optional now', 'callers may not find what they read'],
      [
        'breaking',
        'Order.place: its guard is `this.note != null`, and was `this.quantity <= 100 || this.note != null`',
        'the same request may have another result',
      ],
      ['breaking', 'GET /summary: the answer’s member units is gone', 'callers may not find what they read'],
    ],
  },
  {
    what: 'a new field that has to be sent',
    of: 'orders',
    edits: [
      ['| note     | string    |', '| gift | boolean | | | request | | |\n| note     | string    |'],
      ['- Request: Order with sku, quantity, note\n', '- Request: Order with sku, quantity, note, gift\n'],
      ['quantity, note, status, created', 'quantity, note, gift, status, created'],
    ],
    told: [
      ['not', 'Order.gift: it is new in Order', 'callers that do not use it are answered as before'],
      [
        'breaking',
        'Order.gift: it is new in the body, and has to be sent',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'a new field with a default',
    of: 'orders',
    edits: [
      ['| note     | string    |', '| gift | boolean | | | request, else `false` | | |\n| note     | string    |'],
      ['- Request: Order with sku, quantity, note\n', '- Request: Order with sku, quantity, note, gift\n'],
      ['quantity, note, status, created', 'quantity, note, gift, status, created'],
    ],
    told: [
      ['not', 'Order.gift: it is new in Order', 'callers that do not use it are answered as before'],
      ['not', 'Order.gift: it is new in the body', 'every request that was accepted still is accepted'],
    ],
  },
  {
    what: 'another format',
    of: 'orders',
    edits: [
      [
        '| sku      | string    |        | `/^[A-Z]{3}-[0-9]{4}$/`                             |',
        '| sku      | string    | email |  at most 100 characters                              |',
      ],
    ],
    told: [
      [
        'breaking',
        'Order.sku: other values are allowed: email at most 100 characters, and was text /^[A-Z]{3}-[0-9]{4}$/',
        'a request that was accepted may be refused; callers may receive a value that they do not know',
      ],
    ],
  },
  {
    what: 'an endpoint and its transition gone',
    of: 'orders',
    edits: [
      ['### `POST /orders/{id}/cancel`\n\n1. Move `order` by cancel.\n2. Answer 200 with `order`.\n\n', ''],
      ['- Final: delivered, cancelled', '- Final: delivered, cancelled'],
      ['| cancel     | draft, placed | cancelled | always                              | order_not_open      |\n', ''],
      ['an Order moves by cancel, expire', 'an Order moves by expire'],
    ],
    told: [
      ['breaking', 'Order.cancel: transition cancel is gone', 'a request that was accepted may be refused'],
      [
        'breaking',
        'POST /orders/{id}/cancel: the endpoint POST /orders/{id}/cancel is gone',
        'a request that was accepted may be refused',
      ],
      ['breaking', 'order.cancelled: the transition cancel is gone', 'a receiver may not be notified'],
    ],
  },
  {
    what: 'another status',
    of: 'orders',
    edits: [['2. Answer 201 with', '2. Answer 200 with']],
    told: [
      ['breaking', 'POST /orders: the status is 200, and was 201', 'callers may receive a value that they do not know'],
    ],
  },
  {
    what: 'a header gone',
    of: 'orders',
    edits: [[' and header Location `"/orders/" + order.id`', '']],
    told: [['breaking', 'POST /orders: the header Location is gone', 'callers may not find what they read']],
  },
  {
    what: 'another tag that If-Match is compared with',
    of: 'orders',
    edits: [['1. Match If-Match to `etag(order)`.\n', '1. Match If-Match to `etag(caller)`.\n']],
    told: [
      [
        'breaking',
        'PATCH /orders/{id}: the value that If-Match is compared with is the entity tag of the answer, and was `etag(order)`',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'If-Match required',
    of: 'orders',
    edits: [
      [
        '1. Require `order.status == "cancelled"`',
        '1. Match If-Match to `etag(order)`.\n2. Require `order.status == "cancelled"`',
      ],
      ['2. Remove `order`', '3. Remove `order`'],
      ['3. Answer 204', '4. Answer 204'],
    ],
    told: [
      [
        'breaking',
        'DELETE /orders/{id}: If-Match is required, and was ignored',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'If-Match required by the bullet',
    of: 'orders',
    edits: [['### `DELETE /orders/{id}`\n', '### `DELETE /orders/{id}`\n\n- Preconditions on writes: required\n']],
    told: [
      [
        'breaking',
        'DELETE /orders/{id}: If-Match is required, and was ignored',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'preconditions refused where there is no ETag',
    of: 'orders',
    edits: [
      [
        '### `POST /orders/{id}/deliver`\n',
        '### `POST /orders/{id}/deliver`\n\n- Preconditions without an ETag: refused\n',
      ],
    ],
    told: [
      [
        'breaking',
        'POST /orders/{id}/deliver: a request with If-Match, If-None-Match or If-Unmodified-Since is refused now',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'an idempotency key required',
    of: 'orders',
    edits: [
      [
        '- Access: orders:fulfil\n\n1. Move `order` by ship',
        '- Access: orders:fulfil\n- Idempotency: header `Idempotency-Key`, required, for each caller, kept 24 hours, answers below 500\n\n1. Move `order` by ship',
      ],
    ],
    told: [
      [
        'breaking',
        'POST /orders/{id}/ship: the idempotency key, which is required, is new',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'an idempotency key that is optional, and is new',
    of: 'orders',
    edits: [
      [
        '- Access: orders:fulfil\n\n1. Move `order` by ship',
        '- Access: orders:fulfil\n- Idempotency: header `Idempotency-Key`, optional, for each caller, kept 24 hours, answers below 500\n\n1. Move `order` by ship',
      ],
    ],
    told: [
      [
        'not',
        'POST /orders/{id}/ship: the idempotency key, which is optional, is new',
        'every request that was accepted still is accepted',
      ],
    ],
  },
  {
    what: 'an idempotency key that need not be sent',
    of: 'orders',
    edits: [['`Idempotency-Key`, required,', '`Idempotency-Key`, optional,']],
    told: [
      ['not', 'POST /orders: the idempotency key is optional now', 'every request that was accepted still is accepted'],
    ],
  },
  {
    what: 'a header that marks replays',
    of: 'orders',
    edits: [['answers below 500\n', 'answers below 500, replays marked `Idempotent-Replayed: true`\n']],
    told: [
      [
        'not',
        'POST /orders: the header of repeated answers is Idempotent-Replayed: true, and was none',
        'callers that do not use it are answered as before',
      ],
    ],
  },
  {
    what: 'requests that may be forms, too',
    of: 'orders',
    edits: [
      [
        '- Request: Order with sku, quantity, note\n',
        '- Payloads: JSON (RFC 8259), requests as JSON or form (URL Standard)\n- Request: Order with sku, quantity, note\n',
      ],
    ],
    told: [
      [
        'not',
        'POST /orders: the body may have the media type application/x-www-form-urlencoded is new',
        'every request that was accepted still is accepted',
      ],
    ],
  },
  {
    what: 'requests that have to be forms',
    of: 'orders',
    edits: [
      [
        '- Request: Order with sku, quantity, note\n',
        '- Payloads: JSON (RFC 8259), requests as form (URL Standard)\n- Request: Order with sku, quantity, note\n',
      ],
    ],
    told: [
      [
        'breaking',
        'POST /orders: the body may have the media type application/json is gone',
        'a request that was accepted may be refused',
      ],
      [
        'not',
        'POST /orders: the body may have the media type application/x-www-form-urlencoded is new',
        'every request that was accepted still is accepted',
      ],
    ],
  },
  {
    what: 'access for any caller',
    of: 'orders',
    edits: [
      [
        '- Access: orders:read\n\n1. Answer 200 with open: `Order.filter(o, o.customer == caller && o.status == "placed").size()`, units: `Order.filter(o, o.customer == caller).map(o, o.quantity).sum()`.',
        '- Access: any Customer\n\n1. Answer 200 with open: `Order.filter(o, o.customer == caller && o.status == "placed").size()`, units: `Order.filter(o, o.customer == caller).map(o, o.quantity).sum()`.',
      ],
    ],
    told: [
      [
        'not',
        'GET /summary: access is any caller, and was orders:read',
        'every request that was accepted still is accepted',
      ],
    ],
  },
  {
    what: 'fewer rows visible',
    of: 'orders',
    edits: [['`customer == caller || "orders:fulfil" in scopes`', '`customer == caller`']],
    told: [
      [
        'breaking',
        'Order: its visibility is `this.customer == caller`, and was `this.customer == caller || "orders:fulfil" in scopes`',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'another form of pages',
    of: 'orders',
    edits: [
      ['Pages: by cursor, parameters `limit` and `cursor`', 'Pages: by offset, parameters `limit` and `cursor`'],
      ['; payload items `page.items`, next `page.next`', '; payload items `page.items`, next `page.next`'],
    ],
    told: [
      [
        'breaking',
        'GET /orders: the kind of pages is offset, and was cursor',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'another member of pages',
    of: 'orders',
    edits: [['next `page.next`', 'next `page.next`, more `page.more`']],
    told: [['not', 'GET /orders: the page’s member more is new', 'callers that do not use it are answered as before']],
  },
  {
    what: 'smaller pages',
    of: 'orders',
    edits: [['100 at most', '50 at most']],
    told: [
      [
        'breaking',
        'GET /orders: the maximum page size is 50, and was 100',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'smaller requests',
    of: 'orders',
    edits: [['64 KiB', '32 KiB']],
    told: [
      [
        'breaking',
        'POST /orders, GET /orders/{id}, GET /orders, PATCH /orders/{id}, POST /orders/{id}/place, POST /orders/{id}/cancel, POST /orders/{id}/ship, POST /orders/{id}/deliver, DELETE /orders/{id}, GET /summary: the limit of the request size is 32 KiB, and was 64 KiB',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'a shorter time-out',
    of: 'orders',
    edits: [['| Time-out     | 5 seconds  ', '| Time-out     | 4 seconds  ']],
    told: [
      [
        'breaking',
        'POST /orders, GET /orders/{id}, GET /orders, PATCH /orders/{id}, POST /orders/{id}/place, POST /orders/{id}/cancel, POST /orders/{id}/ship, POST /orders/{id}/deliver, DELETE /orders/{id}, GET /summary: the time-out is 4 seconds, and was 5 seconds',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'a transition from fewer states',
    of: 'orders',
    edits: [['| cancel     | draft, placed |', '| cancel     | draft |']],
    told: [
      ['breaking', 'Order.cancel: the starting state placed is gone', 'a request that was accepted may be refused'],
    ],
  },
  {
    what: 'another code of a transition, and the old one gone',
    of: 'orders',
    edits: [
      [
        'always                              | order_not_shippable',
        'always                              | order_not_shipped',
      ],
      ['| order_not_shippable | 409    | a step says so           | This order cannot be shipped             |\n', ''],
    ],
    told: [
      ['not', 'order_not_shippable: the code order_not_shippable is gone', 'callers receive nothing new'],
      [
        'breaking',
        'Order.ship: the code that refuses it is order_not_shipped, and was order_not_shippable',
        'callers may receive a value that they do not know',
      ],
    ],
  },
  {
    what: 'a new event',
    of: 'orders',
    edits: [
      ['| order.cancelled |', '| order.shipped | an Order moves by ship | Order | webhook |\n| order.cancelled |'],
    ],
    told: [
      [
        'breaking',
        'order.shipped: the event order.shipped is new',
        'callers may receive a value that they do not know',
      ],
    ],
  },
  {
    what: 'an event of another name',
    of: 'orders',
    edits: [['| order.cancelled |', '| order.ended |']],
    told: [
      ['breaking', 'order.cancelled: the event order.cancelled is gone', 'a receiver may not be notified'],
      ['breaking', 'order.ended: the event order.ended is new', 'callers may receive a value that they do not know'],
    ],
  },
  {
    what: 'an event that tells of fewer transitions',
    of: 'orders',
    edits: [['moves by cancel, expire', 'moves by cancel']],
    told: [['breaking', 'order.cancelled: the transition expire is gone', 'a receiver may not be notified']],
  },
  {
    what: 'events in no order',
    of: 'orders',
    edits: [['- Order: per Order', '- Order: none']],
    told: [
      ['breaking', 'webhooks: the order of events is none, and was Order', 'the same request may have another result'],
    ],
  },
  {
    what: 'fewer attempts',
    of: 'orders',
    edits: [
      [
        '- Attempts: 8, after 5 seconds, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours, 14 hours',
        '- Attempts: 2, after 5 seconds',
      ],
    ],
    told: [['breaking', 'webhooks: the number of attempts is 2, and was 8', 'a receiver may not be notified']],
  },
  {
    what: 'another payload of an event',
    of: 'orders',
    edits: [
      [
        '- Shown: id, customer as id, sku, quantity, note, status, created',
        '- Shown: id, customer as id, sku, quantity, note, status, created\n- Shown as Brief: id, sku',
      ],
      ['an Order is created              | Order  ', 'an Order is created              | Order as Brief  '],
    ],
    told: [
      ['not', 'Order as Brief: the form Order as Brief is new', 'no caller can notice it'],
      [
        'breaking',
        'order.opened: the form in which it is shown is Order as Brief, and was Order',
        'callers may not find what they read',
      ],
    ],
  },
  {
    what: 'another precision of timestamps, told once',
    of: 'orders',
    edits: [['- Timestamps: RFC 3339, UTC, milliseconds', '- Timestamps: RFC 3339, UTC, seconds']],
    told: [
      [
        'breaking',
        'the service: the precision of timestamps is seconds, and was milliseconds',
        'callers may not be able to read what they are sent',
      ],
    ],
  },
  {
    what: 'null in place of missing values, told once',
    of: 'orders',
    edits: [['- Missing values in answers: left out', '- Missing values in answers: null']],
    told: [
      [
        'breaking',
        'the service: a missing value in an answer is null, and was left out',
        'callers may not be able to read what they are sent',
      ],
    ],
  },
  {
    what: 'credentials elsewhere',
    of: 'orders',
    edits: [['- Header: `Authorization: Bearer {key}`', '- Header: `X-Key: {key}`']],
    told: [
      [
        'breaking',
        'API key: credentials: the header is `X-Key: …`, and was `Authorization: Bearer …`',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'a version that is retired',
    of: 'orders',
    edits: [
      ['| 2025-06-01 | deprecated | 2026-11-01 | 2027-11-01 |', '| 2025-06-01 | retired | 2025-10-01 | 2026-10-01 |'],
      ['Order.sku is `product`; Order.note absent', 'none'],
    ],
    told: [
      [
        'breaking',
        'version 2025-06-01: it is retired, and requests that name it are refused',
        'a request that was accepted may be refused',
      ],
      [
        'not',
        'Order.note in 2025-06-01, 2024-12-01: it is new in Order',
        'callers that do not use it are answered as before',
      ],
      [
        'breaking',
        'Order.sku in 2025-06-01, 2024-12-01: the name is sku, and was product',
        'callers may not find what they read',
      ],
    ],
  },
  {
    what: 'a version that is refused sooner',
    of: 'orders',
    edits: [
      [
        '| 2025-06-01 | deprecated | 2026-11-01 | 2027-11-01 |',
        '| 2025-06-01 | deprecated | 2026-11-01 | 2027-10-31 |',
      ],
      ['answers for 12 months', 'answers for 11 months'],
    ],
    told: [
      [
        'breaking',
        'version 2025-06-01: its sunset is 2027-10-31, and was 2027-11-01',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'other names in an older version',
    of: 'orders',
    edits: [['Order.sku is `product`', 'Order.sku is `article`']],
    told: [
      [
        'breaking',
        'Order.sku in 2025-06-01, 2024-12-01: the name is article, and was product',
        'callers may not find what they read; a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'a new version without differences',
    of: 'orders',
    edits: [
      ['- Current version: 2026-11-01', '- Current version: 2027-01-01'],
      [
        '| 2025-06-01 | deprecated | 2026-11-01 | 2027-11-01 | Order.sku is',
        '| 2026-11-01 | deprecated | 2027-01-01 | 2028-01-01 | none |\n| 2025-06-01 | deprecated | 2026-11-01 | 2027-11-01 | Order.sku is',
      ],
    ],
    told: [
      [
        'not',
        'versions: the current version is 2027-01-01, and was 2026-11-01',
        'every request that was accepted still is accepted',
      ],
      [
        'not',
        'version 2026-11-01: it is deprecated, and requests that name it are refused from 2028-01-01, and was current',
        'every request that was accepted still is accepted',
      ],
      [
        'not',
        'receivers: those that were registered for version 2026-11-01 are told in its names as before',
        'callers receive nothing new',
      ],
    ],
  },
  {
    what: 'a version required',
    of: 'orders',
    edits: [['- Without a version: current version', '- Without a version: refused']],
    told: [
      [
        'breaking',
        'versions: a request without a version is refused, and was answered in the current version',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'an older version for requests without one',
    of: 'orders',
    edits: [['- Without a version: current version', '- Without a version: version 2025-06-01']],
    told: [
      [
        'breaking',
        'versions: a request without a version is answered in version 2025-06-01, and was answered in the current version',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'the version of requests without one, which is no longer the current one',
    of: 'orders',
    edits: [
      ['- Without a version: current version', '- Without a version: version 2026-11-01'],
      ['- Current version: 2026-11-01', '- Current version: 2026-12-01'],
      ['| 2025-06-01 | deprecated |', '| 2026-11-01 | supported | none | none | none |\n| 2025-06-01 | deprecated |'],
    ],
    told: [
      [
        'not',
        'versions: the current version is 2026-12-01, and was 2026-11-01',
        'every request that was accepted still is accepted',
      ],
      [
        'not',
        'versions: a request without a version is answered in version 2026-11-01, and was answered in the current version',
        'every request that was accepted still is accepted',
      ],
      [
        'not',
        'version 2026-11-01: it is supported, and was current',
        'every request that was accepted still is accepted',
      ],
      [
        'not',
        'receivers: those that were registered for version 2026-11-01 are told in its names as before',
        'callers receive nothing new',
      ],
    ],
  },
  {
    what: 'an older version that is no longer deprecated',
    of: 'orders',
    edits: [['| 2025-06-01 | deprecated | 2026-11-01 | 2027-11-01 |', '| 2025-06-01 | supported | none | none |']],
    told: [
      [
        'not',
        'version 2025-06-01: it is supported, and was deprecated',
        'every request that was accepted still is accepted',
      ],
    ],
  },
  {
    what: 'versions in the path',
    of: 'orders',
    edits: [['- Scheme: a date in header `Orders-Version`', '- Scheme: path `/{version}`']],
    told: [
      [
        'breaking',
        'versions: the version scheme is path /{version}, and was header Orders-Version',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'another code of a step, and the old one gone',
    of: 'orders',
    edits: [
      ['3. Change `order`', '3. Change `order`'],
      ['`order.status == "cancelled"`, else order_still_open', '`order.status == "cancelled"`, else order_not_open'],
      ['| order_still_open    | 409    | a step says so           | Cancel this order before removing it     |\n', ''],
    ],
    told: [
      ['not', 'order_still_open: the code order_still_open is gone', 'callers receive nothing new'],
      [
        'breaking',
        'DELETE /orders/{id}: a step is: require order.status == "cancelled", else order_not_open, and was: require order.status == "cancelled", else order_still_open',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'a step’s code of another name, which is one difference',
    of: 'orders',
    edits: [
      ['| order_still_open    | 409', '| order_standing    | 409'],
      ['else order_still_open', 'else order_standing'],
    ],
    told: [
      [
        'breaking',
        'order_standing: the code is order_standing, and was order_still_open',
        'callers may receive a value that they do not know',
      ],
    ],
  },
  {
    what: 'a rule’s code of another name',
    of: 'orders',
    edits: [
      ['else order_already_open', 'else order_open_already'],
      ['| order_already_open  | 409', '| order_open_already  | 409'],
    ],
    told: [
      [
        'breaking',
        'order_open_already: the code is order_open_already, and was order_already_open',
        'callers may receive a value that they do not know',
      ],
    ],
  },
  {
    what: 'a rule gone',
    of: 'orders',
    edits: [
      ['- Unique: customer and sku while `status == "draft"`, else order_already_open\n', ''],
      ['| order_already_open  | 409    | a rule says so           | This product is already on an open draft |\n', ''],
    ],
    told: [
      ['not', 'order_already_open: the code order_already_open is gone', 'callers receive nothing new'],
      [
        'not',
        'Order: the rule Order: customer and sku unique while this.status == "draft" is gone',
        'every request that was accepted still is accepted',
      ],
    ],
  },
  {
    what: 'a new rule',
    of: 'orders',
    edits: [
      ['- Keeps: customer, else', '- Holds: `quantity <= 500`, else order_too_large\n- Keeps: customer, else'],
      [
        '| order_not_open      | 409',
        '| order_too_large | 409 | a rule says so | Too large |\n| order_not_open      | 409',
      ],
    ],
    told: [
      [
        'breaking',
        'order_too_large: the code order_too_large is new',
        'callers may receive a value that they do not know',
      ],
      [
        'breaking',
        'Order: the rule Order: this.quantity <= 500 holds is new',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'an address',
    of: 'orders',
    edits: [['- Address: given by the operator', '- Address: `https://orders.example`']],
    told: [
      [
        'breaking',
        'the service: the address is https://orders.example, and was given by the operator',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'another value in an answer',
    of: 'orders',
    edits: [
      [
        'open: `Order.filter(o, o.customer == caller && o.status == "placed").size()`',
        'open: `Order.filter(o, o.customer == caller && o.status == "draft").size()`',
      ],
    ],
    told: [
      [
        'breaking',
        'GET /summary: the answer’s member open: the value shown is `Order.filter(o, o.customer == caller && o.status == "draft").size()`, and was `Order.filter(o, o.customer == caller && o.status == "placed").size()`',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'another value of a shown field',
    of: 'orders',
    edits: [['customer as id', 'customer as email']],
    told: [
      [
        'breaking',
        'Order.customer: the value shown is `this.customer.email`, and was `this.customer.id`',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'errors without a payload',
    of: 'orders',
    edits: [['- Payload: RFC 9457', '- Payload: none']],
    told: [['breaking', 'the service: the payload of errors is gone', 'callers may not find what they read']],
  },
  {
    what: 'problem details with a type',
    of: 'orders',
    edits: [['- Payload: RFC 9457', '- Payload: RFC 9457, type `https://orders.example/{code}`']],
    told: [['not', 'errors: its member type is new', 'callers that do not use it are answered as before']],
  },
  {
    what: 'a filter that keeps other rows',
    of: 'orders',
    edits: [['`sku == query.sku`', '`sku.startsWith(query.sku)`']],
    told: [
      [
        'breaking',
        'GET /orders: the query parameter sku: its filter is `this.sku.startsWith(query.sku)`, and was `this.sku == query.sku`',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'a field gone from a request',
    of: 'orders',
    edits: [['with quantity, note, each optional', 'with quantity, each optional']],
    told: [['breaking', 'Order.note: it is gone from the body', 'a request that was accepted may be refused']],
  },
  {
    what: 'conditional requests, by the tag of the answer',
    of: 'orders',
    edits: [
      [
        '- Access: orders:read\n\n1. Answer 200 with `order` and header ETag `etag(order)`.',
        '- Access: orders:read\n- Conditional requests: RFC 9110, strong ETag of the answer\n\n1. Answer 200 with `order`.',
      ],
      ['4. Answer 200 with `order` and header ETag `etag(order)`.', '4. Answer 200 with `order`.'],
    ],
    told: [
      [
        'breaking',
        'GET /orders/{id}: If-Match and If-None-Match are judged now',
        'the same request may have another result',
      ],
      [
        'breaking',
        'GET /orders/{id}: the value of the header ETag is none, and was `etag(order)`',
        'the same request may have another result',
      ],
      [
        'breaking',
        'PATCH /orders/{id}: the value that If-Match is compared with is the entity tag of the answer, and was `etag(order)`',
        'the same request may have another result',
      ],
      ['breaking', 'PATCH /orders/{id}: the header ETag is gone', 'callers may not find what they read'],
    ],
  },
  {
    what: 'what stands for a filter that could be left out',
    of: 'orders',
    edits: [
      [
        '| status    | query | Order.status | any            | optional |',
        '| status    | query | Order.status | any            | else `"draft"` |',
      ],
    ],
    told: [
      [
        'breaking',
        'GET /orders: the query parameter status: its default is `"draft"`, and was none',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'a move that time makes from one more state',
    of: 'orders',
    edits: [['| expire     | draft         |', '| expire     | draft, placed |']],
    told: [['breaking', 'Order.expire: the starting state placed is new', 'the same request may have another result']],
  },
  {
    what: 'another move that time makes',
    of: 'orders',
    edits: [
      ['| expire     | draft ', '| lapse | placed | cancelled | 48 hours after place | none |\n| expire     | draft '],
    ],
    told: [['breaking', 'Order.lapse: transition lapse is new', 'the same request may have another result']],
  },
  {
    what: 'more attempts that end sooner',
    of: 'orders',
    edits: [
      [
        'Attempts: 8, after 5 seconds, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours, 14 hours',
        'Attempts: 9, after 1 second, 2 seconds, 3 seconds, 4 seconds, 5 seconds, 6 seconds, 7 seconds, 8 seconds',
      ],
    ],
    told: [
      ['not', 'webhooks: the number of attempts is 9, and was 8', 'callers that do not use it are answered as before'],
      [
        'breaking',
        'webhooks: the schedule of attempts is 1 second, 2 seconds, 3 seconds, 4 seconds, 5 seconds, 6 seconds, 7 seconds, 8 seconds, and was 5 seconds, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours, 14 hours',
        'a receiver may not be notified',
      ],
    ],
  },
  {
    what: 'rows that everybody may see now',
    of: 'payments',
    edits: [['- Visible: `merchant == caller`', '- Visible: everyone']],
    told: [
      [
        'breaking',
        'Intent: its visibility is everyone, and was `this.merchant == caller`',
        'the same request may have another result',
      ],
      ['not', 'Refund.intent: it is always present now', 'callers receive nothing new'],
    ],
  },
  {
    what: 'rules in another order',
    of: 'bookings',
    edits: [
      ['- Holds: `ends > starts && ends - starts <= duration("12h")`, else booking_length_wrong\n', ''],
      [
        ', else room_closed\n',
        ', else room_closed\n- Holds: `ends > starts && ends - starts <= duration("12h")`, else booking_length_wrong\n',
      ],
    ],
    told: [['breaking', 'Booking: the rules: the order is another', 'the same request may have another result']],
  },
  {
    what: 'allowed values in another order',
    of: 'payments',
    edits: [['one of chf, eur, gbp, usd', 'one of eur, usd, gbp, chf']],
    told: [],
  },
  {
    what: 'parameters in another order',
    of: 'orders',
    edits: [
      [
        '| status    | query | Order.status | any            | optional | `status == query.status` |\n| sku       | query | Order.sku    | any            | optional | `sku == query.sku`       |',
        '| sku       | query | Order.sku    | any            | optional | `sku == query.sku`       |\n| status    | query | Order.status | any            | optional | `status == query.status` |',
      ],
    ],
    told: [['not', 'GET /orders: the parameters: the order is another', 'its order has no meaning']],
  },
  {
    what: 'a stream that keeps events for a shorter time',
    of: 'tasks',
    edits: [['for 24 hours, else events_gone', 'for 12 hours, else events_gone']],
    told: [
      [
        'breaking',
        'the stream: the time for a resumption is 12 hours, and was 1 day',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'fewer streams at once',
    of: 'tasks',
    edits: [['5 for each caller', '3 for each caller']],
    told: [
      [
        'breaking',
        'the stream: the number of streams for each caller is 3, and was 5',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'slow readers cut off sooner',
    of: 'tasks',
    edits: [['cut off after 30 seconds', 'cut off after 20 seconds']],
    told: [
      [
        'breaking',
        'the stream: the time-out of slow readers is 20 seconds, and was 30 seconds',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'messages of a stream in an envelope',
    of: 'tasks',
    edits: [['- Data: the payload', '- Data: type, timestamp, data']],
    told: [
      [
        'breaking',
        'the stream: the data of messages is envelope, and was payload',
        'callers may not be able to read what they are sent',
      ],
    ],
  },
  {
    what: 'a further event of a stream',
    of: 'tasks',
    edits: [
      [
        '| task.closed | a Task moves by close, lapse                                        | Task    | webhook     |',
        '| task.closed | a Task moves by close, lapse                                        | Task    | webhook, stream     |',
      ],
    ],
    told: [
      [
        'breaking',
        'task.closed: the notification by stream is new',
        'callers may receive a value that they do not know',
      ],
    ],
  },
  {
    what: 'unknown fields refused',
    of: 'tasks',
    edits: [['- Unknown fields: ignored', '- Unknown fields: refused']],
    told: [
      [
        'breaking',
        'POST /tasks: an unknown member of the body is refused, and was ignored',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'unread bodies refused',
    of: 'tasks',
    edits: [['- Unread bodies: ignored', '- Unread bodies: refused']],
    told: [
      [
        'breaking',
        'GET /tasks, GET /events, PUT /tasks/{id}/assignee, POST /tasks/{id}/close, POST /tasks/{id}/reopen: a body that is not read is refused, and was ignored',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'another default',
    of: 'tasks',
    edits: [['request, else `0`', 'request, else `1`']],
    told: [['breaking', 'Task.weight: its default is `1`, and was `0`', 'the same request may have another result']],
  },
  {
    what: 'a timed transition sooner',
    of: 'tasks',
    edits: [['30 days after `changed`', '20 days after `changed`']],
    told: [
      [
        'breaking',
        'Task.lapse: its time is 20 days after `this.changed`, and was 30 days after `this.changed`',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'a field set at another moment as well',
    of: 'tasks',
    edits: [['on close `now()`', 'on close `now()`; on reopen `now()`']],
    told: [['breaking', 'Task.closed: its source on reopen is new', 'the same request may have another result']],
  },
  {
    what: 'a member of errors gone',
    of: 'tasks',
    edits: [
      [
        '| status          | integer               | `error.status`                                                            |\n',
        '',
      ],
    ],
    told: [['breaking', 'errors: its member status is gone', 'callers may not find what they read']],
  },
  {
    what: 'a member of errors that says something else',
    of: 'tasks',
    edits: [
      [
        '`error.title`                                                             |',
        '`error.code`                                                             |',
      ],
    ],
    told: [
      [
        'breaking',
        'the service: the value of the member message of errors is `error.code`, and was `error.title`',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'fewer origins',
    of: 'blogging',
    edits: [
      [
        '- Browser origins: any, without credentials',
        '- Browser origins: `https://blogging.example`, without credentials',
      ],
    ],
    told: [
      [
        'breaking',
        'the service: the allowed origins is https://blogging.example, and was any',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'tokens of a shorter life',
    of: 'blogging',
    edits: [['- Lifetime: 7 days', '- Lifetime: 1 day']],
    told: [
      [
        'breaking',
        'Token: the lifetime of tokens is 1 day, and was 7 days',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'tokens for another audience',
    of: 'blogging',
    edits: [['- Audience: `https://blogging.example`', '- Audience: `https://blog.example`']],
    told: [
      [
        'breaking',
        'Token: the audience of tokens is https://blog.example, and was https://blogging.example',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'a header that scripts may not read any more',
    of: 'blogging',
    edits: [['showing headers Location, Retry-After', 'showing headers Location']],
    told: [['breaking', 'the service: the exposed header Retry-After is gone', 'callers may not find what they read']],
  },
  {
    what: 'a lower limit',
    of: 'orders',
    edits: [['600 requests per minute', '500 requests per minute']],
    told: [
      [
        'breaking',
        'rate caller: it is 500 requests in 1 minute, and was 600 requests in 1 minute',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'a higher limit',
    of: 'orders',
    edits: [['600 requests per minute', '700 requests per minute']],
    told: [
      [
        'not',
        'rate caller: it is 700 requests in 1 minute, and was 600 requests in 1 minute',
        'every request that was accepted still is accepted',
      ],
    ],
  },
  {
    what: 'another scope',
    of: 'orders',
    edits: [['### `GET /summary`\n\n- Access: orders:read', '### `GET /summary`\n\n- Access: orders:fulfil']],
    told: [
      [
        'breaking',
        'GET /summary: access is orders:fulfil, and was orders:read',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'a second scope that is enough',
    of: 'orders',
    edits: [
      ['### `GET /summary`\n\n- Access: orders:read', '### `GET /summary`\n\n- Access: orders:fulfil or orders:read'],
    ],
    told: [
      [
        'not',
        'GET /summary: access is orders:fulfil or orders:read, and was orders:read',
        'every request that was accepted still is accepted',
      ],
    ],
  },
  {
    what: 'a second scope that is needed',
    of: 'orders',
    edits: [
      ['### `GET /summary`\n\n- Access: orders:read', '### `GET /summary`\n\n- Access: orders:read and orders:fulfil'],
    ],
    told: [
      [
        'breaking',
        'GET /summary: access is orders:read and orders:fulfil, and was orders:read',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'another status of a code, told once',
    of: 'orders',
    edits: [['| scope_missing       | 403 ', '| scope_missing       | 404 ']],
    told: [
      [
        'breaking',
        'scope_missing: the status is 404, and was 403',
        'callers may receive a value that they do not know',
      ],
    ],
  },
  {
    what: 'another code of a condition, which is one difference',
    of: 'orders',
    edits: [['| key_missing         | 401', '| key_absent          | 401']],
    told: [
      [
        'breaking',
        'key_absent: the code is key_absent, and was key_missing',
        'callers may receive a value that they do not know',
      ],
    ],
  },
  {
    what: 'another header of versions',
    of: 'orders',
    edits: [['a date in header `Orders-Version`', 'a date in header `Version`']],
    told: [
      [
        'breaking',
        'versions: the version scheme is header Version, and was header Orders-Version',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'a current version that the new document does not describe any more',
    of: 'orders',
    edits: [['- Current version: 2026-11-01', '- Current version: 2026-12-01']],
    told: [
      [
        'breaking',
        'versions: the current version is 2026-12-01, and was 2026-11-01, and requests that name 2026-11-01 are refused',
        'a request that was accepted may be refused',
      ],
      [
        'breaking',
        'receivers: those that were registered for version 2026-11-01 wait, since it is not described any more, until `receivers FILE change --waiting --version 2026-12-01`',
        'a receiver may not be notified',
      ],
    ],
  },
  {
    what: 'another title',
    of: 'orders',
    edits: [['Send an API key', 'An API key, please']],
    told: [['not', 'key_missing: the title is An API key, please, and was Send an API key', 'only people read it']],
  },
  {
    what: 'fewer values',
    of: 'orders',
    edits: [['| 1 to 1000  ', '| 1 to 100   ']],
    told: [
      [
        'breaking',
        'Order.quantity: fewer values are allowed: integer 1 to 100, and was integer 1 to 1000',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'more values',
    of: 'orders',
    edits: [['| 1 to 1000  ', '| 1 to 9000  ']],
    told: [
      [
        'breaking',
        'Order.quantity: more values are allowed: integer 1 to 9000, and was integer 1 to 1000',
        'callers may receive a value that they do not know',
      ],
    ],
  },
  {
    what: 'a new parameter with its filter',
    of: 'orders',
    edits: [
      [
        '| status    | query | Order.status |',
        '| least | query | integer | 1 to 9 | optional | `quantity >= query.least` |\n| status    | query | Order.status |',
      ],
    ],
    told: [
      ['not', 'GET /orders: the query parameter least is new', 'every request that was accepted still is accepted'],
    ],
  },
  {
    what: 'a guard',
    of: 'orders',
    edits: [['`quantity <= 100 \\|\\| note != null` | order', '`quantity <= 50 \\|\\| note != null` | order']],
    told: [
      [
        'breaking',
        'Order.place: its guard is `this.quantity <= 50 || this.note != null`, and was `this.quantity <= 100 || this.note != null`',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'a scope gone',
    of: 'orders',
    edits: [
      ['| orders:fulfil | ship and deliver any order        |\n', ''],
      ['- Access: orders:fulfil\n\n1. Move `order` by ship', '1. Move `order` by ship'],
      ['- Access: orders:fulfil\n\n1. Move `order` by deliver', '1. Move `order` by deliver'],
      ['`customer == caller || "orders:fulfil" in scopes`', '`customer == caller`'],
    ],
    told: [
      ['breaking', 'API key: the scope orders:fulfil is gone', 'a request that was accepted may be refused'],
      [
        'breaking',
        'Order: its visibility is `this.customer == caller`, and was `this.customer == caller || "orders:fulfil" in scopes`',
        'the same request may have another result',
      ],
      [
        'breaking',
        'POST /orders/{id}/ship, POST /orders/{id}/deliver: access is orders:write, and was orders:fulfil',
        'a request that was accepted may be refused',
      ],
    ],
  },
  {
    what: 'a reference shown by another field of its row',
    of: 'orders',
    edits: [['customer as id', 'customer as name']],
    told: [
      [
        'breaking',
        'Order.customer: the value shown is `this.customer.name`, and was `this.customer.id`',
        'the same request may have another result',
      ],
    ],
  },
  {
    what: 'another parameter unknown',
    of: 'orders',
    edits: [['- Unknown parameters: refused', '- Unknown parameters: ignored']],
    told: [
      [
        'not',
        'POST /orders, GET /orders/{id}, GET /orders, PATCH /orders/{id}, POST /orders/{id}/place, POST /orders/{id}/cancel, POST /orders/{id}/ship, POST /orders/{id}/deliver, DELETE /orders/{id}, GET /summary: an unknown parameter is ignored, and was refused',
        'every request that was accepted still is accepted',
      ],
    ],
  },
];
