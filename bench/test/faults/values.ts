// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is written here is source text
import { ofKind } from './fault.ts';

const TERMS = 'orders/terms.ts';
const DRAFT = 'orders/draft.ts';
const SERVICE = 'orders/service.ts';
const STORE = 'orders/store.ts';
const ZOD = 'zod.ts';
const QUERY = 'orders/query.ts';

export const VALUES = [
  ...ofKind('limit off by one', [
    {
      id: 'quantity-999',
      peer: 'express',
      what: 'A quantity of 1000 is refused',
      breaks: ['quantity'],
      file: TERMS,
      edits: [['most: 1000 }', 'most: 999 }']],
    },
    {
      id: 'quantity-1001',
      peer: 'fastify',
      what: 'A quantity of 1001 is taken',
      breaks: ['quantity'],
      file: TERMS,
      edits: [['most: 1000 }', 'most: 1001 }']],
    },
    {
      id: 'quantity-0',
      peer: 'hono',
      what: 'A quantity of 0 is taken',
      breaks: ['quantity'],
      file: TERMS,
      edits: [['QUANTITY = { least: 1,', 'QUANTITY = { least: 0,']],
    },
    {
      id: 'note-499',
      peer: 'nest',
      what: 'A note of 500 characters is refused',
      breaks: ['note'],
      file: TERMS,
      edits: [['NOTE_CHARACTERS = 500', 'NOTE_CHARACTERS = 499']],
    },
    {
      id: 'note-501',
      peer: 'express',
      what: 'A note of 501 characters is taken',
      breaks: ['note'],
      file: TERMS,
      edits: [['NOTE_CHARACTERS = 500', 'NOTE_CHARACTERS = 501']],
    },
    {
      id: 'note-in-code-units',
      peer: 'hono',
      what: 'The characters of a note are counted as code units',
      breaks: ['note'],
      file: DRAFT,
      edits: [
        ['note.length <= NOTE_CHARACTERS || [...note].length <= NOTE_CHARACTERS', 'note.length <= NOTE_CHARACTERS'],
      ],
    },
    {
      id: 'note-in-bytes',
      peer: 'nest',
      what: 'The characters of a note are counted as bytes',
      breaks: ['note'],
      file: DRAFT,
      edits: [
        [
          'note.length <= NOTE_CHARACTERS || [...note].length <= NOTE_CHARACTERS',
          'Buffer.byteLength(note) <= NOTE_CHARACTERS',
        ],
      ],
    },
    {
      id: 'body-of-64000',
      peer: 'fastify',
      what: 'A body of 64 KiB is refused',
      breaks: ['size'],
      file: TERMS,
      edits: [['64 * 1024', '64 * 1000']],
    },
    {
      id: 'body-one-byte-more',
      peer: 'express',
      what: 'A body of 64 KiB and one byte is taken',
      breaks: ['size'],
      file: TERMS,
      edits: [['64 * 1024;', '64 * 1024 + 1;']],
    },
    {
      id: 'body-one-byte-less',
      peer: 'hono',
      what: 'A body of exactly 64 KiB is refused',
      breaks: ['size'],
      file: TERMS,
      edits: [['64 * 1024;', '64 * 1024 - 1;']],
    },
    {
      id: 'note-needed-from-100',
      peer: 'nest',
      what: 'An order of 100 pieces needs a note',
      breaks: ['place'],
      file: TERMS,
      edits: [['PLACED_WITHOUT_NOTE = 100', 'PLACED_WITHOUT_NOTE = 99']],
    },
    {
      id: 'note-needed-from-102',
      peer: 'express',
      what: 'An order of 101 pieces needs no note',
      breaks: ['place'],
      file: TERMS,
      edits: [['PLACED_WITHOUT_NOTE = 100', 'PLACED_WITHOUT_NOTE = 101']],
    },
    {
      id: 'sku-without-end',
      peer: 'fastify',
      what: 'A product may have more behind its four digits',
      breaks: ['sku'],
      file: TERMS,
      edits: [['[0-9]{4}$/', '[0-9]{4}/']],
    },
    {
      id: 'sku-in-small-letters',
      peer: 'hono',
      what: 'A product may be in small letters',
      breaks: ['sku'],
      file: TERMS,
      edits: [['[0-9]{4}$/;', '[0-9]{4}$/i;']],
    },
    {
      id: 'sku-of-five-digits',
      peer: 'nest',
      what: 'A product may have five digits',
      breaks: ['sku'],
      file: TERMS,
      edits: [['[0-9]{4}$/', '[0-9]{4,5}$/']],
    },
    {
      id: 'patched-quantity-unbounded',
      peer: 'express',
      what: 'A change takes any quantity',
      breaks: ['quantity', 'requestOfPatch'],
      file: DRAFT,
      edits: [
        [
          'const quantityCode = quantity === undefined ? null : quantityFault(quantity);',
          'const quantityCode = quantity === undefined || Number.isInteger(quantity) ? null : quantityFault(quantity);',
        ],
      ],
    },
    {
      id: 'patched-note-unbounded',
      peer: 'fastify',
      what: 'A change takes a note of any length',
      breaks: ['note', 'requestOfPatch'],
      file: DRAFT,
      edits: [
        [
          '  const noteCode = noteFault(note);\n',
          "  const noteCode = typeof note === 'string' ? null : noteFault(note);\n",
        ],
      ],
    },
  ]),
  ...ofKind('form of values', [
    {
      id: 'null-not-left-out',
      peer: 'express',
      what: 'A note that is not there is null',
      breaks: ['missing'],
      file: STORE,
      edits: [['note: row[4] ?? undefined', 'note: (row[4] ?? null) as never']],
    },
    {
      id: 'seconds-alone',
      peer: 'hono',
      what: 'Timestamps have no milliseconds',
      breaks: ['timestamps'],
      file: 'hono.ts',
      edits: [
        [
          "  return c.json(shown(order, c.get('caller').older));\n});\n\napp.post('/orders/:id/place'",
          "  return c.json({ ...shown(order, c.get('caller').older), created: order.created.replace(/\\.\\d+/, '') });\n});\n\napp.post('/orders/:id/place'",
        ],
      ],
    },
    {
      id: 'offset-not-z',
      peer: 'nest',
      what: 'Timestamps end in +00:00',
      breaks: ['timestamps'],
      file: STORE,
      edits: [['created: row[6],', "created: row[6].replace('Z', '+00:00'),"]],
    },
    {
      id: 'created-changes',
      peer: 'fastify',
      what: 'A change sets the time of creation anew',
      breaks: ['created'],
      file: STORE,
      edits: [
        [
          "'UPDATE orders SET quantity = ?, note = ?, revision = revision + 1 WHERE id = ?'",
          `"UPDATE orders SET created = strftime('%Y-%m-%dT%H:%M:%fZ'), quantity = ?, note = ?, revision = revision + 1 WHERE id = ?"`,
        ],
      ],
    },
    {
      id: 'note-not-trimmed',
      peer: 'express',
      what: 'White space stays around a note',
      breaks: ['text'],
      file: ZOD,
      edits: [['note: z\n    .string()\n    .trim()', 'note: z\n    .string()']],
    },
    {
      id: 'sku-not-trimmed',
      peer: 'hono',
      what: 'White space around a product is refused',
      breaks: ['text', 'sku'],
      file: ZOD,
      edits: [['sku: z.string().trim()', 'sku: z.string()']],
    },
    {
      id: 'empty-note-is-null',
      peer: 'fastify',
      what: 'An empty note is none',
      breaks: ['emptyText'],
      file: SERVICE,
      edits: [['note: draft.note ?? undefined', 'note: draft.note || undefined']],
    },
    {
      id: 'patched-note-not-trimmed',
      peer: 'nest',
      what: 'A change keeps white space around a note',
      breaks: ['text'],
      file: DRAFT,
      edits: [
        [
          "  const { quantity } = sent;\n  const note = typeof sent.note === 'string' ? sent.note.trim() : sent.note;\n",
          '  const { quantity, note } = sent;\n',
        ],
      ],
    },
    {
      id: 'null-keeps-note',
      peer: 'express',
      what: 'A note that is null in a change stays as it was',
      breaks: ['nulls', 'requestOfPatch'],
      file: 'orders/lifecycle.ts',
      edits: [['note: patch.note === undefined ? note : (patch.note ?? undefined),', 'note: patch.note ?? note,']],
    },
    {
      id: 'absent-clears-note',
      peer: 'fastify',
      what: 'A note that is left out of a change is lost',
      breaks: ['requestOfPatch', 'change'],
      file: 'orders/lifecycle.ts',
      edits: [['note: patch.note === undefined ? note : (patch.note ?? undefined),', 'note: patch.note ?? undefined,']],
    },
    {
      id: 'quantity-as-text',
      peer: 'hono',
      what: 'A quantity in answers is text',
      breaks: ['quantity', 'shown'],
      file: STORE,
      edits: [['quantity: row[3],', 'quantity: String(row[3]) as never,']],
    },
    {
      id: 'texts-taken-for-numbers',
      peer: 'express',
      what: 'A quantity may be sent as text',
      breaks: ['quantity'],
      file: ZOD,
      edits: [['quantity: z.int()', 'quantity: z.coerce.number().int()']],
    },
    {
      id: 'fractions-cut',
      peer: 'hono',
      what: 'A quantity with a fraction is rounded',
      breaks: ['quantity'],
      file: ZOD,
      edits: [['quantity: z.int().min', 'quantity: z.number().transform(Math.round).pipe(z.int()).unwrap().min']],
    },
    {
      id: 'quantity-has-default',
      peer: 'express',
      what: 'A quantity that is left out is 1',
      breaks: ['quantity', 'requestOfCreate'],
      file: ZOD,
      edits: [['.max(QUANTITY.most),', '.max(QUANTITY.most).default(1),']],
    },
    {
      id: 'revision-shown',
      peer: 'nest',
      what: 'Orders show a member that is not described',
      breaks: ['shown'],
      file: STORE,
      edits: [['    created: row[6],\n', '    created: row[6],\n    revision: row[7],\n']],
    },
    {
      id: 'customer-not-shown',
      peer: 'fastify',
      what: 'Orders do not show their customer',
      breaks: ['shown', 'customer'],
      file: 'fastify.ts',
      edits: [["    customer: { type: 'string' },\n", '']],
    },
    {
      id: 'items-under-data',
      peer: 'hono',
      what: 'The items of a page are called data',
      breaks: ['pages', 'answerList'],
      file: 'hono.ts',
      edits: [
        [
          '  return c.json(shownPage(service.list(caller, query), caller.older) as object);',
          '  const { items, ...rest } = shownPage(service.list(caller, query), caller.older) as { items: unknown };\n  return c.json({ data: items, ...rest });',
        ],
      ],
    },
    {
      id: 'next-is-null',
      peer: 'express',
      what: 'The last page has a next that is null',
      breaks: ['pages', 'missing'],
      file: SERVICE,
      edits: [
        [
          'if (items.length <= query.limit) return { items };',
          'if (items.length <= query.limit) return { items, next: null as never };',
        ],
      ],
    },
    {
      id: 'note-missing-after-creation',
      peer: 'nest',
      what: 'The answer to a creation does not show the note',
      breaks: ['answerCreate', 'shown', 'create'],
      file: SERVICE,
      edits: [
        [
          '    const body = JSON.stringify(order);\n',
          '    const body = JSON.stringify({ ...order, note: undefined });\n',
        ],
      ],
    },
  ]),
  ...ofKind('unknown accepted', [
    {
      id: 'unknown-fields-taken',
      peer: 'express',
      what: 'Unknown fields of a creation are ignored',
      breaks: ['unknownFields'],
      file: ZOD,
      edits: [['z.strictObject(', 'z.object(']],
    },
    {
      id: 'unknown-fields-taken-by-ajv',
      peer: 'fastify',
      what: 'Unknown fields of a creation are ignored',
      breaks: ['unknownFields'],
      file: 'fastify.ts',
      edits: [
        [
          "  required: ['sku', 'quantity'],\n  additionalProperties: false,",
          "  required: ['sku', 'quantity'],\n  additionalProperties: true,",
        ],
      ],
    },
    {
      id: 'unknown-fields-taken-by-nest',
      peer: 'nest',
      what: 'Unknown fields of a creation are ignored',
      breaks: ['unknownFields'],
      file: 'nest.ts',
      edits: [['forbidNonWhitelisted: true', 'forbidNonWhitelisted: false']],
    },
    {
      id: 'unknown-fields-of-change',
      peer: 'hono',
      what: 'Unknown fields of a change are ignored',
      breaks: ['unknownFields', 'requestOfPatch'],
      file: DRAFT,
      edits: [["    if (name !== 'quantity' && name !== 'note') faults.push", "    if (name === '') faults.push"]],
    },
    {
      id: 'sku-changed',
      peer: 'express',
      what: 'A change may change the product',
      breaks: ['requestOfPatch', 'unknownFields'],
      file: DRAFT,
      edits: [
        [
          "    if (name !== 'quantity' && name !== 'note') faults.push",
          "    if (name !== 'quantity' && name !== 'note' && name !== 'sku') faults.push",
        ],
        [
          '  return { quantity, note } as Patch;',
          "  return { quantity, note, ...(typeof sent.sku === 'string' ? { sku: sent.sku } : {}) } as Patch;",
        ],
      ],
      more: [
        {
          file: 'orders/lifecycle.ts',
          from: '  return {\n    quantity: patch.quantity ?? quantity,',
          to: '  return {\n    ...(patch as object),\n    quantity: patch.quantity ?? quantity,',
        },
      ],
    },
    {
      id: 'unknown-parameters-taken',
      peer: 'fastify',
      what: 'Unknown parameters are ignored where there are none',
      breaks: ['unknownParameters'],
      file: QUERY,
      edits: [
        [
          "  for (const parameter in query) faults.push({ parameter, code: 'unknown_parameter' });\n",
          '  void query;\n',
        ],
      ],
    },
    {
      id: 'unknown-filters-taken',
      peer: 'nest',
      what: 'Unknown parameters of the list are ignored',
      breaks: ['unknownParameters'],
      file: QUERY,
      edits: [
        [
          "    if (parameter !== 'status' && parameter !== 'sku' && parameter !== 'limit' && parameter !== 'cursor')\n",
          "    if (parameter === '')\n",
        ],
      ],
    },
    {
      id: 'bodies-taken',
      peer: 'hono',
      what: 'A body is ignored where none is taken',
      breaks: ['unreadBodies'],
      file: 'orders/gate.ts',
      edits: [['sentBody: !takesBody && hasBody(headers)', 'sentBody: takesBody && !hasBody(headers) && false']],
    },
    {
      id: 'first-of-repeated',
      peer: 'express',
      what: 'Of a parameter that is given twice the first counts',
      breaks: ['filterStatus', 'filterSku'],
      file: QUERY,
      edits: [
        [
          '    const sent = query[parameter];\n',
          '    const given = query[parameter];\n    const sent = Array.isArray(given) ? given[0] : given;\n',
        ],
      ],
    },
    {
      id: 'any-media-type',
      peer: 'nest',
      what: 'A body of any media type is taken',
      breaks: ['payloads'],
      file: 'nest.ts',
      edits: [
        [
          "  if (!isOfType(headers['content-type'], method === 'PATCH' ? PATCH_TYPES : JSON_TYPES))\n",
          "  if (!isOfType(headers['content-type'], PATCH_TYPES) && method === '')\n",
        ],
      ],
    },
    {
      id: 'merge-patch-refused',
      peer: 'fastify',
      what: 'A change in application/merge-patch+json is refused',
      breaks: ['requestOfPatch', 'payloads'],
      file: 'fastify.ts',
      edits: [["  'application/merge-patch+json',\n", "  'application/json-patch+json',\n"]],
    },
    {
      id: 'anything-acceptable',
      peer: 'express',
      what: 'Whoever does not accept JSON gets it',
      breaks: ['payloads'],
      file: 'orders/gate.ts',
      edits: [["  if (!accepts(headers.accept)) return problem('not_acceptable');\n", '  void accepts;\n']],
    },
    {
      id: 'filter-values-unchecked',
      peer: 'hono',
      what: 'The list is filtered by a state that there is not',
      breaks: ['filterStatus'],
      file: QUERY,
      edits: [
        [
          "    else if (parameter === 'status' && !STATUSES.some((one) => one === sent.trim()))",
          "    else if (parameter === 'status' && STATUSES.length === 0)",
        ],
      ],
    },
  ]),
];
