import { Command, CommanderError } from 'commander';
import { prepareHeap } from './garbage.ts';
import { EXIT, guarded, type Io, processIo } from './io.ts';
import { programVersion } from './version.ts';

interface CommandModule {
  register(program: Command, io: Io): void;
}

/**
 * Every command, in the order in which help lists them: its name, what it takes, what it does, and the module that has it.
 */
const COMMANDS: ReadonlyArray<
  readonly [name: string, takes: string, summary: string, load: () => Promise<CommandModule>]
> = [
  ['init', '[options] [FILE]', 'write the empty form, or an example to begin from', () => import('./init.ts')],
  ['check', '[options] <FILE>', 'list the errors and open questions of a document', () => import('./check.ts')],
  ['ask', '<FILE>', 'ask the open questions of a document, and write the answers', () => import('./ask.ts')],
  ['lsp', '[options]', 'serve an editor (Language Server Protocol)', () => import('./lsp.ts')],
  ['plan', '[options] <FILE> [ENDPOINT]', 'print what will run, step by step', () => import('./plan.ts')],
  ['contract', '[options] <FILE> [ENDPOINT]', 'print what callers can meet', () => import('./contract.ts')],
  [
    'export',
    '[options] <FORMAT> <FILE>',
    'write the contract in the formats of other tools',
    () => import('./export.ts'),
  ],
  [
    'import',
    '[options] <FORMAT> <FILE>',
    'print a document of what an OpenAPI file states',
    () => import('./import.ts'),
  ],
  ['types', '<FILE>', 'print the TypeScript types of the handlers', () => import('./types.ts')],
  [
    'diff',
    '[options] <OLD> <NEW>',
    'list the changes between two documents, for callers and for data',
    () => import('./diff.ts'),
  ],
  ['test', '[options] <FILE>', 'test a service against the document', () => import('./test.ts')],
  ['serve', '[options] <FILE>', 'run the service', () => import('./serve.ts')],
  ['migrate', '[options] <FILE>', 'migrate stored rows to a changed document', () => import('./migrate.ts')],
  [
    'rows',
    '[options] <FILE> <ACTION> <RESOURCE> [REST...]',
    'add, list, change, move and remove rows as the operator',
    () => import('./rows.ts'),
  ],
  ['keys', '[options] <FILE> <ACTION> [REST...]', 'issue, list, revoke and forget API keys', () => import('./keys.ts')],
  [
    'receivers',
    '[options] <FILE> <ACTION> [REST...]',
    'add, change, pause and remove receivers of webhooks, and rotate their secrets',
    () => import('./receivers.ts'),
  ],
  ['events', '[options] <FILE> <ACTION> [ID]', 'list and replay deliveries of events', () => import('./events.ts')],
  [
    'schedules',
    '[options] <FILE> <ACTION> [NAME]',
    'list the runs of schedules, and make a run',
    () => import('./schedules.ts'),
  ],
  [
    'console',
    '[options] <FILE> [ACTION]',
    'print a link to the console of a running service, and end sessions',
    () => import('./console-links.ts'),
  ],
  ['backup', '[options] <FILE>', 'copy all rows into one file, while the service runs', () => import('./backup.ts')],
  ['restore', '[options] <FILE>', 'restore a backup', () => import('./backup.ts')],
  ['mcp', '[options]', 'serve agents by the Model Context Protocol', () => import('./mcp.ts')],
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

/** The first words of a command line that only lists the commands, or asks for the version. */
const LISTING: ReadonlySet<string> = new Set(['-h', '--help', '-V', '--version']);

/**
 * Creates the program with the requested command alone, since loading the modules of all commands takes as long as
 * running one; for the list of commands, without any of their modules. Without a known name, creates all commands.
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
  if (asked === undefined || LISTING.has(asked))
    for (const [name, takes, summary] of COMMANDS) program.command(`${name} ${takes}`).summary(summary);
  else await load(program, asked, io);
  pointToHelp(program, 'ninefold');
  return program;
}

/** Loads the module of the requested command; those of all commands where it has no known name. */
async function load(program: Command, asked: string, io: Io): Promise<void> {
  const one = COMMANDS.filter(([name]) => name === asked);
  const modules = new Set<CommandModule>();
  for (const [, , , module] of one.length ? one : COMMANDS) modules.add(await module());
  for (const module of modules) module.register(program, io);
  for (const command of program.commands)
    command.summary(COMMANDS.find(([name]) => name === command.name())?.[2] ?? '');
}

/** Adds to the message about a wrong use of a command the name of its help command. */
function pointToHelp(command: Command, words: string): void {
  command.showHelpAfterError(`\`${words} --help\` describes it.`);
  for (const child of command.commands) pointToHelp(child, `${words} ${child.name()}`);
}
