import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { BULLETS } from '../../src/language/bullets.ts';
import { LIMITS } from '../../src/language/limits.ts';
import { VERBS } from '../../src/language/steps.ts';
import { CONDITIONS } from '../../src/plan/conditions.ts';
import { BOUNDED_FORMATS, OPEN_FORMATS } from '../../src/plan/value-forms.ts';
import { keysOf } from '../../src/text/own-members.ts';

/**
 * Prints how many source files name each fact of the language: `npm run facts`, and `npm run facts -- DIRECTORY` of another
 * checkout, to compare two. A file names a fact where a string, a template or a key of an object has its words; comments and
 * tests do not count. `--list` prints the files too.
 */
const FACTS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  bullet: [...new Set(keysOf(BULLETS).flatMap((place) => Object.keys(BULLETS[place])))].map((key) => [key.trim()]),
  'row of limits': keysOf(LIMITS).map((name) => [name]),
  verb: VERBS.map((name) => [name, name.toLowerCase()]),
  'kind of value': [
    'string',
    'integer',
    'decimal',
    'boolean',
    'timestamp',
    'date',
    'duration',
    'list',
    'set',
    'map',
  ].map((kind) => [kind]),
  format: [...OPEN_FORMATS, ...BOUNDED_FORMATS, 'uuid', 'password'].map((format) => [format]),
  condition: CONDITIONS.map((condition) => [condition]),
};

const asked = process.argv.slice(2).filter((one) => !one.startsWith('-'));
const root = resolve(asked[0] ?? join(import.meta.dirname, '..', '..'));
if (!existsSync(join(root, 'src'))) throw new Error(`“${root}” is no checkout: it has no folder “src”.`);

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g, '');
const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
  .map((entry) => join(entry.parentPath, entry.name))
  .sort()
  .map((path) => ({ file: relative(root, path), text: withoutComments(readFileSync(path, 'utf8')) }));

/** The files that name a fact by one of its names. */
function roomsOf(names: readonly string[]): string[] {
  const all = names.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  // A key in small letters is mostly that of something else.
  const keys = all.filter((name) => /^[A-Z]/.test(name));
  const named = new RegExp(
    `['"\`“](?:${all.join('|')})['"\`”:]${keys.length ? `|^\\s*(?:${keys.join('|')}):` : ''}`,
    'm',
  );
  return sources.filter(({ text }) => named.test(text)).map(({ file }) => file);
}

for (const [kind, facts] of Object.entries(FACTS)) {
  const rooms = facts
    .map((names) => ({ name: names[0]!, files: roomsOf(names) }))
    .sort((a, b) => b.files.length - a.files.length);
  const average = rooms.reduce((sum, { files }) => sum + files.length, 0) / rooms.length;
  const worst = rooms.slice(0, 3).map(({ name, files }) => `${name} ${files.length}`);
  console.log(`${kind}: ${rooms.length}, in ${average.toFixed(1)} files on average; most: ${worst.join(', ')}`);
  if (process.argv.includes('--list'))
    for (const { name, files } of rooms) console.log(`  ${name}: ${files.length}\n    ${files.join('\n    ')}`);
}
