import type { Row } from '../expression/values/value.ts';
import type { Plan } from './step.ts';

/** A stored receiver that the operator has registered. */
export interface Registered {
  readonly id: string;
  readonly url: string;
  /** Empty if the document had no versions at the registration. */
  readonly version: string;
  readonly events: readonly string[];
}

/**
 * A receiver that no longer gets all events that it was registered for, with the reason and the command that solves
 * this.
 */
export interface UnservedReceiver {
  readonly id: string;
  readonly url: string;
  readonly version: string | null;
  /**
   * `waits`: its events are stored until it has a version of the document; `untold`: it no longer gets events that it
   * has chosen.
   */
  readonly becomes: 'waits' | 'untold';
  readonly why: string;
  readonly mend: string;
  /** The command for all receivers with the same reason; null where each needs a command of its own. */
  readonly mendAll: string | null;
}

/** Whether an id is that of a registered receiver, and not of a row. */
export const isRegistered = (id: string): boolean => id.startsWith('rcv_');

/**
 * The registered receivers among the rows of “list receivers”, which also has receivers that are rows of a resource.
 */
export function registeredOf(rows: readonly Row[]): Registered[] {
  return rows.flatMap(([id, url, version, , , events]) =>
    isRegistered(String(id))
      ? [{ id: String(id), url: String(url), version: String(version), events: JSON.parse(String(events)) as string[] }]
      : [],
  );
}

/** All versions of a plan; the empty text if it has none. */
export const describedVersions = ({ versions }: Pick<Plan, 'versions'>): readonly string[] =>
  versions ? [versions.current, ...versions.older.map(({ name }) => name)] : [''];

/** Describes a receiver’s version. */
export const versionText = (version: string): string => (version === '' ? 'no version' : `version ${version}`);

/** The events that a document sends by webhook. */
export const toldByWebhook = ({ resources, emitted = [] }: Pick<Plan, 'resources' | 'emitted'>): readonly string[] =>
  [...resources.flatMap(({ events }) => events), ...emitted].flatMap(({ name, to }) =>
    to.includes('webhook') ? [name] : [],
  );

/**
 * The registered receivers that no longer get the events that they were registered for. Migrations, the service and the
 * list of receivers all report them.
 */
export function unservedReceivers(plan: Plan, registered: readonly Registered[]): UnservedReceiver[] {
  const known = describedVersions(plan);
  const webhookEvents = new Set(toldByWebhook(plan));
  const kind = kindOfReceivers(plan);
  return registered.flatMap(({ id, url, version, events }): UnservedReceiver[] => {
    const one = { id, url, version: version || null };
    const remove = `receivers FILE remove ${id}`;
    if (kind !== null) return [{ ...one, becomes: 'untold', why: kind, mend: remove, mendAll: null }];
    const out: UnservedReceiver[] = [];
    if (!known.includes(version))
      out.push({
        ...one,
        becomes: 'waits',
        why: `registered for ${versionText(version)}, and the document ${has(known)}`,
        mend: `receivers FILE change ${id} --version VERSION`,
        mendAll: 'receivers FILE change --waiting --version VERSION',
      });
    for (const event of events.filter((each) => !webhookEvents.has(each)))
      out.push({
        ...one,
        becomes: 'untold',
        why: `${event} is no longer sent by webhook`,
        mend: `receivers FILE change ${id} --events EVENTS`,
        mendAll: `receivers FILE change --rename-event ${event}=EVENT`,
      });
    return out;
  });
}

/** The reason why none of the operator’s receivers gets events; null where they do. */
function kindOfReceivers({ webhook }: Plan): string | null {
  if (!webhook) return 'the document has no webhooks';
  return webhook.receivers && `the receivers of the document are the rows of ${webhook.receivers.resource}`;
}

/**
 * The receivers that were rows of a resource which is not the document’s resource of receivers; from “list receivers”.
 * `before` gives the earlier names of a resource that has been renamed.
 */
