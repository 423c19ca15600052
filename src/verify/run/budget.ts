import { MOST_LONGER_MS } from './bounds.ts';
import type { VerifyOptions } from './options.ts';

/** How much more of the time than of the work may be used up before what comes next is decided by the time. */
const SLOWER = 1.6;

/**
 * What a run may use up. Its work counts as the time that it takes on a slow machine, so that runs of the same seed do
 * the same; the time itself counts where that is longer: on a slower machine, or with a service that answers slowly.
 */
export class Budget {
  private readonly options: VerifyOptions;
  private readonly since: number;

  constructor(options: VerifyOptions) {
    this.options = options;
    this.since = timeOf(options);
  }

  /** How much is used up, in milliseconds. */
  get used(): number {
    return Math.max(this.work, this.time);
  }

  /** How far the run is in it, in milliseconds: that decides what comes next. It is that of the work, unless the time is far longer. */
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
