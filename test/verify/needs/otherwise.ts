import { readCases } from '../../cases.ts';
import { documentText, withChange } from '../../subject.ts';
import { type Fault, lineOf, matched, notes, OF_MATCHED } from './fault.ts';

const board = documentText('docs/documents/tasks.md');

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

/** What a document says, what a service keeps in its place, and the statement that it keeps less of. */
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

/** A document as a service keeps less of it. Of these, each finds what it needs soon: a whole run makes a part of them. */
export const SERVED = OTHERWISE.map(
  ([name, stated, from, to, key]): Fault => ({ name, stated, served: withChange(stated, from, to), key }),
);
