import type { Answer, Request } from '../../../src/verify/target/exchange.ts';
import { documentText, withChange } from '../../subject.ts';

/** A service that keeps less than a statement says. */
export interface Fault {
  readonly name: string;
  /** The document, and the key of the statement. */
  readonly stated: string;
  readonly key: string;
  /** The document that the service keeps in its place. */
  readonly served?: string;
  /** The request that the service takes a request for. */
  readonly taken?: (request: Request) => Request;
  /** The answer that the service gives in the place of an answer. */
  readonly given?: (answer: Answer) => Answer;
}

/** A service that keeps something else than one statement of a document. */
export const instead = (name: string, stated: string, from: string, to: string, key: string): Fault => ({
  name,
  stated,
  served: withChange(stated, from, to),
  key,
});

/** The number of the line that a text stands in. */
export function lineOf(text: string, part: string): number {
  return text.split('\n').findIndex((line) => line.includes(part)) + 1;
}

/** A request whose body is another text. */
export const withText = (request: Request, change: (text: string) => string): Request =>
  request.body === null ? request : { ...request, body: Buffer.from(change(request.body.toString())) };

export const notes = documentText('docs/documents/notes.md');
export const accounts = documentText('docs/documents/accounts.md');

/** The notes, whose writes need an If-Match. */
export const matched = withChange(notes, 'on writes: evaluated', 'on writes: required');
export const OF_MATCHED = 'endpoint POST /notes: preconditions';
