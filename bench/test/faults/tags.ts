// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is written here is source text
import { ofKind } from './fault.ts';

const SERVICE = 'orders/service.ts';
const STORE = 'orders/store.ts';
const LIFECYCLE = 'orders/lifecycle.ts';
const TERMS = 'orders/terms.ts';

const MATCHES = "  if (header.trim() !== '*' && !tags.includes(tag)) throw problem('changed_meanwhile');";
const KEPT = "      if (!kept.fingerprint.equals(fingerprint)) throw problem('idempotency_key_reused');\n";
const PRINT = 'JSON.stringify([caller.older, draft.sku, draft.quantity, draft.note ?? null])';
const KEEP = '    this.store.keep(customer, key, { ...creation, fingerprint }, now + KEY_LASTS);\n';
const PATTERN = '/^(?:[!#-+\\--:<-~]{1,255}|"[ !#-[\\]-~]{1,255}")$/';

export const TAGS = [
  ...ofKind('stale entity tag', [
    {
      id: 'tag-kept-by-change',
      peer: 'express',
      what: 'A change leaves the entity tag as it was',
      breaks: ['answerGet', 'match', 'answerPatch'],
      file: STORE,
      edits: [['SET quantity = ?, note = ?, revision = revision + 1 WHERE', 'SET quantity = ?, note = ? WHERE']],
    },
    {
      id: 'tag-kept-by-place',
      peer: 'fastify',
      what: 'A placing leaves the entity tag as it was',
      breaks: ['answerGet', 'match'],
      file: STORE,
      edits: [["SET status = 'placed', revision = revision + 1 WHERE", "SET status = 'placed' WHERE"]],
    },
    {
      id: 'tag-kept-by-moves',
      peer: 'hono',
      what: 'Cancelling, shipping and delivering leave the entity tag as it was',
      breaks: ['answerGet', 'match'],
      file: STORE,
      edits: [['SET status = ?, revision = revision + 1 WHERE', 'SET status = ? WHERE']],
    },
    {
      id: 'tag-kept-by-expiry',
      peer: 'nest',
      what: 'An expiry leaves the entity tag as it was',
      breaks: ['answerGet', 'expire'],
      file: STORE,
      edits: [["SET status = 'cancelled', revision = revision + 1 WHERE", "SET status = 'cancelled' WHERE"]],
    },
    {
      id: 'tag-of-before',
      peer: 'express',
      what: 'A change answers with the entity tag of before',
      breaks: ['answerPatch'],
      file: LIFECYCLE,
      edits: [['etag: tagOf(revision + 1, caller.older)', 'etag: tagOf(revision, caller.older)']],
    },
    {
      id: 'weak-tags-match',
      peer: 'fastify',
      what: 'If-Match takes weak tags',
      breaks: ['match'],
      file: LIFECYCLE,
      edits: [['.map((one) => one.trim());', ".map((one) => one.trim().replace(/^W\\//, ''));"]],
    },
    {
      id: 'match-ignored',
      peer: 'hono',
      what: 'If-Match has to be there and is not looked at',
      breaks: ['match', 'changedMeanwhile'],
      file: LIFECYCLE,
      edits: [[MATCHES, '  void tags.includes(tag);']],
    },
    {
      id: 'star-refused',
      peer: 'nest',
      what: 'If-Match: * is refused',
      breaks: ['match'],
      file: LIFECYCLE,
      edits: [["header.trim() !== '*' && !tags", '!tags']],
    },
    {
      id: 'first-tag-alone',
      peer: 'express',
      what: 'Of several tags in If-Match only the first is looked at',
      breaks: ['match'],
      file: LIFECYCLE,
      edits: [['!tags.includes(tag)', 'tags[0] !== tag']],
    },
    {
      id: 'match-optional',
      peer: 'fastify',
      what: 'A change without If-Match is made',
      breaks: ['match', 'matchRequired'],
      file: LIFECYCLE,
      edits: [["  if (header === undefined) throw problem('match_required');", '  if (header === undefined) return;']],
    },
    {
      id: 'tag-without-version',
      peer: 'hono',
      what: 'An order has the same entity tag in both versions',
      breaks: ['answerGet', 'deprecated', 'answerPatch', 'match'],
      file: TERMS,
      edits: [['${older ? DEPRECATED_VERSION.name : VERSION}', '${older ? VERSION : VERSION}']],
    },
    {
      id: 'tag-weak',
      peer: 'nest',
      what: 'Entity tags are weak',
      breaks: ['answerGet', 'answerPatch', 'match'],
      file: TERMS,
      edits: [['  `"${revision}-', '  `W/"${revision}-']],
    },
    {
      id: 'tag-missing',
      peer: 'hono',
      what: 'Reading an order gives no entity tag',
      breaks: ['answerGet'],
      file: 'hono.ts',
      edits: [
        [
          "  const { order, etag } = service.read(c.get('caller'), c.req.param('id'));\n  c.header('ETag', etag);\n",
          "  const { order } = service.read(c.get('caller'), c.req.param('id'));\n",
        ],
      ],
    },
    {
      id: 'tag-missing-after-change',
      peer: 'express',
      what: 'A change answers without an entity tag',
      breaks: ['answerPatch'],
      file: 'express.ts',
      edits: [
        [
          "patch, request.get('if-match'));\n    response.setHeader('ETag', etag);\n",
          "patch, request.get('if-match'));\n    void etag;\n",
        ],
      ],
    },
  ]),
  ...ofKind('idempotency', [
    {
      id: 'replayed-with-other-body',
      peer: 'express',
      what: 'A key that was used with another body gets the first answer',
      breaks: ['idempotency'],
      file: SERVICE,
      edits: [[KEPT, '      void fingerprint;\n']],
    },
    {
      id: 'refusals-not-kept',
      peer: 'fastify',
      what: 'A refusal is not kept for its key',
      breaks: ['idempotency'],
      file: SERVICE,
      edits: [[KEEP, KEEP.replace('    this', '    if (creation.status < 400) this')]],
    },
    {
      id: 'keys-not-kept',
      peer: 'hono',
      what: 'A key is not remembered',
      breaks: ['idempotency'],
      file: SERVICE,
      edits: [[KEEP, '    void KEY_LASTS;\n']],
    },
    {
      id: 'keys-kept-an-hour',
      peer: 'nest',
      what: 'A key is kept for an hour',
      breaks: ['idempotency'],
      file: TERMS,
      edits: [['KEY_LASTS = 24 * 60', 'KEY_LASTS = 60']],
    },
    {
      id: 'keys-kept-two-days',
      peer: 'express',
      what: 'A key is kept for two days',
      breaks: ['idempotency'],
      file: TERMS,
      edits: [['KEY_LASTS = 24 * 60', 'KEY_LASTS = 48 * 60']],
    },
    {
      id: 'quoted-key-is-another',
      peer: 'fastify',
      what: 'A key in quotes is another one than the same without',
      breaks: ['idempotency'],
      file: SERVICE,
      edits: [["return sentKey.startsWith('\"') ? sentKey.slice(1, -1) : sentKey;", 'return sentKey;']],
    },
    {
      id: 'key-optional',
      peer: 'hono',
      what: 'A creation without a key is carried out',
      breaks: ['idempotency'],
      file: SERVICE,
      edits: [
        ["  if (sentKey === undefined) throw problem('idempotency_key_missing');", '  sentKey ??= randomUUIDv7();'],
      ],
    },
    {
      id: 'key-of-254',
      peer: 'nest',
      what: 'A key of 255 characters is refused',
      breaks: ['idempotency'],
      file: SERVICE,
      edits: [[PATTERN, PATTERN.replaceAll('255', '254')]],
    },
    {
      id: 'key-of-256',
      peer: 'express',
      what: 'A key of 256 characters is taken',
      breaks: ['idempotency'],
      file: SERVICE,
      edits: [[PATTERN, PATTERN.replaceAll('255', '256')]],
    },
    {
      id: 'replay-is-200',
      peer: 'fastify',
      what: 'A repetition is answered with 200',
      breaks: ['idempotency', 'answerCreate'],
      file: SERVICE,
      edits: [['      return kept;\n', '      return kept.status === 201 ? { ...kept, status: 200 } : kept;\n']],
    },
    {
      id: 'replay-without-location',
      peer: 'hono',
      what: 'A repetition is answered without Location',
      breaks: ['idempotency', 'answerCreate'],
      file: SERVICE,
      edits: [['      return kept;\n', '      return { ...kept, location: null };\n']],
    },
    {
      id: 'null-is-another-body',
      peer: 'nest',
      what: 'A note that is null is another body than one that is left out',
      breaks: ['idempotency'],
      file: SERVICE,
      edits: [
        [PRINT, 'JSON.stringify([caller.older, draft.sku, draft.quantity, draft.note === null ? 0 : draft.note])'],
      ],
    },
    {
      id: 'print-without-quantity',
      peer: 'express',
      what: 'A body that differs in its quantity alone gets the first answer',
      breaks: ['idempotency'],
      file: SERVICE,
      edits: [[PRINT, 'JSON.stringify([caller.older, draft.sku, draft.note ?? null])']],
    },
    {
      id: 'print-without-note',
      peer: 'fastify',
      what: 'A body that differs in its note alone gets the first answer',
      breaks: ['idempotency'],
      file: SERVICE,
      edits: [[PRINT, 'JSON.stringify([caller.older, draft.sku, draft.quantity])']],
    },
    {
      id: 'replay-is-current',
      peer: 'nest',
      what: 'A repetition shows the order as it is now',
      breaks: ['idempotency'],
      file: SERVICE,
      edits: [
        [
          '      return kept;\n',
          '      const row = kept.status === 201 ? this.store.find((JSON.parse(kept.body) as Order).id) : null;\n      return row ? { ...kept, body: JSON.stringify(row.order) } : kept;\n',
        ],
      ],
    },
    {
      id: 'key-ignores-case',
      peer: 'hono',
      what: 'Keys that differ in capitals are one',
      breaks: ['idempotency'],
      file: SERVICE,
      edits: [['sentKey.slice(1, -1) : sentKey;', 'sentKey.slice(1, -1) : sentKey.toLowerCase();']],
    },
  ]),
];
