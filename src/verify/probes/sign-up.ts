import type { Json } from '../../export/json.ts';
import { named } from '../../plan/named.ts';
import { isSuccess } from '../../plan/status.ts';
import type { ReceiversPlan } from '../../plan/step.ts';
import { hasMark } from '../oracle/marks.ts';
import type { Oracle } from '../oracle/oracle.ts';
import type { OracleRow } from '../oracle/rows.ts';
import { bytesOf, type Content, objectIn } from '../requests/draft.ts';
import type { Request } from '../target/exchange.ts';
import type { Drive, Option } from './drive.ts';
import type { Registration } from './mailbox.ts';

/**
 * Creates a receiver row with an address and events of the tester: by a request of the document, otherwise by the
 * operator. Null where neither can create one.
 */
export async function signUp(
  drive: Drive,
  receivers: ReceiversPlan,
  path: string,
  url: string,
  events: readonly string[],
): Promise<Registration | null> {
  const { session } = drive;
  const wanted = { receivers, url, events, now: await session.now() };
  const option = await drive.find((one) => addressed(drive, one, wanted) !== null);
  const request = option && addressed(drive, option, wanted);
  const isMade = request ? (await drive.send(request)) !== null : await addedByOperator(drive, wanted);
  const rows = (): readonly OracleRow[] => rowsAt(session.oracle, wanted);
  if (!isMade || rows().length === 0) return null;
  return {
    path,
    url,
    events: () => rows().flatMap((row) => chosenBy(row, receivers) ?? events),
    version: session.subject.plan.versions?.current ?? '',
    secrets: () => {
      const secrets = rows().map((row) => String(row.get(receivers.secret)));
      return secrets.some(hasMark) ? null : secrets;
    },
    isThere: () => rows().length > 0,
  };
}

interface Wanted {
  readonly receivers: ReceiversPlan;
  readonly url: string;
  readonly events: readonly string[];
  readonly now: number;
}

/** The events that a receiver has chosen; null where it receives all. */
function chosenBy(row: OracleRow, { events }: ReceiversPlan): readonly string[] | null {
  const chosen = events === null ? null : row.get(events);
  return Array.isArray(chosen) ? chosen.map(String) : null;
}

/** The receivers at the wanted address: there may be several, and each receives the events. */
function rowsAt({ state }: Oracle, { receivers, url }: Wanted): OracleRow[] {
  return state.rows.all(receivers.resource).filter((row) => row.get(receivers.url) === url);
}

/**
 * Changes a request that creates a receiver to one with the wanted address and events; null if the changed request
 * would create none.
 */
function addressed({ session }: Drive, { request, foreseen }: Option, wanted: Wanted): Request | null {
  const { receivers, url, events, now } = wanted;
  const { rows } = foreseen.oracle.state;
  const isNew = (row: OracleRow): boolean =>
    session.oracle.state.rows.byIdentity(receivers.resource, rows.identity(row)) === null;
  const made = rows.all(receivers.resource).find(isNew);
  if (!made || !request.body) return null;
  const chosen = chosenBy(made, receivers);
  const replace = (value: Json): Json => {
    if (value === made.get(receivers.url)) return url;
    if (Array.isArray(value)) return isSameSet(value, chosen) ? [...events] : value.map(replace);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replace(one as Json)]));
  };
  const sent = objectIn(request);
  if (!sent) return null;
  const own = { ...request, body: bytesOf({ headers: request.headers, body: replace(sent as Json) as Content }) };
  const then = session.foreseeBy(session.oracle, own, now, 'signed up');
  return then && isSuccess(then.prediction.expected.status) && rowsAt(then.oracle, wanted).length > 0 ? own : null;
}

const isSameSet = (list: readonly Json[], chosen: readonly string[] | null): boolean =>
  chosen !== null && list.length === chosen.length && list.every((one) => chosen.includes(String(one)));

async function addedByOperator({ session }: Drive, { receivers, url, events }: Wanted): Promise<boolean> {
  const resource = named(session.subject.plan.resources, receivers.resource);
  const own = { [receivers.url]: url, ...(receivers.events === null ? {} : { [receivers.events]: [...events] }) };
  return (await session.addRow(resource, own)) !== null;
}
