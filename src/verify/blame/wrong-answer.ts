import type { Difference } from '../judge/compare.ts';
import type { Prediction } from '../oracle/oracle.ts';
import type { Answer, Request } from '../target/exchange.ts';

/** An answer that is another one than the document says. */
export interface WrongAnswer {
  readonly request: Request;
  readonly answer: Answer;
  readonly prediction: Prediction;
  readonly differences: readonly Difference[];
}
