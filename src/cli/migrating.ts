import {
  formerRows,
  registeredOf,
  type UnservedReceiver,
  unservedReceivers,
  unservedTexts,
} from '../plan/receiver-versions.ts';
import type { Plan } from '../plan/step.ts';
import type { Log } from '../runtime/log.ts';
import { rowRules } from '../runtime/row-rules.ts';
import { type Answers, namesBefore, type Rename } from '../store/migration/answers.ts';
import { acceptedAs, describeChange, runsBeside, widens } from '../store/migration/change-kinds.ts';
import type { Change } from '../store/migration/changes.ts';
import { compareShapes } from '../store/migration/compare.ts';
import { describeHindrance } from '../store/migration/hindrances.ts';
import type { Migrated, Watcher } from '../store/migration/upgrade.ts';
import { same, shapeOf } from '../store/shape.ts';
import { jsonText, oneLine } from '../text/visible.ts';
import type { Io } from './io.ts';
import { bringStore, type Place, placeName, receiversIn, storedShapeOf } from './stores.ts';

/** What is asked of a migration, beside what the operator answers. */
interface Migrating {
  /** Where the rows are. */
  readonly place: Place;
  /** Only to see what would become of it. */
  readonly dry: boolean;
  readonly json: boolean;
  /** Whether shared rows may be brought back to a document that they have been of before. */
  readonly back: boolean;
  /** Where it is told as well, where logs are for machines. */
  readonly log?: Log | undefined;
}

/** How a migration ended: there was nothing to do, it was done, or it was refused; or the command line is mistaken. */
export type Outcome = 'nothing' | 'done' | 'refused' | 'wrong use';

/** A statement that takes longer than this is worth a line, in milliseconds. */
const LONG = 1000;

/**
 * Brings the rows of a store to a document, and says what is done before it is done. Rejects with StoreError where the
 * store can’t be used.
 */
export async function migrate(
  name: string,
  plan: Plan,
  answers: Answers | { readonly problem: string },
  asked: Migrating,
  io: Io,
): Promise<Outcome> {
  if ('problem' in answers) {
    io.err(`error: ${oneLine(answers.problem)}\n`);
    return 'wrong use';
  }
  const began = Date.now();
  const watcher = asked.json ? SILENT : telling(name, asked, io);
  const { dry, back } = asked;
  const migrated = await bringStore(asked.place, plan, {
    answers,
    rules: rowRules(plan),
    watcher,
    now: began,
    dry,
    back,
  });
  const milliseconds = Date.now() - began;
  if (migrated?.mistakes.length) {
    for (const mistake of migrated.mistakes) io.err(`error: ${oneLine(mistake)}\n`);
    return 'wrong use';
  }
  const outcome = !migrated ? 'nothing' : migrated.hindrances.length ? 'refused' : 'done';
  if (migrated) {
    const refused = migrated.hindrances.map(describeHindrance);
    asked.log?.(refused.length ? 'error' : 'info', `migration.${outcome}`, {
      milliseconds,
      refused,
      notes: migrated.notes,
    });
  }
  // Versions are no part of how rows are stored: whom they leave waiting is said even where nothing has to be done.
  const stranded = outcome === 'refused' ? [] : await strandedIn(plan, answers.renames, asked.place);
  if (asked.json) io.out(`${jsonText(report(migrated, outcome, asked.dry, milliseconds, stranded), 2)}\n`);
  else if (migrated) tell(migrated, outcome, { ...asked, name, milliseconds }, io);
  if (!asked.json) for (const text of unservedTexts(stranded)) io.out(`  ${oneLine(text)}\n`);
  return outcome;
}

/** The receivers that a document leaves without what was agreed with them. */
async function strandedIn(plan: Plan, renames: readonly Rename[], place: Place): Promise<UnservedReceiver[]> {
  const rows = await receiversIn(place);
  // Rows that have only been tried still have the names of before.
  return [...unservedReceivers(plan, registeredOf(rows)), ...formerRows(plan, rows, namesBefore(renames))];
}

/** Whether the rows of a store are those of another document. */
export async function differs(plan: Plan, place: Place): Promise<boolean> {
  const stored = await storedShapeOf(place);
  return stored !== null && !same(stored, shapeOf(plan));
}

/**
 * What stands in the way of taking up an edit while requests go on: what drops or narrows is for whoever starts the
 * service, who may look at it first. Nothing where the edit only adds and widens.
 */
export async function tooMuchAtOnce(
  plan: Plan,
  answers: Answers | { readonly problem: string },
  place: Place,
): Promise<string[]> {
  const stored = await storedShapeOf(place);
  if ('problem' in answers) return [answers.problem];
  if (!stored) return [];
  const { changes, mistakes } = compareShapes(stored, shapeOf(plan), answers);
  const narrowing = changes.filter((change) => !widens(change) && !answers.accepted.has(acceptedAs(change) ?? ''));
  return [...mistakes, ...narrowing.map(describeChange)];
}

const SILENT: Watcher = { planned: () => {}, step: () => {} };

/** Says what will be done, and what takes long while it does. */
function telling(name: string, { place, log }: Migrating, io: Io): Watcher {
  let last = Date.now();
  return {
    planned: (changes) => {
      if (changes.length === 0) return;
      log?.('info', 'migration.planned', { changes: changes.map(describeChange) });
      io.out(
        `The rows in ${placeName(place)} do not have the shape of ${name} yet. Changes:\n${changes.map(line).join('')}`,
      );
    },
    step: (what) => {
      if (Date.now() - last > LONG) io.out(`  … ${oneLine(what)}\n`);
      if (Date.now() - last > LONG) last = Date.now();
    },
  };
}

const line = (change: Change): string => `  ${oneLine(describeChange(change))}\n`;

function tell(
  { hindrances, notes }: Migrated,
  outcome: Outcome,
  { name, place, dry, milliseconds }: Migrating & { readonly name: string; readonly milliseconds: number },
  io: Io,
): void {
  if (outcome === 'refused') {
    io.err(`Nothing in ${placeName(place)} has been changed, because these rows do not fit ${name}:\n`);
    for (const one of hindrances) io.err(`  ${oneLine(`${describeChange(one.change)}: ${describeHindrance(one)}`)}\n`);
    return;
  }
  for (const note of notes) io.out(`  ${oneLine(note)}\n`);
  io.out(
    dry
      ? `The migration is possible: it ran in ${milliseconds} ms on a copy. Nothing has been changed.\n`
      : `Done in ${milliseconds} ms.\n`,
  );
}

/** A migration as machines read it. */
function report(
  migrated: Migrated | null,
  outcome: Outcome,
  dry: boolean,
  milliseconds: number,
  stranded: readonly UnservedReceiver[],
): Record<string, unknown> {
  return {
    outcome: dry && outcome === 'done' ? 'possible' : outcome,
    milliseconds,
    changes: (migrated?.changes ?? []).map((change) => ({
      kind: change.kind,
      text: describeChange(change),
      accept: acceptedAs(change),
      besideOld: runsBeside(change),
    })),
    refused: (migrated?.hindrances ?? []).map((one) => ({
      change: describeChange(one.change),
      why: one.why,
      rows: one.rows,
      example: one.example,
      text: describeHindrance(one),
    })),
    notes: migrated?.notes ?? [],
    receivers: stranded,
  };
}
