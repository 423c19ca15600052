import type { Contract } from '../contract/contract.ts';
import type { AnswerContract, EndpointContract } from '../contract/endpoint.ts';
import type { RefusalShown } from './protocol.ts';
import { type StatedDocument, statedLines } from './refusal-statements.ts';

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
