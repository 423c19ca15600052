import { type SemanticTokens, SemanticTokensBuilder } from 'vscode-languageserver/node';
import type { Mark, Role } from '../../syntax/phrase.ts';
import type { Analysis } from './analysis.ts';

/** The types of semantic tokens that the server uses, in the order of their numbers. */
export const TOKEN_TYPES = ['keyword', 'variable', 'number', 'string', 'comment'] as const;
export const TOKEN_MODIFIERS = ['declaration'] as const;

/** The type of each role, and whether it declares a name; what is free text has no token. */
const TOKENS: { readonly [R in Role]?: readonly [type: (typeof TOKEN_TYPES)[number], declares: boolean] } = {
  word: ['keyword', false],
  use: ['variable', false],
  declaration: ['variable', true],
  value: ['number', false],
  expression: ['string', false],
};

/** The words of a document by their roles: the innermost where one lies in another, each on one line. */
export function tokensOf({ compiled, positions }: Analysis): SemanticTokens {
  const builder = new SemanticTokensBuilder();
  let reached = 0;
  for (const { from, to, role } of innermost(compiled.marks)) {
    const token = TOKENS[role];
    if (!token || from < reached) continue;
    const { start, end } = positions.range({ from, to });
    if (start.line !== end.line) continue;
    builder.push(start.line, start.character, to - from, TOKEN_TYPES.indexOf(token[0]), token[1] ? 1 : 0);
    reached = to;
  }
  return builder.build();
}

/** Marks in the order of the text. An expression that has marks of its own names inside is cut at them. */
function innermost(marks: readonly Mark[]): Mark[] {
  const sorted = [...marks].sort((a, b) => a.from - b.from || b.to - a.to);
  const out: Mark[] = [];
  const open: Mark[] = [];
  const pieces = (outer: Mark, from: number, to: number): void => {
    if (from < to) out.push({ ...outer, from, to });
  };
  let at = 0;
  const close = (until: number): void => {
    for (let top = open.at(-1); top && top.to <= until; top = open.at(-1)) {
      pieces(top, Math.max(at, top.from), top.to);
      at = Math.max(at, top.to);
      open.pop();
    }
  };
  for (const mark of sorted) {
    if (mark.from === mark.to) continue;
    close(mark.from);
    const top = open.at(-1);
    if (top) pieces(top, Math.max(at, top.from), mark.from);
    at = Math.max(at, mark.from);
    open.push(mark);
  }
  close(Number.POSITIVE_INFINITY);
  return out.sort((a, b) => a.from - b.from);
}
