// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is written here is source text
import { ofKind } from './fault.ts';

const SERVICE = 'orders/service.ts';

export const ODD_INPUT = [
  ...ofKind('odd input', [
    {
      id: 'list-as-body-crashes',
      peer: 'fastify',
      what: 'A change whose body is null ends in 500',
      breaks: ['requestOfPatch', 'invalidRequest'],
      file: 'orders/draft.ts',
      edits: [
        [
          "export function patchOf(body: unknown): Patch {\n  if (typeof body !== 'object' || body === null || Array.isArray(body))",
          "export function patchOf(body: unknown): Patch {\n  if (typeof body !== 'object' || Array.isArray(body))",
        ],
      ],
    },
    {
      id: 'list-taken-for-object',
      peer: 'hono',
      what: 'A change whose body is a list is made',
      breaks: ['requestOfPatch', 'invalidRequest'],
      file: 'orders/draft.ts',
      edits: [
        [
          "export function patchOf(body: unknown): Patch {\n  if (typeof body !== 'object' || body === null || Array.isArray(body))",
          "export function patchOf(body: unknown): Patch {\n  if (typeof body !== 'object' || body === null)",
        ],
      ],
    },
    {
      id: 'bad-cursor-crashes',
      peer: 'express',
      what: 'A cursor that is none ends in 500',
      breaks: ['pages'],
      file: SERVICE,
      edits: [
        [
          "    if (bytes.length <= MAC_BYTES || !mac.equals(bytes.subarray(0, MAC_BYTES))) throw problem('page_refused');\n",
          '    void mac;\n',
        ],
      ],
    },
    {
      id: 'bad-json-crashes',
      peer: 'express',
      what: 'A body that is no JSON ends in 500',
      breaks: ['payloads', 'conditions'],
      file: 'express.ts',
      edits: [["  'entity.parse.failed': 'malformed_request',\n", '']],
    },
    {
      id: 'bad-json-of-patch-crashes',
      peer: 'hono',
      what: 'A change whose body is no JSON ends in 500',
      breaks: ['payloads', 'conditions', 'requestOfPatch'],
      file: 'hono.ts',
      edits: [["    throw problem('malformed_request');", "    throw new Error('The body is no JSON');"]],
    },
    {
      id: 'no-type-crashes',
      peer: 'nest',
      what: 'A body without a media type ends in 500',
      breaks: ['payloads', 'conditions'],
      file: 'nest-body.ts',
      edits: [["  if (!isOfType(headers['content-type'],", "  if (!isOfType(headers['content-type']!.trim(),"]],
    },
    {
      id: 'capitals-not-found',
      peer: 'fastify',
      what: 'An identity in capitals is not found',
      breaks: ['id', 'pathId', 'find'],
      file: SERVICE,
      edits: [
        ['this.store.find(id.toLowerCase()) : null;\n    if (!stored', 'this.store.find(id) : null;\n    if (!stored'],
      ],
    },
    {
      id: 'no-identity-crashes',
      peer: 'hono',
      what: 'What is no identity is refused as a faulty parameter',
      breaks: ['pathId', 'notFound'],
      file: SERVICE,
      edits: [
        [
          '    const stored = UUID.test(id) ? this.store.find(id.toLowerCase()) : null;',
          "    if (!UUID.test(id)) throw problem('invalid_request');\n    const stored = this.store.find(id.toLowerCase());",
        ],
      ],
    },
    {
      id: 'word-alone-crashes',
      peer: 'express',
      what: 'The word Bearer without a key is a key that is not known',
      breaks: ['header', 'keyMissing'],
      file: 'orders/gate.ts',
      edits: [["  if (header.length === 6) return '';\n", '']],
    },
    {
      id: 'word-by-case',
      peer: 'nest',
      what: 'The word before a key has to be in capitals as written',
      breaks: ['header'],
      file: 'orders/gate.ts',
      edits: [["header.slice(0, 6).toLowerCase() !== 'bearer'", "header.slice(0, 6) !== 'Bearer'"]],
    },
    {
      id: 'emoji-crashes',
      peer: 'fastify',
      what: 'A note with a character outside the basic plane is refused',
      breaks: ['note'],
      file: 'orders/draft.ts',
      edits: [
        [
          "  if (typeof note !== 'string' || !isText(note)) return 'not_text';",
          "  if (typeof note !== 'string' || /[\\ud800-\\udfff]/.test(note)) return 'not_text';",
        ],
      ],
    },
    {
      id: 'large-numbers-crash',
      peer: 'express',
      what: 'A quantity beyond 32 bits ends in 500',
      breaks: ['quantity'],
      file: 'orders/draft.ts',
      edits: [
        [
          'function quantityFault(quantity: unknown): FaultCode | null {\n',
          "function quantityFault(quantity: unknown): FaultCode | null {\n  if (typeof quantity === 'number' && quantity > 2 ** 31) throw new Error('The number is too large');\n",
        ],
      ],
    },
    {
      id: 'limit-not-a-number',
      peer: 'nest',
      what: 'A page of a size that is no number is one of 20',
      breaks: ['pageSize', 'pages'],
      file: 'orders/query.ts',
      edits: [['? Number(limit) : 0;', '? Number(limit) : Number.isNaN(Number(limit)) ? PAGE.standard : 0;']],
    },
    {
      id: 'no-length-crashes',
      peer: 'hono',
      what: 'A body without a length ends in 500',
      breaks: ['conditions'],
      file: 'orders/gate.ts',
      edits: [["      ? problem('length_missing')", "      ? problem('failure')"]],
    },
  ]),
];
