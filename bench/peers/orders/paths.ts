import { Problem, problem } from './problems.ts';

/** Every path of the document, with the methods that it takes. */
const PATHS: ReadonlyArray<readonly [RegExp, readonly string[]]> = [
  [/^\/orders$/, ['POST', 'GET']],
  [/^\/orders\/[^/]+$/, ['GET', 'PATCH', 'DELETE']],
  [/^\/orders\/[^/]+\/(?:place|cancel|ship|deliver)$/, ['POST']],
  [/^\/summary$/, ['GET']],
];

/** What is said to whoever asks for what no endpoint is: the path is not there, or does not take the method. */
export function elsewhere(path: string): Problem {
  const methods = PATHS.find(([pattern]) => pattern.test(path))?.[1];
  if (!methods) return problem('no_such_endpoint');
  const { status, body } = problem('method_not_allowed');
  return new Problem(status, body, ['Allow', methods.join(', ')]);
}
