import { isText } from './draft.ts';
import { type Fault, faulty, type Problem, problem } from './problems.ts';
import type { ListQuery } from './service.ts';
import { PAGE, SKU, STATUSES } from './terms.ts';
import { trimmed } from './white-space.ts';

/** A query as frameworks parse it. */
export type Query = Readonly<Record<string, unknown>>;

const FILTERS = ['status', 'sku'] as const;

/** Reads the parameters of `GET /orders`. */
export function listQuery(query: Query, sentBody = false): ListQuery {
  const faults: Fault[] = [];
  const out: { status?: string; sku?: string } = {};
  for (const parameter of FILTERS) {
    const sent = query[parameter];
    if (sent === undefined) continue;
    if (typeof sent !== 'string') faults.push({ parameter, code: 'repeated' });
    else if (!isText(sent)) faults.push({ parameter, code: 'not_text' });
    else if (parameter === 'sku' && !SKU.test(trimmed(sent))) faults.push({ parameter, code: 'not_matching' });
    else if (parameter === 'status' && !STATUSES.some((one) => one === trimmed(sent)))
      faults.push({ parameter, code: 'not_one_of' });
    else out[parameter] = trimmed(sent);
  }
  for (const parameter in query)
    if (parameter !== 'status' && parameter !== 'sku' && parameter !== 'limit' && parameter !== 'cursor')
      faults.push({ parameter, code: 'unknown_parameter' });
  if (faults.length) throw faulty(faults);
  if (sentBody) throw problem('body_not_expected');
  return { ...out, ...pageOf(query) };
}

/** How large a page is asked for, and from where. */
export function pageOf({ limit, cursor }: Query): { limit: number; cursor: string | undefined } {
  const number =
    limit === undefined ? PAGE.standard : typeof limit === 'string' && /^[1-9]\d*$/.test(limit) ? Number(limit) : 0;
  if (number < 1 || number > PAGE.most || (cursor !== undefined && typeof cursor !== 'string'))
    throw problem('page_refused');
  return { limit: number, cursor: cursor as string | undefined };
}

/** Refuses every parameter, where an endpoint takes none. */
export function noParameters(query: Query): void {
  const faults = parameterFaults(query);
  if (faults.length) throw faulty(faults);
}

function parameterFaults(query: Query): Fault[] {
  const faults: Fault[] = [];
  for (const parameter in query) faults.push({ parameter, code: 'unknown_parameter' });
  return faults;
}

/** The problem of a body with that of the parameters beside it: all that is not allowed is told at once. */
export function withParameters(found: Problem, query: Query): Problem {
  if (!found.faults?.every(({ pointer }) => pointer !== undefined)) return found;
  return faulty([...parameterFaults(query), ...found.faults]);
}

/** Whether a query can be read: its escapes are escapes, and stand for UTF-8. */
export function isReadable(url: string): boolean {
  if (!url.includes('%')) return true;
  const at = url.indexOf('?');
  try {
    decodeURIComponent(at < 0 ? '' : url.slice(at + 1));
    return true;
  } catch {
    return false;
  }
}
