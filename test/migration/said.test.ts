import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { MigrationOptions } from '../../src/cli/answers.ts';
import type { Edit } from '../fixtures.ts';
import { IN_WHOLE } from '../share.ts';
import { bringing } from './bring.ts';
import { PostgresStand, SqliteStand } from './stands.ts';

// What the operator says with --fill and --replace is what the new document allows, or it is refused, and nothing is changed.

const NOTE = '| note   | string    |        | at most 200 characters     | operator    | optional |          |\n';
const added = (type: string, allowed: string, presence = ''): Edit[] => [
  [NOTE, `${NOTE}| total | ${type} | | ${allowed} | operator | ${presence} | |\n`],
  ['spare, price, note, code, status, made', 'spare, price, note, code, status, made, total'],
];
const WHOLE = added('integer', '0 to 9007199254740991');
const GONE: Edit[] = [
  ['one of draft, open, closed', 'one of draft, live, closed'],
  ['| open       | draft       | open   |', '| open       | draft       | live   |'],
  ['| close      | draft, open | closed |', '| close      | draft, live | closed |'],
];
/** Another state beside those. */
const PARKED: Edit[] = [
  ['one of draft, open, closed', 'one of draft, open, parked, closed'],
  [
    '| close      | draft, open | closed |',
    '| park | open | parked | 24 hours after `made` | none |\n| close      | draft, open, parked | closed |',
  ],
];
/** The same, of a state in which no row is. */
const EMPTY: Edit[] = [
  ['one of draft, open, closed', 'one of draft, open, over'],
  ['- Final: closed', '- Final: over'],
  ['| close      | draft, open | closed |', '| close      | draft, open | over   |'],
];

