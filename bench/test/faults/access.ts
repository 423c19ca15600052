// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is written here is source text
import { ofKind } from './fault.ts';

const GATE = 'orders/gate.ts';
const SERVICE = 'orders/service.ts';
const STORE = 'orders/store.ts';
const LIFECYCLE = 'orders/lifecycle.ts';

const SCOPE_FIRST = `      : !holder.scopes.includes(scope)
        ? problem('scope_missing')
        : older instanceof Problem
          ? older
          : formRefusal(headers, takesBody, method);`;
const VISIBLE = '(stored.order.customer !== caller.customer && !caller.seesAll)';
const SUMMARY = 'FROM orders WHERE customer = ?";';

export const ACCESS = [
  ...ofKind('order of refusals', [
    {
      id: 'version-before-scope',
      peer: 'express',
      what: 'A version that is not served is refused before a missing scope',
      breaks: ['conditions', 'scopeMissing', 'versionUnknown', 'versionRetired', 'versionScheme'],
      file: GATE,
      edits: [
        [
          SCOPE_FIRST,
          `      : older instanceof Problem
        ? older
        : !holder.scopes.includes(scope)
          ? problem('scope_missing')
          : formRefusal(headers, takesBody, method);`,
        ],
      ],
    },
    {
      id: 'form-before-version',
      peer: 'fastify',
      what: 'What is not acceptable is refused before a version that is not served',
      breaks: ['conditions', 'versionUnknown', 'versionRetired', 'versionScheme', 'payloads'],
      file: GATE,
      edits: [
        [
          SCOPE_FIRST,
          `      : !holder.scopes.includes(scope)
        ? problem('scope_missing')
        : (formRefusal(headers, takesBody, method) ?? (older instanceof Problem ? older : null));`,
        ],
      ],
    },
    {
      id: 'state-before-match',
      peer: 'hono',
      what: 'The state of an order is checked before If-Match',
      breaks: ['match', 'requireDraft', 'matchRequired', 'changedMeanwhile'],
      file: LIFECYCLE,
      edits: [
        [
          "      mustMatch(match, tagOf(revision, caller.older));\n      if (order.status !== 'draft') throw problem('order_not_open');\n",
          "      if (order.status !== 'draft') throw problem('order_not_open');\n      mustMatch(match, tagOf(revision, caller.older));\n",
        ],
      ],
    },
    {
      id: 'row-before-body',
      peer: 'express',
      what: 'A change of an order that is not there is refused before a faulty body is',
      breaks: ['conditions', 'find', 'requestOfPatch', 'invalidRequest', 'pathId'],
      file: 'express.ts',
      edits: [
        [
          '    const patch = caller.older ? olderPatch(request.body) : patchOf(request.body);\n',
          '    service.read(caller, request.params.id as string);\n    const patch = caller.older ? olderPatch(request.body) : patchOf(request.body);\n',
        ],
      ],
    },
    {
      id: 'key-before-body',
      peer: 'nest',
      what: 'A missing idempotency key is refused before a faulty body is',
      breaks: ['idempotency', 'conditions', 'invalidRequest'],
      file: 'nest.ts',
      edits: [
        [
          "    if (request.caller.older && takesBody && request.method === 'POST')",
          "    if (request.method === 'POST' && takesBody && !request.headers['idempotency-key']) throw problem('idempotency_key_missing');\n    if (request.caller.older && takesBody && request.method === 'POST')",
        ],
      ],
    },
    {
      id: 'body-before-key',
      peer: 'hono',
      what: 'A body that is too large is refused before missing credentials are',
      breaks: ['conditions', 'keyMissing', 'size', 'access'],
      file: 'hono.ts',
      edits: [
        [
          "app.post('/orders', admit('orders:write', true), limited,",
          "app.post('/orders', limited, admit('orders:write', true),",
        ],
      ],
    },
    {
      id: 'type-before-size',
      peer: 'express',
      what: 'A media type is refused before a body that is too large',
      breaks: ['conditions', 'size', 'payloads'],
      file: 'express.ts',
      edits: [
        [
          "    if (Number(headers['content-length']) > BODY_BYTES) throw problem('request_too_large');\n    if (!isOfType(headers['content-type'], types)) throw problem('unsupported_media_type');\n",
          "    if (!isOfType(headers['content-type'], types)) throw problem('unsupported_media_type');\n    if (Number(headers['content-length']) > BODY_BYTES) throw problem('request_too_large');\n",
        ],
      ],
    },
    {
      id: 'unique-before-replay',
      peer: 'fastify',
      what: 'An open draft is refused before the repeated key is recognised',
      breaks: ['idempotency', 'unique'],
      file: SERVICE,
      edits: [
        [
          '    if (kept) {\n',
          "    const open = this.store.page(customer, { sku: draft.sku, status: 'draft' }, null, 1).length > 0;\n    if (open) throw problem('order_already_open');\n    if (kept) {\n",
        ],
      ],
    },
  ]),
  ...ofKind('scope leak', [
    {
      id: 'write-implies-read',
      peer: 'express',
      what: 'Whoever may write may read',
      breaks: ['scopeRead', 'scopeMissing', 'access'],
      file: GATE,
      edits: [
        [
          "      : !holder.scopes.includes(scope)\n        ? problem('scope_missing')",
          "      : !holder.scopes.includes(scope) && !(scope === 'orders:read' && holder.scopes.includes('orders:write'))\n        ? problem('scope_missing')",
        ],
      ],
    },
    {
      id: 'ship-by-writers',
      peer: 'hono',
      what: 'Whoever may write may ship and deliver',
      breaks: ['scopeFulfil', 'moveByShip', 'moveByDeliver', 'scopeMissing'],
      file: 'hono.ts',
      edits: [["admit(name === 'cancel' ? 'orders:write' : 'orders:fulfil')", "admit('orders:write')"]],
    },
    {
      id: 'change-by-readers',
      peer: 'nest',
      what: 'Whoever may read may change',
      breaks: ['access', 'scopeWrite', 'scopeMissing', 'requestOfPatch'],
      file: 'nest.ts',
      edits: [["  @Patch(':id')\n  @Needs('orders:write', true)", "  @Patch(':id')\n  @Needs('orders:read', true)"]],
    },
    {
      id: 'place-by-readers',
      peer: 'fastify',
      what: 'Whoever may read may place',
      breaks: ['access', 'scopeWrite', 'scopeMissing', 'moveByPlace'],
      file: 'fastify.ts',
      edits: [
        [
          "  '/orders/:id/place',\n  { schema: { response: { 200: ORDER } }, config: { scope: 'orders:write' } },",
          "  '/orders/:id/place',\n  { schema: { response: { 200: ORDER } }, config: { scope: 'orders:read' } },",
        ],
      ],
    },
    {
      id: 'remove-by-readers',
      peer: 'express',
      what: 'Whoever may read may remove',
      breaks: ['access', 'scopeWrite', 'scopeMissing', 'remove'],
      file: 'express.ts',
      edits: [["app.delete('/orders/:id', admit('orders:write')", "app.delete('/orders/:id', admit('orders:read')"]],
    },
    {
      id: 'fulfil-implies-all',
      peer: 'fastify',
      what: 'Whoever may fulfil may do everything',
      breaks: ['scopeFulfil', 'scopeMissing', 'access'],
      file: GATE,
      edits: [
        [
          '      : !holder.scopes.includes(scope)\n',
          "      : !holder.scopes.includes(scope) && !holder.scopes.includes('orders:fulfil')\n",
        ],
      ],
    },
    {
      id: 'cancel-needs-fulfil',
      peer: 'nest',
      what: 'Only whoever may fulfil may cancel',
      breaks: ['access', 'scopeWrite', 'scopeFulfil', 'moveByCancel'],
      file: 'nest.ts',
      edits: [
        [
          "  @Post(':id/cancel')\n  @HttpCode(200)\n  @Needs('orders:write')",
          "  @Post(':id/cancel')\n  @HttpCode(200)\n  @Needs('orders:fulfil')",
        ],
      ],
    },
    {
      id: 'scopes-of-last-key',
      peer: 'hono',
      what: 'A caller has the scopes of whichever of its keys was issued last',
      breaks: ['scopeMissing', 'access', 'scopeRead', 'scopeWrite', 'scopeFulfil', 'credentials'],
      file: STORE,
      edits: [
        [
          "SELECT customer, scopes FROM api_key WHERE hash = ? AND revoked IS NULL'",
          "SELECT customer, (SELECT group_concat(other.scopes) FROM api_key AS other WHERE other.customer = api_key.customer) AS scopes FROM api_key WHERE hash = ? AND revoked IS NULL'",
        ],
      ],
    },
  ]),
  ...ofKind('visibility leak', [
    {
      id: 'reads-of-others',
      peer: 'express',
      what: 'Anybody may read anybody’s order',
      breaks: ['visible', 'find', 'notFound'],
      file: SERVICE,
      edits: [[`if (!stored || ${VISIBLE})`, 'if (!stored || !caller)']],
    },
    {
      id: 'forbidden-not-missing',
      peer: 'fastify',
      what: 'An order of somebody else is forbidden, not missing, which tells that it is there',
      breaks: ['visible', 'find', 'notFound'],
      file: SERVICE,
      edits: [
        [
          `    if (!stored || ${VISIBLE}) throw problem('order_not_found');`,
          `    if (!stored) throw problem('order_not_found');\n    if ${VISIBLE} throw problem('scope_missing');`,
        ],
      ],
    },
    {
      id: 'list-of-everybody',
      peer: 'hono',
      what: 'The list shows everybody’s orders',
      breaks: ['list', 'visible'],
      file: STORE,
      edits: [["let where = 'customer = ?';", "let where = '? IS NOT NULL';"]],
    },
    {
      id: 'list-of-all-for-fulfil',
      peer: 'nest',
      what: 'Whoever may fulfil is listed everybody’s orders, not their own',
      breaks: ['list'],
      file: STORE,
      edits: [["let where = 'customer = ?';", "let where = customer.endsWith('!') ? \"? <> ''\" : 'customer = ?';"]],
      more: [
        {
          file: SERVICE,
          from: 'this.store.page(caller.customer, query, after',
          to: 'this.store.page(caller.seesAll ? `${caller.customer}!` : caller.customer, query, after',
        },
      ],
    },
    {
      id: 'summary-of-everybody',
      peer: 'express',
      what: 'The summary counts everybody’s orders',
      breaks: ['summary'],
      file: STORE,
      edits: [[SUMMARY, 'FROM orders WHERE ? IS NOT NULL";']],
    },
    {
      id: 'conflict-with-others',
      peer: 'fastify',
      what: 'An open draft of somebody else is a conflict, which tells of it',
      breaks: ['unique', 'alreadyOpen'],
      file: 'orders/schema.ts',
      edits: [['orders_open_draft ON orders (customer, sku)', 'orders_open_draft ON orders (sku)']],
    },
    {
      id: 'keys-shared',
      peer: 'hono',
      what: 'An idempotency key of one caller gives another the first one’s order',
      breaks: ['idempotency'],
      file: STORE,
      edits: [['FROM answer WHERE caller = ? AND key = ?', 'FROM answer WHERE ? IS NOT NULL AND key = ?']],
    },
    {
      id: 'moves-of-others',
      peer: 'nest',
      what: 'Anybody may cancel anybody’s order',
      breaks: ['visible', 'find', 'notFound', 'moveByCancel'],
      file: LIFECYCLE,
      edits: [
        [
          '      const { order } = this.service.visible(caller, id);\n      if (!from.includes',
          '      const { order } = this.service.visible({ ...caller, seesAll: true }, id);\n      if (!from.includes',
        ],
      ],
    },
    {
      id: 'removals-of-others',
      peer: 'express',
      what: 'Anybody may remove anybody’s cancelled order',
      breaks: ['visible', 'find', 'notFound', 'remove'],
      file: LIFECYCLE,
      edits: [
        [
          "      const { order } = this.service.visible(caller, id);\n      if (order.status !== 'cancelled')",
          "      const { order } = this.service.visible({ ...caller, seesAll: true }, id);\n      if (order.status !== 'cancelled')",
        ],
      ],
    },
    {
      id: 'state-of-others-told',
      peer: 'fastify',
      what: 'Whether an order of somebody else can be placed is told',
      breaks: ['visible', 'find', 'notFound', 'moveByPlace'],
      file: SERVICE,
      edits: [
        [
          '      const { order } = this.visible(caller, id);\n      mustBePlaceable(order);',
          "      const early = UUID.test(id) ? this.store.find(id.toLowerCase()) : null;\n      if (early && early.order.status !== 'draft') throw problem('order_not_placeable');\n      const { order } = this.visible(caller, id);\n      mustBePlaceable(order);",
        ],
      ],
    },
    {
      id: 'tag-of-others-told',
      peer: 'hono',
      what: 'If-Match is held to the orders of others, which tells that they are there',
      breaks: ['visible', 'find', 'notFound', 'match'],
      file: LIFECYCLE,
      edits: [
        [
          '      const { order, revision } = this.service.visible(caller, id);\n',
          '      const early = this.service.visible({ ...caller, seesAll: true }, id);\n      mustMatch(match, tagOf(early.revision, caller.older));\n      const { order, revision } = this.service.visible(caller, id);\n',
        ],
      ],
    },
    {
      id: 'fulfil-sees-own-alone',
      peer: 'nest',
      what: 'Whoever may fulfil sees no orders of others',
      breaks: ['visible', 'find', 'scopeFulfil'],
      file: GATE,
      edits: [["seesAll: holder.scopes.includes('orders:fulfil')", 'seesAll: false']],
    },
    {
      id: 'readers-see-all',
      peer: 'express',
      what: 'Whoever may read sees the orders of everybody',
      breaks: ['visible', 'find', 'notFound'],
      file: GATE,
      edits: [["seesAll: holder.scopes.includes('orders:fulfil')", "seesAll: holder.scopes.includes('orders:read')"]],
    },
    {
      id: 'filter-of-everybody',
      peer: 'fastify',
      what: 'The list filtered by product shows everybody’s orders',
      breaks: ['list', 'visible', 'filterSku'],
      file: STORE,
      edits: [
        [
          "      where += ' AND sku = ?';\n",
          "      where = where.replace('customer = ?', '? IS NOT NULL');\n      where += ' AND sku = ?';\n",
        ],
      ],
    },
    {
      id: 'key-of-removed-prefix',
      peer: 'nest',
      what: 'The word before a key may be any that begins with Bearer',
      breaks: ['header', 'keyUnknown'],
      file: GATE,
      edits: [
        [
          "  return header[6] === ' ' ? header.slice(7).trimStart() : null;",
          "  return header.slice(header.indexOf(' ') + 1);",
        ],
      ],
    },
  ]),
];
