import type { Contract, ResourceContract } from '../contract/contract.ts';
import type { Refusal } from '../runtime/context/refusal.ts';
import { OperatorError } from '../runtime/operator-error.ts';
import { ConsoleError, consoleError } from './problem.ts';
import type { RefusalShown, StatedLine } from './protocol.ts';

/** A document that refuses something: its contract, and its text. */
export interface StatedDocument {
  readonly contract: Contract;
  readonly text: string;
}

/** A statement by which something is refused. */
interface RefusalStatement {
  readonly because: string;
  readonly lines: readonly number[];
}

/** The lines of a document, each once, in its order. */
export function statedLines(text: string, lines: readonly number[]): StatedLine[] {
  const all = text.split(/\r\n|\n|\r/);
  return [...new Set(lines)].sort((a, b) => a - b).map((line) => ({ line, text: all[line - 1] ?? '' }));
}

/** What the operator is refused by, with the lines that state it. `about`: the resource that was to be changed. */
function refusalShown({ contract, text }: StatedDocument, refusal: Refusal, about: string): RefusalShown {
  const { outcome, rule, condition } = refusal;
  const grounds = groundsOf(contract, refusal, about);
  const code = contract.errors.codes.find((one) => one.code === outcome?.code);
  return {
    code: outcome?.code ?? null,
    title: outcome?.title ?? null,
    status: outcome?.status ?? null,
    because: grounds.map((one) => one.because).join(', or ') || (rule ?? condition ?? 'a rule of the document'),
    lines: statedLines(text, [...grounds.flatMap((one) => one.lines), ...(code?.lines ?? [])]),
  };
}

/** The statements by which a refusal may have come about: of the resource itself, or else of those that its change reaches. */
function groundsOf(contract: Contract, refusal: Refusal, about: string): RefusalStatement[] {
  const own = contract.resources.filter((one) => one.name === about).flatMap((one) => groundsIn(one, refusal));
  return own.length ? own : contract.resources.flatMap((one) => groundsIn(one, refusal));
}

function groundsIn({ name, rules, states }: ResourceContract, { outcome, rule }: Refusal): RefusalStatement[] {
  const code = outcome?.code ?? null;
  const [kind = ''] = /^(?:unique|holds|no overlap|kept)/.exec(rule ?? '') ?? [];
  const broken = rules.filter((one) => {
    if (code !== null) return one.code === code;
    if (kind === 'unique') return one.kind === 'unique' && rule === `unique ${one.fields.join(', ')}`;
    return one.kind === (kind === 'kept' ? 'keeps' : kind);
  });
  const moves = code === null ? [] : (states?.transitions ?? []).filter((one) => one.code === code);
  return [
    ...broken.map((one) => ({ because: one.text, lines: one.lines })),
    ...moves.map((one) => ({ because: `the transition ${one.name} of ${name}`, lines: one.lines })),
  ];
}

/** Does what the operator has asked for; what a rule of the document refuses is told with its lines. */
export async function underRules<T>(stating: () => StatedDocument, about: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OperatorError) || !error.refusal) throw error;
    const { kind, message } = consoleError(error);
    throw new ConsoleError(kind, message, { refusal: refusalShown(stating(), error.refusal, about) });
  }
}
