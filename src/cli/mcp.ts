import type { Command } from 'commander';
import { lookAt } from '../store/paths.ts';
import { oneLine } from '../text/visible.ts';
import { DocumentFolder } from './document-folder.ts';
import { EXIT, type Io } from './io.ts';
import { programVersion } from './version.ts';

const AFTER = `
The server has six tools: check, next_questions, apply, explain, contract and test. Its resources are
the pages of the reference. A client starts the command and talks to it over standard input and
output; messages for people go to standard error. It ends when standard input ends.

The tools read and write Markdown files (.md) below one folder, and nothing else: links and “..” that
lead out of the folder are refused. No tool answers a question of a document by itself.

docs/agents.md describes how an agent writes a document with these tools.

Examples:
  $ ninefold mcp
  $ ninefold mcp --root services`;

/** Adds `mcp`. */
export function register(program: Command, io: Io): void {
  program
    .command('mcp')
    .description('Serves an agent over standard input and output, by the Model Context Protocol.')
    .option('--root <FOLDER>', 'the folder whose documents the tools may read and write', '.')
    .addHelpText('after', AFTER)
    .action(({ root }: { root: string }) => mcp(root, io));
}

async function mcp(root: string, io: Io): Promise<void> {
  if (!lookAt(root, true)?.isDirectory()) {
    io.err(`error: --root: “${oneLine(root)}” is no folder.\n`);
    io.exit(EXIT.wrongUse);
    return;
  }
  // No other command loads the library of the protocol.
  const { serveAgent } = await import('./mcp/serve.ts');
  serveAgent({
    documents: new DocumentFolder(root),
    version: programVersion(),
    log: (line) => io.err(`${line}\n`),
  });
}
