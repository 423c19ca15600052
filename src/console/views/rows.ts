import { OperatorError } from '../../runtime/operator-error.ts';
import { ROW_TESTS, type RowFilter } from '../../runtime/operator-forms.ts';
import { OperatorLabels } from '../../runtime/operator-labels.ts';
import { newestFirst, OperatorRows, type RowsWanted } from '../../runtime/operator-rows.ts';
import type { Resource } from '../../runtime/resources/rules.ts';
import { ConcurrencyLimit } from '../concurrency-limit.ts';
import { type ConsoleService, engineOf, resourceOf } from '../console-service.ts';
import { ConsoleError } from '../problem.ts';
import type { IdentitiesAnswer, RowsAnswer, RowsOfIdentities } from '../protocol.ts';
import type { Route } from '../route.ts';
import { MOST_ROWS, windowOf } from '../window.ts';
import { rowChanges, rowInList } from './row.ts';

/** The lists of rows that are read at once: a list of many rows uses the connections that long lists of the service use. */
const LISTS_AT_ONCE = 2;

/** The rows of a resource. */
export function rowViews(served: ConsoleService): Route[] {
  const limit = new ConcurrencyLimit(LISTS_AT_ONCE);
  return [
    {
      method: 'GET',
      path: '/rows/:resource',
      answer: async ({ names: [name = ''], query, signal }): Promise<RowsAnswer> => {
        const resource = resourceOf(served, name);
        const engine = engineOf(served);
        const wanted = wantedOf(resource, query);
        const { total, rows } = await limit.run(() => new OperatorRows(engine).page(resource, wanted, signal), signal);
        const labels = await new OperatorLabels(engine).targetsOf(resource.plan, rows);
        const shown = rows.map((row) => rowInList(resource, row));
        return { resource: name, offset: wanted.offset, total, rows: shown, labels };
      },
    },
    {
      method: 'GET',
      path: '/identities/:resource',
      answer: async ({ names: [name = ''], query, signal }): Promise<IdentitiesAnswer> => {
        const resource = resourceOf(served, name);
        // While the list waits, another document may be served.
        const engine = engineOf(served);
        const { identity } = resource.plan;
        const wanted = { ...wantedOf(resource, query), offset: 0, limit: MOST_IDENTITIES, columns: [identity] };
        const { total, rows } = await limit.run(() => new OperatorRows(engine).page(resource, wanted, signal), signal);
        return { total, ids: rows.map((row) => String(row[resource.identity])) };
      },
    },
    {
      method: 'POST',
      path: '/identities/:resource',
      reads: true,
      answer: async ({ names: [name = ''], body }): Promise<RowsOfIdentities> => {
        const resource = resourceOf(served, name);
        const ids = body.texts('ids');
        if (ids.length > MOST_ROWS) throw new ConsoleError('wrong use', `“ids” has at most ${MOST_ROWS} identities.`);
        const rows = await new OperatorRows(engineOf(served)).some(resource, ids);
        return { rows: rows.map((row) => rowInList(resource, row, true)) };
      },
    },
    ...rowChanges(served),
  ];
}

/** The most identities of a list. */
const MOST_IDENTITIES = 100_000;

/** The most characters of a search. */
const MOST_SEARCHED = 200;

function wantedOf({ plan }: Resource, query: URLSearchParams): RowsWanted {
  const sort = query.get('sort');
  const search = query.get('search')?.trim() ?? '';
  if (search.length > MOST_SEARCHED) throw new OperatorError(`“search” has at most ${MOST_SEARCHED} characters.`, true);
  return {
    ...windowOf(query),
    sort: sort ? { field: sort.replace(/^-/, ''), descending: sort.startsWith('-') } : newestFirst(plan),
    filters: filtersOf(query.get('filter')),
    containing: search === '' ? null : search,
  };
}

/** `[{"field": "sku", "is": "equal", "value": "ABC-0001"}]`. */
function filtersOf(text: string | null): RowFilter[] {
  if (text === null || text === '') return [];
  const wrong = new OperatorError(
    '`filter` is JSON such as [{"field": "sku", "is": "equal", "value": "ABC-0001"}].',
    true,
  );
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw wrong;
  }
  if (!Array.isArray(parsed)) throw wrong;
  return parsed.map((one: unknown): RowFilter => {
    if (typeof one !== 'object' || one === null || !('field' in one) || !('is' in one)) throw wrong;
    const { field } = one;
    const value = 'value' in one ? one.value : null;
    const is = ROW_TESTS.find((test) => test === one.is);
    if (typeof field !== 'string' || !is || (value !== null && typeof value !== 'string')) throw wrong;
    return { field, is, value };
  });
}
