import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HELPDESK, HELPDESK_HANDLER, PEER } from './paths.ts';

/** How much somebody has written. */
export interface Size {
  readonly files: number;
  /** Lines that are neither blank nor a comment. */
  readonly lines: number;
  /** Runs of letters, digits and underscores in these lines: names, keywords, numbers, words of texts and of SQL. */
  readonly words: number;
  readonly characters: number;
}

/** What is written for Ninefold, and by hand. */
export function sizes(): { readonly ninefold: Size; readonly fastify: Size } {
  const peer = readdirSync(PEER).filter((name) => name.endsWith('.ts'));
  return {
    ninefold: sizeOf([HELPDESK, HELPDESK_HANDLER]),
    fastify: sizeOf(peer.map((name) => join(PEER, name))),
  };
}

function sizeOf(files: readonly string[]): Size {
  const lines = files.flatMap((file) => codeOf(readFileSync(file, 'utf8'), file.endsWith('.ts')));
  return {
    files: files.length,
    lines: lines.length,
    words: lines.reduce((sum, line) => sum + (line.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0), 0),
    // Tables are padded for readers: one space counts.
    characters: lines.reduce((sum, line) => sum + line.replace(/ +|-{3,}/g, ' ').length, 0),
  };
}

/** The lines of code, without their indentation; in TypeScript, a comment has lines of its own here. */
function codeOf(text: string, isTypeScript: boolean): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !(isTypeScript && /^(?:\/\/|\/\*|\*)/.test(line)));
}
