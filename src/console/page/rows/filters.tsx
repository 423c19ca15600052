import { useState } from 'preact/hooks';
import { isScalarKind } from '../../../expression/values/kinds.ts';
import { ownMember } from '../../../text/own-members.ts';
import type { Column, ColumnType, Filter, Labels, ResourceSummary } from '../../protocol.ts';
import { useApp } from '../app/app.ts';

const WORDS: Readonly<Record<Filter['is'], string>> = {
  equal: 'is',
  'not equal': 'is not',
  contains: 'contains',
  from: 'from',
  to: 'up to',
  absent: 'is absent',
  present: 'is present',
};

/** The filters that an address holds; none where it holds something else. */
export function filtersOf(query: URLSearchParams): readonly Filter[] {
  try {
    const read: unknown = JSON.parse(query.get('filter') ?? '[]');
    return Array.isArray(read) ? read.filter(isFilter) : [];
  } catch {
    return [];
  }
}

/** Anybody may write an address: a member that is no text would break the words of the filter. */
const isFilter = (one: unknown): one is Filter =>
  typeof one === 'object' &&
  one !== null &&
  'field' in one &&
  typeof one.field === 'string' &&
  'is' in one &&
  typeof one.is === 'string' &&
  Object.hasOwn(WORDS, one.is) &&
  'value' in one &&
  (one.value === null || typeof one.value === 'string');

/** Which rows are shown: each filter can be taken out, and one more be added. */
export function Filters({
  resource,
  filters,
  labels,
}: {
  readonly resource: ResourceSummary;
  readonly filters: readonly Filter[];
  /** The labels of the rows to which the listed rows refer. */
  readonly labels: Labels;
}) {
  const { router } = useApp();
  const put = (next: readonly Filter[]): void => router.query({ filter: next.length ? JSON.stringify(next) : null });
  return (
    <div class="filters">
      {filters.length > 0 && (
        <ul class="chips" aria-label="Filters">
          {filters.map((one, i) => {
            const words = `${one.field} ${WORDS[one.is]}${one.value === null ? '' : ` ${labelOf(resource, one, labels)}`}`;
            return (
              <li key={i} class="chip">
                <span class="cut">{words}</span>
                <button
                  type="button"
                  aria-label={`Remove the filter ${words}`}
                  onClick={() => put(filters.filter((_, j) => j !== i))}
                >
                  ×
                </button>
              </li>
            );
          })}
        </ul>
      )}
      <AddFilter
        columns={resource.columns.filter((one) => one.ordered)}
        first={resource.stateFields[0]?.name ?? resource.label}
        add={(one) => put([...filters, one])}
      />
    </div>
  );
}

/** The label of the row to which the value of a filter refers; of any other filter, its value. */
function labelOf({ columns }: ResourceSummary, { field, value }: Filter, labels: Labels): string {
  const resource = columns.find(({ name }) => name === field)?.refersTo ?? null;
  return (resource !== null && ownMember(labels[resource] ?? {}, value ?? '')) || (value ?? '');
}

/** The comparisons that a column has. */
function comparisonsOf({ type, optional, oneOf }: Column): readonly Filter['is'][] {
  const text = type === 'text' && oneOf === null;
  const ordered = isScalarKind(type) && type !== 'text' && type !== 'uuid' && type !== 'boolean';
  return [
    ...(text ? (['contains'] as const) : []),
    'equal',
    'not equal',
    ...(ordered ? (['from', 'to'] as const) : []),
    ...(optional ? (['absent', 'present'] as const) : []),
  ];
}

interface AddProps {
  readonly columns: readonly Column[];
  /** The field with which the form begins; null for the first one. */
  readonly first: string | null;
  readonly add: (filter: Filter) => void;
}

function AddFilter({ columns, first, add }: AddProps) {
  const [field, setField] = useState(first ?? columns[0]?.name ?? '');
  const [is, setIs] = useState<Filter['is'] | null>(null);
  const [value, setValue] = useState('');
  const column = columns.find((one) => one.name === field);
  if (!column) return null;
  const comparisons = comparisonsOf(column);
  const chosen = is !== null && comparisons.includes(is) ? is : (comparisons[0] ?? 'equal');
  const valued = chosen !== 'absent' && chosen !== 'present';
  const choices = column.oneOf ?? (column.type === 'boolean' ? ['true', 'false'] : null);
  const selected = choices && !choices.includes(value) ? (choices[0] ?? '') : value;
  const submit = (event: Event): void => {
    event.preventDefault();
    add({ field, is: chosen, value: valued ? selected : null });
    setValue('');
  };
  return (
    <form class="add-filter" onSubmit={submit} aria-label="Add a filter">
      <select aria-label="Field" value={field} onChange={(event) => setField(event.currentTarget.value)}>
        {columns.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label="Comparison"
        value={chosen}
        onChange={(event) => setIs(comparisons.find((one) => one === event.currentTarget.value) ?? null)}
      >
        {comparisons.map((one) => (
          <option key={one} value={one}>
            {WORDS[one]}
          </option>
        ))}
      </select>
      {valued &&
        (choices ? (
          <select aria-label="Value" value={selected} onChange={(event) => setValue(event.currentTarget.value)}>
            {choices.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        ) : (
          <input
            class="input"
            aria-label="Value"
            required
            placeholder={HINTS[column.type] ?? 'value'}
            value={value}
            onInput={(event) => setValue(event.currentTarget.value)}
          />
        ))}
      <button type="submit" class="button">
        Filter
      </button>
    </form>
  );
}

const HINTS: Readonly<Partial<Record<ColumnType, string>>> = {
  timestamp: '2026-11-24T00:00:00Z',
  date: '2026-11-24',
  duration: 'P1D',
  integer: '0',
  decimal: '0.00',
};
