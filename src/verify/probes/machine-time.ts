import { isSameId, type StatementId, statementId } from '../../plan/lines.ts';
import type { Plan } from '../../plan/step.ts';
import type { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import { Drive } from './drive.ts';
import { Findings } from './findings.ts';
import { IdleStream } from './idle-stream.ts';
import { Lag } from './lag.ts';
import { PostOffice } from './post-office.ts';
import type { Probe, ProbeResult } from './probe.ts';
import { Receiver } from './receiver.ts';
import { SlowReceiver } from './slow-receiver.ts';
import { bodiesToHoldBack, holdBodiesBack, longestBody } from './timeouts.ts';

/** The longest time-out or heartbeat interval that is tested; longer ones would take too much time. */
const LONGEST_MS = 20_000;
/** The time that a test takes in addition to the wait, in milliseconds. */
const BESIDES_MS = 3000;

const TIMEOUT = statementId.part('webhook', 'timeout');
const HEARTBEAT = statementId.part('stream', 'heartbeat');

/**
 * Tests durations that the clock of the machine measures, whatever the clock of the service shows: time-outs and
 * heartbeats.
 */
export const machineTime: Probe = {
  name: 'time-outs and heartbeats',
  needs: () => [],
  applies: (plan: Plan): boolean => waitsOf(plan).some(({ milliseconds }) => milliseconds !== null),
  lasts: (plan: Plan): number =>
    BESIDES_MS + Math.min(...waitsOf(plan).map(({ milliseconds }) => milliseconds ?? Number.POSITIVE_INFINITY)),
  tries: (id, plan) => waitsOf(plan).some(({ milliseconds, states }) => milliseconds !== null && states(id)),
  run: async (session: Session, random: Random, isLate?: () => boolean, left?: number): Promise<ProbeResult> => {
    const found = await waitFor(session, random, isLate, left);
    if (found.breaks.length === 0) return found;
    // A busy machine may have caused the break, so that it counts only if it occurs again.
    const { breaks } = await waitFor(await session.anew(), random, undefined, left);
    return { ...found, breaks };
  },
};

interface Wait {
  readonly what: 'bodies' | 'receiver' | 'heartbeat';
  /** Whether the wait tests a statement. */
  readonly states: (id: StatementId) => boolean;
  /** The duration in milliseconds; null if the document states none, or if it is too long to test. */
  readonly milliseconds: number | null;
}

const withinBounds = (milliseconds: number | null | undefined): number | null =>
  milliseconds && milliseconds <= LONGEST_MS ? milliseconds : null;

const waitsOf = (plan: Plan): readonly Wait[] => [
  { what: 'bodies', states: (id) => id.kind === 'endpoint' && id.fact === 'Time-out', milliseconds: longestBody(plan) },
  { what: 'receiver', states: (id) => isSameId(id, TIMEOUT), milliseconds: withinBounds(plan.webhook?.timeout) },
  { what: 'heartbeat', states: (id) => isSameId(id, HEARTBEAT), milliseconds: withinBounds(plan.stream?.heartbeat) },
];

/** Waits for several durations at the same time where possible: requests that cause events would prevent heartbeats. */
async function waitFor(
  session: Session,
  random: Random,
  isLate: (() => boolean) | undefined,
  left = Number.POSITIVE_INFINITY,
): Promise<ProbeResult> {
  const { plan, setup } = session.subject;
  const { webhook } = plan;
  const findings = new Findings(plan);
  const drive = new Drive(session, findings, random, isLate);
  tellOfLonger(findings, plan);
  const room = left - BESIDES_MS;
  const takes = (what: Wait['what']): number =>
    waitsOf(plan).find((one) => one.what === what)?.milliseconds ?? Number.POSITIVE_INFINITY;
  const holdsBack = takes('bodies') <= room;
  const receiver = await Receiver.listen();
  const lag = new Lag();
  let slow: SlowReceiver | null = null;
  let idle: IdleStream | null = null;
  try {
    if (webhook && takes('receiver') <= room && (webhook.receivers !== null || setup.receiver))
      slow = await SlowReceiver.begin(drive, await PostOffice.open(drive, receiver), webhook);
    const bodies = holdsBack && !findings.isBroken ? await bodiesToHoldBack(drive, random) : [];
    if (takes('heartbeat') <= room && !findings.isBroken)
      idle = await IdleStream.begin(drive, random, takes('heartbeat'));
    // Refused requests cause no events, so that the stream stays idle.
    await Promise.all([holdBodiesBack(drive, bodies), idle?.conclude(lag)]);
    await slow?.conclude(lag);
  } finally {
    idle?.close();
    lag.close();
    await receiver.close();
  }
  return findings.result();
}

/** Reports the time-outs and heartbeats that are too long to test. */
function tellOfLonger(findings: Findings, { webhook, stream }: Plan): void {
  for (const [statement, milliseconds] of [
    [TIMEOUT, webhook?.timeout ?? 0],
    [HEARTBEAT, stream?.heartbeat ?? 0],
  ] as const)
    if (milliseconds > LONGEST_MS)
      findings.notTried(statement, `It takes ${milliseconds / 1000} s of the machine’s time: more than is waited for.`);
}
