import { Refusal } from './context/refusal.ts';

/** Returns the loggable parts of an error: its name and message, which hold no values of requests, and its stack. */
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
