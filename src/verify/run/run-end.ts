import { SetupError } from '../setup/failures.ts';
import type { VerifyOptions } from './options.ts';

/** Why a run ends before all was tried. */
export class RunEnd {
  private reason: string | null = null;
  private readonly options: Pick<VerifyOptions, 'subject' | 'signal'>;

  constructor(options: Pick<VerifyOptions, 'subject' | 'signal'>) {
    this.options = options;
  }

  /** A sentence; null where nothing ends the run. */
  get why(): string | null {
    const { signal, subject } = this.options;
    if (signal?.aborted) this.reason ??= 'The run was interrupted.';
    this.reason ??= subject.target.gone;
    return this.reason;
  }

  /** Whether the run sends nothing more, not even to shorten a break. */
  get isStopped(): boolean {
    return this.why !== null;
  }

  /** Ends the run for a reason. The first reason is kept. */
  stopFor(reason: string): void {
    this.reason ??= reason;
  }

  /** Ends the run after a failure of the setup, which may come from a service that is gone. Throws any other error. */
  async bySetup(error: unknown): Promise<void> {
    if (!(error instanceof SetupError)) throw error;
    if (this.why !== null) return;
    const away = await this.options.subject.target.reach();
    this.reason ??= away
      ? `The service stopped answering: ${away.detail} Restart it and read its log of the latest requests. (${error.message})`
      : error.message;
  }
}
