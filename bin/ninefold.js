#!/usr/bin/env node
// Kept to what Node 12 can parse, so that an old Node prints the sentence below and not a syntax error.
// The package's engines field says the same, but npm only warns about it.

// biome-ignore lint/style/useNodejsImportProtocol: Node 12 knows no `node:`
import { existsSync } from 'fs';

const found = process.versions.node;
const numbers = found.split('.').map(Number);

// The published package holds dist and no sources, and Node.js runs no TypeScript inside node_modules.
// In a clone the sources come first, so that an edit never runs an older build.
const isClone = existsSync(new URL('../src/cli/main.ts', import.meta.url));

if (numbers[0] < 22 || (numbers[0] === 22 && numbers[1] < 18)) {
  console.error(
    [
      `error: Ninefold needs Node.js 22.18 or newer, and this is Node.js ${found} (${process.execPath}).`,
      isClone
        ? 'Run `npm ci` in this clone once: it installs the Node.js that the project pins, and `npx ninefold …` uses it.'
        : 'Install a newer Node.js from https://nodejs.org/, and run the command with it.',
    ].join('\n'),
  );
  process.exitCode = 2;
} else {
  import(isClone ? '../src/cli/main.ts' : '../dist/cli/main.js').then((cli) => cli.main());
}
