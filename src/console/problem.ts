import { OperatorError } from '../runtime/operator-error.ts';
import { StoreError } from '../store/store.ts';
import type { Problem, RefusalShown } from './protocol.ts';

const STATUS: Readonly<Record<Problem['kind'], number>> = {
  'no session': 401,
  forbidden: 403,
  'not found': 404,
  'wrong use': 400,
  refused: 409,
  changed: 412,
  unavailable: 503,
  defect: 500,
};

/** The failure of a request to the console. */
export class ConsoleError extends Error {
  readonly status: number;
  readonly kind: Problem['kind'];
  readonly refusal: RefusalShown | null;

  constructor(kind: Problem['kind'], message: string, { status = STATUS[kind], refusal = null }: More = {}) {
    super(message);
    this.kind = kind;
    this.status = status;
    this.refusal = refusal;
  }
}

interface More {
  readonly status?: number;
  readonly refusal?: RefusalShown | null;
}

/** Converts an error to the failure that is sent. An unexpected error reveals no details. */
export function consoleError(error: unknown): ConsoleError {
  if (error instanceof ConsoleError) return error;
  if (error instanceof OperatorError)
    return new ConsoleError(error.missing ? 'not found' : error.wrongUse ? 'wrong use' : 'refused', error.plain);
  if (error instanceof StoreError)
    return new ConsoleError('unavailable', `The rows can’t be used now: ${error.message.replace(/\.$/, '')}.`);
  return new ConsoleError(
    'defect',
    'This is a defect of Ninefold, not of the document: the log of the service has more.',
  );
}
