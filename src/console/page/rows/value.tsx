import type { Column, Json } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { shortInstant } from '../parts/words.ts';

/** Text of more characters gets a frame of its own, which scrolls. */
const LONG = 1500;

/** A value of a row. Text is shown as plain text, even if it contains HTML. */
export function Value({
  value,
  column,
  whole = false,
}: {
  readonly value: Json | undefined;
  readonly column: Column;
  readonly whole?: boolean;
}) {
  if (value === null || value === undefined) return <span class="absent">–</span>;
  if (column.refersTo !== null && typeof value === 'string')
    return (
      <a class="mono" href={addresses.row(column.refersTo, value)}>
        {value}
      </a>
    );
  if (column.refersTo !== null && Array.isArray(value)) {
    const one = { ...column, type: 'uuid' } as const;
    return (
      <>
        {value.map((item, i) => (
          <>
            {i > 0 ? ', ' : ''}
            <Value value={typeof item === 'number' ? String(item) : item} column={one} />
          </>
        ))}
      </>
    );
  }
  if (typeof value === 'string') {
    if (whole && value.length > LONG)
      return (
        <pre class="block" tabIndex={0} role="group" aria-label={`All of ${column.name}`}>
          {value}
        </pre>
      );
    if (column.type === 'timestamp')
      return (
        <time dateTime={value} title={value} class="number">
          {whole ? value : shortInstant(value)}
        </time>
      );
    return column.type === 'uuid' ? <span class="mono">{value}</span> : <span>{value}</span>;
  }
  if (typeof value === 'number') return <span class="number">{String(value)}</span>;
  if (typeof value === 'boolean') return <>{value ? 'true' : 'false'}</>;
  return <code>{JSON.stringify(value, null, whole ? 2 : 0)}</code>;
}

/** The state of a row. */
export function StateTag({ state }: { readonly state: string }) {
  return <span class="tag accent">{state}</span>;
}
