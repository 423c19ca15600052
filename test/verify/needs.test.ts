import { isSameId } from '../../src/plan/lines.ts';
import { transitionsIn } from '../../src/plan/machines.ts';
import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { contractOf } from '../../src/contract/contract-of.ts';
import { onlyOf } from '../../src/verify/run/only.ts';
import { verify } from '../../src/verify/run/verify.ts';
import type { Statement } from '../../src/verify/statements/statement.ts';
import { statementsOf } from '../../src/verify/statements/statements.ts';
import type { Answer, Exchange, Request } from '../../src/verify/target/exchange.ts';
import { isForm } from '../../src/verify/target/request-body.ts';
import type { Target } from '../../src/verify/target/target.ts';
import { readCases } from '../cases.ts';
import { IN_WHOLE, SEED, share, times } from '../share.ts';
import { documentText, planOf, subjectOf, withChange } from '../subject.ts';
import { TWO_FIELDS } from './two-fields.ts';

/** How long one run may take on a busy machine, in milliseconds: it ends by its number of requests. */
const PATIENCE_MS = 600_000;

/** How many requests a test of one statement sends at most. */
const MOST_REQUESTS = times(150, 2500);

/** A service that keeps less than a statement says. */
interface Fault {
  readonly name: string;
  /** The document, and the key of the statement. */
  readonly stated: string;
  readonly key: string;
  /** The document that the service keeps in its place. */
  readonly served?: string;
  /** The request that the service takes a request for. */
  readonly taken?: (request: Request) => Request;
  /** The answer that the service gives in the place of an answer. */
  readonly given?: (answer: Answer) => Answer;
}

const ATTEMPTS = '3, after 5 seconds, 5 minutes';

const notes = documentText('docs/documents/notes.md');
const accounts = documentText('docs/documents/accounts.md');
/** The tasks, whose webhooks are attempted three times. */
const tasks = withChange(documentText('docs/documents/tasks.md'), '- Attempts: 1\n', `- Attempts: ${ATTEMPTS}\n`);

/** The notes with another field, by its type and what it allows. */
const noteWith = (type: string, allowed: string): string =>
  withChange(
    withChange(
      withChange(
        notes,
        '| created | timestamp |',
        `| hours | ${type} | | ${allowed} | request | | |\n| created | timestamp |`,
      ),
      'Note with text\n',
      'Note with text, hours\n',
    ),
    'Shown: id, text,',
    'Shown: id, text, hours,',
  );

const bound = (name: string, type: string, allowed: string, served: string): Fault => ({
  name,
  stated: noteWith(type, allowed),
  served: noteWith(type, served),
  key: 'field Note.hours',
});

/** The notes with pages by offset. */
const byOffset = withChange(
  notes,
  'by number, parameters `size` and `page`; header Link (RFC 8288) with prev, next, last;',
  'by offset, parameters `size` and `page`; header Link (RFC 8288) with prev, next, last;',
);

/** The notes, which are listed by their text. */
const byText = (condition: string): string =>
  withChange(
    withChange(
      notes,
      '### `GET /notes`\n',
      `### \`GET /notes\`\n\n| Parameter | In | Type | Allowed values | Presence | Keeps rows where |\n| --- | --- | --- | --- | --- | --- |\n| text | query | string | 1 to 200 characters | optional | \`${condition}\` |\n`,
    ),
    'List `notes`: Note, latest',
    'List `notes`: Note, as the parameters say, latest',
  );

/** A request whose body is another text. */
const withText = (request: Request, change: (text: string) => string): Request =>
  request.body === null ? request : { ...request, body: Buffer.from(change(request.body.toString())) };

const passwords =
  (change: (password: string) => string) =>
  (request: Request): Request =>
    withText(request, (text) =>
      text.replace(/"(password|current)":"([^"\\]*)"/g, (_, name, password) => `"${name}":"${change(password)}"`),
    );

const withParameter =
  (name: string, change: (value: number) => number) =>
  (request: Request): Request => ({
    ...request,
    target: request.target.replace(
      new RegExp(`([?&]${name}=)(\\d+)`),
      (_, before, value) => before + change(Number(value)),
    ),
  });

const board = documentText('docs/documents/tasks.md');

/** The notes, whose writes need an If-Match. */
const matched = withChange(notes, 'on writes: evaluated', 'on writes: required');
const OF_MATCHED = 'endpoint POST /notes: preconditions';

/** The tenants, whose rates have no headers that would tell their names. */
const organisations = withChange(
  documentText('src/compiler/limits/cases/documents/tenants.md'),
  '- Rate headers: RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers), Retry-After',
  '- Rate headers: Retry-After',
);
const OF_ORGANISATION =
  '| Rate         | `caller.organisation.plan.rate` requests per day | each `caller.organisation` |\n';

/** A service of organisations with other rates than the stated ones. */
const rated = (name: string, stated: readonly string[], served: readonly string[], key = 'rate 0'): Fault => ({
  name,
  stated: withChange(organisations, OF_ORGANISATION, stated.map((row) => `| Rate | ${row} |\n`).join('')),
  served: withChange(organisations, OF_ORGANISATION, served.map((row) => `| Rate | ${row} |\n`).join('')),
  key,
});
const ROW = 'each `caller.organisation`';
const BY_PLAN = '`caller.organisation.plan.rate` requests per day';
const LACKING = 'each caller without `caller.team`';
const BY_TEAM = '3 requests per day | each `caller.team`';

/** Services that count other requests, or by another number, than their rates say. */
const RATES: readonly Fault[] = [
  rated('counts for each caller instead of each row', [`${BY_PLAN} | ${ROW}`], [`${BY_PLAN} | each caller`]),
  rated(
    'counts three of each row for each caller',
    [`3 requests per day | ${ROW}`],
    ['3 requests per day | each caller'],
  ),
  rated('counts all callers together', [`${BY_PLAN} | ${ROW}`], [`${BY_PLAN} | each \`caller.organisation.plan\``]),
  rated('ignores the number of the plan', [`${BY_PLAN} | ${ROW}`], [`3 requests per day | ${ROW}`]),
  rated(
    'allows one more than the plan says',
    [`${BY_PLAN} | ${ROW}`],
    [`\`caller.organisation.plan.rate + 1\` requests per day | ${ROW}`],
  ),
  rated(
    'allows no caller more than four',
    [`${BY_PLAN} | ${ROW}`],
    [`\`caller.organisation.plan.rate > 4 ? 4 : caller.organisation.plan.rate\` requests per day | ${ROW}`],
  ),
  rated('does not count GET', [`${BY_PLAN} | ${ROW}`], [`${BY_PLAN} | ${ROW}, at \`POST /pings\`, \`PATCH /me\``]),
  rated(
    'does not count what only reads of a caller',
    ['`caller.bonus == null ? 3 : 5` requests per day | each caller'],
    ['`caller.bonus == null ? 3 : 5` requests per day | each caller, at `PATCH /me`'],
  ),
  rated(
    'gives all callers the number of those without a bonus',
    ['`caller.bonus == null ? 3 : 5` requests per day | each caller'],
    ['`caller.bonus == null ? 3 : 3` requests per day | each caller'],
  ),
  rated(
    'does not count callers without a row',
    [`4 requests per day | ${LACKING}`, BY_TEAM],
    [BY_TEAM, `any number of requests | ${LACKING}`],
  ),
  rated(
    'counts all rows together',
    [`${BY_TEAM}`, `any number of requests | ${LACKING}`],
    ['3 requests per day | each `caller.team.plan`', 'any number of requests | each caller without `caller.team.plan`'],
  ),
];

