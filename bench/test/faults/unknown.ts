// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is written here is source text
import { ofKind } from './fault.ts';

const DRAFT = 'orders/draft.ts';
const ZOD = 'zod.ts';
const QUERY = 'orders/query.ts';

export const UNKNOWN = [
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
      file: 'nest-body.ts',
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
      edits: [
        [
          "  if (method !== 'DELETE' && !accepts(headers.accept)) return problem('not_acceptable');\n",
          '  void accepts;\n',
        ],
      ],
    },
    {
      id: 'filter-values-unchecked',
      peer: 'hono',
      what: 'The list is filtered by a state that there is not',
      breaks: ['filterStatus'],
      file: QUERY,
      edits: [
        [
          "    else if (parameter === 'status' && !STATUSES.some((one) => one === trimmed(sent)))",
          "    else if (parameter === 'status' && STATUSES.length === 0)",
        ],
      ],
    },
  ]),
];
