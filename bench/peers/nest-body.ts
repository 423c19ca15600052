import express, { type NextFunction, type Request, type Response } from 'express';
import type { Caller } from './orders/gate.ts';
import { readInTime } from './orders/in-time.ts';
import { isOfType, JSON_TYPES, PATCH_TYPES } from './orders/media-type.ts';
import { Problem, problem } from './orders/problems.ts';
import { checkJson, exactly } from './orders/strict-json.ts';
import { BODY_BYTES, type ProblemCode } from './orders/terms.ts';

export interface Asking extends Request {
  caller: Caller;
  /** What was wrong with the body: told once it is known who asks. */
  bodyProblem?: Problem;
}

const BODY_PROBLEMS: Readonly<Record<string, ProblemCode>> = {
  'entity.too.large': 'request_too_large',
  'entity.parse.failed': 'malformed_request',
};
const strictly = (_request: unknown, _response: unknown, body: Buffer): void => checkJson(body);
/** What can be told of a body before it is read; null where nothing is wrong so far. */
function headProblem({ headers, method }: Request): Problem | null {
  if (Number(headers['content-length']) > BODY_BYTES) return problem('request_too_large');
  if (!isOfType(headers['content-type'], method === 'PATCH' ? PATCH_TYPES : JSON_TYPES))
    return problem('unsupported_media_type');
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') return problem('unsupported_encoding');
  return headers['content-length'] === '0' ? problem('malformed_request') : null;
}

/** Reads the body of a creation or a change. Middleware comes before guards, so what is wrong with it waits for the guard. */
export function bodyReader(strict: boolean): (request: Asking, response: Response, next: NextFunction) => void {
  const parseJson = express.json({
    limit: BODY_BYTES,
    strict: false,
    type: () => true,
    ...(strict && { verify: strictly, reviver: exactly }),
  });
  const read = strict ? readInTime(parseJson) : parseJson;
  return (request, response, next) => {
    const takesBody = request.method === 'PATCH' || (request.method === 'POST' && request.path === '/orders');
    const refusal = takesBody ? headProblem(request) : null;
    if (refusal) request.bodyProblem = refusal;
    if (!takesBody || refusal) {
      next();
      return;
    }
    read(request, response, (error?: unknown) => {
      if (error instanceof Problem) request.bodyProblem = error;
      else if (error)
        request.bodyProblem = problem(BODY_PROBLEMS[(error as { type: string }).type] ?? 'malformed_request');
      next();
    });
  };
}
