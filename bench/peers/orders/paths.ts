import { Problem, problem } from './problems.ts';

/** Every path of the document, with the methods that it takes. */
const PATHS: ReadonlyArray<readonly [RegExp, readonly string[]]> = [
  [/^\/orders$/, ['POST', 'GET']],
  [/^\/orders\/[^/]+$/, ['GET', 'PATCH', 'DELETE']],
  [/^\/orders\/[^/]+\/(?:place|cancel|ship|deliver)$/, ['POST']],
  [/^\/summary$/, ['GET']],
];

/** Whether every `%` of a path begins an encoded character (RFC 3986, section 2.1): no path of the document has another. */
function isEncoded(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** What is said to whoever asks for what no endpoint is: the path is not there, or does not take the method. */
export function elsewhere(path: string): Problem {
  const methods = PATHS.find(([pattern]) => pattern.test(path))?.[1];
  if (!methods || !isEncoded(path)) return problem('no_such_endpoint');
  const { status, body } = problem('method_not_allowed');
  return new Problem(status, body, ['Allow', methods.join(', ')]);
}
