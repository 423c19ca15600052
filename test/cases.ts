import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** One block of a case: what it is (`edit`, `findings`, `notices`, `plan`, `exchange`), what stands beside that, and its text. */
export interface Block {
  readonly kind: string;
  readonly info: string;
  readonly text: string;
}

/**
 * A case: a document and what is to come of it. Cases stand in Markdown files, one under each `##` heading, as fenced
 * blocks (`~~~kind`). The document is an example (or a file that `base` names) with `edit` blocks applied, or a
 * `document` block of its own.
 */
export interface Case {
  readonly file: string;
  readonly name: string;
  readonly document: string;
  readonly blocks: readonly Block[];
}

/** The document that a case starts from: an example, one that the reference quotes, or a path from the root. */
function baseFile(base: string): string {
  if (base.includes('/')) return join(ROOT, base);
  return ['examples', 'docs/documents'].map((folder) => join(ROOT, folder, base)).find((file) => existsSync(file))!;
}

/** Reads the cases of one file. Throws where an edit doesn’t fit its document. */
export function readCases(file: string): Case[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return sectionsOf(text).map((section) => {
    const name = section.split('\n', 1)[0]!.trim();
    const blocks = [...section.matchAll(/^~~~(\w+)(.*)\n([\s\S]*?)^~~~$/gm)].map((match) => ({
      kind: match[1]!,
      info: match[2]!.trim(),
      text: match[3]!,
    }));
    return { file, name, document: documentOf(`${file}: ${name}`, blocks), blocks };
  });
}

/** What stands under each `##` heading; in a block, such a line belongs to the block’s document. */
function sectionsOf(text: string): string[] {
  const sections: string[] = [];
  let inBlock = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('~~~')) inBlock = line !== '~~~';
    if (!inBlock && line.startsWith('## ')) sections.push(line.slice(3));
    else if (sections.length) sections.push(`${sections.pop()}\n${line}`);
  }
  return sections.map((section) => `${section}\n`);
}

function documentOf(where: string, blocks: readonly Block[]): string {
  const own = blocks.find((block) => block.kind === 'document');
  const base = blocks.find((block) => block.kind === 'base')?.info ?? 'orders.md';
  let document = own?.text ?? readFileSync(baseFile(base), 'utf8');
  for (const block of blocks) if (block.kind === 'edit') document = edit(where, document, block.text);
  return document;
}

/**
 * Applies an edit: lines that start with `-` are taken out, and those with `+` put in their place. The `-` lines stand
 * together in the document, and only once; each may be cut short with `…` at its end. In what is put there, `{text×9}`
 * stands for nine times the text, for what has to be too long to be written out, and a line that begins with `+×9 ` for
 * nine lines, in which `{#}` is the number of the line, from 1, and `{#-1}` that of the line before.
 */
function edit(where: string, document: string, text: string): string {
  const lines = text.split('\n').filter((line) => line !== '');
  const out = lines.filter((line) => line.startsWith('-')).map((line) => line.slice(1).replace(/^ /, ''));
  const into = lines.filter((line) => line.startsWith('+')).flatMap(linesPut);
  const all = document.split('\n');
  const fits = out.map((wanted): ((line: string | undefined) => boolean) => {
    const start = wanted.endsWith('…') ? wanted.slice(0, -1) : null;
    return start === null ? (line) => line === wanted : (line) => line?.startsWith(start) ?? false;
  });
  const places: number[] = [];
  for (const i of all.keys()) if (fits.every((fit, k) => fit(all[i + k]))) places.push(i);
  if (out.length === 0 || places.length !== 1)
    throw new Error(`${where}: an edit fits ${places.length} places of the document:\n${text}`);
  return [...all.slice(0, places[0]), ...into, ...all.slice(places[0]! + out.length)].join('\n');
}

/** The lines that one line of an edit puts in. */
function linesPut(line: string): string[] {
  const [, times, numbered = ''] = /^\+×(\d+) (.*)$/.exec(line) ?? [];
  if (times === undefined) return [repeated(line.slice(1).replace(/^ /, ''))];
  return Array.from({ length: Number(times) }, (_, i) =>
    numbered.replaceAll('{#}', String(i + 1)).replaceAll('{#-1}', String(i)),
  );
}

const repeated = (line: string): string =>
  line.replace(/\{([^{}×]+)×(\d+)\}/g, (_, text: string, times: string) => text.repeat(Number(times)));

/** The same file with the golden texts of its blocks replaced, in order. */
export function withGoldens(file: string, goldens: readonly string[]): string {
  let next = 0;
  const text = readFileSync(join(ROOT, file), 'utf8');
  return text.replace(
    /^(~~~(?:findings|notices|plan|exchange).*\n)[\s\S]*?^~~~$/gm,
    (_, head: string) => `${head}${goldens[next++]}~~~`,
  );
}
