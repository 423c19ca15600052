import type { Difference } from '../judge/compare.ts';
import type { ProbeBreak } from '../probes/probe.ts';
import type { Break } from '../report/report.ts';
import type { Session } from '../session/session.ts';
import type { Subject } from '../session/subject.ts';
import { SetupError } from '../setup/failures.ts';
import type { Exchange, Request } from '../target/exchange.ts';
import { type Broken, brokenOf } from './trial.ts';

/** The least length of an identity: shorter ones may be equal by chance. */
const LEAST = 16;

const NONE_ACCEPTED =
  'The service has accepted no credentials of the setup so far. Check that `caller` returns the value that a caller sends, with the scopes that were asked for.';

const OTHER_ADDRESS = 'If the public address of the service differs from --url, pass --service-url.';

/** Statuses of requests whose credentials are not accepted, or not sufficient. */
const REFUSALS: readonly number[] = [401, 403];

/** A setup that does not reset the service: later differences are no fault of the service. */
export class LeftBehind extends SetupError {}

/** Detects breaks that may come from a setup that does not do its part, instead of from the service. */
export class Doubt {
  private accepted = false;
  private readonly earlier = new Set<string>();
  /** A request whose answer showed a row, and the row's identity. After a reset, no answer may show that row. */
  private shown: { readonly request: Request; readonly identity: string } | null = null;
  private hasLooked = false;

  /** Records an exchange of a session. */
  heard(session: Session, { request, outcome }: Exchange): void {
    if ('failed' in outcome) return;
    if (!REFUSALS.includes(outcome.status)) this.accepted ||= hasIssued(session, request);
    if (this.shown || request.method !== 'GET' || outcome.status !== 200) return;
    const body = outcome.body.toString();
    const identity = identitiesOf(session).find((one) => body.includes(one) && !request.body?.includes(one));
    if (identity !== undefined) this.shown = { request, identity };
  }

  /**
   * Checks that a reset removes rows: sends the request again whose answer had shown a row. Nothing is counted, since
   * the next session begins with a reset of its own. Rejects with LeftBehind where the row still exists.
   */
  async afterReset({ setup, target }: Subject): Promise<void> {
    if (!setup.reset || this.hasLooked || !this.shown) return;
    this.hasLooked = true;
    await setup.reset();
    const { request, identity } = this.shown;
    const { outcome } = await target.send(request);
    const left = !('failed' in outcome) && outcome.status === 200 && outcome.body.toString().includes(identity);
    if (left) throw leftBehind(request, identity);
  }

  /** Throws LeftBehind where an answer contains a row from before a reset. */
  mustBeNew(session: Session, { exchange, answer }: Broken): void {
    const own = new Set(identitiesOf(session));
    const body = answer.body.toString();
    const left = [...this.earlier].find((one) => !own.has(one) && body.includes(one) && !names(exchange.request, one));
    if (left !== undefined) throw leftBehind(exchange.request, left);
  }

  /** Called at the end of a session: its rows must not exist in the next one. */
  over(session: Session): void {
    for (const one of identitiesOf(session)) this.earlier.add(one);
  }

  /** Adds to a break a remark about another possible cause, such as a wrong setup. */
  with(told: Break, session: Session, broken: Broken): Break {
    return { ...told, why: [told.why, this.about(session, broken) ?? ''].filter((each) => each).join(' ') };
  }

  /** Adds the remark to a break that a probe found, if a single answer shows the break. Throws LeftBehind. */
  ofProbe(told: Break, { wrong, session }: ProbeBreak, own: Session): Break {
    if (!wrong) return told;
    const [of, broken] = [session ?? own, brokenOf(wrong.exchange, wrong.verdict)];
    if (of.subject.setup.reset) this.mustBeNew(of, broken);
    return this.with(told, of, broken);
  }

  /** A sentence about a possible mistake in the setup, for the report of a break; null if there is no sign of one. */
  about(session: Session, broken: Broken): string | null {
    const { exchange, answer, prediction, differences } = broken;
    if (differences.some((one) => isElsewhere(one, session.subject.serviceUrl))) return OTHER_ADDRESS;
    const refused = REFUSALS.includes(answer.status) && !REFUSALS.includes(prediction.expected.status);
    if (refused && !this.accepted && hasIssued(session, exchange.request)) return NONE_ACCEPTED;
    return null;
  }
}

const leftBehind = ({ method, target }: Request, identity: string): LeftBehind =>
  new LeftBehind(
    `The answer to ${method} ${target} contains ${identity}, which existed before \`reset\`. Check that \`reset\` of the setup removes all rows, credentials and counts.`,
  );

/** Whether nothing is another but the address of the service. */
function isElsewhere({ expected, actual }: Difference, serviceUrl: string): boolean {
  const own = /^"?(https?:\/\/[^/"?#]+)/;
  const [ours, theirs] = [own.exec(expected ?? '')?.[1], own.exec(actual ?? '')?.[1]];
  if (ours === undefined || theirs === undefined || ours === theirs || !serviceUrl.startsWith(ours)) return false;
  return expected?.replace(ours, '') === actual?.replace(theirs, '');
}

/** Whether a request is sent with credentials that the setup has given. */
function hasIssued({ operatorActs }: Session, { headers }: Request): boolean {
  const issued = operatorActs.flatMap(({ gives }) => (gives?.name.startsWith('credentials') ? [gives.value] : []));
  return headers.some(([, value]) => issued.some((one) => value.endsWith(one)));
}

function identitiesOf({ oracle, subject }: Session): string[] {
  const { rows } = oracle.state;
  const all = subject.plan.resources.flatMap(({ name }) => rows.all(name).map((row) => String(rows.identity(row))));
  return all.filter((one) => one.length >= LEAST);
}

const names = ({ target, body }: Request, text: string): boolean =>
  target.includes(text) || (body?.includes(text) ?? false);
