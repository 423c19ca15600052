/** A process that runs one test after another: what it is sent is a job, and what it sends is the outcome. */
import { join } from 'node:path';
import { startOwnService } from '../../src/cli/testing/own-service.ts';
import { compile } from '../../src/compiler/compile.ts';
import { contractOf } from '../../src/contract/contract-of.ts';
import type { Plan } from '../../src/plan/step.ts';
import { type Break, isExchange, statementText } from '../../src/verify/report/report.ts';
import { verify } from '../../src/verify/run/verify.ts';
import { subjectAt } from '../../src/verify/session/subject.ts';
import { loadSetup } from '../../src/verify/setup/load.ts';
import type { Setup } from '../../src/verify/setup/setup.ts';
import { statementsOf } from '../../src/verify/statements/statements.ts';
import { HttpTarget } from '../../src/verify/target/http-target.ts';
import { placeOf } from '../../src/verify/target/loopback.ts';
import { RunningPeer } from './faults/peer.ts';
import type { FoundBreak, Job, Outcome, Subject } from './job.ts';

const SETUP = join(import.meta.dirname, 'setups', 'orders.ts');
/** How long a run goes on after its first break, so that the break of the statement itself may be among them. */
const AFTER_FIRST_MS = 4000;
/** How many breaks are looked for where all are. */
const MOST_BREAKS = 25;

/**
 * Budgets are counted by the time that this process has had of a processor: the service and whoever tests it are both in it,
 * so that a busy machine measures what a quiet one does.
 */
function time(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** What is tested, while it runs. */
interface Started {
  readonly url: string;
  readonly serviceUrl: string;
  readonly setup: Setup;
  stop(): Promise<void>;
}

async function start(subject: Subject, plan: Plan): Promise<Started> {
  if (subject.kind === 'document') {
    const { plan: served } = compile('served.md', subject.served);
    if (!served) throw new Error('The document that is to be served has findings');
    return startOwnService(served, { store: subject.store });
  }
  const running = await RunningPeer.start(subject.peer, subject.fault);
  const { url } = running;
  return { url, serviceUrl: url, setup: await loadSetup(SETUP, url, plan), stop: () => running.stop() };
}

async function run({ key, document, text, subject, seed, budget, enough, lines }: Job): Promise<Outcome> {
  const { plan } = compile(document, text);
  if (!plan) throw new Error(`${document} has findings`);
  const contract = contractOf(plan);
  const statements = statementsOf(plan, contract, text);
  const started = await start(subject, plan);
  try {
    const { url } = started;
    const target = new HttpTarget(await placeOf(url, false));
    let isNamed = false;
    let until = Number.POSITIVE_INFINITY;
    const told = ({ line }: Break): void => {
      isNamed ||= line !== null && lines.includes(line);
      if (enough !== null) until = Math.min(until, time() + AFTER_FIRST_MS);
    };
    const isEnough = (): boolean => isNamed || time() > until;
    const about = subjectAt({ plan, contract }, target, started);
    const report = await verify({
      ...{ subject: about, url, statements, only: null, seed, budget, version: 'bench', time, told },
      // A break that was found is made shorter though enough were found.
      get mostBreaks(): number {
        return isEnough() ? 1 : (enough ?? MOST_BREAKS);
      },
    });
    const { results } = report;
    const count = (outcome: string): number => results.filter((one) => one.outcome === outcome).length;
    return {
      key,
      breaks: report.breaks.map(found),
      requests: report.requests,
      milliseconds: report.run.milliseconds,
      statements: { all: results.length, kept: count('kept'), untestable: count('untestable') },
      ofLines: results
        .filter(({ statement }) => lines.includes(statement.line))
        .map(({ statement, outcome, because }) => ({ statement: statement.key, outcome, because })),
      stopped: isEnough() ? null : report.stopped,
      failed: null,
    };
  } finally {
    await started.stop();
  }
}

const found = (one: Break): FoundBreak => {
  const { line, otherLines = [], endpoint, why, expected, actual } = one;
  const requests = one.sequence.filter(isExchange).length;
  return { statement: statementText(one), line, otherLines, endpoint, why, expected, actual, requests };
};

const failure = (key: string, error: unknown): Outcome => ({
  key,
  breaks: [],
  requests: 0,
  milliseconds: 0,
  statements: { all: 0, kept: 0, untestable: 0 },
  ofLines: [],
  stopped: null,
  failed: error instanceof Error ? `${error.stack}` : String(error),
});

process.on('message', (job: Job) => {
  run(job)
    .catch((error: unknown) => failure(job.key, error))
    .then((outcome) => process.send?.(outcome));
});
process.on('disconnect', () => process.exit(0));
