import { OperatorError } from '../../runtime/operator-error.ts';
import { OperatorLabels } from '../../runtime/operator-labels.ts';
import { newestFirst, OperatorRows, ROW_TESTS, type RowFilter, type RowsWanted } from '../../runtime/operator-rows.ts';
import type { Resource } from '../../runtime/resources/rules.ts';
import { type ConsoleService, engineOf, resourceOf } from '../console-service.ts';
import type { RowsAnswer } from '../protocol.ts';
import type { Route } from '../route.ts';
import { windowOf } from '../window.ts';
import { rowChanges, rowInList } from './row.ts';

/** The rows of a resource. */
export function rowViews(served: ConsoleService): Route[] {
  return [
    {
      method: 'GET',
      path: '/rows/:resource',
      answer: async ({ names: [name = ''], query }): Promise<RowsAnswer> => {
        const resource = resourceOf(served, name);
        const engine = engineOf(served);
        const wanted = wantedOf(resource, query);
        const { total, rows } = await new OperatorRows(engine).page(resource, wanted);
        const labels = await new OperatorLabels(engine).targetsOf(resource.plan, rows);
        const whole = query.get('values') === 'whole';
        const shown = rows.map((row) => rowInList(resource, row, whole));
        return { resource: name, offset: wanted.offset, total, rows: shown, labels };
      },
    },
    ...rowChanges(served),
  ];
}

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
