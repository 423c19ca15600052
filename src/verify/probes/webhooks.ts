import { sameValue } from '../../expression/values/value.ts';
import { type StatementId, statementId } from '../../plan/lines.ts';
import type { Plan } from '../../plan/step.ts';
import { otherwise } from '../blame/alterations.ts';
import type { Oracle } from '../oracle/oracle.ts';
import type { OracleRow, Rows } from '../oracle/rows.ts';
import { isExchange } from '../report/report.ts';
import type { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import type { SetupMember } from '../statements/statement.ts';
import { Drive, newEvents, type Option } from './drive.ts';
import { Findings } from './findings.ts';
import { goalsOf, reach } from './goals.ts';
import { PostOffice, webhookEvents } from './post-office.ts';
import type { Probe, ProbeResult } from './probe.ts';
import { Receiver } from './receiver.ts';
import { tryRetries } from './retries.ts';

/** The number of changes in one version, some with events and others without. */
const MOST_CHANGES = 24;
/** The number of candidates to each endpoint that are considered to distinguish conditions of `Hears of`. */
const LOOKED_AT = 400;

/** Whether a statement is one of the webhooks as a whole, or about what their receivers hear of. */
const isOfWebhooks = (id: StatementId): boolean => id.kind === 'hears' || (id.kind === 'part' && id.part === 'webhook');

/** Causes every event, and checks the deliveries to receivers: payload, form, order and number. */
export const webhooks: Probe = {
  name: 'webhooks',
  needs: neededMembers,
  applies: hasWebhooks,
  tries: (id) => id.kind === 'event' || isOfWebhooks(id),
  run: (session, random, isLate) => inOffice(tellAll, session, random, isLate),
};

/**
 * Refuses deliveries. Uses a session of its own, since a long list of delays must not use up the time of other probes.
 */
export const retries: Probe = {
  name: 'retries',
  needs: neededMembers,
  applies: hasWebhooks,
  tries: (id) =>
    id.kind === 'part' &&
    id.part === 'webhook' &&
    ['delays', 'delivery', 'order', 'gone', 'retryAfter'].includes(id.fact),
  run: (session, random, isLate) => inOffice(tryRetries, session, random, isLate),
};

/** The setup members that the probe needs: none for receivers that are rows, which requests create. */
function neededMembers({ webhook }: Plan): readonly SetupMember[] {
  return webhook?.receivers ? [] : ['receiver'];
}

function hasWebhooks({ webhook }: Plan): boolean {
  return webhook !== null;
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
    if (office.mailboxes.length === 0) notTried(findings, session.subject.plan);
    else if (!findings.isBroken) await work(drive, office);
  } finally {
    await receiver.close();
  }
  return findings.result();
}

/** Marks the statements about webhooks as not tried, since no receiver could be registered. */
function notTried(findings: Findings, plan: Plan): void {
  const { lines, webhook } = plan;
  const because = `No request was found that makes a ${webhook?.receivers?.resource ?? 'receiver'} with an address of the test’s.`;
  const stated = Object.values(lines).flatMap(({ id }) => (isOfWebhooks(id) ? [id] : []));
  for (const id of [...stated, ...webhookEvents(plan).map((type) => statementId.event(type))])
    findings.notTried(id, because);
}

