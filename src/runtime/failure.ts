import { Refusal } from './context/refusal.ts';

/** What of an error may be logged: its kind and message, which hold no values of requests, and where it happened. */
export function describeError(error: unknown): Record<string, unknown> {
  if (error instanceof Refusal) return { refused: error.outcome?.code ?? error.condition };
  if (!(error instanceof Error)) return { error: typeof error };
  return {
    error: error.name,
    message: error.message,
    stack: error.stack
      ?.split('\n')
      .slice(1, 6)
      .map((line) => line.trim()),
  };
}
