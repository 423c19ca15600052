// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is written here is source text
import { ofKind } from './fault.ts';

const SERVICE = 'orders/service.ts';
const STORE = 'orders/store.ts';
const TERMS = 'orders/terms.ts';
const VERSIONS = 'orders/versions.ts';
const RATES = 'orders/rates.ts';

export const BEHAVIOUR = [
  ...ofKind('time', [
    {
      id: 'expires-after-25-hours',
      peer: 'express',
      what: 'A draft expires after 25 hours',
      breaks: ['expire'],
      file: TERMS,
      edits: [['DRAFT_LASTS = 24 *', 'DRAFT_LASTS = 25 *']],
    },
    {
      id: 'expires-after-23-hours',
      peer: 'fastify',
      what: 'A draft expires after 23 hours',
      breaks: ['expire'],
      file: TERMS,
      edits: [['DRAFT_LASTS = 24 *', 'DRAFT_LASTS = 23 *']],
    },
    {
      id: 'never-expires',
      peer: 'hono',
      what: 'A draft never expires',
      breaks: ['expire'],
      file: SERVICE,
      edits: [
        ['    if (now < this.nextExpiry) return;\n', '    if (now < this.nextExpiry || this.nextExpiry > 0) return;\n'],
      ],
    },
    {
      id: 'placed-expires',
      peer: 'nest',
      what: 'A placed order expires too',
      breaks: ['expire'],
      file: STORE,
      edits: [
        [
          "FROM orders WHERE status = 'draft' AND created <= ?",
          "FROM orders WHERE status IN ('draft', 'placed') AND created <= ?",
        ],
      ],
    },
    {
      id: 'expiry-by-list-alone',
      peer: 'express',
      what: 'A draft that is due is seen as a draft where it is read by itself',
      breaks: ['expire'],
      file: SERVICE,
      edits: [['etag: string } {\n    this.expireDue();\n', 'etag: string } {\n']],
      more: [{ file: 'orders/dispatcher.ts', from: '    this.expireDue();\n', to: '' }],
    },
    {
      id: 'expired-as-of-now',
      peer: 'fastify',
      what: 'The expiry of an order is told of with the time at which it was noticed',
      breaks: ['cancelled', 'expire'],
      file: SERVICE,
      edits: [['Date.parse(order.created) + DRAFT_LASTS, data', 'this.clock.now(), data']],
    },
    {
      id: 'expiry-counts-from-change',
      peer: 'hono',
      what: 'A change puts off the expiry',
      breaks: ['expire'],
      file: STORE,
      edits: [
        [
          "'UPDATE orders SET quantity = ?, note = ?, revision = revision + 1 WHERE id = ?'",
          `"UPDATE orders SET quantity = ?, note = ?, revision = revision + 1, created = strftime('%Y-%m-%dT%H:%M:%fZ', created, '+1 hour') WHERE id = ?"`,
        ],
      ],
    },
  ]),
  ...ofKind('version', [
    {
      id: 'sunset-ignored',
      peer: 'express',
      what: 'The deprecated version answers after its sunset',
      breaks: ['deprecated', 'policy', 'versionRetired'],
      file: VERSIONS,
      edits: [["return now < DEPRECATED_VERSION.sunset || problem('version_retired');", 'return now > 0;']],
    },
    {
      id: 'retired-answers',
      peer: 'fastify',
      what: 'The retired version is answered as the current one',
      breaks: ['retired', 'versionRetired'],
      file: VERSIONS,
      edits: [
        [
          "if (header === RETIRED_VERSION) return problem('version_retired');",
          'if (header === RETIRED_VERSION) return false;',
        ],
      ],
    },
    {
      id: 'unknown-version-is-current',
      peer: 'hono',
      what: 'A version that there is not is answered as the current one',
      breaks: ['versionUnknown', 'versionScheme'],
      file: VERSIONS,
      edits: [
        [
          "if (header !== DEPRECATED_VERSION.name) return problem('version_unknown');",
          'if (header !== DEPRECATED_VERSION.name) return false;',
        ],
      ],
    },
    {
      id: 'version-required',
      peer: 'nest',
      what: 'A request without a version is refused',
      breaks: ['withoutVersion'],
      file: 'orders/gate.ts',
      edits: [
        [
          'const older = version === undefined || version === VERSION ? false : versionOf(String(version), now);',
          'const older = version === VERSION ? false : versionOf(String(version), now);',
        ],
      ],
    },
    {
      id: 'older-shows-note',
      peer: 'express',
      what: 'The deprecated version shows the note',
      breaks: ['deprecated'],
      file: VERSIONS,
      edits: [
        [
          '  const { id, customer, sku, quantity, status, created } = order;\n  return { id, customer, product: sku, quantity, status, created };',
          '  const { id, customer, sku, quantity, note, status, created } = order;\n  return { id, customer, product: sku, quantity, ...(note === undefined ? {} : { note }), status, created };',
        ],
      ],
    },
    {
      id: 'older-shows-sku',
      peer: 'hono',
      what: 'The deprecated version shows the product under both names',
      breaks: ['deprecated'],
      file: VERSIONS,
      edits: [
        ['return { id, customer, product: sku, quantity', 'return { id, customer, sku, product: sku, quantity'],
        ["extends Omit<Order, 'sku' | 'note'>", "extends Omit<Order, 'note'>"],
      ],
    },
    {
      id: 'older-takes-note',
      peer: 'fastify',
      what: 'The deprecated version takes a note',
      breaks: ['deprecated', 'unknownFields'],
      file: VERSIONS,
      edits: [
        [
          "{ [UNKNOWN_SKU]: sku }),\n    ...(note === undefined ? {} : { 'note\\0': note }),\n",
          '{ [UNKNOWN_SKU]: sku }),\n    ...(note === undefined ? {} : { note }),\n',
        ],
      ],
    },
    {
      id: 'older-faults-under-new-names',
      peer: 'nest',
      what: 'The deprecated version tells of faults under the name of the current one',
      breaks: ['deprecated'],
      file: VERSIONS,
      edits: [["pointer === '/sku' ? '/product' : pointer", "pointer === '/skus' ? '/product' : pointer"]],
    },
    {
      id: 'older-filter-under-new-name',
      peer: 'express',
      what: 'The deprecated version filters by sku, not by product',
      breaks: ['deprecated', 'filterSku'],
      file: 'express.ts',
      edits: [
        [
          'listQuery(caller.older ? currentQuery(request.query) : request.query, caller.sentBody)',
          'listQuery(caller.older ? request.query : request.query, caller.sentBody)',
        ],
      ],
    },
    {
      id: 'no-deprecation',
      peer: 'fastify',
      what: 'Answers in the deprecated version lack Deprecation',
      breaks: ['policy', 'deprecated'],
      file: VERSIONS,
      edits: [["  'Deprecation',\n  `@${DEPRECATED_VERSION.deprecated / 1000}`,\n", '']],
    },
    {
      id: 'no-sunset',
      peer: 'hono',
      what: 'Answers in the deprecated version lack Sunset',
      breaks: ['policy', 'deprecated'],
      file: VERSIONS,
      edits: [["  'Sunset',\n  new Date(DEPRECATED_VERSION.sunset).toUTCString(),\n", '']],
    },
    {
      id: 'deprecation-true',
      peer: 'nest',
      what: 'Deprecation says true, as drafts of RFC 9745 had it',
      breaks: ['policy', 'deprecated'],
      file: VERSIONS,
      edits: [['`@${DEPRECATED_VERSION.deprecated / 1000}`', "'true'"]],
    },
    {
      id: 'sunset-a-day-early',
      peer: 'express',
      what: 'The sunset is a day early',
      breaks: ['deprecated', 'policy'],
      file: TERMS,
      edits: [['sunset: Date.UTC(2027, 10, 1)', 'sunset: Date.UTC(2027, 9, 31)']],
    },
    {
      id: 'refusals-without-deprecation',
      peer: 'hono',
      what: 'Refusals in the deprecated version lack Deprecation and Sunset',
      breaks: ['policy', 'deprecated'],
      file: 'hono.ts',
      edits: [
        [
          '  setHeaders(c, headers);\n',
          "  setHeaders(c, headers);\n  c.res.headers.delete('Deprecation');\n  c.header('Deprecation', undefined);\n  c.header('Sunset', undefined);\n",
        ],
      ],
    },
    {
      id: 'older-key-is-same-request',
      peer: 'fastify',
      what: 'One key stands for the same request in both versions',
      breaks: ['idempotency', 'deprecated'],
      file: SERVICE,
      edits: [
        [
          'JSON.stringify([caller.older, draft.sku, draft.quantity, draft.note ?? null])',
          'JSON.stringify([draft.sku, draft.quantity, draft.note ?? null])',
        ],
      ],
    },
  ]),
  ...ofKind('rate', [
    {
      id: 'rate-601',
      peer: 'express',
      what: 'A caller may ask 601 times a minute',
      breaks: ['rateOfCaller', 'rateHeaders'],
      file: TERMS,
      edits: [['address: 6000, caller: 600 }', 'address: 6000, caller: 601 }']],
    },
    {
      id: 'rate-one-more',
      peer: 'fastify',
      what: 'The request after the last that the rate allows passes',
      breaks: ['rateOfCaller', 'rateOfAddress'],
      file: RATES,
      edits: [['window.count < this.count;', 'window.count <= this.count;']],
    },
    {
      id: 'rate-window-slides',
      peer: 'hono',
      what: 'Each request opens the window anew',
      breaks: ['rateOfCaller', 'rateOfAddress', 'rateHeaders'],
      file: RATES,
      edits: [
        [
          '    if (allowed) window.count++;',
          '    if (allowed) window.count++;\n    window.endsAt = now + RATE_SECONDS * 1000;',
        ],
      ],
    },
    {
      id: 'rate-of-an-hour',
      peer: 'nest',
      what: 'The window of the rates is an hour',
      breaks: ['rateOfCaller', 'rateOfAddress', 'rateHeaders'],
      file: TERMS,
      edits: [['RATE_SECONDS = 60', 'RATE_SECONDS = 3600']],
    },
    {
      id: 'rate-counts-refused',
      peer: 'express',
      what: 'Requests that the rate refuses count for it, so that whoever goes on asking stays refused',
      breaks: ['rateOfCaller', 'rateOfAddress', 'rateHeaders'],
      file: RATES,
      edits: [
        [
          '    if (allowed) window.count++;',
          '    window.count++;\n    if (!allowed) window.endsAt = now + RATE_SECONDS * 1000;',
        ],
      ],
    },
    {
      id: 'no-retry-after',
      peer: 'fastify',
      what: 'A refusal by a rate lacks Retry-After',
      breaks: ['rateHeaders'],
      file: 'orders/problems.ts',
      edits: [["['Retry-After', String(seconds)]", '[]']],
    },
    {
      id: 'remaining-one-off',
      peer: 'hono',
      what: 'RateLimit says one request more than is left',
      breaks: ['rateHeaders'],
      file: RATES,
      edits: [['remaining: this.count - window.count', 'remaining: this.count - window.count + 1']],
    },
    {
      id: 'rate-of-scope',
      peer: 'nest',
      what: 'Requests without the scope do not count for the rate of the caller',
      breaks: ['rateOfCaller', 'rateHeaders'],
      file: 'orders/gate.ts',
      edits: [
        [
          'const byCaller = this.callers.take(holder.customer, now);',
          "const byCaller = this.callers.take(holder.scopes.includes(scope) ? holder.customer : '', now);",
        ],
      ],
    },
    {
      id: 'rate-of-address-after-key',
      peer: 'express',
      what: 'Requests without a key do not count for the rate of the address',
      breaks: ['rateOfAddress', 'rateHeaders'],
      file: 'orders/gate.ts',
      edits: [
        [
          'const byAddress = this.addresses.take(address, now);',
          "const byAddress = this.addresses.take(headers.authorization ? address : '', now);",
        ],
      ],
    },
  ]),
];
