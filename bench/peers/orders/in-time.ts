import type { IncomingMessage } from 'node:http';
import { problem } from './problems.ts';

/** How long the body of a request may take, in milliseconds. */
const BODY_LASTS = 5000;

/** What is read, unless that takes too long: then the request is refused. */
export async function inTime<T>(reading: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(problem('time_out')), BODY_LASTS);
  try {
    return await Promise.race([reading, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The same of a middleware that reads a body: what it says later is not listened to any more. */
export const readInTime =
  <Asking extends IncomingMessage, Answering>(
    read: (request: Asking, response: Answering, next: (error?: unknown) => void) => unknown,
  ) =>
  (request: Asking, response: Answering, next: (error?: unknown) => void): void => {
    const reading = Promise.withResolvers<void>();
    read(request, response, (error) => (error ? reading.reject(error) : reading.resolve()));
    inTime(reading.promise).then(() => next(), next);
  };
