import type { Difference } from '../judge/compare.ts';
import type { ProbeBreak } from '../probes/probe.ts';
import type { Break } from '../report/report.ts';
import type { Session } from '../session/session.ts';
import type { Exchange, Request } from '../target/exchange.ts';
import { type Broken, brokenOf } from './trial.ts';

/** Identities of fewer characters are the same by chance. */
const LEAST = 16;

const NONE_ACCEPTED =
  'The service has accepted no credentials of the setup so far. Check that `caller` returns the value that a caller sends, with the scopes that were asked for.';

const OTHER_ADDRESS = 'If the public address of the service differs from --url, pass --service-url.';

/** What a service answers where it takes no credentials, or not for this. */
const REFUSALS: readonly number[] = [401, 403];

/** What a break may come from besides the service: a setup that does not do what it says. */
export class Doubt {
  private accepted = false;
  private readonly earlier = new Set<string>();

  /** Hears of every exchange of a session. */
  heard(session: Session, { request, outcome }: Exchange): void {
    if (!('failed' in outcome) && !REFUSALS.includes(outcome.status)) this.accepted ||= hasIssued(session, request);
  }

  /** Hears that a session is over: none of its rows is there after it. */
  over(session: Session): void {
    for (const one of identitiesOf(session)) this.earlier.add(one);
  }

  /** A break, with what it may come from besides the service. */
  with(told: Break, session: Session, broken: Broken): Break {
    return { ...told, why: [told.why, this.about(session, broken) ?? ''].filter((each) => each).join(' ') };
  }

  /** The same of a break that a probe has found, where a single answer shows it. */
  ofProbe(told: Break, { wrong, session }: ProbeBreak, own: Session): Break {
    return wrong ? this.with(told, session ?? own, brokenOf(wrong.exchange, wrong.verdict)) : told;
  }

  /** A sentence for whoever reads a break; null where nothing is known against the setup. */
  about(session: Session, { exchange, answer, prediction, differences }: Broken): string | null {
    if (differences.some((one) => isElsewhere(one, session.subject.serviceUrl))) return OTHER_ADDRESS;
    const refused = REFUSALS.includes(answer.status) && !REFUSALS.includes(prediction.expected.status);
    if (refused && !this.accepted && hasIssued(session, exchange.request)) return NONE_ACCEPTED;
    const own = new Set(identitiesOf(session));
    const body = answer.body.toString();
    const left = [...this.earlier].find((one) => !own.has(one) && body.includes(one) && !names(exchange.request, one));
    return left === undefined
      ? null
      : `The answer contains ${left}, which existed before \`reset\`. Check that \`reset\` removes everything.`;
  }
}

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