/** What a document says, what a service keeps in its place, and the statement that it keeps less of. */
/** The notes with random text of an alphabet. */
const randomly = (value: string): string =>
  withChange(
    withChange(
      notes,
      '| created | timestamp |',
      `| code | string | | 8 to 30 characters | on create \`${value}\` | | |\n| created | timestamp |`,
    ),
    'Shown: id, text,',
    'Shown: id, text, code,',
  );
const RANDOM = 'random("0-9a-v", 16)';

/** Jobs that lapse some time after the instant that a request gives them. */
const lapsing = (when: string): string =>
  withChange(
    withChange(
      readCases('src/compiler/states/cases/timed.md')[0]!.document,
      '| hold | open | held | at `due` | none |\n| lapse | held | lapsed | at `due` | none |\n\n#### After hold\n\n1. Change `moved` with tries `moved.tries + 1`.',
      `| lapse | open | lapsed | ${when} | none |`,
    ),
    '| id | integer | 1 to 1000 | request | identity |\n| tries | integer | 0 to 2 | request; steps | |',
    '| id | integer | 1 to 1000 | request | identity |\n| tries | integer | 0 to 2 | request | |',
  ).replace('one of open, held, lapsed', 'one of open, lapsed');
const MONTH = '1 month after `due` in `Europe/Berlin`';
/** A month after an instant, where a month that is too short ends in the next one. */
const NOT_CLAMPED =
  'at `due.addDays(1 - due.getDate("Europe/Berlin"), "Europe/Berlin").addMonths(1, "Europe/Berlin").addDays(due.getDate("Europe/Berlin") - 1, "Europe/Berlin")`';

const OTHERWISE: ReadonlyArray<readonly [name: string, stated: string, from: string, to: string, key: string]> = [
  [
    'gives another value where a field is left out',
    board,
    'request, else `0`',
    'request, else `1`',
    'field Task.weight',
  ],
  ['gives an earlier instant', notes, 'on create `now()`', 'on create `now() - duration("1s")`', 'field Note.created'],
  ['counts 30 days for a month', lapsing(MONTH), MONTH, 'at `due + duration("720h")`', 'transition Job: lapse'],
  ['goes past the end of a month', lapsing(MONTH), MONTH, NOT_CLAMPED, 'transition Job: lapse'],
  ['counts months in UTC', lapsing(MONTH), MONTH, '1 month after `due` in `UTC`', 'transition Job: lapse'],
  ['draws from a larger alphabet', randomly(RANDOM), RANDOM, 'random("0-9a-z", 16)', 'field Note.code'],
  ['draws shorter text', randomly(RANDOM), RANDOM, 'random("0-9a-v", 15)', 'field Note.code'],
  ['gives the same text each time', randomly(RANDOM), RANDOM, '"0123456789abcdef"', 'field Note.code'],
  ['leaves a prefix out', randomly(`"pay_" + ${RANDOM}`), `"pay_" + ${RANDOM}`, RANDOM, 'field Note.code'],
  ['compares titles in any letters', board, 'yes, else taken', 'yes, ignoring case, else taken', 'unique Task: 0'],
  ['moves a row whose condition is false', board, '`assignee != null`         ', 'always', 'transition Task: close'],
  [
    'moves a row from another state',
    board,
    '| reopen     | closed |',
    '| reopen     | closed, open |',
    'transition Task: reopen',
  ],
  [
    'moves a row an instant later',
    board,
    '30 days after `changed`',
    '31 days after `changed`',
    'transition Task: lapse',
  ],
  [
    'moves a row an instant sooner',
    board,
    '30 days after `changed`',
    '29 days after `changed`',
    'transition Task: lapse',
  ],
  ['shows rows to others', board, 'assignee == caller`', 'assignee == caller || weight > 0`', 'resource Task: visible'],
  ['hides rows from some', board, 'public || opener', 'public && weight > 0 || opener', 'resource Task: visible'],
  ['leaves out a field', notes, 'Shown: id, text, created', 'Shown: id, text', 'resource Note: shown'],
  ['refuses unknown fields', board, 'Unknown fields: ignored', 'Unknown fields: refused', 'resources: unknownFields'],
  ['takes unknown fields', notes, 'Unknown fields: refused', 'Unknown fields: ignored', 'resources: unknownFields'],
  ['keeps empty texts', board, 'Empty text in requests: null', 'Empty text in requests: kept', 'resources: emptyText'],
  [
    'lists rows of any state',
    board,
    'Task where `state == "open"`, as',
    'Task, as',
    `step ${lineOf(board, '1. List')}`,
  ],
  [
    'lists the latest first',
    board,
    'earliest `changed` first',
    'latest `changed` first',
    `step ${lineOf(board, '1. List')}`,
  ],
  [
    'filters without the bound',
    board,
    'weight >= query.least',
    'weight > query.least',
    'parameter GET /tasks: query least',
  ],
  ['gives 11 rows unless asked otherwise', notes, '10 by default', '11 by default', 'endpoint GET /notes: Page size'],
  ['gives pages of 51 rows', notes, '50 at most', '51 at most', 'endpoint GET /notes: Page size'],
  ['gives no page of 50 rows', notes, '50 at most', '49 at most', 'endpoint GET /notes: Page size'],
  ['takes a body of a byte more', notes, '4 KiB', '4097 B', 'endpoint POST /notes: Request size'],
  ['refuses a body of the most bytes', notes, '4 KiB', '4095 B', 'endpoint POST /notes: Request size'],
  [
    'takes unknown parameters',
    notes,
    'Unknown parameters: refused',
    'Unknown parameters: ignored',
    'endpoint POST /notes: unknown parameters',
  ],
  [
    'takes bodies that it does not read',
    notes,
    'Unread bodies: refused',
    'Unread bodies: ignored',
    'endpoint GET /notes: unread bodies',
  ],
  ['serves no HEAD', notes, 'HEAD: as GET', 'HEAD: not served', 'endpoint GET /notes: HEAD'],
  ['ignores preconditions', notes, 'on writes: evaluated', 'on writes: ignored', 'endpoint POST /notes: preconditions'],
  [
    'requires preconditions',
    notes,
    'on writes: evaluated',
    'on writes: required',
    'endpoint POST /notes: preconditions',
  ],
  ['ignores preconditions that are required', matched, 'on writes: required', 'on writes: ignored', OF_MATCHED],
  [
    'refuses whatever has preconditions',
    notes,
    'on writes: evaluated',
    'on writes: refused',
    'endpoint POST /notes: preconditions',
  ],
];

/** Accounts that are closed and stay, with their machines, and tokens of a type of their own. */
const closing = [
  [
    '| login    | string |          | 3 to 254 characters  | steps              |          | yes, else email_taken                |\n',
    '| login    | string |          | 3 to 254 characters  | steps              |          | yes, else email_taken                |\n| closed | timestamp | | | steps | optional | |\n',
  ],
  ['- Text: as sent', '- Text: as sent\n- Missing values in answers: left out'],
  [
    '### `PUT /me/password`\n',
    '### `DELETE /me`\n\n1. Find `me`: User where `id == caller.id`, else not_known.\n2. Change `me` with closed `now()`.\n3. Answer 204.\n\n### `PUT /me/password`\n',
  ],
  ['- Caller: User whose id is claim `sub`', '- Caller: User whose id is claim `sub` while `closed == null`'],
  ['- Caller: Machine', '- Caller: Machine while `owner.closed == null`'],
  ['- Clock skew: none', '- Clock skew: none\n- Type: `session+jwt`'],
].reduce((text, [from = '', to = '']) => withChange(text, from, to), accounts);

/** A service that keeps something else than one statement of a document. */
const instead = (name: string, stated: string, from: string, to: string, key: string): Fault => ({
  name,
  stated,
  served: withChange(stated, from, to),
  key,
});