async function tellAll(drive: Drive, office: PostOffice): Promise<void> {
  const { findings, session } = drive;
  const { plan } = session.subject;
  for (const goal of goalsOf(plan, 'webhook')) {
    await office.signUp();
    await reach(drive, goal);
    await office.settle();
    if (findings.isBroken) return;
    await sendAgain(drive, office);
    if (findings.isBroken) return;
  }
  for (const { name, where } of plan.webhook?.receivers?.hears ?? []) {
    if (where === null) continue;
    drive.renew();
    await tellOthers(drive, office, name);
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
  for (const type of new Set(office.events.map((one) => one.type))) findings.meet(statementId.event(type), 'webhook');
}

/** Causes events that an altered condition of `Hears of` would send to other receivers. */
async function tellOthers(drive: Drive, office: PostOffice, resource: string): Promise<void> {
  const { session } = drive;
  for (const other of otherwise(session.subject.plan, statementId.hears(resource))) {
    await office.signUp();
    const now = await session.now();
    const telling = (option: Option): boolean => {
      const own = newEvents(session, option);
      if (!own.some((event) => event.resource === resource && event.to.includes('webhook'))) return false;
      const rival = session.foreseeBy(session.oracle.under(other), option.request, now, 'foreseen');
      const others = rival ? newEvents(session, { foreseen: rival }) : [];
      return own.some((event, i) => office.hearersOf(event) !== office.hearersOf(others[i] ?? event));
    };
    const option =
      (await drive.atOnce(telling)) ??
      (await drive.atOnce(telling, { most: LOOKED_AT })) ??
      (await drive.find(telling));
    if (option && (await drive.send(option.request)) !== null) await office.settle();
    if (drive.findings.isBroken) return;
  }
}

/** Sends the latest request once more: a repeated or refused request causes no event. */
async function sendAgain(drive: Drive, office: PostOffice): Promise<void> {
  const latest = drive.findings.acts.findLast(isExchange);
  if (!latest || (await drive.send(latest.request)) === null) return;
  await office.settle();
}

/** The number of candidates to each endpoint that are considered for a new change. */
const CANDIDATES_OF_CHANGE = 24;

/**
 * Changes rows of each resource, from each state. A change without an event must cause no delivery; a change with an
 * event must cause one from each state.
 */
class Changes {
  private readonly drive: Drive;
  /** The API version of the requests; null: the current one. */
  private readonly version: string | null;
  private readonly made = new Set<string>();

  constructor(drive: Drive, version: string | null = null) {
    this.drive = drive;
    this.version = version;
  }

  /** Sends a request that changes rows in a new way; returns false if there is none. */
  async makeAnother(): Promise<boolean> {
    const { drive, made } = this;
    const isNew = (option: Option): boolean => {
      const key = this.keyOf(option);
      return key !== '' && !made.has(key);
    };
    const where = { most: CANDIDATES_OF_CHANGE, version: this.version };
    // Some states can only be reached through other states.
    const option = (await drive.atOnce(isNew, where)) ?? (this.version === null ? await drive.find(isNew) : null);
    if (!option) return false;
    made.add(this.keyOf(option));
    await drive.send(option.request);
    return true;
  }

  /**
   * The changes of rows that a request is predicted to make: resources, and fields that change. Empty where nothing
   * changes.
   */
  private keyOf({ foreseen }: Option): string {
    const { session } = this.drive;
    const differences = session.subject.plan.resources.flatMap(({ name }) =>
      changesIn(name, session.oracle, foreseen.oracle),
    );
    return [...new Set(differences)].sort().join(', ');
  }
}

function changesIn(resource: string, before: Oracle, after: Oracle): string[] {
  const [old, now] = [before.state.rows, after.state.rows];
  const made = now.all(resource).filter((row) => !old.byIdentity(resource, now.identity(row)));
  const changed = old.all(resource).flatMap((row): string[] => {
    const other = now.byIdentity(resource, old.identity(row));
    if (!other) return [`${resource} removed`];
    return [...row.values]
      .filter(([field, value]) => !sameValue(value, other.get(field)))
      .map(([field]) => `${resource}.${field}${moved(now, field, row, other)}`);
  });
  return [...made.map(() => `${resource} created`), ...changed];
}

/** The old and the new state, if the field holds the state; empty for another field. */
const moved = (rows: Rows, field: string, before: OracleRow, after: OracleRow): string =>
  rows.plan(before.resource).machines.some((one) => one.field === field)
    ? ` ${before.get(field)} to ${after.get(field)}`
    : '';
