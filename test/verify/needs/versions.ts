import { documentText, withChange } from '../../subject.ts';
import { type Fault, instead } from './fault.ts';

const CURRENT = 'Without a version: current version';
const OLDER = 'Without a version: version 2025-06-01';
const DEPRECATED = '| 2025-06-01 | deprecated | 2026-11-01 | 2027-11-01 |';

const orders = documentText('examples/orders.md');
const unversioned = withChange(orders, CURRENT, OLDER);
const supported = withChange(orders, DEPRECATED, '| 2025-06-01 | supported | none | none |');

const SUMMARY = '### `GET /summary`\n\n- Access: orders:read';
const FOUND = '| order_not_found     | 404 ';
const UNTIL = ', until 2027-10-01, else summary_gone';
const BOTH = ', with headers Deprecation (RFC 9745) and Sunset (RFC 8594)';
const ENDING = withChange(
  withChange(orders, SUMMARY, `${SUMMARY}\n- Deprecated: from 2026-11-01${UNTIL}${BOTH}`),
  FOUND,
  `| summary_gone | 410 | a step says so | The summary is gone |\n${FOUND}`,
);
const KEY = 'endpoint GET /summary: deprecated';

/** Tickets whose states and priorities have other words in older versions. */
const desk = documentText('src/compiler/versioning/cases/documents/desk.md');

export const VERSIONED: readonly Fault[] = [
  instead('answers a request without a version in the current one', unversioned, OLDER, CURRENT, 'versioning: without'),
  instead(
    'refuses a request without a version',
    unversioned,
    OLDER,
    'Without a version: refused',
    'versioning: without',
  ),
  {
    name: 'calls a supported version deprecated',
    stated: supported,
    key: 'version 2025-06-01',
    served: orders,
  },
  instead('shows a value by another word', desk, '`new` is `open`', '`new` is `fresh`', 'version v2'),
  {
    name: 'shows the values of the current version in an older one',
    stated: desk,
    key: 'version v1',
    served: desk.replace('Ticket.priority `low` is `minor`; ', ''),
  },
  instead('does not announce the end of an endpoint', ENDING, `${UNTIL}${BOTH}`, UNTIL, KEY),
  instead('announces another date', ENDING, 'from 2026-11-01', 'from 2026-11-02', KEY),
  instead('ends an endpoint later', ENDING, 'until 2027-10-01', 'until 2027-10-02', KEY),
  instead('announces the end and goes on', ENDING, 'until 2027-10-01', 'until 2029-10-01', KEY),
  {
    name: 'does not end an endpoint when it says',
    stated: ENDING,
    key: KEY,
    given: (answer) => (answer.status === 410 ? { ...answer, status: 200 } : answer),
  },
];
