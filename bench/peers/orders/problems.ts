import { FAULTS, type FaultCode, PROBLEMS, type ProblemCode } from './terms.ts';

/** One thing that is not allowed as given: at a pointer in the body, or in a parameter. */
export interface Fault {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly code: FaultCode;
}

/** A problem (RFC 9457) as it is answered. It is thrown, and is no Error: nothing went wrong, so no stack is taken. */
export class Problem {
  readonly status: number;
  readonly body: string;
  /** Name, value, name, value … */
  readonly headers: readonly string[];
  /** What is not allowed as given; null where nothing of the kind is. */
  readonly faults: readonly Fault[] | null;

  constructor(status: number, body: string, headers: readonly string[] = [], faults: readonly Fault[] | null = null) {
    this.status = status;
    this.body = body;
    this.headers = headers;
    this.faults = faults;
  }
}

export const PROBLEM_TYPE = 'application/problem+json';

const CHALLENGES: Partial<Record<ProblemCode, readonly string[]>> = {
  key_missing: ['WWW-Authenticate', 'Bearer'],
  key_unknown: ['WWW-Authenticate', 'Bearer error="invalid_token"'],
};

const READY = new Map<ProblemCode, Problem>(
  (Object.entries(PROBLEMS) as Array<[ProblemCode, readonly [number, string]]>).map(([code, [status, title]]) => [
    code,
    new Problem(status, JSON.stringify({ title, status, code }), CHALLENGES[code] ?? []),
  ]),
);

/** The problem of a code; the same object each time. */
export const problem = (code: ProblemCode): Problem => READY.get(code)!;

/** The problem of faults: they are told together, and what they are decides the code. */
export function faulty(faults: readonly Fault[]): Problem {
  const invalid = faults.some(({ code }) => code !== 'unknown_field' && code !== 'unknown_parameter');
  const field = faults.some(({ code }) => code === 'unknown_field');
  const ready = problem(invalid ? 'invalid_request' : field ? 'unknown_field' : 'unknown_parameter');
  const errors = faults.map((fault) => ({ ...fault, detail: FAULTS[fault.code] }));
  const body = `${ready.body.slice(0, -1)},"errors":${JSON.stringify(errors)}}`;
  return new Problem(ready.status, body, [], faults);
}

/** A refusal for a while. */
export const exceeded = (seconds: number): Problem => {
  const ready = problem('rate_exceeded');
  return new Problem(ready.status, ready.body, ['Retry-After', String(seconds)]);
};
