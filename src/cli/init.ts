import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { whyOf } from '../store/paths.ts';
import { oneLine } from '../text/visible.ts';
import { emptyForm } from './form.ts';
import { EXIT, type Io } from './io.ts';

const AFTER = `
The form has a heading for each of the nine parts, and lists the bullets and
columns that each part may have. Each item is “not shown”.
Replace these sentences with statements; \`ninefold check\` lists the missing ones.

Examples:
  $ ninefold init
  $ ninefold init orders.md
  $ ninefold init - | less`;

/** Adds `init [FILE]`. */
export function register(program: Command, io: Io): void {
  program
    .command('init')
    .summary('write the empty form')
    .description('Writes the empty form of a document: the nine parts, without statements.')
    .argument('[FILE]', 'the file to write, or - for standard output', 'service.md')
    .option('--force', 'overwrite a file that exists')
    .addHelpText('after', AFTER)
    .action((file: string, options: { force?: boolean }) => init(file, options.force ?? false, io));
}

/** Writes the form, and says what to do next. A file that exists, or that can't be written, is wrong use. */
export function init(file: string, force: boolean, io: Io): void {
  io.exit(EXIT.settled);
  if (file === '-') {
    io.out(emptyForm());
    return;
  }
  try {
    // “wx” refuses in the same call that creates, so that no file can appear in between and be lost.
    writeFileSync(file, emptyForm(), { flag: force ? 'w' : 'wx' });
  } catch (error) {
    io.err(`error: ${oneLine(unwritable(file, error as NodeJS.ErrnoException))}\n`);
    io.exit(EXIT.wrongUse);
    return;
  }
  io.out(
    `Wrote ${file}: nine parts, without statements.\nNext, list what to state:\n  ninefold check ${quoted(file)}\n`,
  );
}

function unwritable(file: string, error: NodeJS.ErrnoException): string {
  if (error.code === 'EEXIST')
    return `“${file}” exists already and has not been changed. Name another file, or overwrite this one with --force.`;
  if (error.code === 'EISDIR') return `“${file}” is a directory. Name a file in it, such as ${file}/service.md.`;
  if (error.code === 'ENOENT') return `“${file}” cannot be written: there is no directory “${dirname(file)}”.`;
  return `“${file}” cannot be written: ${whyOf(error) ?? error.message}.`;
}

/** A file's name as a shell takes it. */
function quoted(file: string): string {
  if (/^[\w./-]+$/.test(file) && !file.startsWith('-')) return file;
  return `'${(file.startsWith('-') ? `./${file}` : file).replaceAll("'", "'\\''")}'`;
}
