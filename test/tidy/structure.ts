import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** One import of a file of the project: what it names, and whether only types come from it. */
export interface Import {
  readonly from: string;
  readonly to: string;
  readonly names: readonly string[];
  readonly typesOnly: boolean;
}

/** A source file: its text, what it imports of the project, and what it exports. */
export interface SourceFile {
  readonly file: string;
  readonly text: string;
  readonly imports: readonly Import[];
  readonly exports: readonly string[];
}

/** Every TypeScript file below a folder of the project, by its path from the root. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
}

/** Reads a file of the project. */
export const readSource = (file: string): SourceFile => sourceOf(file, readFileSync(join(ROOT, file), 'utf8'));

/** Reads a text as the formatter leaves it: imports and exports begin at the start of a line. */
export const sourceOf = (file: string, text: string): SourceFile => ({
  file,
  text,
  imports: importsOf(file, text),
  exports: exportsOf(text),
});

function importsOf(file: string, text: string): Import[] {
  const found: Import[] = [];
  for (const match of text.matchAll(/^(?:import|export)( type)?(?: ([^;]*?))? from '(\.[^']+)';/gm)) {
    const braced = /\{([\s\S]*)\}/.exec(match[2] ?? '')?.[1] ?? '';
    const names = braced.split(',').flatMap((name) => (name.trim() ? [name.trim()] : []));
    const typesOnly = match[1] !== undefined || (names.length > 0 && names.every((name) => name.startsWith('type ')));
    const plain = names.map((name) => name.replace(/^type /, '').replace(/ as .*/, ''));
    const star = /^\*/.test((match[2] ?? '').trim()) ? ['*'] : [];
    found.push({ from: file, to: join(dirname(file), match[3]!), names: [...plain, ...star], typesOnly });
  }
  for (const match of text.matchAll(/(?:const \{([^}]+)\} = await |\(await )?\bimport\('(\.[^']+)'\)(?:\)\.(\w+))?/g)) {
    const named = (match[1] ?? match[3] ?? '*').split(',').map((name) => name.trim().replace(/:.*/, ''));
    found.push({ from: file, to: join(dirname(file), match[2]!), names: named, typesOnly: false });
  }
  for (const match of text.matchAll(/new URL\(\s*'(\.[^']+\.ts)'/g))
    found.push({ from: file, to: join(dirname(file), match[1]!), names: ['*'], typesOnly: false });
  return found;
}

function exportsOf(text: string): string[] {
  const declared = [
    ...text.matchAll(
      /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm,
    ),
  ];
  return declared.map((match) => match[1]!);
}

/** A text without comments, strings and templates' plain parts, so that counting sees code alone. */
export function codeOf(text: string): string {
  return text.replace(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|\/(?![*/ ])(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\\\n[])+\/[dgimsuvy]*(?=[.,;)\]\s])/g,
    (all) => (all.startsWith('/') ? '' : "''"),
  );
}

/** How many non-null assertions (`x!`) a text holds. */
export const nonNullAssertions = (text: string): number =>
  [...codeOf(text).matchAll(/[\w)\]]!(?=[.[(),;:?}\]]|\s|$)(?!\s*=[^=>])/gm)].length;

/** How many casts (`x as T`) a text holds; `as const` and renamed imports are none. */
export const casts = (text: string): number =>
  [...codeOf(text).matchAll(/\bas (?!const\b)[A-Za-z{(["']/g)].length -
  [...text.matchAll(/^import[^;]*?\bas\b/gm)].length;

/** The functions and methods of a file with their lengths: from the line that opens one to the line that closes it. */
export function functionsOf(text: string): Array<{ readonly name: string; readonly lines: number }> {
  const lines = text.split('\n');
  return lines.flatMap((line, i) => {
    const opens =
      /^( *)(?:export )?(?:async )?(?:function\*? (\w+)|(?:private |static |readonly |override )*(?:async )?\*?(\w+)\(.*\).*\{$)/.exec(
        line,
      );
    if (!opens || /^ *(?:if|for|while|switch|return|describe|test|it)\b/.test(line)) return [];
    const end = lines.findIndex((other, j) => j > i && other.startsWith(`${opens[1]}}`));
    return end < 0 ? [] : [{ name: opens[2] ?? opens[3]!, lines: end - i + 1 }];
  });
}

/** The strongly connected parts of a graph that have more than one member, largest first (Tarjan). */
export function cyclesOf(arrows: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const open = new Set<string>();
  const cycles: string[][] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    stack.push(node);
    open.add(node);
    for (const next of arrows.get(node) ?? []) {
      if (!index.has(next)) {
        visit(next);
        low.set(node, Math.min(low.get(node)!, low.get(next)!));
      } else if (open.has(next)) low.set(node, Math.min(low.get(node)!, index.get(next)!));
    }
    if (low.get(node) !== index.get(node)) return;
    const part: string[] = [];
    for (let last = ''; last !== node; ) {
      last = stack.pop()!;
      open.delete(last);
      part.push(last);
    }
    if (part.length > 1) cycles.push(part.sort());
  };
  for (const node of arrows.keys()) if (!index.has(node)) visit(node);
  return cycles.sort((a, b) => b.length - a.length);
}

/** Imports as arrows between files, or between what `place` makes of files. */
export function arrowsOf(
  imports: readonly Import[],
  place: (file: string) => string = (file) => file,
): Map<string, Set<string>> {
  const arrows = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [a, b] = [place(from), place(to)];
    if (a === b) continue;
    arrows.set(a, (arrows.get(a) ?? new Set()).add(b));
  }
  return arrows;
}

/**
 * Exports that no other file imports, by file: an import of an equal name from another file doesn't count. `readers`
 * are the files whose imports count.
 */
export function unimported(files: readonly SourceFile[], readers: readonly SourceFile[]): string[] {
  const imported = new Map<string, Set<string>>();
  for (const { imports } of readers)
    for (const { to, names } of imports) {
      const known = imported.get(to) ?? new Set();
      for (const name of names) known.add(name);
      imported.set(to, known);
    }
  return files.flatMap(({ file, exports }) => {
    const names = imported.get(file);
    return names?.has('*') ? [] : exports.filter((name) => !names?.has(name)).map((name) => `${file}: ${name}`);
  });
}

/** Exports that neither another file of the product imports nor their own file uses: at most tests use them. */
export function unusedBy(product: readonly SourceFile[]): string[] {
  const texts = new Map(product.map(({ file, text }) => [file, codeOf(text)]));
  return unimported(product, product).filter((one) => {
    const [file = '', name = ''] = one.split(': ');
    return [...(texts.get(file) ?? '').matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length < 2;
  });
}
