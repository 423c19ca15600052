import type { Range, TextEdit, WorkspaceEdit } from 'vscode-languageserver/node';
import { compile } from '../compiler/compile.ts';
import { actionsIn } from './features/actions.ts';
import type { Analysis } from './features/analysis.ts';
import { completionsAt } from './features/completion.ts';
import { diagnosticsOf } from './features/diagnostics.ts';
import { tablesLaidOut } from './features/formatting.ts';
import { hoverAt } from './features/hover.ts';
import { lensesOf } from './features/lenses.ts';
import { Names } from './features/names.ts';
import { foldsOf, outlineOf } from './features/outline.ts';
import { Positions } from './features/positions.ts';
import { tokensOf } from './features/tokens.ts';

/** A place in a document, or a range of it, and for a new name that name. */
export interface Where {
  readonly offset?: { readonly line: number; readonly character: number };
  readonly range?: Range;
  readonly name?: string;
  readonly declaration?: boolean;
}

/** A name that cannot be given: the message says why. */
export class RenameError extends Error {}

/** Each feature of the editor, as a function of a document as it is compiled. */
const FEATURES = {
  diagnostics: (analysis: Analysis) => diagnosticsOf(analysis),
  actions: (analysis: Analysis, { range }: Where) => (range ? actionsIn(analysis, range) : []),
  completion: (analysis: Analysis, where: Where) => completionsAt(analysis, offsetOf(analysis, where)),
  hover: (analysis: Analysis, where: Where) => hoverAt(analysis, offsetOf(analysis, where)),
  outline: (analysis: Analysis) => outlineOf(analysis),
  folds: (analysis: Analysis) => foldsOf(analysis),
  tokens: (analysis: Analysis) => tokensOf(analysis),
  formatting: (analysis: Analysis): TextEdit[] => tablesLaidOut(analysis),
  lenses: (analysis: Analysis) => lensesOf(analysis),
  definition: (analysis: Analysis, where: Where) => {
    const at = new Names(analysis).declarationAt(offsetOf(analysis, where));
    return at && { uri: analysis.uri, range: analysis.positions.range(at) };
  },
  references: (analysis: Analysis, where: Where) => {
    const names = new Names(analysis);
    const at = names.declarationAt(offsetOf(analysis, where));
    const places = at ? [...(where.declaration ? [at] : []), ...names.usesOf(at)] : [];
    return places.map((span) => ({ uri: analysis.uri, range: analysis.positions.range(span) }));
  },
  rename: (analysis: Analysis, where: Where) => renamed(analysis, where),
  renameable: (analysis: Analysis, where: Where) => {
    const names = new Names(analysis);
    const offset = offsetOf(analysis, where);
    const at = names.declarationAt(offset);
    if (!at) return null;
    const here = [at, ...names.usesOf(at)].find(({ from, to }) => from <= offset && offset <= to);
    return here
      ? { range: analysis.positions.range(here), placeholder: analysis.positions.text.slice(at.from, at.to) }
      : null;
  },
};

export type Feature = keyof typeof FEATURES;
export type ResultOf<F extends Feature> = ReturnType<(typeof FEATURES)[F]>;

const offsetOf = ({ positions }: Analysis, { offset }: Where): number => (offset ? positions.offset(offset) : 0);

/** Renames what is declared or used at a place. Throws `RenameError` where the document would have new findings. */
function renamed(analysis: Analysis, where: Where): WorkspaceEdit | null {
  const names = new Names(analysis);
  const at = names.declarationAt(offsetOf(analysis, where));
  if (!at || where.name === undefined) return null;
  const uses = names.usesOf(at);
  if (!names.isRenamed(at, uses, where.name))
    throw new RenameError(`“${where.name}” cannot be the name here: check would refuse it, or another thing has it.`);
  const edits = [at, ...uses].map((span) => analysis.positions.edit({ ...span, text: where.name! }));
  return { changes: { [analysis.uri]: edits } };
}

/** The open documents. Each is compiled at the first question about it. */
export class Analyses {
  private readonly texts = new Map<string, string>();
  private readonly compiled = new Map<string, Analysis>();

  change(uri: string, text: string): void {
    this.texts.set(uri, text);
    this.compiled.delete(uri);
  }

  close(uri: string): void {
    this.texts.delete(uri);
    this.compiled.delete(uri);
  }

  /** The result of a feature; null for a document that is not open. */
  ask<F extends Feature>(feature: F, uri: string, where: Where): ResultOf<F> | null {
    const analysis = this.of(uri);
    return analysis && (FEATURES[feature](analysis, where) as ResultOf<F>);
  }

  private of(uri: string): Analysis | null {
    const known = this.compiled.get(uri);
    const open = this.texts.get(uri);
    if (known || open === undefined) return known ?? null;
    const name = decodeURIComponent(uri.split('/').at(-1) ?? uri);
    const made: Analysis = {
      uri,
      compiled: compile(name, open),
      positions: new Positions(open),
    };
    this.compiled.set(uri, made);
    return made;
  }
}
