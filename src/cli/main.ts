import { Command, CommanderError } from 'commander';
import { prepareHeap } from './garbage.ts';
import { EXIT, guarded, type Io, processIo } from './io.ts';
import { programVersion } from './version.ts';

interface CommandModule {
  register(program: Command, io: Io): void;
}

/** Every command, in the order in which help lists them, with the module that has it. */
const COMMANDS: ReadonlyArray<readonly [names: readonly string[], load: () => Promise<CommandModule>]> = [
  [['init'], () => import('./init.ts')],
  [['check'], () => import('./check.ts')],
  [['ask'], () => import('./ask.ts')],
  [['lsp'], () => import('./lsp.ts')],
  [['plan'], () => import('./plan.ts')],
  [['contract'], () => import('./contract.ts')],
  [['export'], () => import('./export.ts')],
  [['import'], () => import('./import.ts')],
  [['types'], () => import('./types.ts')],
  [['diff'], () => import('./diff.ts')],
  [['test'], () => import('./test.ts')],
  [['serve'], () => import('./serve.ts')],
  [['migrate'], () => import('./migrate.ts')],
  [['rows'], () => import('./rows.ts')],
  [['keys'], () => import('./keys.ts')],
  [['receivers'], () => import('./receivers.ts')],
  [['events'], () => import('./events.ts')],
  [['backup', 'restore'], () => import('./backup.ts')],
  [['mcp'], () => import('./mcp.ts')],
];

const AFTER = `
Start with a document of your own:
  $ ninefold init service.md
  $ ninefold ask service.md
  $ ninefold serve service.md

Exit codes:
  0  success; for check, no findings
  1  the document has findings, one of its rules refuses a command, or \`test\` finds a statement broken
  2  wrong use of the command line
  3  the port or the store is not available
  4  \`test\` found nothing broken, but too few statements are kept (--require-kept)
  70 a defect of Ninefold
  74 the disk refused to sync a write (fsync); the process ended before the next answer
  129, 130, 143  a second SIGHUP, SIGINT or SIGTERM ended the service at once`;

/** Runs the command line of this process. Never rejects: what goes wrong is printed and shows in the exit code. */
export async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args[0] === 'serve') prepareHeap();
  await run(args, processIo());
}

/**
 * Runs one command. `args` are the words after `ninefold`. Wrong use ends with 2; an exception that no command
 * foresaw is a defect of ours, and ends with 70 so that nobody takes it for findings.
 */
export async function run(args: readonly string[], to: Io): Promise<void> {
  const io = guarded(to);
  try {
    await (await createProgram(args[0], io)).parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return io.exit(error.exitCode === 0 ? EXIT.settled : EXIT.wrongUse);
    io.err(
      `error: this is a defect of Ninefold, not of the document.\n${error instanceof Error ? error.stack : error}\n`,
    );
    io.exit(EXIT.defect);
  }
}

/**
 * Creates the program with the requested command alone, since loading the modules of all commands takes as long as
 * running one. Without a known name, creates all commands.
 */
async function createProgram(asked: string | undefined, io: Io): Promise<Command> {
  const program = new Command('ninefold')
    .description(
      'One Markdown document in nine parts describes a service. Ninefold lists what the document leaves open, and runs the service.',
    )
    .version(programVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print the help of a command')
    .helpCommand('help [COMMAND]', 'print the help of a command')
    .usage('COMMAND …')
    .enablePositionalOptions()
    .addHelpText('after', AFTER)
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err, getOutHasColors: () => io.color });
  const one = COMMANDS.filter(([names]) => asked !== undefined && names.includes(asked));
  for (const [, load] of one.length ? one : COMMANDS) (await load()).register(program, io);
  pointToHelp(program, 'ninefold');
  return program;
}

/** Adds to the message about a wrong use of a command the name of its help command. */
function pointToHelp(command: Command, words: string): void {
  command.showHelpAfterError(`\`${words} --help\` describes it.`);
  for (const child of command.commands) pointToHelp(child, `${words} ${child.name()}`);
}
