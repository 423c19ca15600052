import type { ContractJudge } from '../contract/answers.ts';
import type { Exactness } from '../judge/compare.ts';
import { judged, type Verdict, type When } from '../judge/judge.ts';
import type { Oracle, Prediction } from '../oracle/oracle.ts';
import type { Answer, Exchange, Request } from '../target/exchange.ts';

/**
 * Judges an answer by the prediction of the oracle (see `judged`), and by the contract: an answer that is equal to the
 * prediction, or that cannot be predicted, still breaks the document where the contract does not declare it.
 */
export function heldToDocument(
  declared: ContractJudge,
  known: Oracle,
  exchange: Exchange,
  answer: Answer,
  when: When,
  name: string,
  rates: Exactness,
): Verdict {
  const verdict = judged(known, exchange, answer, when, name, rates);
  if (verdict.kind === 'broken') return verdict;
  const { request } = exchange;
  const faults = declared.faults(request, answer);
  if (faults.length === 0) return verdict;
  const differences = faults.map(({ at, declared: expected, actual, lines }) => ({
    at,
    expected: `the contract declares ${expected}`,
    actual,
    declared: lines,
  }));
  const prediction = verdict.kind === 'kept' ? verdict.prediction : unexpected(request, answer, known);
  return { kind: 'broken', prediction, differences };
}

/** The prediction where the document leaves the answer to code. */
function unexpected({ method, target }: Request, { status }: Answer, { state }: Oracle): Prediction {
  const [path = ''] = target.split('?');
  return {
    endpoint: state.routes.fitting(path).find((one) => one.method === method)?.endpoint ?? null,
    expected: { status, code: null, headers: [], body: undefined, statements: [] },
    trace: [],
    usedNow: false,
  };
}
