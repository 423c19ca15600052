import { SetupError } from '../setup/failures.ts';
import { MOST_LONGER_MS } from './bounds.ts';
import type { VerifyOptions } from './options.ts';

/** If the elapsed time exceeds the counted work by this factor, the elapsed time decides what comes next. */
const SLOWER = 1.6;

/**
 * The budget of a run. Work counts as the time that it takes on a slow machine, so that runs with the same seed do the
 * same. Elapsed time counts instead where it is longer: on a slower machine, or with a slow service.
 */
export class Budget {
  private readonly options: VerifyOptions;
  private readonly since: number;

  constructor(options: VerifyOptions) {
    this.options = options;
    this.since = timeOf(options);
  }

  /** The used part of the budget, in milliseconds. */
  get used(): number {
    return Math.max(this.work, this.time);
  }

  /**
   * The progress of the run through its budget, in milliseconds, which decides what comes next: that of the work,
   * unless the elapsed time is far longer.
   */
  get place(): number {
    return Math.max(this.work, this.time / SLOWER);
  }

  get isUsedUp(): boolean {
    return this.used > this.options.budget;
  }

  /** Whether breaks are no longer made shorter, either. */
  get isCut(): boolean {
    return this.used > this.options.budget + MOST_LONGER_MS;
  }

  /** Whether the time was used up before the work. */
  get isOutOfTime(): boolean {
    const { budget } = this.options;
    return this.time > budget && this.work <= budget;
  }

  private get work(): number {
    const { work, target } = this.options.subject;
    return work.milliseconds(target.sent);
  }

  private get time(): number {
    return timeOf(this.options) - this.since;
  }
}

const timeOf = ({ time }: VerifyOptions): number => (time ?? performance.now.bind(performance))();

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
