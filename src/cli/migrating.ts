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
import { acceptedAs, describeChange, runsBeside, widens } from '../store/migration/change-kinds.ts';
import type { Change } from '../store/migration/changes.ts';
import { compareShapes } from '../store/migration/compare.ts';
import { describeHindrance } from '../store/migration/hindrances.ts';
import { type Answers, type Migrated, namesBefore, type Rename, type Watcher } from '../store/migration/upgrade.ts';
import { same, shapeOf } from '../store/shape.ts';
import { jsonText, oneLine } from '../text/visible.ts';
import type { Io } from './io.ts';
import { bringStore, type Place, placeName, receiversIn, storedShapeOf } from './stores.ts';

/** Options of a migration, beside the operator's answers. */
interface Migrating {
  /** The place of the rows. */
  readonly place: Place;
  /** Whether this is a dry run, which leaves the rows as they are. */
  readonly dry: boolean;
  readonly json: boolean;
  /** Whether rows in a shared database may be migrated back to an earlier document. */
  readonly back: boolean;
  /** The log, if logs are machine-readable. */
  readonly log?: Log | undefined;
}

/** The outcome of a migration: nothing to do, done, refused, or a mistake on the command line. */
export type Outcome = 'nothing' | 'done' | 'refused' | 'wrong use';

/** The duration above which a statement is reported, in milliseconds. */
const LONG = 1000;

/**
 * Migrates the rows of a store to a document, and prints the changes before they are made. Rejects with StoreError if
 * the store cannot be used.
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
    const refused = migrated.hindrances.map((one) => describeHindrance(one, plan));
    asked.log?.(refused.length ? 'error' : 'info', `migration.${outcome}`, {
      milliseconds,
      refused,
      notes: migrated.notes,
    });
  }
  // Versions do not affect stored rows, so stranded receivers are reported even if no row changes.
  const stranded = outcome === 'refused' ? [] : await strandedIn(plan, answers.renames, asked.place);
  if (asked.json) io.out(`${jsonText(report(plan, migrated, outcome, asked.dry, milliseconds, stranded), 2)}\n`);
  else if (migrated) tell(migrated, outcome, { ...asked, name, plan, milliseconds }, io);
  if (!asked.json) for (const text of unservedTexts(stranded)) io.out(`  ${oneLine(text)}\n`);
  return outcome;
}

/** The receivers that no longer get the events that they were registered for. */
async function strandedIn(plan: Plan, renames: readonly Rename[], place: Place): Promise<UnservedReceiver[]> {
  const rows = await receiversIn(place);
  // After a dry run, rows still have the old names.
  return [...unservedReceivers(plan, registeredOf(rows)), ...formerRows(plan, rows, namesBefore(renames))];
}

/** Whether the stored rows have the shape of another document. */
export async function differs(plan: Plan, place: Place): Promise<boolean> {
  const stored = await storedShapeOf(place);
  return stored !== null && !same(stored, shapeOf(plan));
}

/** The effects of an edit on stored rows that need the operator while requests are served. */
interface Review {
  /** The mistakes in the operator's answers. */
  readonly mistakes: readonly string[];
  /** The changes that drop or narrow stored values, and that no answer accepts. */
  readonly narrowing: readonly Change[];
}

/** The changes of an edit that the operator has to review. Both lists are empty if the edit only adds and widens. */
export async function reviewOf(
  plan: Plan,
  answers: Answers | { readonly problem: string },
  place: Place,
): Promise<Review> {
  const stored = await storedShapeOf(place);
  if ('problem' in answers) return { mistakes: [answers.problem], narrowing: [] };
  if (!stored) return { mistakes: [], narrowing: [] };
  const { changes, mistakes } = compareShapes(stored, shapeOf(plan), answers);
  const narrowing = changes.filter((change) => !widens(change) && !answers.accepted.has(acceptedAs(change) ?? ''));
  return { mistakes, narrowing };
}

const SILENT: Watcher = { planned: () => {}, step: () => {} };

/** Prints the planned changes, and statements that take long. */
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
  {
    name,
    plan,
    place,
    dry,
    milliseconds,
  }: Migrating & {
    readonly name: string;
    readonly plan: Plan;
    readonly milliseconds: number;
  },
  io: Io,
): void {
  if (outcome === 'refused') {
    io.err(`Nothing in ${placeName(place)} has been changed, because these rows do not fit ${name}:\n`);
    for (const one of hindrances)
      io.err(`  ${oneLine(`${describeChange(one.change)}: ${describeHindrance(one, plan)}`)}\n`);
    return;
  }
  for (const note of notes) io.out(`  ${oneLine(note)}\n`);
  io.out(
    dry
      ? `The migration is possible: it ran in ${milliseconds} ms on a copy. Nothing has been changed.\n`
      : `Done in ${milliseconds} ms.\n`,
  );
}

/** The report of a migration as JSON. */
function report(
  plan: Plan,
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
      text: describeHindrance(one, plan),
    })),
    notes: migrated?.notes ?? [],
    receivers: stranded,
  };
}
