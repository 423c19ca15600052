import type { Command } from 'commander';
import type { Compiled } from '../compiler/compile.ts';
import { compareCallers, type Renamed } from '../diff/callers.ts';
import type { Location, MergedDifference } from '../diff/merge.ts';
import { bytesOfColumn } from '../plan/files.ts';
import { named } from '../plan/named.ts';
import { type UnservedGroup, unservedGroups } from '../plan/receiver-versions.ts';
import type { Plan } from '../plan/step.ts';
import { acceptedAs, describeChange, runsBeside } from '../store/migration/change-kinds.ts';
import type { Change } from '../store/migration/changes.ts';
import { compareShapes } from '../store/migration/compare.ts';
import { namesBefore, type Rename } from '../store/migration/upgrade.ts';
import { shapeOf } from '../store/shape.ts';
import { jsonText, oneLine } from '../text/visible.ts';
import { type MigrationOptions, migrationOptions, readAnswers } from './answers.ts';
import { loadDocument } from './document.ts';
import { EXIT, type Io } from './io.ts';
import { settledPlan } from './open.ts';

const AFTER = `
A change is breaking when the service may refuse a caller that follows the old document, or when this caller may not
understand an answer. A change that Ninefold cannot decide counts as breaking. A change is covered by a version when the
new document describes the version of the old document and states the difference. \`migrate\` makes the changes of data.
\`diff\` also lists the receivers of webhooks to which the new document sends less, each with the command that mends it.

Exit codes:
  0  no breaking change, except those that a version covers
  1  a breaking change that no version covers
  2  wrong use, or a document with findings

Examples:
  $ ninefold diff orders.md orders-next.md
  $ ninefold diff orders.md orders-next.md --rename Order.amount=Order.total --json`;

interface Options extends MigrationOptions {
  readonly json?: boolean;
}

/** Adds `diff OLD NEW`. */
export function register(program: Command, io: Io): void {
  const command = program
    .command('diff')
    .description('Lists what changes between two documents, for callers and for stored rows.')
    .argument('<OLD>', 'the old document')
    .argument('<NEW>', 'the new document')
    .option('--json', 'print JSON');
  migrationOptions(command)
    .addHelpText('after', AFTER)
    .action((old: string, next: string, options: Options) => diff(old, next, options, io));
}

interface Both {
  readonly compiled: Compiled;
  readonly plan: Plan;
}

function diff(oldFile: string, nextFile: string, options: Options, io: Io): void {
  const old = load(oldFile, io);
  const next = old && load(nextFile, io);
  if (!next) return;
  const answers = readAnswers(next.compiled, next.plan, options);
  const compared =
    'problem' in answers ? null : { answers, data: compareShapes(shapeOf(old.plan), shapeOf(next.plan), answers) };
  const wrong = 'problem' in answers ? [answers.problem] : (compared?.data.mistakes ?? []);
  if (!compared || wrong.length) {
    for (const one of wrong) io.err(`error: ${oneLine(one)}\n`);
    io.exit(EXIT.wrongUse);
    return;
  }
  const { data } = compared;
  const told = compareCallers(old.plan, next.plan, renamedBy(compared.answers.renames, old.plan));
  io.exit(told.some((one) => one.breaking && one.covered === null) ? EXIT.findings : EXIT.settled);
  const groups = unservedGroups(old.plan, next.plan, namesBefore(compared.answers.renames));
  const wanted = (change: Change): string | null => unfilled(change, next.plan);
  if (options.json) io.out(`${jsonText(report(told, data.changes, groups, wanted), 2)}\n`);
  else io.out(text(told, data.changes, groups, wanted));
}

/** Loads a document, which must be settled to be compared. */
function load(file: string, io: Io): Both | null {
  const compiled = loadDocument(file, io);
  const wrongUse: Io = { ...io, exit: () => io.exit(EXIT.wrongUse) };
  const plan = compiled && settledPlan(compiled, false, wrongUse);
  return compiled && plan ? { compiled, plan } : null;
}

