import type { Compiled } from '../../compiler/compile.ts';
import { renderSummary } from '../../compiler/render.ts';
import { contractOf } from '../../contract/contract-of.ts';
import { KeyError } from '../../runtime/authentication/signing-keys.ts';
import { StoreError } from '../../store/store.ts';
import { counted } from '../../text/units.ts';
import { type Break, keptShareOf, lineText, type Report } from '../../verify/report/report.ts';
import { StableTexts } from '../../verify/report/stable.ts';
import { OnlyError, onlyOf } from '../../verify/run/only.ts';
import { SetupError } from '../../verify/setup/failures.ts';
import { statementsOf } from '../../verify/statements/statements.ts';
import { AddressError } from '../../verify/target/loopback.ts';
import { Unreachable, withTested } from '../testing/tested.ts';
import { clipped } from './pages.ts';
import { Refusal } from './refusal.ts';

/** The arguments of `test`; the setup is a path of the system. */
interface TestArguments {
  readonly url?: string | undefined;
  readonly setup?: string | undefined;
  readonly only?: string | undefined;
  readonly seed: number;
  readonly seconds: number;
  /** The version of the program. */
  readonly version: string;
}

const TIMEOUT_MS = 10_000;
const MOST_BREAKS = 10;
/** The most reasons why statements could not be tested. */
const MOST_REASONS = 15;

/** Tests a service against a document, and describes the result in short. */
export async function testSummary(compiled: Compiled, args: TestArguments, signal: AbortSignal): Promise<string[]> {
  const { plan, findings } = compiled;
  if (!plan || findings.length > 0)
    throw new Refusal(
      `The document is not settled: ${renderSummary(compiled, false)} next_questions lists what is open.`,
    );
  const { url, setup, only, seed, seconds, version } = args;
  if (url === undefined && plan.handlers.length > 0)
    throw new Refusal(
      'The document runs handlers, and no tool runs code: `ninefold test` on the command line does. With url, a service that runs already is tested.',
    );
  if (url !== undefined && !isHere(url))
    throw new Refusal(
      'This tool tests only services of this machine: http://127.0.0.1, http://localhost or http://[::1].',
    );
  const contract = contractOf(plan);
  const { text } = compiled.lines;
  const statements = statementsOf(plan, contract, text);
  const { verify } = await import('../../verify/run/verify.ts');
  let report: Report | null = null;
  try {
    const part = only === undefined ? null : onlyOf(only, statements, plan);
    const options = { timeout: TIMEOUT_MS, ...(url !== undefined && { url }), ...(setup !== undefined && { setup }) };
    await withTested({ plan, contract, options }, async (tested) => {
      const of = { ...tested, statements, only: part, seed, budget: seconds * 1000, text };
      report = await verify({ ...of, mostBreaks: MOST_BREAKS, version, signal });
    });
  } catch (error) {
    const known = [OnlyError, AddressError, SetupError, Unreachable, StoreError, KeyError];
    if (!known.some((kind) => error instanceof kind)) throw error;
    throw new Refusal((error as Error).message);
  }
  return report ? summaryOf(report) : [];
}

/** Whether a URL names this machine, without a look-up that other machines would see. */
function isHere(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname, protocol } = new URL(url);
  return /^https?:$/.test(protocol) && /^(?:127\.[\d.]+|(?:.+\.)?localhost|\[::1\])$/.test(hostname);
}

/** The verdict, the breaks and the reasons. Requests are not shown: they hold credentials of the service. */
function summaryOf(report: Report): string[] {
  const { results, breaks, requests, seed, stopped, run } = report;
  const { kept, of } = keptShareOf(report);
  const untestable = results.filter(({ outcome }) => outcome === 'untestable');
  return [
    `${counted(of, 'statement')}: ${kept} kept, ${of - kept - untestable.length} broken, ${untestable.length} untestable (${counted(breaks.length, 'break')}, ${counted(requests, 'request')}, seed ${seed}).`,
    ...(stopped === null ? [] : [`The run stopped early. ${stopped}`]),
    ...(run.outOfTime ? ['The run used up its time before its work: seconds gives it more.'] : []),
    ...breaks.map((one, i) => breakText(report, one, i)),
    ...reasonsOf(report),
    ...(breaks.length > 0 ? ['`ninefold test` on the command line shows the requests of each break.'] : []),
  ];
}

function breakText(report: Report, one: Break, i: number): string {
  // Values of the run, such as credentials, have names in place of them.
  const stable = new StableTexts(one.sequence);
  const { endpoint, line } = one;
  const [why, expected, actual] = [one.why, one.expected, one.actual].map((text) => clipped(stable.text(text)));
  const at = line === null ? '' : `\n  line ${line}: ${clipped(lineText(report, one) ?? '', 160)}`;
  return `Break ${i + 1}${endpoint === null ? '' : `, ${endpoint}`}: ${why}${at}\n  expected: ${expected}\n  actual: ${actual}`;
}

function reasonsOf({ results }: Report): string[] {
  const reasons = new Map<string, Set<number>>();
  for (const { because, statement } of results)
    if (because !== null) reasons.set(because, (reasons.get(because) ?? new Set()).add(statement.line));
  const shown = [...reasons].slice(0, MOST_REASONS).map(([because, lines]) => {
    const at = [...lines].sort((a, b) => a - b);
    return `Untestable, ${at.length === 1 ? 'line' : 'lines'} ${clipped(at.join(', '), 60)}: ${clipped(because)}`;
  });
  const more = reasons.size - shown.length;
  return more > 0 ? [...shown, `And ${counted(more, 'other reason')}.`] : shown;
}
