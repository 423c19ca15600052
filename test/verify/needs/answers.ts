import { readCases } from '../../cases.ts';
import { type Fault, instead, lineOf } from './fault.ts';

/** Orders that are answered as text. */
const texts = readCases('src/compiler/endpoints/cases/text.md')[0]!.document;
const OF_TEXT = `step ${lineOf(texts, '1. Answer 200 with `order.sku')}`;

export const TEXTS: readonly Fault[] = [
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

export const FURTHER: readonly Fault[] = [
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

const SEVERAL = readCases('src/compiler/endpoints/cases/several-answers.md').map((one) => one.document);
/** Orders whose endpoints have several answers, and cards whose labels an Ensure finds or makes. */
const [several = '', , labelled = ''] = SEVERAL;
const OF_202 = `step ${lineOf(several, 'Answer 202 with status: `order.status`')}`;
const EARLY = `step ${lineOf(several, 'Answer 202 with status: `"unexplained"`')}`;
const ACCEPTED = '   2. Answer 202 with status: `order.status`';

export const ANSWERS: readonly Fault[] = [
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

export const ROWS: readonly Fault[] = [
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
