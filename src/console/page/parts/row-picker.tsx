import { useEffect, useState } from 'preact/hooks';
import { pathSegment } from '../../../text/path-segment.ts';
import type { ResourceSummary, RowShown, RowsAnswer } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { useAnswer, useApp } from '../app/app.ts';

interface Props {
  readonly id: string;
  /** The label; null where another element labels the field. */
  readonly label: string | null;
  readonly resource: string;
  readonly value: string;
  readonly change: (id: string) => void;
  /** Whether an empty field gets the first row. */
  readonly begins?: boolean;
  readonly required?: boolean;
}

const OFFERED = 50;
const REST_MS = 250;

/** A field for the identity of a row, which suggests rows by their words, and tells the words of the chosen one. */
export function RowPicker({ id, label, resource, value, change, begins = false, required = true }: Props) {
  const { service } = useApp();
  const summary = service.resources.find((one) => one.name === resource);
  const [asked, setAsked] = useState(value === '' && begins);
  const { data, search } = useOffered(asked && summary !== undefined ? resource : null, value);
  const first = data?.rows[0]?.id;
  useEffect(() => {
    if (begins && value === '' && first !== undefined) change(first);
  }, [first]);
  const chosen = data?.rows.find((row) => row.id === value);
  return (
    <div class="field">
      {label !== null && <label for={id}>{label}</label>}
      <input
        id={id}
        class="input mono"
        list={`${id}-rows`}
        value={value}
        required={required}
        spellcheck={false}
        autocomplete="off"
        placeholder={`words or identity of a ${resource} row`}
        onFocus={() => setAsked(true)}
        onInput={(event) => change(event.currentTarget.value)}
      />
      <datalist id={`${id}-rows`}>
        {data?.rows.map((row) => (
          <option key={row.id} value={row.id}>
            {wordsOf(row, summary)}
          </option>
        ))}
      </datalist>
      {chosen && <p class="hint">{wordsOf(chosen, summary)}</p>}
      {search === '' && data?.total === 0 && (
        <p class="hint">
          There is no {resource} yet. <a href={addresses.rows(resource)}>Add one</a> first.
        </p>
      )}
    </div>
  );
}

/** The first rows of a resource, or those with a text that is written instead of an identity, once its writer rests. */
function useOffered(resource: string | null, value: string) {
  const [search, setSearch] = useState('');
  const query = search === '' ? '' : `&search=${encodeURIComponent(search)}`;
  const { data } = useAnswer<RowsAnswer>(
    resource === null ? null : `/rows/${pathSegment(resource)}?limit=${OFFERED}${query}`,
  );
  const text = value.trim();
  const isOffered = data?.rows.some((row) => row.id === text) ?? false;
  useEffect(() => {
    if (isOffered || text === search) return;
    const timer = setTimeout(() => setSearch(text), REST_MS);
    return () => clearTimeout(timer);
  }, [text, search, isOffered]);
  return { data, search };
}

/** A short description of a row: what people call it, and its next short texts. */
function wordsOf({ values }: RowShown, summary: ResourceSummary | undefined): string {
  const columns = (summary?.columns ?? []).filter(({ type, refersTo }) => type === 'text' && refersTo === null);
  const label = columns.find(({ name }) => name === summary?.label);
  return [...new Set([...(label ? [label] : []), ...columns])]
    .map(({ name }) => values[name])
    .filter((text) => typeof text === 'string' && text !== '' && text.length < 60)
    .slice(0, 3)
    .join(' · ');
}
