import type { Reply } from './wire.ts';

/** An answer made wrong in one way, to see whether the oracle sees it. */
export interface Alteration {
  readonly name: string;
  /** Null where the answer can’t be made wrong in this way. */
  alter(reply: Reply): Reply | null;
}

const body = (name: string, change: (object: Record<string, unknown>) => unknown): Alteration => ({
  name,
  alter: (reply) => {
    if (reply.body === '') return null;
    const object = JSON.parse(reply.body) as Record<string, unknown>;
    const changed = change(object);
    return changed === undefined ? null : { ...reply, body: JSON.stringify(changed) };
  },
});

const without = (name: string): Alteration => ({
  name: `without ${name}`,
  alter: (reply) => {
    const headers = reply.headers.filter(([one]) => one.toLowerCase() !== name);
    return headers.length === reply.headers.length ? null : { ...reply, headers };
  },
});

const withHeader = (name: string, value: string): Alteration => ({
  name: `with ${name}`,
  alter: (reply) => ({ ...reply, headers: [...reply.headers, [name, value]] }),
});

const isError = (object: Record<string, unknown>): boolean => typeof object.code === 'string';
const isRow = (object: Record<string, unknown>): boolean => typeof object.id === 'string';

/** Ways in which an answer can say something that the document doesn’t. */
export const ALTERATIONS: readonly Alteration[] = [
  { name: 'another status', alter: (reply) => ({ ...reply, status: reply.status === 200 ? 202 : 418 }) },
  { name: 'a failure', alter: (reply) => ({ ...reply, status: 500 }) },
  body('another title', (object) => (isError(object) ? { ...object, title: 'Oops' } : undefined)),
  body('a code of the table that cannot arise there', (object) =>
    isError(object) ? { ...object, code: 'customer_has_orders' } : undefined,
  ),
  body('a code of no table', (object) => (isError(object) ? { ...object, code: 'oops' } : undefined)),
  body('a member more', (object) => ({ ...object, stack: 'at …' })),
  body('a type', (object) => (isError(object) ? { ...object, type: 'about:blank' } : undefined)),
  body('faults of nothing', (object) =>
    isError(object) ? { ...object, errors: object.errors ? [] : [{}] } : undefined,
  ),
  body('a fault elsewhere', ({ errors, ...rest }) =>
    Array.isArray(errors)
      ? { ...rest, errors: [{ ...errors[0], pointer: undefined, parameter: 'elsewhere' }] }
      : undefined,
  ),
  body('a fault in other words', ({ errors, ...rest }) =>
    Array.isArray(errors) ? { ...rest, errors: [{ ...errors[0], detail: 'No' }] } : undefined,
  ),
  body('an optional member that is null', (object) => (isRow(object) ? { ...object, note: null } : undefined)),
  body('a member less', ({ sku, product, ...rest }) => (sku || product ? rest : undefined)),
  body('a value that is not allowed', (object) => (isRow(object) ? { ...object, quantity: 1001 } : undefined)),
  body('a state that is none', (object) => (isRow(object) ? { ...object, status: 'lost' } : undefined)),
  body('seconds for milliseconds', (object) =>
    isRow(object) ? { ...object, created: '2026-11-20T00:00:00Z' } : undefined,
  ),
  ...[
    'date',
    'content-type',
    'ratelimit',
    'ratelimit-policy',
    'etag',
    'location',
    'allow',
    'www-authenticate',
    'deprecation',
    'sunset',
    'vary',
  ].map(without),
  withHeader('X-Powered-By', 'Express'),
  withHeader('Server', 'ninefold'),
  withHeader('Access-Control-Allow-Origin', '*'),
  withHeader('Retry-After', '1'),
  withHeader('Set-Cookie', 'a=b'),
  withHeader('Allow', 'GET'),
  withHeader('Date', 'Fri, 20 Nov 2026 00:00:00 GMT'),
];
