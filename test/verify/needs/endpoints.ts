import type { Answer } from '../../../src/verify/target/exchange.ts';
import { readCases } from '../../cases.ts';
import { documentText, withChange } from '../../subject.ts';
import { type Fault, instead, lineOf, matched, OF_MATCHED } from './fault.ts';

/** The orders, whose key may be left out. */
const keyed = (idempotency: string): string =>
  withChange(
    documentText('examples/orders.md'),
    '- Idempotency: header `Idempotency-Key`, required, for each caller, kept 24 hours, answers below 500\n',
    `- Idempotency: ${idempotency}\n`,
  );

const REQUIRED = 'header `Idempotency-Key`, required, for each caller, kept 1 hour, answers below 500';
const OPTIONAL = 'header `Idempotency-Key`, optional, for each caller, kept 1 hour, answers below 500';
const OF_KEYS = 'endpoint POST /orders: idempotency';

const MARK = 'replays marked `Idempotent-Replayed: true`';
const MARKED = `${REQUIRED}, ${MARK}`;
const withoutMark = (headers: Answer['headers']): Answer['headers'] =>
  headers.filter(([name]) => name.toLowerCase() !== 'idempotent-replayed');

export const KEYS: readonly Fault[] = [
  instead('requires a key that is optional', keyed(OPTIONAL), OPTIONAL, REQUIRED, OF_KEYS),
  instead('takes requests without a key that is required', keyed(REQUIRED), REQUIRED, OPTIONAL, OF_KEYS),
  instead('marks no replays', keyed(MARKED), `, ${MARK}`, '', OF_KEYS),
  instead('marks replays with another value', keyed(MARKED), MARK, MARK.replace('true', '1'), OF_KEYS),
  {
    name: 'marks every answer as a replay',
    stated: keyed(MARKED),
    key: OF_KEYS,
    given: (answer) => ({ ...answer, headers: [...withoutMark(answer.headers), ['Idempotent-Replayed', 'true']] }),
  },
  {
    name: 'marks replays of successes alone',
    stated: keyed(MARKED),
    key: OF_KEYS,
    given: (answer) => (answer.status < 400 ? answer : { ...answer, headers: withoutMark(answer.headers) }),
  },
  {
    name: 'ignores a key that is optional',
    stated: keyed(OPTIONAL),
    key: OF_KEYS,
    taken: (request) => ({ ...request, headers: request.headers.filter(([name]) => name !== 'Idempotency-Key') }),
  },
];

/** The orders, where a write at an address without an ETag refuses preconditions. */
const untagged = withChange(
  documentText('examples/orders.md'),
  '- Conditional requests: none\n',
  '- Conditional requests: none\n- Preconditions without an ETag: refused\n',
);

/** The orders, which describe themselves to each customer. */
const described = withChange(
  withChange(
    documentText('examples/orders.md'),
    '- Payloads: JSON (RFC 8259)\n',
    '- Payloads: JSON (RFC 8259)\n- Description: OpenAPI 3.1 at `/openapi.json` for any Customer with what the caller may call\n',
  ),
  '### `GET /summary`\n\n',
  '### `GET /summary`\n\n- Audience: none\n',
);

export const DESCRIPTIONS: readonly Fault[] = [
  instead('describes an endpoint that is for nobody', described, '- Audience: none\n', '', 'step 70'),
  instead(
    'describes to each caller what others may call',
    described,
    'with what the caller may call',
    'with every endpoint',
    'step 70',
  ),
];

export const PRECONDITIONS: readonly Fault[] = [
  instead(
    'takes a write that nothing can match',
    untagged,
    '- Preconditions without an ETag: refused\n',
    '',
    'endpoint POST /orders/{id}/place: preconditions',
  ),
  instead('does not require preconditions', matched, 'on writes: required', 'on writes: evaluated', OF_MATCHED),
];

/** Orders whose POST leads a client to the order. */
const leading = withChange(
  documentText('examples/orders.md'),
  'Answer 201 with `order` and header Location',
  'Answer 303 with header Location',
);
const OF_LEADING = `step ${lineOf(leading, 'Answer 303')}`;

export const REDIRECTS: readonly Fault[] = [
  instead('redirects with another status', leading, 'Answer 303', 'Answer 302', OF_LEADING),
  instead('redirects elsewhere', leading, 'Location `"/orders/" +', 'Location `"/order/" +', OF_LEADING),
  {
    name: 'redirects without Location',
    stated: leading,
    key: OF_LEADING,
    given: (answer) => ({ ...answer, headers: answer.headers.filter(([name]) => name.toLowerCase() !== 'location') }),
  },
  {
    name: 'redirects with a body',
    stated: leading,
    key: OF_LEADING,
    given: (answer) => (answer.status === 303 ? { ...answer, body: Buffer.from('See /orders') } : answer),
  },
];

const validating = readCases('src/compiler/endpoints/cases/validate.md')[0]!.document;

export const VALIDATING: readonly Fault[] = [
  {
    name: 'validates the body before the first step',
    stated: validating,
    key: `step ${lineOf(validating, 'Validate the body')}`,
    served: withChange(validating, '1. Validate the body.\n', ''),
  },
];

const reports = documentText('src/compiler/endpoints/cases/documents/reports.md');

/** A service that takes requests for a path for another one. */
const path = (name: string, endpoint: string, from: RegExp, to: string): Fault => ({
  name,
  stated: reports,
  key: `endpoint ${endpoint}`,
  taken: (request) => ({ ...request, target: request.target.replace(from, to) }),
});

export const PATHS: readonly Fault[] = [
  path('takes an escaped colon for one of its path', 'POST /reports/{name}:close', /%3A/gi, ':'),
  path('takes the path with less text', 'POST /reports/{name}:re:close', /:re:close$/, '%3Are:close'),
  path('does not take escaped text', 'GET /v{number}', /%76/, '%2576'),
];

const queries = documentText('src/compiler/endpoints/cases/documents/queries.md');
const OF_QUERY = 'endpoint QUERY /reports';

export const QUERIES: readonly Fault[] = [
  {
    name: 'takes a query of any media type',
    stated: queries,
    key: `${OF_QUERY}: payloads`,
    taken: (request) =>
      request.method === 'QUERY'
        ? {
            ...request,
            headers: request.headers.map(([name, value]) => [
              name,
              name.toLowerCase() === 'content-type' ? 'application/json' : value,
            ]),
          }
        : request,
  },
  {
    name: 'does not filter by the body',
    stated: queries,
    key: `step ${lineOf(queries, '1. List `reports`')}`,
    served: withChange(queries, '`closed == request.closed`', '`closed == request.closed && !closed`'),
  },
];

/** Orders whose errors have types, some of them their own. */
const problems = readCases('src/compiler/errors/cases/problem-types.md')[0]!.document;

export const PROBLEMS: readonly Fault[] = [
  instead('gives a problem another type', problems, '`about:blank`', '`about:blanks`', 'code order_not_found'),
  instead('gives a problem the type of all others', problems, '`/help/keys#missing`', '', 'code key_missing'),
  instead('gives all problems another type', problems, '`/problems/{code}`', '`/problem/{code}`', 'errors: payload'),
];