/** Notes that are found by their text, which is unique ignoring case, and notes that are ensured. */
const named = [
  [
    '| request            |          |          |',
    '| request; steps     |          | yes, ignoring case, else taken |',
  ],
  ['| No such note |', '| No such note |\n| taken | 409 | a rule says so | Taken |'],
  [
    '### `POST /notes`\n',
    [
      '| Parameter | In | Type | Allowed values | Presence | Otherwise |',
      '| --- | --- | --- | --- | --- | --- |',
      '| text | path | Note.text | any | always | note_not_found |',
      '',
      '### `GET /named/{text}`',
      '',
      '1. Find `note`: Note where `text == path.text`, ignoring case, else note_not_found.',
      '2. Answer 200 with `note`.',
      '',
      '### `PUT /named/{text}`',
      '',
      '1. Ensure `note`: Note with text `path.text`, ignoring case.',
      '2. Answer 200 with `note`.',
      '',
      '### `POST /notes`',
      '',
    ].join('\n'),
  ],
].reduce((text, [from = '', to = '']) => withChange(text, from, to), notes);

/** The same with another way to find and to ensure notes. */
const namedBy = (from: string, to: string): string => withChange(named, from, to);
const EXACT_FIND = namedBy('path.text`, ignoring case, else', 'path.text`, else');
const EXACT_ENSURE = namedBy('`path.text`, ignoring case.', '`path.text`.');

/** Notes of which only those that are open have a text of their own. */
const open = [
  ['| created | timestamp |', '| open | boolean | | any | on create `true`; steps | | |\n| created | timestamp |'],
  ['yes, ignoring case, else taken', ''],
  ['- Visible: everyone', '- Unique: text while `open == true`, else taken\n- Visible: everyone'],
  ['text == path.text`, ignoring case', 'text == path.text && open == true`'],
  ['with text `path.text`, ignoring case', 'with text `path.text` while `open == true`'],
  [
    '### `GET /notes`\n',
    '### `DELETE /named/{text}`\n\n1. Find `note`: Note where `text == path.text && open == true`, else note_not_found.\n2. Change `note` with open `false`.\n3. Answer 200 with `note`.\n\n### `GET /notes`\n',
  ],
].reduce((text, [from = '', to = '']) => withChange(text, from, to), named);

/** Accounts by an address that is unique ignoring case, and log-ins that ignore its case, too. */
const anyCase = [
  [
    '|          |                                      |\n| login ',
    '|          | yes, ignoring case, else email_taken |\n| login ',
  ],
  ['User where `login == request.email.lower()`', 'User where `email == request.email`, ignoring case'],
].reduce((text, [from = '', to = '']) => withChange(text, from, to), accounts);
const exactLogIn = withChange(anyCase, '`email == request.email`, ignoring case', '`email == request.email`');

/** The same, where a log-in sends any text as its address. */
const ofText = (text: string): string =>
  withChange(
    text,
    '| email     | body | User.email    | any            |',
    '| email     | body | string | 3 to 254 characters |',
  );

const LETTERS: readonly Fault[] = [
  ['finds a note only by its own letters', named, EXACT_FIND, 'Find `note`: Note where `text =='],
  ['finds a note in any letters', EXACT_FIND, named, 'Find `note`: Note where `text =='],
  ['ensures a note only by its own letters', named, EXACT_ENSURE, 'Ensure `note`'],
  ['ensures a note in any letters', EXACT_ENSURE, named, 'Ensure `note`'],
  ['logs in only by the letters of the account', anyCase, exactLogIn, 'Authenticate `user`'],
  ['logs in by any letters', exactLogIn, anyCase, 'Authenticate `user`'],
  ['logs in only by the same letters of a text', ofText(anyCase), ofText(exactLogIn), 'Authenticate `user`'],
  [
    'ensures by notes that the rule does not count',
    open,
    withChange(
      withChange(open, 'Unique: text while `open == true`', 'Unique: text'),
      '`path.text` while `open == true`.',
      '`path.text`.',
    ),
    'Ensure `note`',
  ],
].map(
  ([name = '', stated = '', served = '', step = '']): Fault => ({
    name,
    stated,
    served,
    key: `step ${lineOf(stated, step)}`,
  }),
);

/** The orders, whose summary needs some scopes. */
const summary = (access: string): string =>
  withChange(
    documentText('examples/orders.md'),
    '### `GET /summary`\n\n- Access: orders:read\n',
    `### \`GET /summary\`\n\n- Access: ${access}\n`,
  );

const CALLERS: readonly Fault[] = [
  instead('lets a closed account call', closing, ' while `closed == null`', '', 'scheme Session: while'),
  instead(
    'lets machines of a closed account call',
    closing,
    ' while `owner.closed == null`',
    '',
    'scheme Machine key: while',
  ),
  instead('issues tokens of another type', closing, '- Type: `session+jwt`', '- Type: `JWT`', 'scheme Session: type'),
  {
    name: 'asks for one of two scopes',
    stated: summary('orders:read and orders:write'),
    served: summary('orders:read or orders:write'),
    key: 'endpoint GET /summary: access',
  },
  {
    name: 'asks for two scopes where one is enough',
    stated: summary('orders:read or orders:write'),
    served: summary('orders:read and orders:write'),
    key: 'endpoint GET /summary: access',
  },
  {
    name: 'asks for one scope where another is enough, too',
    stated: summary('orders:read or orders:fulfil'),
    served: summary('orders:read'),
    key: 'endpoint GET /summary: access',
  },
];

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

