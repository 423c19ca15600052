import type { Contract, ResourceContract } from '../contract/contract.ts';
import type { AnswerContract, EndpointContract } from '../contract/endpoint.ts';
import { transitionsIn } from '../contract/machines.ts';
import type { Refusal } from '../runtime/context/refusal.ts';
import { OperatorError } from '../runtime/operator-error.ts';
import { ConsoleError, consoleError } from './problem.ts';
import type { RefusalShown, StatedLine } from './protocol.ts';

/** The contract and text of a document, for finding the statements behind refusals. */
export interface StatedDocument {
  readonly contract: Contract;
  readonly text: string;
}

/** A statement that caused a refusal. */
interface RefusalStatement {
  readonly because: string;
  readonly lines: readonly number[];
}

/** The lines with the given numbers, in order, without duplicates. */
export function statedLines(text: string, lines: readonly number[]): StatedLine[] {
  const all = text.split(/\r\n|\n|\r/);
  return [...new Set(lines)].sort((a, b) => a - b).map((line) => ({ line, text: all[line - 1] ?? '' }));
}

/** The refusal of an operator's change, with the lines that state it. `about`: the resource of the change. */
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

/** The statements that may have caused a refusal: of the resource itself, or else of all resources. */
function groundsOf(contract: Contract, refusal: Refusal, about: string): RefusalStatement[] {
  const own = contract.resources.filter((one) => one.name === about).flatMap((one) => groundsIn(one, refusal));
  return own.length ? own : contract.resources.flatMap((one) => groundsIn(one, refusal));
}

function groundsIn(resource: ResourceContract, { outcome, rule }: Refusal): RefusalStatement[] {
  const { name, rules } = resource;
  const code = outcome?.code ?? null;
  const [kind = ''] = /^(?:unique|holds|no overlap|kept)/.exec(rule ?? '') ?? [];
  const broken = rules.filter((one) => {
    if (code !== null) return one.code === code;
    if (kind === 'unique') return one.kind === 'unique' && rule === `unique ${one.fields.join(', ')}`;
    return one.kind === (kind === 'kept' ? 'keeps' : kind);
  });
  const moves = code === null ? [] : transitionsIn(resource).filter((one) => one.code === code);
  return [
    ...broken.map((one) => ({ because: one.text, lines: one.lines })),
    ...moves.map((one) => ({ because: `the transition ${one.name} of ${name}`, lines: one.lines })),
  ];
}

/**
 * Runs a change of the operator. A refusal by a rule of the document becomes a ConsoleError with the lines that state
 * it.
 */
export async function underRules<T>(stating: () => StatedDocument, about: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OperatorError) || !error.refusal) throw error;
    const { kind, message } = consoleError(error);
    throw new ConsoleError(kind, message, { refusal: refusalShown(stating(), error.refusal, about) });
  }
}

/** The parts of a response that identify a refusal. */
interface ErrorResponse {
  readonly status: number;
  readonly body: string;
}

/** The statements of the document that explain an error response; null for a success. */
export function refusedBy(
  { contract, text }: StatedDocument,
  endpoint: EndpointContract | null,
  told: ErrorResponse,
): RefusalShown | null {
  if (told.status < 400) return null;
  const answers = (endpoint?.answers ?? contract.versions[0]?.elsewhere ?? []).filter(
    (one) => one.status === told.status && one.because.kind !== 'success',
  );
  const fit = answers.filter((one) => one.code !== null && told.body.includes(JSON.stringify(one.code)));
  const grounds = fit.length ? fit : answers;
  const [first] = grounds;
  const faults = endpoint ? faultLines(endpoint, told.body) : [];
  return {
    code: first?.code ?? null,
    title: first?.title ?? null,
    status: told.status,
    because: becauseOf(grounds),
    lines: statedLines(text, [
      ...(faults.length ? faults : grounds.flatMap((one) => one.lines)),
      ...codeLines(contract, first),
    ]),
  };
}

function becauseOf(grounds: readonly AnswerContract[]): string {
  const words = [...new Set(grounds.map(({ because }) => because.text))];
  return words.join(', or ') || 'The document does not state this answer.';
}

/** The lines of the code in the table of errors. */
const codeLines = (contract: Contract, answer: AnswerContract | undefined): readonly number[] =>
  contract.errors.codes.find((one) => one.code === answer?.code)?.lines ?? [];

/** The lines of fields and parameters with faults in problem details (RFC 9457). */
function faultLines({ body, parameters }: EndpointContract, text: string): number[] {
  const members = [...parameters, ...(body?.type.members ?? [])];
  return faultsIn(text).flatMap((name) => {
    const [first = ''] = name.replace(/^\//, '').split('/');
    return members.flatMap((one) => (one.name === first ? one.lines : []));
  });
}

/** The pointers and names in the member `errors`. */
function faultsIn(text: string): string[] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return [];
  }
  if (typeof body !== 'object' || body === null || !('errors' in body) || !Array.isArray(body.errors)) return [];
  return body.errors.flatMap((one: unknown) =>
    typeof one === 'object' && one !== null ? Object.values(one).filter((part) => typeof part === 'string') : [],
  );
}
