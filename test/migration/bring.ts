import assert from 'node:assert/strict';
import { type MigrationOptions, readAnswers } from '../../src/cli/answers.ts';
import { migrate, type Outcome } from '../../src/cli/migrating.ts';
import { openStore, type Place } from '../../src/cli/stores.ts';
import { compile } from '../../src/compiler/compile.ts';
import type { Edit } from '../fixtures.ts';
import { operateAt, type Stand } from './stands.ts';
import { type Listed, planOf, stock } from './stock.ts';

/** What became of a migration. */
export interface Ran {
  readonly outcome: Outcome;
  readonly out: string;
  readonly err: string;
  readonly place: Place;
  readonly text: string;
}

/** The changes that were shown, and what was told after them. */
export const told = (out: string): string[] =>
  out.split('\n').flatMap((line) => (line.startsWith('  ') && !line.startsWith('  …') ? [line.trim()] : []));

/** Brings rows that stand somewhere to other documents, and looks at what has become of them. */
export function bringing(stand: Stand) {
  /** Brings the rows to an edited document; gives what was printed. */
  async function bring(edits: readonly Edit[], options: MigrationOptions = {}, at?: Place): Promise<Ran> {
    const place = at ?? (await stand.copy());
    const text = stock(...edits);
    const plan = planOf(text);
    let out = '';
    let err = '';
    const io = {
      out: (one: string) => {
        out += one;
      },
      err: (one: string) => {
        err += one;
      },
      color: false,
      exit: () => {},
    };
    const asked = { place, dry: false, json: false, back: false };
    const outcome = await migrate('stock.md', plan, readAnswers(compile('stock.md', text), plan, options), asked, io);
    return { outcome, out, err, place, text };
  }

  /** What was done is what the new document would have made: the same tables, in which rows can be written. */
  async function mustBeWhole({ place, text, outcome, err }: Ran): Promise<Listed[]> {
    assert.equal(outcome, 'done', err);
    const plan = planOf(text);
    const fresh = await stand.empty();
    await (await openStore(fresh, plan)).close();
    const listed = await operateAt(place, plan, async (operator) =>
      plan.resources.some(({ name }) => name === 'Item') ? operator.list('Item') : [],
    );
    assert.deepEqual((await stand.contents(place)).schema, (await stand.contents(fresh)).schema);
    return listed;
  }

  /** What was refused has changed nothing. */
  async function mustBeAsBefore(ran: Ran): Promise<string[]> {
    assert.equal(ran.outcome, 'refused', ran.out);
    assert.deepEqual(await stand.contents(ran.place), await stand.contents(stand.first));
    return told(ran.err);
  }

  return { bring, mustBeWhole, mustBeAsBefore };
}
