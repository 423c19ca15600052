import { useEffect, useState } from 'preact/hooks';
import { pathSegment } from '../../../text/path-segment.ts';
import type { RowShown, RowsAnswer } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { useAnswer, useApp } from '../app/app.ts';

interface Props {
  readonly id: string;
  readonly label: string;
  readonly resource: string;
  readonly value: string;
  readonly change: (id: string) => void;
}

const OFFERED = 50;

/** A field for the identity of a row, which suggests the first rows. */
export function RowPicker({ id, label, resource, value, change }: Props) {
  const { service } = useApp();
  const known = service.resources.some((one) => one.name === resource);
  const [asked, setAsked] = useState(value === '');
  const { data } = useAnswer<RowsAnswer>(asked && known ? `/rows/${pathSegment(resource)}?limit=${OFFERED}` : null);
  const first = data?.rows[0]?.id;
  useEffect(() => {
    if (value === '' && first !== undefined) change(first);
  }, [first]);
  const none = data !== null && data.total === 0;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="input mono"
        list={`${id}-rows`}
        value={value}
        required
        spellcheck={false}
        autocomplete="off"
        placeholder="the identity of a row"
        onFocus={() => setAsked(true)}
        onInput={(event) => change(event.currentTarget.value)}
      />
      <datalist id={`${id}-rows`}>
        {data?.rows.map((row) => (
          <option key={row.id} value={row.id}>
            {wordsOf(row)}
          </option>
        ))}
      </datalist>
      {none && (
        <p class="hint">
          There is no {resource} yet. <a href={addresses.rows(resource)}>Add one</a> first.
        </p>
      )}
    </div>
  );
}

/** A short description of a row: its first two short texts. */
function wordsOf({ id, values }: RowShown): string {
  return Object.values(values)
    .filter((value) => typeof value === 'string' && value !== id && value.length < 60)
    .slice(0, 2)
    .join(' · ');
}
