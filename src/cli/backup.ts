import type { Command } from 'commander';
import type { Plan } from '../plan/step.ts';
import { showSize } from '../source/units.ts';
import { holdDirectory } from '../store/hold.ts';
import { backupDatabase, restoreDatabase } from '../store/sqlite.backup.ts';
import { loadDocument } from './document.ts';
import type { Io } from './io.ts';
import { reportFailure, settledPlan } from './open.ts';
import { databaseFile } from './stores.ts';

const AFTER_BACKUP = `
One file holds everything as of one instant: rows, keys, kept answers, and what is still to be delivered. It is made
while the service runs, and bears its name once it is whole and on the disk. It holds secrets, and is its owner's alone.

Example:
  $ ninefold backup orders.md --data ./data --to backups/orders-2026-11-21.sqlite`;

const AFTER_RESTORE = `
The backup is looked through first, and has to be of the document's shape. The service must not run. What was being
delivered when the backup was made is delivered again.

Example:
  $ ninefold restore orders.md --from backups/orders-2026-11-21.sqlite --data ./data`;

interface Options {
  readonly data: string;
  readonly json?: boolean;
}

/** Adds `backup FILE` and `restore FILE`. */
export function register(program: Command, io: Io): void {
  program
    .command('backup')
    .summary('copy all rows into one file, while the service runs')
    .description('Copies everything that is stored into one file, as of one instant.')
    .argument('<FILE>', 'the document')
    .requiredOption('--to <PATH>', 'the file to be made')
    .option('--data <DIR>', 'where rows are kept', './data')
    .option('--json', 'print JSON')
    .addHelpText('after', AFTER_BACKUP)
    .action((file: string, options: Options & { to: string }) =>
      within(file, options, io, (plan) => backup(file, plan, options, io)),
    );
  program
    .command('restore')
    .summary('put a backup in the place of what is stored')
    .description('Puts a backup where rows are kept.')
    .argument('<FILE>', 'the document')
    .requiredOption('--from <PATH>', 'the backup')
    .option('--data <DIR>', 'where rows are kept', './data')
    .option('--replace', 'put it in the place of what is there, which is kept under another name')
    .option('--json', 'print JSON')
    .addHelpText('after', AFTER_RESTORE)
    .action((file: string, options: Options & { from: string; replace?: boolean }) =>
      within(file, options, io, (plan) => restore(plan, options, io)),
    );
}

function within(file: string, { data }: Options, io: Io, work: (plan: Plan) => void): void {
  const compiled = loadDocument(file, io);
  const plan = compiled && settledPlan(compiled, true, io);
  if (!plan) return;
  try {
    work(plan);
  } catch (error) {
    reportFailure(error, { data }, io);
  }
}

function backup(file: string, plan: Plan, { data, to, json }: Options & { to: string }, io: Io): void {
  const { bytes, fits } = backupDatabase(databaseFile(data), to, plan);
  if (json) {
    io.out(`${JSON.stringify({ to, bytes, fits })}\n`);
    return;
  }
  io.out(`${data} is backed up in ${to}: ${showSize(bytes)}.\n`);
  if (!fits) io.out(`Its rows are not those of ${file}: it can be restored with the document that they are of.\n`);
}

function restore(
  plan: Plan,
  { data, from, replace, json }: Options & { from: string; replace?: boolean },
  io: Io,
): void {
  const held = holdDirectory(data);
  try {
    const { bytes, kept } = restoreDatabase(from, databaseFile(data), plan, replace ?? false);
    if (json) {
      io.out(`${JSON.stringify({ from, bytes, kept })}\n`);
      return;
    }
    io.out(`${from} is restored to ${data}: ${showSize(bytes)}.\n`);
    if (kept) io.out(`What was there is kept as ${kept}.\n`);
  } finally {
    held.release();
  }
}
