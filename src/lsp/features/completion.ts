import { type CompletionItem, CompletionItemKind } from 'vscode-languageserver/node';
import { compile } from '../../compiler/compile.ts';
import { Sites } from '../../compiler/edits/sites.ts';
import { METHODS } from '../../language/endpoints.ts';
import { BULLET_KEYS } from '../../language/keys.ts';
import { PART_HEADINGS } from '../../plan/parts.ts';
import type { Analysis } from './analysis.ts';

/**
 * Texts that no document has: the first is never a word of the language, and the others are names that nothing declares,
 * of a resource and of anything else.
 */
const PROBES = ['“', 'zqxjkv', 'Zqxjkv'] as const;

/** A text that a place allows, and whether it is a word of the language or a name. */
interface Offer {
  readonly text: string;
  readonly kind: CompletionItemKind;
}

/**
 * The words and names that a place allows. The word that has been begun is replaced, and text behind it on the line counts
 * as still to be written.
 */
export function completionsAt(analysis: Analysis, offset: number): CompletionItem[] {
  const { text } = analysis.positions;
  const begun = /[\p{L}\p{N}_-]*$/u.exec(text.slice(0, offset))?.[0] ?? '';
  const from = offset - begun.length;
  const range = analysis.positions.range({ from, to: offset });
  const each = new Map(offersAt(analysis, from, offset).map((one) => [one.text, one]));
  return [...each.values()].map(({ text: label, kind }) => ({ label, kind, textEdit: { range, newText: label } }));
}

function offersAt(analysis: Analysis, from: number, offset: number): Offer[] {
  const { text } = analysis.positions;
  const line = text.slice(text.lastIndexOf('\n', from - 1) + 1, from);
  const [, part] = /^## +(.*)$/.exec(line) ?? [];
  if (part !== undefined) return goingOn(part, partsLeft(text, from)).map(offered(CompletionItemKind.Module));
  const [, key] = /^\s*[-*+]\s+([^:`]*)$/.exec(line) ?? [];
  if (key !== undefined) return goingOn(key, keysAt(analysis, from)).map(offered(CompletionItemKind.Property));
  if (/^#+\s+`?$/.test(line)) return headingsAt(analysis, from, line);
  if (/^#+\s+`[^`]*\{$/.test(line)) return parametersOf(text).map(offered(CompletionItemKind.Variable));
  return probed(analysis, from, offset);
}

const offered =
  (kind: CompletionItemKind) =>
  (text: string): Offer => ({ text, kind });

/** The rest of each text that begins with the words that are written already. */
const goingOn = (written: string, texts: readonly string[]): string[] =>
  texts.flatMap((text) => (text.startsWith(written) ? text.slice(written.length) : []));

/**
 * The words and names that `check` lists when something else is written at a place: with what stands behind it, without,
 * and with the end that a step has.
 */
function probed({ compiled, positions: { text } }: Analysis, from: number, offset: number): Offer[] {
  const words = new Set<string>();
  const names = new Set<string>();
  const [word, rest] = restAt(text, from, offset);
  for (const [i, probe] of PROBES.entries())
    for (const behind of new Set([text.slice(word), text.slice(rest), `.${text.slice(rest)}`])) {
      // Words of the language do not depend on what is written behind them.
      if (i === 0 && behind !== text.slice(rest)) continue;
      const { findings } = compile(compiled.name, text.slice(0, from) + probe + behind);
      for (const { span, legal, code } of findings)
        if (span && span.from <= from + probe.length && from <= span.to) {
          const left = goingOn(text.slice(Math.min(span.from, from), from), legal);
          for (const one of left) (i === 0 && code.startsWith('language/') ? words : names).add(one.trimStart());
        }
    }
  for (const one of words) names.delete(one);
  return [
    ...[...words].map(offered(CompletionItemKind.Keyword)),
    ...[...names].map(offered(CompletionItemKind.Variable)),
  ];
}

/** The ends of the word at a place, and of its cell or line; in an expression, of the word alone. */
function restAt(text: string, from: number, offset: number): readonly [word: number, rest: number] {
  const before = text.slice(text.lastIndexOf('\n', from - 1) + 1, from);
  const behind = text.slice(offset);
  const word = offset + (/^[\p{L}\p{N}_:-]*/u.exec(behind)?.[0].replace(/:$/, '').length ?? 0);
  if ((before.match(/`/g)?.length ?? 0) % 2 === 1) return [word, word];
  const pattern = /^\s*\|/.test(before) ? /^(?:`[^`\n]*`|[^`|\n])*?(?=\s*(?:\||\n|$))/ : /^[^\n]*?(?=\s*(?:\n|$))/;
  return [word, offset + (pattern.exec(behind)?.[0].length ?? 0)];
}

/** The headings of the parts that a document does not have on other lines. */
function partsLeft(text: string, from: number): string[] {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const others = `${text.slice(0, start)}${text.slice(start).replace(/^[^\n]*/, '')}`.split(/\r?\n/);
  return Object.values(PART_HEADINGS).filter((heading) => !others.includes(`## ${heading}`));
}

/** The beginnings of headings below a part. */
function headingsAt({ compiled }: Analysis, from: number, line: string): Offer[] {
  const sites = new Sites(compiled.blocks);
  const part = sites.partAt({ from, to: from });
  const code = line.endsWith('`') ? '' : '`';
  const { resources, states } = compiled.model;
  const texts =
    part === 'endpoints'
      ? METHODS.map((method) => `${code}${method}`)
      : part === 'events'
        ? ['Webhook', 'Stream']
        : part === 'states'
          ? [
              ...states.machines.flatMap(({ transitions }) => transitions.map(({ name }) => `After ${name.text}`)),
              ...resources.list.flatMap(({ name, fields }) =>
                fields.flatMap(({ name: field, givenBy }) =>
                  givenBy?.value.some((one) => one.from === 'transitions') ? `${name.text}.${field.text}` : [],
                ),
              ),
            ]
          : [];
  return texts.map(offered(CompletionItemKind.Keyword));
}

/** The names of parameters of paths. */
const parametersOf = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(/^#+ `[^`]*`/gm)].flatMap(([heading]) =>
      [...heading.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!),
    ),
  ),
];

/** The keys of the bullets of a section that other bullets do not state. */
function keysAt({ compiled }: Analysis, from: number): string[] {
  const sites = new Sites(compiled.blocks);
  const section = sites.sectionsAt({ from, to: from })?.[0];
  const place = section && sites.placeOf(section);
  if (!section || !place) return [];
  const others = section.bullets.filter(({ span }) => from < span.from || span.to < from);
  const stated = new Set(others.map(({ key }) => sites.textOf(key)));
  const left = BULLET_KEYS[place].filter((key: string) => !stated.has(key) || REPEATED.has(key));
  return left.map((key: string) => (key.endsWith(' ') ? key : `${key}: `));
}

/** The bullets that a section may have several of. */
const REPEATED: ReadonlySet<string> = new Set(['Unique', 'Holds', 'No overlap', 'Sort', 'Request']);
