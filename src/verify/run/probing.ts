import { machineTime } from '../probes/machine-time.ts';
import { largePages, pages } from '../probes/pages.ts';
import type { Probe, ProbeResult } from '../probes/probe.ts';
import { races } from '../probes/races.ts';
import { rates } from '../probes/rates.ts';
import { streams } from '../probes/streams.ts';
import { retries, webhooks } from '../probes/webhooks.ts';
import { wholeLists } from '../probes/whole-lists.ts';
import { Random } from '../requests/random.ts';
import { Session } from '../session/session.ts';
import type { Budget } from './budget.ts';
import { lackingIn } from './lacking.ts';
import type { VerifyOptions } from './options.ts';

/**
 * The share of the budget after which probes run at the latest, and the share of the remaining budget that they may
 * use.
 */
const BEFORE = 0.3;
const OF_THE_REST = 0.5;

/** The result of a probe, with its session and the number of its requests. */
interface Probed extends ProbeResult {
  readonly session: Session;
  readonly sent: number;
}

/** Runs the probes once in a run, each in a session of its own, in their share of the budget. */
export class Probing {
  private readonly options: VerifyOptions;
  private readonly budget: Budget;
  private hasBegun = false;

  constructor(options: VerifyOptions, budget: Budget) {
    this.options = options;
    this.budget = budget;
  }

  /** Whether probes must run now, since the remaining budget would be too small later. */
  get isDue(): boolean {
    return !this.hasBegun && this.budget.place > BEFORE * this.options.budget;
  }

  /** Runs the next probe for each result that is requested; yields nothing the second time, nor without a `reset`. */
  async *results(): AsyncGenerator<Probed> {
    const { subject, seed, budget, only } = this.options;
    if (this.hasBegun || !subject.setup.reset) return;
    this.hasBegun = true;
    const lacking = lackingIn(subject.setup);
    const fit = [...probes.entries()].filter(
      ([, { applies, needs, tries }]) =>
        applies(subject.plan) &&
        !needs(subject.plan).some((member) => lacking.has(member)) &&
        (only === null || [...only.statements.values()].some((id) => tries(id, subject.plan))),
    );
    const begun = this.budget.place;
    const end = begun + OF_THE_REST * (budget - begun);
    for (const [i, [number, probe]] of fit.entries()) {
      // A probe that lasts longer than the rest of the budget is left out.
      if ((probe.lasts?.(subject.plan) ?? 0) > budget - this.budget.used) continue;
      const session = await Session.begin(subject, Random.of(seed, 0));
      const before = subject.target.sent;
      const now = this.budget.place;
      // Time that a probe does not use is left for the probes after it.
      const until = now + (end - now) / Math.min(2, fit.length - i);
      const isLate = (): boolean => this.budget.place > until;
      const left = budget - this.budget.used;
      const result = await probe.run(session, Random.of(seed, 100 + number), isLate, left);
      // A probe that ran out of time proves nothing about the statements that it has not tried.
      const untested = isLate() ? [] : result.untested;
      yield { ...result, untested, session, sent: subject.target.sent - before };
    }
  }
}

/**
 * The probes: each tries, in a session of its own, what single requests cannot try. Probes that take all their time
 * come last.
 */
const probes: readonly Probe[] = [pages, webhooks, streams, races, rates, retries, machineTime, largePages, wholeLists];
