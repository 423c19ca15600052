import type { Plan } from '../../plan/step.ts';
import { eventKey } from '../oracle/events.ts';
import { isExchange } from '../report/report.ts';
import type { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import { Changes } from './changes.ts';
import { Drive } from './drive.ts';
import { Findings } from './findings.ts';
import { goalsOf, reach } from './goals.ts';
import { PostOffice } from './post-office.ts';
import type { Probe, ProbeResult } from './probe.ts';
import { Receiver } from './receiver.ts';
import { tryRetries } from './retries.ts';

/** How many changes are made in one version, of which some are told of and others not. */
const MOST_CHANGES = 24;

/** Has every event happen, and holds what receivers are sent to it: what, how, in which order, and how often. */
export const webhooks: Probe = {
  name: 'webhooks',
  needs: ['receiver'],
  applies: hasReceivers,
  run: (...args) => inOffice(tellAll, ...args),
};

/** Refuses what is delivered: in a session of its own, so that a long list of delays is gone through whatever else there is to try. */
export const retries: Probe = {
  name: 'retries',
  needs: ['receiver'],
  applies: hasReceivers,
  run: (...args) => inOffice(tryRetries, ...args),
};

function hasReceivers({ webhook }: Plan): boolean {
  return webhook !== null && webhook.receivers === null;
}

async function inOffice(
  work: (drive: Drive, office: PostOffice) => Promise<void>,
  session: Session,
  random: Random,
  isLate?: () => boolean,
): Promise<ProbeResult> {
  const findings = new Findings(session.subject.plan);
  const drive = new Drive(session, findings, random, isLate);
  const receiver = await Receiver.listen();
  try {
    const office = await PostOffice.open(drive, receiver);
    if (!findings.isBroken) await work(drive, office);
  } finally {
    await receiver.close();
  }
  return findings.result();
}

async function tellAll(drive: Drive, office: PostOffice): Promise<void> {
  const { findings, session } = drive;
  const { plan } = session.subject;
  for (const goal of goalsOf(plan, 'webhook')) {
    await reach(drive, goal);
    await office.settle();
    if (findings.isBroken) return;
    await sendAgain(drive, office);
    if (findings.isBroken) return;
  }
  const now = await session.now();
  const older = (plan.versions?.older ?? []).filter(({ retired, sunset }) => !retired && (sunset ?? now + 1) > now);
  for (const version of [null, ...older.map(({ name }) => name)]) {
    drive.renew();
    const changes = new Changes(drive, version);
    for (let i = 0; i < MOST_CHANGES && !findings.isBroken && (await changes.makeAnother()); i++) await office.settle();
  }
  if (findings.isBroken) return;
  await office.rest();
  office.judgeOrder();
  for (const type of new Set(office.events.map((one) => one.type))) findings.meet(eventKey({ type }), 'webhook');
}

/** Sends the latest request once more: what is only repeated, or refused, nobody is told of. */
async function sendAgain(drive: Drive, office: PostOffice): Promise<void> {
  const latest = drive.findings.acts.findLast(isExchange);
  if (!latest || (await drive.send(latest.request)) === null) return;
  await office.settle();
}
