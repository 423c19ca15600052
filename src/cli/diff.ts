import type { Command } from 'commander';
import type { Compiled } from '../compile.ts';
import { comparePlans, type Renamed } from '../diff/callers.ts';
import type { Difference } from '../diff/compare.ts';
import { lineOf, placesOf } from '../diff/places.ts';
import type { Plan } from '../plan/step.ts';
import { jsonText, oneLine } from '../source/visible.ts';
import { acceptedAs, type Change, describeChange, runsBeside } from '../store/changes.ts';
import { compareShapes, type Rename } from '../store/migrate.ts';
import { shapeOf } from '../store/shape.ts';
import { type MigrationOptions, migrationOptions, readAnswers } from './answers.ts';
import { loadDocument } from './document.ts';
import { EXIT, type Io } from './io.ts';
import { settledPlan } from './open.ts';

const AFTER = `
What differs for callers is breaking where one that kept to the old document may be refused, or not understand an
answer; where that can't be told, it is taken for breaking. It is covered where the new document lists the old one's
version, and states the difference. What differs for data is what \`migrate\` does.

Exit codes:
  0  nothing is breaking that no version covers
  1  something is
  2  wrong use, or a document that is not settled

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
    .summary('say what another document changes, for callers and for data')
    .description('Says what a changed document changes for callers, and what for the rows there are.')
    .argument('<OLD>', 'the document as it was')
    .argument('<NEW>', 'the document as it is to be')
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
  const data = 'problem' in answers ? null : compareShapes(shapeOf(old.plan), shapeOf(next.plan), answers);
  const wrong = 'problem' in answers ? [answers.problem] : data!.mistakes;
  if ('problem' in answers || wrong.length) {
    for (const one of wrong) io.err(`error: ${oneLine(one)}\n`);
    io.exit(EXIT.wrongUse);
    return;
  }
  const differences = comparePlans(old.plan, next.plan, renamedBy(answers.renames, old.plan));
  const lines = withLines(differences, old.compiled, next.compiled);
  io.exit(differences.some((one) => one.breaking && one.covered === null) ? EXIT.findings : EXIT.settled);
  if (options.json) io.out(`${jsonText(report(lines, data!.changes), 2)}\n`);
  else io.out(text(lines, data!.changes));
}

/** A document that isn’t settled says too little to be compared. */
function load(file: string, io: Io): Both | null {
  const compiled = loadDocument(file, io);
  const wrongUse: Io = { ...io, exit: () => io.exit(EXIT.wrongUse) };
  const plan = compiled && settledPlan(compiled, false, wrongUse);
  return compiled && plan ? { compiled, plan } : null;
}

/** What is called otherwise, as far as the old document has it. */
function renamedBy(renames: readonly Rename[], old: Plan): Renamed {
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

/** Where something differs, with the lines of either document. */
interface Somewhere {
  readonly at: string;
  readonly oldLine: number | null;
  readonly newLine: number | null;
}

/** One thing that differs, with every place where it does. */
interface Told extends Difference, Somewhere {
  readonly places: readonly Somewhere[];
}

function withLines(differences: readonly Difference[], old: Compiled, next: Compiled): Told[] {
  const [before, after] = [placesOf(old), placesOf(next)];
  const somewhere = ({ at, lines }: Difference): Somewhere => {
    const stepped = lines[0] !== null || lines[1] !== null;
    return {
      at,
      oldLine: stepped ? lines[0] : lineOf(before, at),
      newLine: stepped ? lines[1] : lineOf(after, at),
    };
  };
  return together(differences).map((all) => {
    const places = all.map(somewhere);
    const [first] = places as [Somewhere];
    return { ...all[0]!, ...first, at: places.map(({ at }) => at).join(', '), places };
  });
}

/** What is the same at several endpoints is one thing, told where the first of them stands. */
function together(differences: readonly Difference[]): Difference[][] {
  const out = new Map<string, Difference[]>();
  for (const [i, one] of differences.entries()) {
    const ofEndpoint = /^[A-Z]+ \//.test(one.at);
    const key = ofEndpoint ? `${one.text}\n${one.breaking} ${one.covered}` : String(i);
    const same = out.get(key) ?? [];
    // A step that stands twice at one endpoint is two things.
    const again = same.some(({ at }) => at === one.at);
    out.set(again ? `${key}\n${i}` : key, again ? [one] : [...same, one]);
  }
  return [...out.values()];
}

const verdict = ({ breaking, covered }: Difference): string => {
  if (!breaking) return 'not breaking';
  return covered === null ? 'BREAKING' : `breaking, covered by version ${covered}`;
};

const linesText = ({ oldLine, newLine }: Somewhere): string =>
  [oldLine, newLine].map((line) => line ?? '–').join(' → ');

function text(differences: readonly Told[], changes: readonly Change[]): string {
  const out: string[] = [];
  out.push(differences.length ? 'For callers:' : 'For callers: nothing.');
  for (const one of differences) {
    const lines = [...new Set(one.places.map(linesText))];
    const where = `line${lines.length > 1 ? 's' : ''} ${lines.join(', ')}`;
    out.push(oneLine(`  ${one.at}: ${one.text}  (${verdict(one)}; ${where})`));
  }
  out.push(changes.length ? 'For data:' : 'For data: nothing.');
  for (const change of changes) {
    const accept = acceptedAs(change);
    out.push(oneLine(`  ${describeChange(change)}${accept ? `  (--accept "${accept}")` : ''}`));
  }
  const breaking = differences.filter((one) => one.breaking && one.covered === null).length;
  const covered = differences.filter((one) => one.breaking && one.covered !== null).length;
  out.push(
    `${differences.length} difference${differences.length === 1 ? '' : 's'} for callers: ${breaking} breaking, ${covered} covered by a version; ${changes.length} for data.`,
  );
  return `${out.join('\n')}\n`;
}

function report(differences: readonly Told[], changes: readonly Change[]): Record<string, unknown> {
  return {
    callers: differences.map(({ at, text: said, breaking, covered, oldLine, newLine, places }) => ({
      at,
      ...(places.length > 1 && { places }),
      text: said,
      breaking,
      covered,
      oldLine,
      newLine,
    })),
    data: changes.map((change) => ({
      kind: change.kind,
      text: describeChange(change),
      accept: acceptedAs(change),
      besideOld: runsBeside(change),
    })),
  };
}
