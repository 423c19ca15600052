import { basename } from 'node:path';
import { messageOf } from '../../verify/setup/failures.ts';

/**
 * Catches errors that a setup module throws outside of its members, in a timer or in a promise that nobody awaits. Such
 * an error would end the process without a report, with the exit code of a break.
 */
export class Strays {
  private readonly file: string | undefined;
  private readonly ending: AbortController;
  private first: string | null = null;

  /** `ending` is aborted with the first. Nothing is heard where there is no module. */
  constructor(file: string | undefined, ending: AbortController) {
    this.file = file;
    this.ending = ending;
    if (file !== undefined) process.on('uncaughtException', this.hear);
  }

  /** A sentence about the first error; null if there was none. */
  get told(): string | null {
    return this.first;
  }

  stop(): void {
    process.off('uncaughtException', this.hear);
  }

  private readonly hear = (thrown: unknown): void => {
    this.first ??= `${basename(this.file ?? '')} failed outside of its members: ${messageOf(thrown)}. Wait for promises, and catch what timers throw.`;
    this.ending.abort();
  };
}
