import type { Request } from '../../../src/verify/target/exchange.ts';
import { readCases } from '../../cases.ts';
import { documentText, withChange } from '../../subject.ts';
import { type Fault, instead, lineOf, notes } from './fault.ts';

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

const withParameter =
  (name: string, change: (value: number) => number) =>
  (request: Request): Request => ({
    ...request,
    target: request.target.replace(
      new RegExp(`([?&]${name}=)(\\d+)`),
      (_, before, value) => before + change(Number(value)),
    ),
  });

export const PAGES: readonly Fault[] = [
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

export const ORDERS: readonly Fault[] = [
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

/** The notes with links to other pages in the payload. */
const linking = withChange(
  withChange(notes, '- Text: trimmed\n', '- Text: trimmed\n- Missing values in answers: left out\n'),
  'by number, parameters `size` and `page`; header Link (RFC 8288) with prev, next, last; payload the items alone',
  'by number, parameters `size` and `page`; payload items `page.items`, links.prev `page.links.prev`, links.next `page.links.next`, links.last `page.links.last`',
);
const OF_PAGES = 'endpoint GET /notes: pages';

export const LINKS: readonly Fault[] = [
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

export const GROUPS: readonly Fault[] = [
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

export const COUNTED: readonly Fault[] = [
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
