import type { Command } from 'commander';
import type { Io } from './io.ts';
import { programVersion } from './version.ts';

const AFTER = `
The server speaks the Language Server Protocol over standard input and output. Editors start the server;
nobody has to start it by hand. The server gives findings during typing, completion, the meaning and the
declaration of the word under the cursor, references and renaming, the outline, highlighting, folding, layout
of tables, the number of open questions above each part and endpoint, and each answer and correction as a
quick fix.

docs/editors.md describes how to set up editors.

Example, for Neovim 0.11:
  vim.lsp.config("ninefold", { cmd = { "npx", "ninefold", "lsp" }, filetypes = { "markdown" } })
  vim.lsp.enable("ninefold")`;

/** Adds `lsp`. */
export function register(program: Command, _io: Io): void {
  program
    .command('lsp')
    .description('Serves an editor by the Language Server Protocol, over standard input and output.')
    .option('--stdio', 'use standard input and output, which is the default; some editors pass this option')
    .addHelpText('after', AFTER)
    .action(async () => {
      // The library of the protocol is loaded for this command alone.
      const { serveEditor } = await import('../lsp/server.ts');
      serveEditor(programVersion());
    });
}
