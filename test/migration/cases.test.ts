import '../whole-alone.ts';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Place } from '../../src/cli/stores.ts';
import type { Edit } from '../fixtures.ts';
import { IN_WHOLE } from '../share.ts';
import { bringing, told } from './bring.ts';
import { operateAt, PostgresStand, SqliteStand } from './stands.ts';
import { ITEMS, NOW, planOf } from './stock.ts';

const row = (field: string, rest: string): string => `| ${field} | ${rest} |`;
const NOTE = '| note   | string    |        | at most 200 characters     | operator    | optional |          |\n';
const AMOUNT = '| amount | integer   |        | 0 to 1000                  | operator    |          |          |\n';
const CODE = '| code   | string    |        | at most 40 characters      | operator    | optional |          |\n';
const NAME = '| name   | string    |        | at most 80 characters      | operator    |          |          |\n';
const CLOSE = '| close      | draft, open | closed | always                  | not_open  |\n';
const plus = (line: string, rest: string): Edit => [
  line,
  `${line}${row(...(rest.split(' | ', 1) as [string]), rest.split(' | ').slice(1).join(' | '))}\n`,
];
const shows = (fields: string): Edit => ['spare, price, note, code, status, made', fields];

for (const [name, stand] of [
  ['SQLite', new SqliteStand()],
  ['PostgreSQL', new PostgresStand()],
] as const)
  describe(name, () => {
    before(() => stand.fill());
    after(() => stand[Symbol.asyncDispose]());

    const { bring, mustBeWhole, mustBeAsBefore } = bringing(stand);
    /** What differs little between the stores is done on the second in a whole run alone. */
    const secondly = name === 'SQLite' ? {} : IN_WHOLE;

    describe('a field', () => {
      test('that is optional is added, and is absent in stored rows', secondly, async () => {
        const ran = await bring([
          plus(NOTE, 'hint | string | | at most 9 characters | operator | optional |'),
          shows('spare, price, note, code, status, made, hint'),
        ]);
        assert.deepEqual(told(ran.out), ['Item.hint is added']);
        const items = await mustBeWhole(ran);
        assert.deepEqual(
          items.map(({ hint }) => hint),
          [null, null, null],
        );
      });

      test('that is required is a question, until it is said what rows get', async () => {
        const edits = [
          plus(NOTE, 'hint | string | | at most 9 characters | operator | |'),
          shows('spare, price, note, code, status, made, hint'),
        ];
        assert.deepEqual(await mustBeAsBefore(await bring(edits)), [
          `Item.hint is added: 3 rows without a value, and the document states none (such as Item ${ITEMS[0].id}). Give the value: --fill Item.hint=VALUE, or an expression of the row in backquotes. Or make the field optional.`,
        ]);
        const wrong = await bring(edits, { fill: ['Item.hint=far too long'] });
        assert.deepEqual(
          [wrong.outcome, wrong.err],
          [
            'wrong use',
            'error: --fill: Item.hint may not be “far too long” (too_long). Allowed: text 0 to 9 characters.\n',
          ],
        );
      });

      test('that is required is filled by a constant, or by an expression of the row', async () => {
        const edits = [
          plus(NOTE, 'total | integer | | 0 to 9000 | operator | |'),
          shows('spare, price, note, code, status, made, total'),
        ];
        const constant = await mustBeWhole(await bring(edits, { fill: ['Item.total=7'] }));
        assert.deepEqual(
          constant.map(({ total }) => total),
          [7, 7, 7],
        );
        const ran = await bring(edits, { fill: ['Item.total=`amount + spare`'] });
        assert.deepEqual(told(ran.out), ['Item.total is added, `this.amount + this.spare` in stored rows']);
        assert.deepEqual(
          (await mustBeWhole(ran)).map(({ total }) => total),
          [7, 50, 509],
        );
      });

      test('is filled by what the document states for requests that leave it out', async () => {
        const edits: Edit[] = [
          plus(NOTE, 'hint | string | | at most 9 characters | request, else `"none"` | |'),
          shows('spare, price, note, code, status, made, hint'),
          [
            '### `POST /items/{id}/open`',
            '### `PATCH /items/{id}`\n\n- Request: Item with hint, each optional\n\n1. Change `item` from `request`.\n2. Answer 200 with `item`.\n\n### `POST /items/{id}/open`',
          ],
          [
            '- Missing values in answers: left out',
            '- Missing values in answers: left out\n- Null in requests: clears\n- Empty text in requests: kept\n- Unknown fields: refused',
          ],
        ];
        const ran = await bring(edits);
        assert.deepEqual(told(ran.out), ['Item.hint is added, "none" in stored rows']);
        assert.deepEqual(
          (await mustBeWhole(ran)).map(({ hint }) => hint),
          ['none', 'none', 'none'],
        );
      });

      test('that goes takes its values with it only when that is accepted by name', secondly, async () => {
        const edits: Edit[] = [[NOTE, ''], shows('spare, price, code, status, made')];
        assert.deepEqual(await mustBeAsBefore(await bring(edits)), [
          'Item.note is removed, with its values: 1 value would be lost. To allow this: --accept "drop Item.note". If it has a new name: --rename Item.note=NEW.',
        ]);
        const items = await mustBeWhole(await bring(edits, { accept: ['drop Item.note'] }));
        assert.ok(items.every((item) => !('note' in item)));
      });

      test('that is renamed keeps its values, also where two change places', secondly, async () => {
        const edits: Edit[] = [
          [AMOUNT, AMOUNT.replace('amount', 'onhand')],
          ['name, amount, spare', 'name, onhand, spare'],
        ];
        const ran = await bring(edits, { rename: ['Item.amount=Item.onhand'] });
        assert.deepEqual(told(ran.out), ['Item.amount is renamed to Item.onhand']);
        assert.deepEqual(
          (await mustBeWhole(ran)).map(({ onhand }) => onhand),
          [5, 50, 500],
        );
        const hyphened = await bring(
          [
            [AMOUNT, AMOUNT.replace('amount', 'on-hand')],
            ['name, amount, spare', 'name, on-hand, spare'],
          ],
          { rename: ['Item.amount=Item.on-hand'] },
        );
        assert.deepEqual(told(hyphened.out), ['Item.amount is renamed to Item.on-hand']);
        assert.deepEqual(
          (await mustBeWhole(hyphened)).map((item) => item['on-hand']),
          [5, 50, 500],
        );
        const swapped = await bring([['- Purpose: keep what', '- Purpose: hold what']], {
          rename: ['Item.amount=Item.spare', 'Item.spare=Item.amount'],
        });
        assert.equal(swapped.outcome, 'nothing', 'a document of the same shape needs no rename');
        const wrong = await bring(edits, { rename: ['Item.amount=Item.nothing'] });
        assert.deepEqual(
          [wrong.outcome, wrong.err],
          ['wrong use', 'error: Item.amount cannot be renamed to Item.nothing: the document has no Item.nothing.\n'],
        );
        const other = await bring(
          [
            [
              AMOUNT,
              AMOUNT.replace('amount ', 'onhand ')
                .replace('integer', 'string ')
                .replace(/\d+ to \d+/, '1 to 9 characters'),
            ],
            ['name, amount, spare', 'name, onhand, spare'],
          ],
          { rename: ['Item.amount=Item.onhand'] },
        );
        assert.deepEqual(
          [other.outcome, other.err],
          [
            'wrong use',
            'error: --rename: the values of Item.amount cannot be those of Item.onhand, which has another type. Remove the option: the old field then goes, and the new one is added.\n',
          ],
        );
      });

      test('that becomes always present is looked at, or filled', secondly, async () => {
        const edits: Edit[] = [[NOTE, NOTE.replace('optional', '        ')]];
        assert.match(
          (await mustBeAsBefore(await bring(edits)))[0]!,
          /^Item.note is always present: 2 rows without a value/,
        );
        const items = await mustBeWhole(await bring(edits, { fill: ['Item.note=none'] }));
        assert.deepEqual(
          items.map(({ note }) => note),
          ['none', 'old', 'none'],
        );
      });

      test('that becomes optional is', secondly, async () => {
        const ran = await bring([[AMOUNT, AMOUNT.replace('          |          |', ' optional |          |')]]);
        assert.deepEqual(told(ran.out), ['Item.amount is optional']);
        await mustBeWhole(ran);
      });
    });

    describe('values', secondly, () => {
      test('that are allowed no more are told of, with how many', async () => {
        const narrow = (to: string): Edit[] => [[AMOUNT, AMOUNT.replace('0 to 1000', `0 to ${to}`)]];
        assert.deepEqual(await mustBeAsBefore(await bring(narrow('100 '))), [
          `Item.amount may hold fewer values: 1 row with a value that is no longer allowed (such as Item ${ITEMS[2].id}). Change these rows first, with the old document. For a value of an enumeration, give the new value, or an expression of the row in backquotes: --replace Item.amount:OLD=NEW.`,
        ]);
        const ran = await bring(narrow('600 '));
        assert.deepEqual(told(ran.out), ['Item.amount may hold fewer values']);
        await mustBeWhole(ran);
        assert.deepEqual(told((await bring(narrow('2000'))).out), ['Item.amount may hold more values']);
      });

      test('of another type are converted where nothing is lost', async () => {
        const typed = (from: string, to: string, values: string, into: string): Edit[] => [
          [from, from.replace(to.split('→')[0]!, to.split('→')[1]!).replace(values, into)],
        ];
        const decimals = await bring(typed(AMOUNT, 'integer→decimal', '0 to 1000 ', '0.000 to 1000.000'));
        assert.deepEqual(told(decimals.out), [
          'Item.amount is a decimal of 3 digits, and was integer',
          'Item.amount may hold more values',
        ]);
        assert.deepEqual(
          (await mustBeWhole(decimals)).map(({ amount }) => amount),
          ['5.000', '50.000', '500.000'],
        );
        const uuid = await bring([[CODE, '| code | string | uuid | any | operator | optional | |\n']]);
        assert.deepEqual(
          (await mustBeWhole(uuid)).map(({ code }) => code),
          [null, null, '00000000-0000-7000-8000-00000000000a'],
        );
        const cents = await bring([['| 0.00 to 999.99             |', '| 0.0 to 999.9 |']]);
        assert.match(
          (await mustBeAsBefore(cents))[0]!,
          /^Item.price is a decimal of 1 digits, and was a decimal of 2 digits: 1 row with a value that has no equal/,
        );
      });

      test('of another type that has none of them go, when that is accepted', async () => {
        const edits: Edit[] = [[NOTE, '| note | boolean | | any | operator | optional | |\n']];
        assert.match(
          (await mustBeAsBefore(await bring(edits)))[0]!,
          /^Item.note is removed, with its values: 1 value would be lost/,
        );
        const items = await mustBeWhole(await bring(edits, { accept: ['drop Item.note'] }));
        assert.deepEqual(
          items.map(({ note }) => note),
          [null, null, null],
        );
      });
    });

    describe('rules', secondly, () => {
      test('that no two rows may break are held against those there are', async () => {
        const unique = (line: string, how: string): Edit[] => [[line, line.replace(/ +\|\n$/, ` ${how} |\n`)]];
        await mustBeWhole(await bring(unique(NAME, 'yes')));
        assert.deepEqual(await mustBeAsBefore(await bring(unique(NAME, 'yes, ignoring case'))), [
          `Item: no two rows have the same name ignoring case: 2 rows with the same values as another row (such as Item ${ITEMS[0].id}). Change these rows first, with the old document.`,
        ]);
      });

      test('that hold of every row are held against those there are', async () => {
        const holds = (rule: string): Edit[] => [
          ['- Keeps: maker', `- Keeps: maker\n- Holds: \`${rule}\`, else broken`],
          ['| not_open  | 409    |', '| broken | 409 | a rule says so | Broken |\n| not_open  | 409    |'],
        ];
        await mustBeWhole(await bring(holds('amount >= spare')));
        assert.match(
          (await mustBeAsBefore(await bring(holds('amount + spare < 500'))))[0]!,
          /the rule does not hold for 1 row \(such as Item .*3\)/,
        );
        const over = 'Item.filter(i, i.maker == maker).map(i, i.amount).sum() < 500';
        assert.match((await mustBeAsBefore(await bring(holds(over))))[0]!, /the rule does not hold for 1 row/);
      });
    });

    describe('rules over several rows', secondly, () => {
      const spans: Edit[] = [
        ['- Keeps: maker', '- Keeps: maker\n- No overlap: `made` to `made + duration("90m")` by maker, else broken'],
        ['| not_open  | 409    |', '| broken | 409 | a rule says so | Broken |\n| not_open  | 409    |'],
      ];
      test('that let no two spans overlap are held against those there are', async () => {
        await mustBeWhole(await bring(spans));
        const place = await stand.copy();
        await stand.run(place, `UPDATE item SET maker = 'acme'`);
        const ran = await bring(spans, {}, place);
        assert.equal(ran.outcome, 'refused');
        assert.match(
          ran.err,
          /no overlap of `this.made` to .* by maker: 1 row overlapping another row \(such as Item 0/,
        );
      });
    });

    describe('numbers', secondly, () => {
      const edits: Edit[] = [
        plus(NOTE, 'number | integer | | any | sequence per maker | |'),
        shows('spare, price, note, code, status, made, number'),
      ];
      test('are given to the rows there are only when that is said', async () => {
        assert.match((await mustBeAsBefore(await bring(edits)))[0]!, /^Item.number is added: 3 rows without a value/);
        const ran = await bring(edits, { fill: ['Item.number=sequence'] });
        const items = await mustBeWhole(ran);
        assert.deepEqual(
          items.map(({ number }) => number),
          [1, 2, 1],
        );
        const [added] = await operateAt(ran.place, planOf(ran.text), async (operator) => {
          const item = { ...ITEMS[0], id: '00000000-0000-7000-8000-000000000009' };
          return [await operator.add('Item', new Map(Object.entries(item)))];
        });
        assert.equal(added!.number, 3, 'what comes next follows');
      });
    });

    describe('states', secondly, () => {
      const HELD: Edit[] = [
        ['one of draft, open, closed', 'one of draft, live, closed'],
        ['| open       | draft       | open   |', '| open       | draft       | live   |'],
        ['| close      | draft, open | closed |', '| close      | draft, live | closed |'],
      ];
      test('that are gone are refused while rows stand in them, unless it is said where those go', async () => {
        assert.match(
          (await mustBeAsBefore(await bring(HELD)))[0]!,
          /^Item.status may hold fewer values: 1 row with a value/,
        );
        const ran = await bring(HELD, { replace: ['Item.status:open=live'] });
        assert.deepEqual(told(ran.out), ['Item.status is live where it is open', 'Item.status may hold fewer values']);
        assert.deepEqual(
          (await mustBeWhole(ran)).map(({ status }) => status),
          ['draft', 'draft', 'live'],
        );
      });

      const PAYMENT: Edit[] = [
        plus(NOTE, 'paid | string | | one of due, paid, lapsed | transitions | |'),
        shows('spare, price, note, code, status, made, paid'),
        [
          '## Endpoints',
          `### Item.paid

- Initial: due
- Final: lapsed

| Transition | From      | To     | When                    | Otherwise |
| ---------- | --------- | ------ | ----------------------- | --------- |
| pay        | due       | paid   | always                  | not_draft |
| lapse      | due, paid | lapsed | 24 hours after \`made\`   | none      |

## Endpoints`,
        ],
        ['1. Move `item` by open.', '1. Move `item` by open.\n2. Move `item` by pay.'],
        [
          '2. Answer 200 with `item`.\n\n### `POST /items/{id}/close`',
          '3. Answer 200 with `item`.\n\n### `POST /items/{id}/close`',
        ],
      ];
      test('of a second field are a question, and its timers begin with them', async () => {
        assert.deepEqual(await mustBeAsBefore(await bring(PAYMENT)), [
          `Item.paid is added: 3 rows without a value, and the document states none (such as Item ${ITEMS[0].id}). Give the value: --fill Item.paid=VALUE, or an expression of the row in backquotes. Or make the field optional.`,
        ]);
        const ran = await bring(PAYMENT, { fill: ['Item.paid=`status == "open" ? "paid" : "due"`'] });
        assert.deepEqual(told(ran.out), [
          'Item.paid is added, `this.status == "open" ? "paid" : "due"` in stored rows',
          'Item: lapse happens by itself, 86400 seconds after `this.made` from due, paid',
          'Item: a new row begins as due in the field paid',
          'Item: lapse will happen for 2 of 3 rows. For the other rows, its instant has passed or has not been set, so nothing happens.',
        ]);
        assert.deepEqual(
          (await mustBeWhole(ran)).map(({ status, paid }) => `${status} ${paid}`),
          ['draft due', 'draft due', 'open paid'],
        );
        const { rows } = await stand.contents(ran.place);
        assert.deepEqual(
          rows.find(({ table }) => table === 'item')!.rows.map((one) => one.ninefold_due_lapse !== null),
          [true, false, true],
        );
      });
    });

    describe('what happens by itself', secondly, () => {
      const lapse = (when: string): Edit => [CLOSE, `${CLOSE}| lapse      | draft       | closed | ${when} | none |\n`];
      const due = async (place: Place): Promise<unknown> => {
        const { rows } = await stand.contents(place);
        const instants = rows.find(({ table }) => table === 'item')!.rows.map((one) => one.ninefold_due_lapse);
        return instants.map((one) => (one === null ? null : Number(one)));
      };
      const HOUR = 3_600_000;
      test('is to come where its instant is, and nothing happens where that has passed', async () => {
        const ran = await bring([lapse('24 hours after `made`')]);
        assert.deepEqual(told(ran.out), [
          'Item: lapse happens by itself, 86400 seconds after `this.made` from draft',
          'Item: lapse will happen for 1 of 3 rows. For the other rows, its instant has passed or has not been set, so nothing happens.',
        ]);
        assert.deepEqual(await due(ran.place), [NOW + 23 * HOUR, null, null]);
        const items = await mustBeWhole(ran);
        assert.deepEqual(
          items.map(({ status }) => status),
          ['draft', 'draft', 'open'],
        );
        // A longer time begins at the same instant; a shorter one that has passed by now fires nothing.
        assert.deepEqual(await due((await bring([lapse('48 hours after `made`')], {}, ran.place)).place), [
          NOW + 47 * HOUR,
          NOW + 18 * HOUR,
          null,
        ]);
        assert.deepEqual(await due((await bring([lapse('30 minutes after `made`')], {}, ran.place)).place), [
          null,
          null,
          null,
        ]);
      });

      test('after a move is not known of moves made before', async () => {
        const ran = await bring([
          [CLOSE, `${CLOSE}| lapse      | open       | closed | 24 hours after open | none |\n`],
        ]);
        assert.deepEqual(await due(ran.place), [null, null, null]);
        await mustBeWhole(ran);
      });
    });

    describe('resources', secondly, () => {
      test('are added', async () => {
        const ran = await bring([
          [
            '### Item\n',
            '### Tag\n\n| Field | Type | Allowed values | Given by | Unique |\n| --- | --- | --- | --- | --- |\n| id | string | at most 9 characters | operator | identity |\n| maker | Maker | any | operator | |\n\n- Shown: id, maker as id\n- Keeps: maker\n- Visible: everyone\n\n### Item\n',
          ],
          [
            '### `GET /makers`',
            '### `GET /tags`\n\n1. List `tags`: Tag, earliest `id` first, in pages.\n2. Answer 200 with `tags`.\n\n### `GET /makers`',
          ],
        ]);
        assert.deepEqual(told(ran.out), ['Tag is added']);
        await mustBeWhole(ran);
      });

      test('are renamed, with all that refers to them', async () => {
        const edits: Edit[] = [
          ['### Maker', '### Brand'],
          ['| maker  | Maker     |', '| maker  | Brand     |'],
          ['List `makers`: Maker,', 'List `makers`: Brand,'],
        ];
        const ran = await bring(edits, { rename: ['Maker=Brand'] });
        assert.deepEqual(told(ran.out), ['Maker is renamed to Brand']);
        assert.deepEqual(
          (await mustBeWhole(ran)).map(({ maker }) => maker),
          ['acme', 'acme', 'base'],
        );
        const lost = await mustBeAsBefore(await bring(edits));
        assert.match(lost[0]!, /^Maker is removed, with its rows: 2 rows would be lost/);
        assert.match(lost.at(-1)!, /3 rows with a reference to a row that does not exist/);
      });
    });
  });