// What differs little between the stores is done on the second in a whole run alone.
for (const [name, stand] of [
  ['SQLite', new SqliteStand()],
  ['PostgreSQL', new PostgresStand()],
] as const)
  describe(name, name === 'SQLite' ? {} : IN_WHOLE, () => {
    before(() => stand.fill());
    after(() => stand[Symbol.asyncDispose]());
    const { bring, mustBeAsBefore } = bringing(stand);

    /** Must be refused as wrong use, and change nothing. */
    async function mustBeMistaken(edits: readonly Edit[], options: MigrationOptions, why: RegExp): Promise<void> {
      const ran = await bring(edits, options);
      assert.equal(ran.outcome, 'wrong use', JSON.stringify(options));
      assert.match(ran.err, why);
      assert.deepEqual(await stand.contents(ran.place), await stand.contents(stand.first));
    }

    test('a fill without a result is refused by its option, where the field is optional too', async () => {
      const why =
        /the expression of --fill has no result for 3 rows .*--fill Item\.total=VALUE.* that is integer 0 to 9007/;
      const over = ['`amount * 9007199254740991`', '`9007199254740991 + amount - amount`'];
      for (const fill of over.map((code) => [`Item.total=${code}`])) {
        assert.match((await mustBeAsBefore(await bring(WHOLE, { fill })))[0]!, why);
        const optional = added('integer', '0 to 9007199254740991', 'optional');
        assert.match((await mustBeAsBefore(await bring(optional, { fill })))[0]!, why);
      }
      const cases = [
        [added('decimal', '0.00 to 999.99'), '`price * 9007199254740991`'],
        [added('timestamp', 'any'), '`made + duration("100000000h")`'],
      ] as const;
      for (const [edits, code] of cases)
        assert.match(
          (await mustBeAsBefore(await bring(edits, { fill: [`Item.total=${code}`] })))[0]!,
          /the expression of --fill has no result for 3 rows/,
        );
    });

    test('a fill that may be absent leaves an optional field so', async () => {
      const ran = await bring(added('string', 'at most 40 characters', 'optional'), { fill: ['Item.total=`code`'] });
      assert.equal(ran.outcome, 'done', ran.err);
    });

    test('a fill that is not allowed is refused by its option', async () => {
      const long = await bring(added('string', 'at most 9 characters'), {
        fill: ['Item.total=`name + name + name + name`'],
      });
      assert.match(
        (await mustBeAsBefore(long))[0]!,
        /the value of --fill is not allowed in 3 rows .*--fill Item\.total=VALUE.* that is text 0 to 9 characters\./,
      );
      for (const value of ['9007199254740992', '99999999999999999999', '-1'])
        await mustBeMistaken(
          WHOLE,
          { fill: [`Item.total=${value}`] },
          /^error: --fill: Item\.total may not be .* Allowed: integer 0 to 9007199254740991\.\n$/,
        );
      await mustBeMistaken(WHOLE, { fill: ['Item.total=1', 'Item.total=2'] }, /Item\.total has two --fill options/);
    });

    test('a rule that has no result for a row does not hold for it', async () => {
      const edits: Edit[] = [
        ['- Keeps: maker', '- Keeps: maker\n- Holds: `amount * 9007199254740991 >= 0`, else broken'],
        ['| not_open  | 409    |', '| broken | 409 | a rule says so | Broken |\n| not_open  | 409    |'],
      ];
      assert.match((await mustBeAsBefore(await bring(edits)))[0]!, /the rule does not hold for 3 rows/);
    });

    test('a value is replaced by one that the field may hold, and only where it is gone', async () => {
      const one = async (edits: readonly Edit[], replace: string[], why: RegExp): Promise<void> =>
        mustBeMistaken(edits, { replace }, why);
      const allowed = /--replace: Item\.status may not be “[^”]*”\. Allowed: text one of draft, live, closed\./;
      for (const value of ['lively', 'open', 'constructor', 'LIVE'])
        await one(GONE, [`Item.status:open=${value}`], allowed);
      await one(EMPTY, ['Item.status:closed=nowhere'], /--replace: Item\.status may not be “nowhere”\./);
      await one(GONE, ['Item.status:draft=live'], /--replace: Item\.status may still be “draft”/);
      await one(GONE, ['Item.statis:open=live'], /--replace: the document has no Item\.statis/);
      await one(GONE, ['Itm.status:open=live'], /--replace: the document has no Itm\.status/);
      await one(GONE, ['Item.status:open=live', 'Item.status:open=draft'], /“open” has two --replace options/);
      assert.equal((await bring(EMPTY, { replace: ['Item.status:closed=over'] })).outcome, 'done');
    });

    test('a state is split by an expression of the row alone, which is typed before anything is changed', async () => {
      const one = async (code: string, why: RegExp, more: MigrationOptions = {}): Promise<void> =>
        mustBeMistaken(GONE, { replace: [`Item.status:open=\`${code}\``], ...more }, why);
      await one('amount > 5 ? "live" : "lively"', /--replace: Item\.status cannot have the value .*“lively”/);
      await one('amount > 5 ? "live" : "open"', /--replace: Item\.status cannot have the value .*“open”/);
      await one('amount', /--replace: Item\.status cannot have the value/);
      await one('amuont > 5 ? "live" : "draft"', /--replace: Item\.status cannot have the value .*amount/);
      await one('maker.name == "a" ? "live" : "draft"', /reads only its own row/);
      await one('Item.exists(i, i.amount > 5) ? "live" : "draft"', /reads only its own row/);
      await one('now() > made ? "live" : "draft"', /now\(\) cannot be used here/);
      await one('note == "x" ? "live" : null', /--replace: Item\.status cannot have the value .* can be null here/);
      await mustBeMistaken(
        [],
        { replace: ['Item.name:x=`"y"`'] },
        /Item\.name has no enumerated values, so no expression gives one of them/,
      );
      const filled: Edit[] = [...GONE, ...added('integer', '0 to 9')];
      await mustBeMistaken(
        filled,
        { replace: ['Item.status:open=`total > 5 ? "live" : "draft"`'], fill: ['Item.total=1'] },
        /reads total, which this migration fills: values are replaced first/,
      );
    });

    test('each row with a split state gets its own new one, and the operator reads how many', async () => {
      const replace = ['Item.status:open=`note == null ? "live" : "draft"`'];
      const ran = await bring(GONE, { replace });
      assert.equal(ran.outcome, 'done', ran.err);
      assert.match(ran.out, /Item\.status is `.*` where it is open/);
      assert.match(ran.out, /Item\.status: open becomes (?:draft|live) in \d+ rows?/);
      // A value that the field keeps is split where the field receives others.
      const split = await bring(PARKED, { replace: ['Item.status:open=`note == null ? "parked" : "open"`'] });
      assert.equal(split.outcome, 'done', split.err);
      assert.match(split.out, /Item\.status: open becomes (?:open|parked) in/);
    });
  });
