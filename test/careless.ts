import type { Edit } from './fixtures.ts';

/** What a careless author would write into orders.md, with the finding it has to give: `line:column code`. */
export const CARELESS: ReadonlyArray<readonly [what: string, finding: string, edits: readonly Edit[]]> = [
  ['a unit that is not known', '29:41 language/unknown', [['at most 254 characters', 'at most 254 letters']]],
  ['a size in KB', '224:18 language/size-form', [['64 KiB', '64 KB']]],
  ['a time-out of nothing', '225:18 language/unknown', [['| 5 seconds ', '| 0 seconds ']]],
  [
    'a presence that is not known',
    '43:110 language/unknown',
    [['request            | optional |', 'request            | sometimes |']],
  ],
  [
    'a field twice',
    '29:3 language/twice',
    [
      [
        '| name  | string |        | 1 to 80 characters     | operator |          |',
        '| name  | string |        | 1 to 80 characters     | operator |          |\n| name  | string |        | 1 to 80 characters     | operator |          |',
      ],
    ],
  ],
  ['two first states', '57:3 language/twice', [['- Initial: draft', '- Initial: draft\n- Initial: placed']]],
  ['a part twice', '218:4 language/twice', [['## Limits', '## Errors']]],
  ['a part that is not known', '218:4 language/unknown', [['## Limits', '## Limitations']]],
  [
    'one source twice',
    '43:89 resources/given-twice',
    [['| request            | optional |', '| request; request   | optional |']],
  ],
  [
    'a scope that is not known, in an expression',
    '47:36 expression/not-one-of',
    [['"orders:fulfil" in scopes`', '"orders:fulfill" in scopes`']],
  ],
  ['a number compared with text', '61:57 expression/mismatch', [['`quantity <= 100', '`quantity <= "100"']]],
  [
    'what may be absent, compared',
    '61:45 expression/maybe-null',
    [['`quantity <= 100 \\|\\| note != null`', '`note < "x"`']],
  ],
  [
    'an answer in place of a step',
    '90:3 endpoints/idempotency-unsafe',
    [['1. Create `order`: Order from `request`.\n2. Answer 201', '1. Answer 201']],
  ],
  ['two answers', '152:4 endpoints/answer-last', [['3. Answer 204.', '3. Answer 204.\n4. Answer 204.']]],
  [
    'steps under a path that no endpoint has',
    '82:12 endpoints/under-unused',
    [['### Under `/orders/{id}`', '### Under `/baskets/{id}`']],
  ],
  [
    'an endpoint twice, its parameter under another name',
    '153:6 language/twice',
    [['### `GET /summary`', '### `GET /orders/{order}`']],
  ],
  [
    'a GET that changes rows',
    '125:4 endpoints/safe-writes',
    [['### `POST /orders/{id}/place`', '### `GET /orders/{id}/place`']],
  ],
  [
    'a GET with a request',
    '156:3 endpoints/request-on-safe',
    [
      [
        '### `GET /summary`\n\n- Access: orders:read',
        '### `GET /summary`\n\n- Access: orders:read\n- Request: Order with note',
      ],
    ],
  ],
  ['a 204 with a body', '151:11 endpoints/body-status', [['3. Answer 204.', '3. Answer 204 with `order`.']]],
  ['a removed row answered', '151:20 endpoints/after-remove', [['3. Answer 204.', '3. Answer 200 with `order`.']]],
  [
    'a parameter of the pages declared again',
    '107:3 endpoints/page-parameter',
    [
      [
        '| sku       | query | Order.sku    | any            | optional | `sku == query.sku`       |',
        '| limit     | query | Order.sku    | any            | optional | `sku == query.limit`     |',
      ],
    ],
  ],
  ['versions out of order', '241:1 versioning/order', [['| 2024-12-01 | retired', '| 2025-12-01 | retired']]],
  [
    'a difference of no field',
    '240:61 language/unknown-name',
    [['Order.sku is `product`', 'Order.price is `product`']],
  ],
  [
    'a difference that takes another field’s name',
    '240:61 versioning/name-taken',
    [['Order.sku is `product`', 'Order.sku is `quantity`']],
  ],
  ['a difference that is none', '240:61 versioning/same-name', [['Order.sku is `product`', 'Order.sku is `sku`']]],
  [
    'a resource that nobody uses',
    '33:5 resources/unused-resource',
    [
      [
        '### Order\n',
        '### Basket\n\n| Field | Type | Format | Given by | Unique |\n| --- | --- | --- | --- | --- |\n| id | string | uuid | operator | identity |\n\n- Shown: never\n\n### Order\n',
      ],
    ],
  ],
  [
    'a scope that nobody needs',
    '172:3 authentication/scope-unused',
    [['| orders:fulfil | ship', '| orders:audit | read all |\n| orders:fulfil | ship']],
  ],
  [
    'a code that nobody raises',
    '214:22 errors/unreachable',
    [['| match_required ', '| order_lost | 409 | a step says so | Lost |\n| match_required ']],
  ],
  [
    'a transition that nobody makes',
    '65:3 states/never-made',
    [['| expire     | draft', '| unship | shipped | placed | always | order_not_shippable |\n| expire     | draft']],
  ],
  [
    'a parameter that nobody uses',
    '107:3 endpoints/parameter-unused',
    [
      [
        '| sku       | query | Order.sku    | any            | optional | `sku == query.sku`       |',
        '| sku       | query | Order.sku    | any            | optional |        |',
      ],
    ],
  ],
  [
    'a field from requests that no endpoint requests',
    '44:44 resources/given-unused',
    [
      [
        '| note     | string    |        | at most 500 characters                              | request            | optional |          |',
        '| note     | string    |        | at most 500 characters                              | request            | optional |          |\n| gift | string | | at most 5 characters | request | optional | |',
      ],
    ],
  ],
  [
    'a state that nothing reaches',
    '44:49 states/never-reached',
    [['one of draft, placed, shipped', 'one of draft, paid, placed, shipped']],
  ],
  [
    'a column that is not known',
    '59:44 language/unread-column',
    [
      [
        '| Transition | From          | To        | When                                |',
        '| Transition | From          | To        | Whence                                |',
      ],
    ],
  ],
  [
    'a requirement that always holds',
    '149:12 endpoints/cannot-fail',
    [['Require `order.status == "cancelled"`', 'Require `true`']],
  ],
  [
    'a comparison with no value of the field',
    '149:30 expression/not-one-of',
    [['Require `order.status == "cancelled"`', 'Require `order.status == "canceled"`']],
  ],
  [
    'differences of a retired version',
    '241:55 versioning/retired-differs',
    [['| 2026-06-01 | none ', '| 2026-06-01 | Order.note is `remark` ']],
  ],
  [
    'a field called by a word of expressions',
    '43:3 resources/reserved-name',
    [['| note     | string ', '| in     | string ']],
  ],
  [
    'a length of UUIDs',
    '27:29 resources/allowed-of-type',
    [['| id    | string | uuid   |                        |', '| id    | string | uuid   | at most 10 characters  |']],
  ],
  [
    'an expression that is not CEL',
    '107:71 expression/operator-elsewhere',
    [['`sku == query.sku`', '`sku = query.sku`']],
  ],
  [
    'an expression that is not supported',
    '107:67 expression/unsupported',
    [['`sku == query.sku`', '`9007199254740993 > 1 && sku == query.sku`']],
  ],
  ['a pattern with a look-ahead', '41:35 resources/bad-pattern', [['`/^[A-Z]{3}-[0-9]{4}$/`', '`/^(?=a)b$/`']]],
  ['a pattern with a back reference', '41:35 resources/bad-pattern', [['`/^[A-Z]{3}-[0-9]{4}$/`', '`/^(a)\\1$/`']]],
  ['a field called __proto__', '43:3 resources/field-name', [['| note     | string ', '| __proto__ | string ']]],
  [
    'a header that means something already',
    '90:3 versioning/header-taken',
    [['header `Idempotency-Key`', 'header `If-Match`']],
  ],
  [
    'the version in the header of credentials',
    '233:3 versioning/header-taken',
    [['a date in header `Orders-Version`', 'a date in header `Authorization`']],
  ],
  [
    'a parameter of the path that nothing uses',
    '153:20 endpoints/parameter-unused',
    [['### `GET /summary`', '### `GET /summary/{id}`']],
  ],
  [
    'an access that says what the part says',
    '149:3 endpoints/setting-repeated',
    [['### `DELETE /orders/{id}`\n', '### `DELETE /orders/{id}`\n\n- Access: orders:write\n']],
  ],
  [
    'a rule on unread bodies where the body is read',
    '92:3 endpoints/setting-unused',
    [
      [
        '- Request: Order with sku, quantity, note\n',
        '- Request: Order with sku, quantity, note\n- Unread bodies: ignored\n',
      ],
    ],
  ],
  [
    'all rows answered',
    '111:10 endpoints/list-answered',
    [['2. Answer 200 with `orders`.', '2. Answer 200 with all: `Order`.']],
  ],
  [
    'a list in pages that is only counted',
    '111:10 endpoints/list-answered',
    [['2. Answer 200 with `orders`.', '2. Answer 200 with count: `orders.size()`.']],
  ],
  [
    'a path that differs from Under in a parameter’s name',
    '96:19 endpoints/under-names',
    [['### `GET /orders/{id}`', '### `GET /orders/{order_id}`']],
  ],
  [
    'a reference to another resource',
    '40:97 expression/mismatch',
    [['| customer | Customer  |', '| customer | Order  |']],
  ],
  [
    'a comparison with null that is never true',
    '107:67 expression/never-null',
    [['`sku == query.sku`', '`sku == null`']],
  ],
  [
    'a unique rule that a request can break, without a code',
    '48:3 resources/unique-code',
    [[', else order_already_open', '']],
  ],
  [
    'a reference that a request can lose, without a code',
    '49:3 resources/keeps-code',
    [
      ['- Keeps: customer, else customer_has_orders', '- Keeps: customer'],
      [
        '2. Remove `order`.',
        '2. Find `buyer`: Customer where `id == path.id`, else order_not_found.\n3. Remove `buyer`.',
      ],
    ],
  ],
  ['one unit of many', '188:16 language/unknown', [['- Time-out: 15 seconds', '- Time-out: 15 second']]],
  [
    'a step under a path that is lost for its code',
    '84:4 endpoints/find-code',
    [
      [
        '1. Find `order`: Order where `id == path.id`, else order_not_found.',
        '1. Find `order`: Order where `id == path.id`.',
      ],
    ],
  ],
  [
    'a row that is given what a request may leave out',
    '41:3 resources/never-given',
    [['Order with sku, quantity, note', 'Order with sku, quantity, note, each optional']],
  ],
  [
    'a unique rule that another implies',
    '48:3 resources/unique-implied',
    [['- Unique: customer and sku while', '- Unique: id and sku while']],
  ],
  [
    'a blank cell’s meaning that no cell needs',
    '19:29 resources/blank-unused',
    [
      [
        '- Blank cells: Format none, Allowed values any,',
        '- Blank cells: Format none, Given by request, Allowed values any,',
      ],
    ],
  ],
  [
    'a cell that says what blank ones mean',
    '43:110 resources/same-as-blank',
    [['| request            | optional |', '| request            | always |']],
  ],
];
