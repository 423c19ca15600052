import { oneLine } from '../../text/visible.ts';

/** The reason why a setup can’t be used, or a member failed: a sentence that names the file and the member. */
export class SetupError extends Error {}

/** A file with the seeds of a service does not list the requested row or credentials. */
export class NotListed extends SetupError {}

/** The longest text of a failure that is reported, in characters. */
const LONGEST = 300;

/**
 * The message of a thrown value, in a line, with that of its cause: the message of `fetch` alone says only that it
 * failed.
 */
export function messageOf(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? ` (${textOf(thrown.cause)})` : '';
  const line = oneLine(textOf(thrown).replace(/[.\s]+$/, '') + cause);
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

/** The message of an error; where it is empty, its code or its name. */
function textOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.message || (thrown as NodeJS.ErrnoException).code || thrown.name;
}

/** The kind of a value, in words. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  const kind = typeof value;
  return kind === 'object' ? 'an object' : `a ${kind}`;
}