const KEYS: readonly Fault[] = [
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

/** Orders whose POST leads a client to the order. */
const leading = withChange(
  documentText('examples/orders.md'),
  'Answer 201 with `order` and header Location',
  'Answer 303 with header Location',
);
const OF_LEADING = `step ${lineOf(leading, 'Answer 303')}`;

const REDIRECTS: readonly Fault[] = [
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

/** Orders that are answered as text. */
const texts = readCases('src/compiler/endpoints/cases/text.md')[0]!.document;
const OF_TEXT = `step ${lineOf(texts, '1. Answer 200 with `order.sku')}`;

const TEXTS: readonly Fault[] = [
  instead('answers text with other characters', texts, '"\\n" + order.note', '" " + order.note', OF_TEXT),
  instead('answers text of another type', texts, 'as text/plain', 'as text/markdown', OF_TEXT),
  {
    name: 'answers text as a string of JSON',
    stated: texts,
    key: OF_TEXT,
    given: (answer) =>
      answer.headers.some(([, value]) => value.startsWith('text/plain')) && answer.body.length > 0
        ? { ...answer, body: Buffer.from(JSON.stringify(answer.body.toString())) }
        : answer,
  },
];

/** Orders whose answer has further members beside those of the row. */
const further = readCases('src/compiler/endpoints/cases/row-with-members.md')[0]!.document;
const OF_FURTHER = `step ${lineOf(further, 'Answer 201')}`;

const FURTHER: readonly Fault[] = [
  instead('leaves a further member out', further, ', links.note `order.note`', '', OF_FURTHER),
  instead('leaves the last further member out', further, ', brief `order` as Brief', '', OF_FURTHER),
  instead('shows a further row in another form', further, 'brief `order` as Brief', 'brief `order`', OF_FURTHER),
  instead('nests a dotted further member no more', further, 'links.self `', 'self `', OF_FURTHER),
  {
    name: 'holds the row in a member',
    stated: further,
    key: OF_FURTHER,
    given: (answer) => {
      const { id, ...rest } = answer.status === 201 ? JSON.parse(String(answer.body)) : {};
      return id ? { ...answer, body: Buffer.from(JSON.stringify({ order: { id }, ...rest })) } : answer;
    },
  },
];

const validating = readCases('src/compiler/endpoints/cases/validate.md')[0]!.document;

const VALIDATING: readonly Fault[] = [
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

const queries = documentText('src/compiler/endpoints/cases/documents/queries.md');
const OF_QUERY = 'endpoint QUERY /reports';

const QUERIES: readonly Fault[] = [
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

const forms = documentText('src/compiler/endpoints/cases/documents/forms.md');
const OF_FORM = 'endpoint POST /visits: payloads';

/** A service that reads each form as another one. */
const formAs = (name: string, change: (text: string) => string, key = OF_FORM): Fault => ({
  name,
  stated: forms,
  key,
  taken: (request) => (isForm(request.headers) ? withText(request, change) : request),
});

/** The pairs of a form, of which only one of each name is kept. */
const onePair = (text: string, isKept: (pair: string, i: number, all: readonly string[]) => boolean): string =>
  text.split('&').filter(isKept).join('&');

const nameOf = (pair: string): string => pair.replace(/=.*/s, '');

const FORMS: readonly Fault[] = [
  formAs('does not read a plus in a form as a space', (text) => text.replaceAll('+', '%2B')),
  formAs('does not decode the escapes of a form', (text) => text.replaceAll('%', '%25')),
  formAs('takes the escapes of a form for Latin-1', (text) =>
    text.replace(/%([89A-F].)/gi, (_, hex) => encodeURIComponent(String.fromCharCode(parseInt(hex, 16)))),
  ),
  formAs(
    'takes malformed escapes of a form as they are',
    (text) => text.replace(/%(?![0-9a-f]{2})/gi, '%25'),
    'endpoint POST /visits: request',
  ),
  formAs('takes the last value of a name that occurs twice', (text) =>
    onePair(text, (pair, i, all) => {
      const isList = /^(?:tags|ages)=/.test(pair);
      return isList || !all.slice(i + 1).some((other) => nameOf(other) === nameOf(pair));
    }),
  ),
  formAs('takes the first item of a list in a form', (text) =>
    onePair(text, (pair, i, all) => !all.slice(0, i).some((other) => nameOf(other) === nameOf(pair))),
  ),
  formAs('takes an empty value of a form for none', (text) => onePair(text, (pair) => !pair.endsWith('='))),
  formAs(
    'reads the words of HTML as booleans',
    (text) => text.replace(/inside=1(?=&|$)/, 'inside=true'),
    'field Visit.inside',
  ),
  {
    name: 'takes no form',
    stated: forms,
    key: OF_FORM,
    served: withChange(
      forms,
      '- Payloads: JSON (RFC 8259), requests as JSON or form (URL Standard)\n',
      '- Payloads: JSON (RFC 8259)\n',
    ),
  },
  {
    name: 'takes forms alone',
    stated: forms,
    key: OF_FORM,
    served: withChange(forms, '- Payloads: JSON (RFC 8259), requests as JSON or form (URL Standard)\n', ''),
  },
  {
    name: 'takes JSON where it should take forms alone',
    stated: forms,
    key: 'endpoint POST /token: payloads',
    served: withChange(
      forms,
      '### `POST /token`\n',
      '### `POST /token`\n\n- Payloads: JSON (RFC 8259), requests as JSON or form (URL Standard)\n',
    ),
  },
];

const branched = readCases('src/compiler/authentication/cases/cookies-branch.md')[0]!.document;

const BRANCHED: readonly Fault[] = [
  {
    name: 'sets a cookie whichever branch runs',
    stated: branched,
    key: `step ${lineOf(branched, '2. If `request.stay`')}`,
    served: withChange(branched, 'If `request.stay`', 'If `request.stay || !request.stay`'),
  },
];

const PATHS: readonly Fault[] = [
  path('takes an escaped colon for one of its path', 'POST /reports/{name}:close', /%3A/gi, ':'),
  path('takes the path with less text', 'POST /reports/{name}:re:close', /:re:close$/, '%3Are:close'),
  path('does not take escaped text', 'GET /v{number}', /%76/, '%2576'),
];

const SEVERAL = readCases('src/compiler/endpoints/cases/several-answers.md').map((one) => one.document);
/** Orders whose endpoints have several answers, and cards whose labels an Ensure finds or makes. */
const [several = '', , labelled = ''] = SEVERAL;
const OF_202 = `step ${lineOf(several, 'Answer 202 with status: `order.status`')}`;
const EARLY = `step ${lineOf(several, 'Answer 202 with status: `"unexplained"`')}`;
const ACCEPTED = '   2. Answer 202 with status: `order.status`';

const ANSWERS: readonly Fault[] = [
  instead('answers with the status of another answer', several, ACCEPTED, ACCEPTED.replace('202', '200'), OF_202),
  instead(
    'answers with the body of another answer',
    several,
    `${ACCEPTED} and header`,
    '   2. Answer 202 with `order` and header',
    OF_202,
  ),
  instead(
    'makes a change beside an early answer',
    several,
    ACCEPTED,
    `   2. Move \`order\` by cancel.\n${ACCEPTED.replace('2.', '3.')}`,
    OF_202,
  ),
  instead('never answers early', several, 'request.quantity > 500', 'request.quantity > 1001', EARLY),
  instead(
    'sends a redirect in the other branch, too',
    several,
    '   1. Answer 200 with `order` and header ETag `etag(order)`.\n6.',
    '   1. Answer 303 with header Location `"/orders/" + order.id`.\n6.',
    `step ${lineOf(several, '   1. Answer 200 with `order` and header ETag')}`,
  ),
  instead(
    'answers 201 for a row that was there',
    labelled,
    'If `made`',
    'If `made || !fresh`',
    `step ${lineOf(labelled, 'If `made`')}`,
  ),
  instead(
    'answers 200 for a row that it has made',
    labelled,
    'If `made`',
    'If `!made`',
    `step ${lineOf(labelled, 'Answer 201 with `mark`')}`,
  ),
  instead(
    'calls each row new',
    labelled,
    'fresh `fresh`',
    'fresh `true`',
    `step ${lineOf(labelled, 'Answer 201 with `mark`')}`,
  ),
];

/** Cards in the order of several keys, one of which can be null. */
const queue = documentText('src/compiler/endpoints/cases/documents/queue.md');
const OF_LIST = `step ${lineOf(queue, 'List `cards`')}`;
const OF_FIND = `step ${lineOf(queue, 'Find `soonest`')}`;

/** Loses the first row of a page where it is equal in the first sort key to the last row of the page before. */
function losingEqualRows(): Pick<Fault, 'taken' | 'given'> {
  let isLater = false;
  let last: unknown;
  return {
    taken: (request) => {
      isLater = /[?&]cursor=/.test(request.target);
      return request;
    },
    given: (answer) => {
      const body = answer.status === 200 ? JSON.parse(answer.body.toString()) : {};
      if (!Array.isArray(body.items)) return answer;
      const before = last;
      last = body.items.at(-1)?.rank;
      if (!isLater || body.items[0]?.rank !== before) return answer;
      return { ...answer, body: Buffer.from(JSON.stringify({ ...body, items: body.items.slice(1) })) };
    },
  };
}

const ORDERS: readonly Fault[] = [
  instead('ignores the second sort key of a name', queue, 'nulls last then latest `rank` first', 'nulls last', OF_LIST),
  instead(
    'turns a sort key with a fixed direction',
    queue,
    'last then latest `rank` first',
    'last then `rank`',
    OF_LIST,
  ),
  instead(
    'has the second key in the other direction',
    queue,
    'last then latest `rank`',
    'last then earliest `rank`',
    OF_LIST,
  ),
  instead('lists nulls at the wrong end', queue, '`due` nulls last then', '`due` nulls first then', OF_LIST),
  instead(
    'lists nulls of a second key at the wrong end',
    queue,
    'then `due` nulls first',
    'then `due` nulls last',
    OF_LIST,
  ),
  instead(
    'ignores the key after the choice',
    queue,
    '`query.direction`, then earliest `title` first',
    '`query.direction`',
    OF_LIST,
  ),
  instead(
    'turns the key after the choice',
    queue,
    'then earliest `title` first, in',
    'then latest `title` first, in',
    OF_LIST,
  ),
  instead(
    'finds by the first key alone',
    queue,
    'latest `due` nulls first, then earliest `title` first, or',
    'latest `due` nulls first, or',
    OF_FIND,
  ),
  instead(
    'finds rows without a value last',
    queue,
    'Card, latest `due` nulls first',
    'Card, latest `due` nulls last',
    OF_FIND,
  ),
  { name: 'loses a row of a page that is equal in the first key', stated: queue, key: OF_LIST, ...losingEqualRows() },
];

/** Orders as CSV and as NDJSON. */
const rows = readCases('src/compiler/endpoints/cases/rows.md')[0]!.document;
const OF_STREAMED = `step ${lineOf(rows, 'as the parameters say, earliest `sku`')}`;
const OF_CSV = `step ${lineOf(rows, '2. Answer 200 with `orders` as CSV')}`;
const OF_NDJSON = `step ${lineOf(rows, '2. Answer 200 with `orders` as Line, as NDJSON')}`;
const FIRST_CSV =
  '2. Answer 200 with `orders` as CSV (RFC 4180), columns sku titled `Article`, customer.name, customer.home, note';

/** An answer as CSV with another text. */
const csvWith = (name: string, change: (text: string) => string): Fault => ({
  name,
  stated: rows,
  key: OF_CSV,
  given: (answer) =>
    answer.headers.some(([, value]) => value.startsWith('text/csv; charset=utf-8; header=present'))
      ? { ...answer, body: Buffer.from(change(answer.body.toString())) }
      : answer,
});

const ROWS: readonly Fault[] = [
  csvWith('ends the records of CSV with LF', (text) => text.replaceAll('\r\n', '\n')),
  csvWith('leaves out the last row of CSV', (text) => text.replace(/(\r\n)[^\r\n]+\r\n$/, '$1')),
  csvWith('does not end the last record of CSV', (text) => text.replace(/\r\n$/, '')),
  csvWith('keeps formulas in CSV', (text) => text.replace(/(^|,|")'(?=[=@])/gm, '$1')),
  csvWith('does not quote in CSV', (text) => text.replaceAll('"', '')),
  csvWith('writes null in CSV', (text) => text.replaceAll(',,', ',null,')),
  instead('has another title in CSV', rows, 'titled `Article`', 'titled `Sku`', OF_CSV),
  instead(
    'has the columns of CSV in another order',
    rows,
    `${FIRST_CSV}, quantity`,
    FIRST_CSV.replace(', note', ', quantity, note'),
    OF_CSV,
  ),
  instead(
    'has no header in CSV',
    rows,
    ' titled `Article`, customer.name, customer.home, note, quantity, header present',
    ', customer.name, customer.home, note, quantity, header absent',
    OF_CSV,
  ),
  instead(
    'streams rows in another order',
    rows,
    'as the parameters say, earliest `sku`',
    'as the parameters say, latest `sku`',
    OF_STREAMED,
  ),
  instead(
    'streams rows of others',
    rows,
    'where `customer == caller`, as the parameters say, earliest `sku`',
    'where `quantity > 0`, as the parameters say, earliest `sku`',
    // The blame is put on the answer that sends the rows.
    OF_CSV,
  ),
  instead('streams rows in another form', rows, 'as Line, as NDJSON', 'as NDJSON', OF_NDJSON),
  {
    name: 'streams rows as an array of JSON',
    stated: rows,
    key: OF_NDJSON,
    given: (answer) =>
      answer.headers.some(([, value]) => value === 'application/x-ndjson')
        ? { ...answer, body: Buffer.from(`[${answer.body.toString().trim().replaceAll('\n', ',')}]`) }
        : answer,
  },
];

/** Orders whose errors have types, some of them their own. */
const problems = readCases('src/compiler/errors/cases/problem-types.md')[0]!.document;

const PROBLEMS: readonly Fault[] = [
  instead('gives a problem another type', problems, '`about:blank`', '`about:blanks`', 'code order_not_found'),
  instead('gives a problem the type of all others', problems, '`/help/keys#missing`', '', 'code key_missing'),
  instead('gives all problems another type', problems, '`/problems/{code}`', '`/problem/{code}`', 'errors: payload'),
];

/** The notes with links to other pages in the payload. */
const linking = withChange(
  withChange(notes, '- Text: trimmed\n', '- Text: trimmed\n- Missing values in answers: left out\n'),
  'by number, parameters `size` and `page`; header Link (RFC 8288) with prev, next, last; payload the items alone',
  'by number, parameters `size` and `page`; payload items `page.items`, links.prev `page.links.prev`, links.next `page.links.next`, links.last `page.links.last`',
);
const OF_PAGES = 'endpoint GET /notes: pages';

const LINKS: readonly Fault[] = [
  instead('leaves the link to the last page out', linking, ', links.last `page.links.last`', '', OF_PAGES),
  instead(
    'links to the first page in the place of the last',
    linking,
    '`page.links.last`',
    '`page.links.first`',
    OF_PAGES,
  ),
  instead('gives the number of the next page', linking, '`page.links.next`', '`page.next`', OF_PAGES),
  {
    name: 'links to the same page as the next one',
    stated: linking,
    key: OF_PAGES,
    given: (answer) => ({
      ...answer,
      body: Buffer.from(String(answer.body).replace(/("next":"[^"]*page=)\d+/, '$11')),
    }),
  },
  {
    name: 'links without the other parameters',
    stated: linking,
    key: OF_PAGES,
    given: (answer) => ({ ...answer, body: Buffer.from(String(answer.body).replaceAll(/size=\d+&/g, '')) }),
  },
];

/** Articles of tenants, which the claims of tokens tell apart. */
const tenants = readCases('src/compiler/authentication/cases/read-claims.md')[0]!.document;

const claim = (name: string, from: string, to: string, of: string): Fault =>
  instead(name, tenants, from, to, `scheme Author key: claim ${of}`);

const CLAIMS: readonly Fault[] = [
  claim('takes a claim of 11 characters', '| 1 to 10 characters  ', '| 1 to 11 characters  ', 'house'),
  claim('takes a value of a claim that is not listed', 'one of free, pro ', '1 to 40 characters ', 'plan'),
  claim(
    'takes an item of a claim of 9 characters',
    'each 1 to 8 characters | always',
    'each 1 to 9 characters | always',
    'rights',
  ),
  claim('takes 101 seats of 100', '| 1 to 100 ', '| 1 to 101 ', 'https://id.example/seats'),
];

/** Cards in groups, some of which the caller may not see. */
const grouped = readCases('src/compiler/endpoints/cases/groups.md')[0]!.document;
const OF_GROUPS = `step ${lineOf(grouped, 'Group `states`')}`;

type Groups = Array<Record<string, unknown>>;

/** A service that changes the groups of an answer. */
const regrouped = (name: string, change: (groups: Groups) => Groups): Fault => ({
  name,
  stated: grouped,
  key: OF_GROUPS,
  given: (answer) => {
    const text = answer.body.toString();
    const body = text === '' ? null : JSON.parse(text);
    if (!body?.states) return answer;
    return { ...answer, body: Buffer.from(JSON.stringify({ ...body, states: change(body.states) })) };
  },
});

const GROUPS: readonly Fault[] = [
  instead(
    'has no group of rows whose key is null',
    grouped,
    'Card by state',
    'Card where `taker != null` by state',
    OF_GROUPS,
  ),
  instead('lists groups in the opposite order', grouped, 'latest `count`', 'earliest `count`', OF_GROUPS),
  instead('sums another field', grouped, 'ranks `rows.map(r, r.rank)', 'ranks `rows.map(r, r.id)', OF_GROUPS),
  regrouped('groups by one key less', (groups) =>
    groups.filter((one, i) => groups.findIndex(({ state }) => state === one.state) === i),
  ),
  regrouped('sums one group too high', (groups) =>
    groups.map((one, i) => (i === groups.length - 1 ? { ...one, ranks: Number(one.ranks) + 1 } : one)),
  ),
  regrouped('leaves out groups of one row', (groups) => groups.filter(({ count }) => count !== 1)),
  regrouped('lists groups that are equal in the order in the opposite order of their keys', (groups) =>
    groups.toReversed().sort((a, b) => Number(b.count) - Number(a.count)),
  ),
  regrouped('lists one group twice', (groups) => (groups.length > 0 ? [...groups, ...groups.slice(-1)] : groups)),
  regrouped('counts in text', (groups) => groups.map((one) => ({ ...one, count: `${one.count}` }))),
  instead(
    'lists a group too many',
    grouped,
    '4 at most, more is left out',
    '5 at most, more is left out',
    'endpoint GET /cards/{id}/groups: Whole list',
  ),
  instead(
    'counts rows that the caller may not see',
    grouped,
    '- Visible: `owner == caller || rank < 100`',
    '- Visible: everyone',
    'resource Card: visible',
  ),
];

/** Cards of which every one counts, also those that the caller may not see. */
const counted = readCases('src/compiler/endpoints/cases/every.md')[0]!.document;

const COUNTED: readonly Fault[] = [
  instead(
    'groups only the rows that the caller may see',
    counted,
    '`ranks`: every Card',
    '`ranks`: Card',
    `step ${lineOf(counted, '`ranks`: every Card')}`,
  ),
  instead(
    'counts only the rows that the caller may see',
    counted,
    'every(Card).size() < 4',
    'Card.size() < 4',
    `step ${lineOf(counted, 'every(Card).size() < 4')}`,
  ),
  instead(
    'computes a derived field of the rows that the caller may see alone',
    counted,
    'every(Card).filter(c, c.owner == this)',
    'Card.filter(c, c.owner == this)',
    'field Person.cards',
  ),
];

/** The orders, where a write at an address without an ETag refuses preconditions. */
const untagged = withChange(
  documentText('examples/orders.md'),
  '- Conditional requests: none\n',
  '- Conditional requests: none\n- Preconditions without an ETag: refused\n',
);

/** The sessions, whose credentials are in a cookie. */
const sessions = documentText('docs/documents/sessions.md');
const ORIGIN = 'https://sessions.example';

/** A service that takes a request as if it came from its own page. */
const asOwn = (request: Request): Request => ({
  ...request,
  headers: [...request.headers.filter(([name]) => name.toLowerCase() !== 'origin'), ['Origin', ORIGIN]],
});

const originOf = ({ headers }: Request): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === 'origin')?.[1];

/** The answer with other values of Set-Cookie; without those that are null. */
const setting =
  (sets: (value: string, status: number) => string | null) =>
  (answer: Answer): Answer => ({
    ...answer,
    headers: answer.headers.flatMap(([name, value]) => {
      const set = name.toLowerCase() === 'set-cookie' ? sets(value, answer.status) : value;
      return set === null ? [] : [[name, set] as const];
    }),
  });

/** The readings, whose callers send their names and passwords. */
const readings = documentText('docs/documents/readings.md');
/** The readings, whose names are compared exactly. */
const exactNames = withChange(
  withChange(readings, 'yes, ignoring case |', 'yes                |'),
  ', ignoring case while',
  ' while',
);

/** A service that takes the credentials of a request for other ones: their bytes, or null where they stay. */
const asUser =
  (taken: (bytes: Buffer, text: string) => Buffer | string | null) =>
  (request: Request): Request => ({
    ...request,
    headers: request.headers.map(([name, value]) => {
      const [, word = '', sent = ''] = name === 'Authorization' ? (/^(Basic) (.*)$/i.exec(value) ?? []) : [];
      const bytes = Buffer.from(sent, 'base64');
      const other = word === '' ? null : taken(bytes, bytes.toString());
      return [name, other === null ? value : `${word} ${Buffer.from(other).toString('base64')}`];
    }),
  });

const withoutHeaders = (request: Request, ...names: readonly string[]): Request => ({
  ...request,
  headers: request.headers.filter(([name]) => !names.includes(name.toLowerCase())),
});

/** A service that remembers a password after the row has another one. */
function remembering(): (request: Request) => Request {
  const changed = new Map<string, string>();
  return (request) => {
    const sent = request.headers.find(([name]) => name === 'Authorization')?.[1] ?? '';
    const text = Buffer.from(sent.slice('Basic '.length), 'base64').toString();
    const body = request.body?.toString() ?? '';
    const [, password] = /^\{"password":"([^"]{12,})"\}$/.exec(body) ?? [];
    const now = changed.get(text);
    if (request.method === 'PUT' && password) changed.set(text, `${text.split(':')[0]}:${password}`);
    return now === undefined ? request : asUser((_, one) => (one === text ? now : null))(request);
  };
}

const USERS: readonly Fault[] = [
  ...(
    [
      ['takes a user name in other letters', 'subject', (_, text) => text.toLowerCase(), exactNames],
      ['takes a password with a character more', 'credentials', (_, text) => text.replace(/x$/, '')],
      [
        'takes a password in other letters',
        'credentials',
        (_, text) => text.replace(/:.*/s, (one) => one.toLowerCase()),
      ],
      ['takes a control character in a password', 'header', (_, text) => text.replaceAll('\u0001', '')],
      ['takes the first of two pairs', 'header', (_, text) => text.split('\n')[0] ?? ''],
      ['takes credentials that are not in UTF-8', 'header', (bytes) => bytes.filter((one) => one !== 0xe4)],
      ['takes credentials without padding, and with stray padding', 'header', (bytes) => bytes],
    ] as ReadonlyArray<readonly [string, string, (bytes: Buffer, text: string) => Buffer | string, string?]>
  ).map(
    ([name, fact, taken, stated = readings]): Fault => ({
      name,
      stated,
      key: `scheme Password: ${fact}`,
      taken: asUser(taken),
    }),
  ),
  {
    name: 'takes a password that the row had before',
    stated: readings,
    key: 'scheme Password: credentials',
    taken: remembering(),
  },
  {
    name: 'tells user names in other letters apart',
    stated: readings,
    served: exactNames,
    key: 'scheme Password: subject',
  },
  ...(
    [
      ['challenges without a charset', ', charset="UTF-8"'],
      ['challenges without a realm', ' realm="readings",'],
    ] as const
  ).map(
    ([name, part]): Fault => ({
      name,
      stated: readings,
      key: 'scheme Password: realm',
      given: (answer) => ({
        ...answer,
        headers: answer.headers.map(([field, value]) => [field, value.replace(part, '')] as const),
      }),
    }),
  ),
  {
    name: 'takes writes of HTTP Basic from pages of any origin',
    stated: readings,
    key: 'scheme Password: crossOrigin',
    taken: (request) => withoutHeaders(request, 'origin', 'sec-fetch-site'),
  },
  {
    name: 'refuses writes of HTTP Basic that are of no page',
    stated: readings,
    key: 'scheme Password: crossOrigin',
    taken: (request) =>
      request.headers.some(([name]) => /^(origin|sec-fetch-site)$/i.test(name))
        ? request
        : { ...request, headers: [...request.headers, ['Origin', 'https://elsewhere.example']] },
  },
  instead(
    'takes the credentials of a caretaker that has left',
    readings,
    ' while `left == null`',
    '',
    'scheme Password: while',
  ),
];

const COOKIES: readonly Fault[] = [
  ...[
    ['sets its cookie without SameSite', /; SameSite=Lax/],
    ['sets its cookie without HttpOnly', /; HttpOnly/],
    ['sets its cookie without Secure', /; Secure/],
    ['sets its cookie for the browser session', /; Max-Age=2592000/],
  ].map(
    ([name, part]): Fault => ({
      name: String(name),
      stated: sessions,
      key: 'scheme Session: cookie',
      given: setting((value) => value.replace(part as RegExp, '')),
    }),
  ),
  {
    name: 'does not remove the cookie of a revoked session',
    stated: sessions,
    key: 'scheme Session: cookie',
    given: setting((value, status) => (status < 300 && value.includes('Max-Age=0') ? null : value)),
  },
  {
    name: 'does not remove a refused cookie',
    stated: sessions,
    key: 'scheme Session: cookie',
    given: setting((value, status) => (status === 401 ? null : value)),
  },
  {
    name: 'takes a cookie in quotes',
    stated: sessions,
    key: 'scheme Session: cookie',
    taken: (request) => ({
      ...request,
      headers: request.headers.map(([name, value]) => [name, name === 'Cookie' ? value.replaceAll('"', '') : value]),
    }),
  },
  {
    name: 'does not check the origin of PATCH',
    stated: sessions,
    key: 'scheme Session: crossOrigin',
    taken: (request) => (request.method === 'PATCH' ? asOwn(request) : request),
  },
  {
    name: 'takes requests from a foreign origin',
    stated: sessions,
    key: 'scheme Session: crossOrigin',
    taken: (request) => (originOf(request) === 'https://elsewhere.example' ? asOwn(request) : request),
  },
  {
    name: 'takes requests from an origin that may only read',
    stated: sessions,
    key: 'scheme Session: crossOrigin',
    taken: (request) => (originOf(request) === 'https://reports.example' ? asOwn(request) : request),
  },
  {
    name: 'takes requests that prove no origin',
    stated: sessions,
    key: 'scheme Session: crossOrigin',
    taken: (request) => (originOf(request) === undefined ? asOwn(request) : request),
  },
  {
    name: 'takes requests of sandboxed pages',
    stated: sessions,
    key: 'scheme Session: crossOrigin',
    taken: (request) => (originOf(request) === 'null' ? asOwn(request) : request),
  },
  instead(
    'refuses the pages of the app',
    sessions,
    'refused except from `https://app.example`',
    'refused',
    'scheme Session: crossOrigin',
  ),
];

/** Tasks with lists and sets of references. */
const tagged = documentText('src/compiler/resources/cases/documents/tags.md');
const changed = (...changes: ReadonlyArray<readonly [from: string, to: string]>): string =>
  changes.reduce((text, [from, to]) => withChange(text, from, to), tagged);

const FAULTS: readonly Fault[] = [
  {
    name: 'takes an item that refers to no row',
    stated: tagged,
    key: 'field Task.after',
    served: changed(
      [
        '| list of Task   |        | at most 5 items     |',
        '| list of integer | | at most 5 items, each 1 to 9007199254740991 |',
      ],
      ['after as id', 'after'],
      ['Cleared with: tags, order, after', 'Cleared with: tags, order'],
    ),
  },
  {
    name: 'keeps a row that should leave a list',
    stated: tagged,
    key: 'reference Task.order',
    served: changed(
      ['Cleared with: tags, order, after', 'Cleared with: tags, after'],
      ['Keeps: fixed, else in_use', 'Keeps: fixed, order, else in_use'],
    ),
  },
  {
    name: 'shows hidden rows in a list',
    stated: tagged,
    key: 'resource Tag: visible',
    served: changed(['- Visible: `!hidden`', '- Visible: everyone']),
  },
  {
    name: 'loses the order of a list',
    stated: tagged,
    key: 'field Task.order',
    served: changed(['| list of Tag    |', '| set of Tag     |']),
  },
  {
    name: 'takes an item of a set twice',
    stated: tagged,
    key: 'field Task.tags',
    served: changed([
      '| set of Tag     |        | at most 20 items    |',
      '| list of Tag    |        | at most 20 items    |',
    ]),
  },
  bound('takes 49 of 1 to 48', 'integer', '1 to 48', '1 to 49'),
  bound('takes 0 of 1 to 48', 'integer', '1 to 48', '0 to 48'),
  bound('takes 11 characters of 2 to 10', 'string', '2 to 10 characters', '2 to 11 characters'),
  bound('takes 1 character of 2 to 10', 'string', '2 to 10 characters', '1 to 10 characters'),
  bound('takes an item of 49', 'list of integer', '1 to 3 items, each 1 to 48', '1 to 3 items, each 1 to 49'),
  bound('takes 4 items of 1 to 3', 'list of integer', '1 to 3 items, each 1 to 48', '1 to 4 items, each 1 to 48'),
  {
    name: 'takes a password in other letters',
    stated: accounts,
    key: `step ${lineOf(accounts, 'Authenticate `user`')}`,
    taken: passwords((one) => one.toLowerCase()),
  },
  {
    name: 'compares the first twelve characters of a password',
    stated: accounts,
    key: `step ${lineOf(accounts, 'Authenticate `user`')}`,
    taken: passwords((one) => (one.length > 12 ? one.slice(0, 12) : one)),
  },
  {
    name: 'does not compare the last character of a password',
    stated: accounts,
    key: `step ${lineOf(accounts, 'Authenticate `user`')}`,
    taken: passwords((one) => (one.length < 12 ? one : `${one.slice(0, -1)}z`)),
  },
  {
    name: 'takes credentials after any word',
    stated: accounts,
    key: 'scheme Session: header',
    taken: (request) => ({
      ...request,
      headers: request.headers.map(([name, value]) => [
        name,
        name.toLowerCase() === 'authorization' ? value.replace(/^\S+ +(?=\S)/, 'Bearer ') : value,
      ]),
    }),
  },
  {
    name: 'leaves out one row too many',
    stated: byOffset,
    key: 'endpoint GET /notes: pages',
    taken: withParameter('page', (value) => (value > 0 ? value + 1 : value)),
  },
  {
    name: 'filters by a part of a text',
    stated: byText('text == query.text'),
    served: byText('text.contains(query.text)'),
    key: 'parameter GET /notes: query text',
  },
  {
    name: 'filters in any letters',
    stated: byText('text == query.text'),
    served: byText('text.lower() == query.text.lower()'),
    key: 'parameter GET /notes: query text',
  },
  {
    name: 'trims byte order marks',
    stated: notes,
    key: 'resources: text',
    taken: (request) => withText(request, (text) => text.replaceAll('\ufeff', '')),
  },
  {
    name: 'does not trim next-line characters',
    stated: notes,
    key: 'resources: text',
    taken: (request) => withText(request, (text) => text.replaceAll('\u0085', '\ufeff')),
  },
  ...(
    [
      ['waits shorter before the third attempt', '5 minutes', '1 minute'],
      ['makes one attempt fewer', ATTEMPTS, '2, after 5 seconds'],
    ] as const
  ).map(
    ([name, from, to]): Fault => ({
      name,
      stated: tasks,
      served: tasks.replace(`- Attempts: ${ATTEMPTS}`, `- Attempts: ${ATTEMPTS.replace(from, to)}`),
      key: 'webhook: delays',
    }),
  ),
  ...CALLERS,
  ...KEYS,
  ...REDIRECTS,
  ...TEXTS,
  ...FURTHER,
  ...PATHS,
  ...VALIDATING,
  ...QUERIES,
  ...BRANCHED,
  ...FORMS,
  ...ANSWERS,
  ...PROBLEMS,
  ...ORDERS,
  ...ROWS,
  ...LINKS,
  instead(
    'takes a write that nothing can match',
    untagged,
    '- Preconditions without an ETag: refused\n',
    '',
    'endpoint POST /orders/{id}/place: preconditions',
  ),
  instead('does not require preconditions', matched, 'on writes: required', 'on writes: evaluated', OF_MATCHED),
  ...CLAIMS,
  ...GROUPS,
  ...COUNTED,
  ...LETTERS,
  ...COOKIES,
  ...USERS,
  ...RATES,
  ...TWO_FIELDS,
];

/** The number of the line that a text stands in. */
function lineOf(text: string, part: string): number {
  return text.split('\n').findIndex((line) => line.includes(part)) + 1;
}

/** A service that takes each request for another one, and gives another answer. */
function takingFor(target: Target, { taken = (one) => one, given = (one) => one }: Fault): Target {
  const own = ({ outcome, ...sent }: Exchange, request: Request): Exchange => ({
    ...sent,
    request,
    outcome: 'failed' in outcome ? outcome : given(outcome),
  });
  return {
    send: async (request) => own(await target.send(taken(request)), request),
    race: async (requests) => {
      const all = await target.race(requests.map(taken));
      return all.map((one, i) => own(one, requests[i] ?? one.request));
    },
    follow: (request) => target.follow(taken(request)),
    reach: () => target.reach(),
    get sent() {
      return target.sent;
    },
    get gone() {
      return target.gone;
    },
    get silence() {
      return target.silence;
    },
  };
}

/** The outcomes of the statements of a key, where a service is tested that may keep less. */
async function outcomesOf(t: TestContext, fault: Fault, requests: number) {
  const { stated, served = stated, key } = fault;
  const plan = planOf(stated);
  const contract = contractOf(plan);
  const statements = statementsOf(plan, contract, stated);
  const subject = await subjectOf(t, stated, served);
  const { results, breaks } = await verify({
    subject: { ...subject, target: takingFor(subject.target, fault) },
    url: subject.serviceUrl,
    statements,
    only: onlyOf(key, statements, plan),
    seed: SEED,
    budget: PATIENCE_MS,
    mostRequests: requests,
    mostBreaks: 25,
    version: '0',
  });
  return { results: results.filter(({ statement }) => statement.key === key), breaks };
}

/** A document as a service keeps less of it. Of these, each finds what it needs soon: a whole run makes a part of them. */
const SERVED = OTHERWISE.map(
  ([name, stated, from, to, key]): Fault => ({ name, stated, served: withChange(stated, from, to), key }),
);

for (const fault of [...share(FAULTS, 1).cases, ...share(SERVED, 1, 4).cases])
  test(`a statement is not kept by a service that ${fault.name}`, async (t) => {
    const { results, breaks } = await outcomesOf(t, fault, MOST_REQUESTS);
    assert.ok(breaks.length > 0);
    assert.ok(results.some(({ outcome }) => outcome !== 'kept'));
  });

const RIGHT = [
  ...new Map(
    FAULTS.map(({ name: _, taken: _taken, given: _given, served: _served, ...right }) => [
      right.stated + right.key,
      right,
    ]),
  ),
];

for (const [, right] of RIGHT)
  test(`“${right.key}” is kept by a service that keeps it`, IN_WHOLE, async (t) => {
    const { results } = await outcomesOf(t, { name: 'keeps it', ...right }, MOST_REQUESTS);
    assert.deepEqual(
      results.flatMap(({ outcome, unmet }) => (outcome === 'kept' ? [] : [outcome, ...unmet])),
      [],
    );
  });

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'needs.md');

const DOCUMENTS = [
  ...['accounts', 'blog', 'catalogue', 'notes', 'readings', 'sessions', 'tasks'].map(
    (name) => `docs/documents/${name}.md`,
  ),
  ...['forms', 'queries', 'reports', 'rooms'].map((name) => `src/compiler/endpoints/cases/documents/${name}.md`),
  ...['apiary', 'blogging', 'bookings', 'issues', 'orders', 'payments', 'todos'].map((name) => `examples/${name}.md`),
];

/** A need in words that hold for any document. */
function general(
  text: string,
  { plan, states }: { plan: ReturnType<typeof planOf>; states: ReadonlySet<string> },
): string {
  const resources = plan.resources.map(({ name }) => name);
  return text
    .replace(/“[^”]*”/g, '“…”')
    .replace(/^equal (?!rows).*/, 'equal CONDITION')
    .replace(/^not .*[<>].*/, 'not N CONDITION')
    .replace(/(tells) \S+ from \S+ in/, '$1 N from M in')
    .replace(/(?<![\w+]|rounds )-?(?:P[0-9DTHMS.]+|\d+(?:\.\d+)?)(?![\w)])/g, 'N')
    .split(' ')
    .map((word) => (states.has(word) ? 'STATE' : resources.includes(word) ? 'RESOURCE' : word))
    .join(' ')
    .replace(/a row with another \S+/, 'a row with another FIELD')
    .replace(/^refused after (?!another).*/, 'refused after WORD')
    .replace(/^kept with another \S+/, 'kept with another FIELD')
    .replace(/that is no .* is refused/, 'that is no FORMAT is refused');
}

/** The plan and the statements of a document. */
function stated(path: string) {
  const text = documentText(path);
  const plan = planOf(text);
  return { plan, statements: statementsOf(plan, contractOf(plan), text) };
}

/** The needs of each kind of statement over all documents, as a page. */
function pageOfNeeds(all: ReadonlyArray<ReturnType<typeof stated>>): string {
  const rows = new Map<string, Set<string>>();
  for (const { plan, statements } of all) {
    const states = new Set(
      plan.resources.flatMap((one) => [
        ...one.machines.map(({ initial }) => initial),
        ...transitionsIn(one.machines).flatMap(({ from, to }) => [...from, to]),
      ]),
    );
    const about = { plan, states };
    for (const { part, item, id, needs } of statements)
      for (const need of needs) {
        const of = need.traces.filter((one) => isSameId(one.statement, id));
        const met = (of.length > 0 ? of : need.traces).map(({ what }) => `\`${general(what, about)}\``);
        const row = `| ${part}: ${item} | ${general(need.name, about)} |`;
        rows.set(row, new Set([...(rows.get(row) ?? []), ...met]));
      }
  }
  const table = [...rows].map(
    ([row, met]) => `${row} ${[...met].sort().slice(0, MOST_SHOWN).join(', ').replaceAll('|', '\\|')} |`,
  );
  return `${HEAD}\n\n| Item | What has to be tried | Trace |\n| --- | --- | --- |\n${table.sort().join('\n')}\n`;
}

/** So many traces of one need are listed. */
const MOST_SHOWN = 6;

const HEAD = `# What a statement needs

A statement counts as kept when each of its needs was tried and every answer was the required one ([testing](testing.md#three-outcomes)). This page lists the needs of all examples and of the documents of this documentation. Each row has the item of the statement, what the test has to try, and the trace that shows it: what the test notes of a request that the service has answered as the document says. One of the traces in a row is enough. A trace of another statement may show a need too. N and M stand for numbers of the document, STATE, FIELD, RESOURCE, FORMAT, CONDITION and WORD for what it names, and “…” for its text. The tests of the project write this page (\`UPDATE=1 npx node --test test/verify/needs.test.ts\`).`;

test('docs/needs.md lists the needs of all statements, and none of them is without a trace', () => {
  const all = DOCUMENTS.map(stated);
  const page = pageOfNeeds(all);
  if (process.env.UPDATE) writeFileSync(PAGE, page);
  assert.equal(readFileSync(PAGE, 'utf8'), page);
  const without = (one: Statement): boolean => one.needs.some(({ traces }) => traces.length === 0);
  assert.deepEqual(
    all.flatMap(({ statements }) => statements.filter(without)),
    [],
  );
});