/** The renamed fields and resources that the old document has. */
export function renamedBy(renames: readonly Rename[], old: Plan): Renamed {
  const fields = new Map<string, string>();
  const resources = new Map<string, string>();
  for (const { resource, field, to } of renames) {
    const known = old.resources.find(({ name }) => name === resource);
    if (field === null || to.field === null) {
      if (known) resources.set(resource, to.resource);
    } else if (known?.columns.some(({ name }) => name === field)) fields.set(`${resource}.${field}`, to.field);
  }
  return { fields, resources };
}

/** The field for which stored rows need a value from the operator, as `Order.note`; null if none. */
function unfilled(change: Change, next: Plan): string | null {
  if ((change.kind !== 'add field' && change.kind !== 'require field') || change.fill !== null) return null;
  const { columns, files = [] } = named(next.resources, change.resource);
  const { nullable } = named(columns, change.field);
  // The operator gives no value in place of bytes.
  return nullable || bytesOfColumn(files, change.field) !== null ? null : `${change.resource}.${change.field}`;
}

type Unfilled = (change: Change) => string | null;

/** The options of `migrate` that a change needs; empty if none. */
function askedFor(change: Change, wanted: Unfilled): string {
  const accept = acceptedAs(change);
  if (accept !== null) return `  (--accept "${accept}")`;
  const field = wanted(change);
  return field === null ? '' : `  (migrate needs a value for stored rows: --fill ${field}=VALUE)`;
}

/** Describes the verdict on a difference. */
function verdict({ breaking, covered, reason }: MergedDifference): string {
  if (!breaking) return `not breaking: ${reason}`;
  return covered === null ? `BREAKING: ${reason}` : `breaking, covered by version ${covered}: ${reason}`;
}

const linesText = ({ oldLine, newLine }: Location): string => [oldLine, newLine].map((line) => line ?? '–').join(' → ');

/** The line of one difference. */
function line(one: MergedDifference): string {
  const lines = [...new Set([one, ...one.places].map(linesText))];
  const where = `line${lines.length > 1 ? 's' : ''} ${lines.join(', ')}`;
  const versions = one.versions.length ? ` in version ${one.versions.join(', ')}` : '';
  return `  ${one.at}${versions}: ${one.text}  (${verdict(one)}; ${where})`;
}

function text(
  told: readonly MergedDifference[],
  changes: readonly Change[],
  groups: readonly UnservedGroup[],
  wanted: Unfilled,
): string {
  const out: string[] = [];
  out.push(told.length ? 'For callers:' : 'For callers: nothing.');
  for (const one of told) out.push(oneLine(line(one)));
  out.push(changes.length ? 'For data:' : 'For data: nothing.');
  for (const change of changes) out.push(oneLine(`  ${describeChange(change)}${askedFor(change, wanted)}`));
  if (groups.length) out.push('For receivers of webhooks:');
  for (const { who, becomes, mend } of groups) out.push(oneLine(`  ${who} ${becomes}  (\`${mend}\`)`));
  const breaking = told.filter((one) => one.breaking && one.covered === null).length;
  const covered = told.filter((one) => one.breaking && one.covered !== null).length;
  out.push(
    `${told.length} difference${told.length === 1 ? '' : 's'} for callers: ${breaking} breaking, ${covered} covered by a version; ${changes.length} for data.`,
  );
  return `${out.join('\n')}\n`;
}

function report(
  told: readonly MergedDifference[],
  changes: readonly Change[],
  receivers: readonly UnservedGroup[],
  wanted: Unfilled,
): Record<string, unknown> {
  return {
    callers: told.map(({ places, met, versions, ...one }) => ({
      ...one,
      ...(versions.length > 0 && { versions }),
      ...(places.length > 1 && { places }),
      ...(met.length > 0 && { met }),
    })),
    data: changes.map((change) => ({
      kind: change.kind,
      text: describeChange(change),
      accept: acceptedAs(change),
      fill: wanted(change),
      besideOld: runsBeside(change),
    })),
    receivers,
  };
}