export function formerRows(
  { webhook }: Plan,
  rows: readonly Row[],
  before: (resource: string) => readonly string[],
): UnservedReceiver[] {
  const now = webhook?.receivers?.resource ?? null;
  const known = now === null ? [] : [now, ...before(now)];
  const why = webhook
    ? `the receivers of the document are ${now === null ? 'registered by the operator' : `the rows of ${now}`}`
    : 'the document has no webhooks';
  return rows.flatMap(([id, url]): UnservedReceiver[] => {
    if (isRegistered(String(id)) || known.some((resource) => String(id).startsWith(`${resource} `))) return [];
    const mend = now === null && webhook ? 'receivers FILE add URL --events EVENTS' : `receivers FILE remove "${id}"`;
    return [{ id: String(id), url: String(url), version: null, becomes: 'untold', why, mend, mendAll: null }];
  });
}

const has = (known: readonly string[]): string =>
  known.includes('') ? 'has no versions' : `describes ${known.join(', ')}`;

/** The largest number of receivers that a message names. */
const NAMED = 3;

/** The messages about such receivers for an operator, one for each reason, with the command that solves the problem. */
export function unservedTexts(stranded: readonly UnservedReceiver[]): string[] {
  const groups = Map.groupBy(stranded, ({ becomes, why }) => `${becomes} ${why}`);
  return [...groups.values()].map((group) => {
    const [{ becomes, why, mend, mendAll }] = group as [UnservedReceiver];
    const single = group.length === 1;
    const named = group.slice(0, NAMED).map(({ id, url }) => `${id} (${url})`);
    const rest = group.length - named.length;
    const who = single ? `the receiver ${named[0]}` : `${group.length} receivers`;
    const what = {
      waits: single ? 'waits, and its events are stored' : 'wait, and their events are stored',
      untold: single
        ? 'no longer gets all events that it has chosen'
        : 'no longer get all events that they have chosen',
    }[becomes];
    const which = single ? '' : `: ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
    const command = single ? mend : (mendAll ?? `${mend}, and so on`);
    return `${who} ${what}: ${why} (\`${command}\`)${which}`;
  });
}

/**
 * A group of receivers that would no longer get events under a new document for a reason other than versions, and the
 * command that corrects them.
 */
export interface UnservedGroup {
  readonly who: string;
  readonly becomes: string;
  readonly mend: string;
}

/**
 * The groups of receivers that get fewer events from a new document than from the old one, for other reasons than
 * versions. `before` gives the earlier names of a resource that has been renamed.
 */
export function unservedGroups(
  old: Plan,
  next: Plan,
  before: (resource: string) => readonly string[],
): readonly UnservedGroup[] {
  if (!old.webhook) return [];
  const was = old.webhook.receivers?.resource ?? null;
  const is = next.webhook?.receivers?.resource ?? null;
  const who = was === null ? 'receivers that the operator has registered' : `receivers that are rows of ${was}`;
  const nothing = 'are sent nothing more, and their pending deliveries stay stored';
  if (!next.webhook) {
    const mend = was === null ? 'receivers FILE remove ID' : `rows FILE remove ${was} ID`;
    return [{ who, becomes: `${nothing}: the document has no webhooks`, mend }];
  }
  if (was !== null && (was === is || (is !== null && before(is).includes(was)))) return [];
  if (is !== null)
    return [
      { who, becomes: `are replaced: receivers are the rows of ${is}`, mend: `rows FILE add ${is} field=value…` },
    ];
  if (was !== null)
    return [
      {
        who,
        becomes: 'are replaced: the operator registers receivers',
        mend: 'receivers FILE add URL --events EVENTS',
      },
    ];
  const told = toldByWebhook(next);
  const lost = toldByWebhook(old).filter((event) => !told.includes(event));
  return lost.map((event) => ({
    who: `receivers that have chosen ${event}`,
    becomes: 'are no longer told of it',
    mend: `receivers FILE change --rename-event ${event}=EVENT`,
  }));
}
