import type { Row } from '../expression/values/value.ts';
import type { Plan } from './step.ts';

/** A receiver that the operator has registered, as it is stored. */
export interface Registered {
  readonly id: string;
  readonly url: string;
  /** Empty where it was registered for a document without versions. */
  readonly version: string;
  readonly events: readonly string[];
}

/** A receiver that a document tells less than was agreed with it, and why. */
export interface UnservedReceiver {
  readonly id: string;
  readonly url: string;
  readonly version: string | null;
  /** `waits`: its events are kept until it is given a version; `untold`: events that it has chosen are not told. */
  readonly becomes: 'waits' | 'untold';
  readonly why: string;
}

/** The rows of “list receivers” that the operator has registered; those that callers manage stand among the rows. */
export function registeredOf(rows: readonly Row[]): Registered[] {
  return rows.flatMap(([id, url, version, , , events]) =>
    String(id).startsWith('rcv_')
      ? [{ id: String(id), url: String(url), version: String(version), events: JSON.parse(String(events)) as string[] }]
      : [],
  );
}

/** Every version that a plan has a form for; empty text where it has none. */
export const describedVersions = ({ versions }: Pick<Plan, 'versions'>): readonly string[] =>
  versions ? [versions.current, ...versions.older.map(({ name }) => name)] : [''];

/** How a receiver's version reads. */
export const versionText = (version: string): string => (version === '' ? 'no version' : `version ${version}`);

/**
 * The receivers that a document no longer tells what they were registered for. It is asked by whoever brings rows to a
 * document, serves it or lists receivers, so that none is left out without a word.
 */
export function unservedReceivers(plan: Plan, registered: readonly Registered[]): UnservedReceiver[] {
  const known = describedVersions(plan);
  const webhookEvents = new Set(
    plan.resources.flatMap(({ events }) => events.flatMap(({ name, to }) => (to.includes('webhook') ? [name] : []))),
  );
  return registered.flatMap(({ id, url, version, events }): UnservedReceiver[] => {
    const one = { id, url, version: version || null };
    if (!plan.webhook) return [{ ...one, becomes: 'untold', why: 'the document has no webhooks' }];
    const { receivers } = plan.webhook;
    if (receivers)
      return [
        { ...one, becomes: 'untold', why: `the receivers of the document are the rows of ${receivers.resource}` },
      ];
    const lost = events.filter((event) => !webhookEvents.has(event));
    const out: UnservedReceiver[] = [];
    if (!known.includes(version))
      out.push({ ...one, becomes: 'waits', why: `it has ${versionText(version)}, and the document ${has(known)}` });
    if (lost.length)
      out.push({
        ...one,
        becomes: 'untold',
        why: `${lost.join(', ')} ${lost.length === 1 ? 'is' : 'are'} no longer sent by webhook`,
      });
    return out;
  });
}

const has = (known: readonly string[]): string =>
  known.includes('') ? 'has no versions' : `describes ${known.join(', ')}`;

/** What an operator is told of such a receiver, and what mends it. */
export function unservedText({ id, url, becomes, why }: UnservedReceiver): string {
  const what =
    becomes === 'waits' ? 'waits, and its events are stored' : 'no longer gets all events that it has chosen';
  const mend =
    becomes === 'waits'
      ? `receivers FILE change ${id} --version VERSION`
      : `receivers FILE change ${id} --events EVENTS`;
  return `the receiver ${id} (${url}) ${what}: ${why} (\`${mend}\`)`;
}
