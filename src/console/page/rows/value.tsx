import { ownMember } from '../../../text/own-members.ts';
import type { Column, Json, Labels, StateField } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { shortIdentity, shortInstant } from '../parts/words.ts';

/** Text of more characters gets a frame of its own, which scrolls. */
const LONG = 1500;

/** A value of a row. Text is shown as plain text, even if it contains HTML. */
export function Value({
  value,
  column,
  labels,
  whole = false,
}: {
  readonly value: Json | undefined;
  readonly column: Column;
  /** The labels of the rows to which a value refers. */
  readonly labels: Labels;
  readonly whole?: boolean;
}) {
  if (value === null || value === undefined) return <span class="absent">–</span>;
  if (value === '' || (Array.isArray(value) && value.length === 0)) return <span class="absent">empty</span>;
  if (column.refersTo !== null && Array.isArray(value))
    return (
      <>
        {value.map((item, i) => (
          <>
            {i > 0 ? ', ' : ''}
            <Reference resource={column.refersTo!} id={String(item)} labels={labels} whole={whole} />
          </>
        ))}
      </>
    );
  if (column.refersTo !== null)
    return <Reference resource={column.refersTo} id={String(value)} labels={labels} whole={whole} />;
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
    if (column.type !== 'uuid') return <span>{value}</span>;
    return (
      <span class="mono" title={value}>
        {whole ? value : shortIdentity(value)}
      </span>
    );
  }
  if (typeof value === 'number') return <span class="number">{String(value)}</span>;
  if (typeof value === 'boolean') return <>{value ? 'true' : 'false'}</>;
  return <code>{JSON.stringify(value, null, whole ? 2 : 0)}</code>;
}

interface ReferenceProps {
  readonly resource: string;
  readonly id: string;
  readonly labels: Labels;
  readonly whole: boolean;
}

/** A link to another row, by what people call it. */
function Reference({ resource, id, labels, whole }: ReferenceProps) {
  const label = ownMember(labels[resource] ?? {}, id);
  const href = addresses.row(resource, id);
  if (label === undefined)
    return (
      <a class="mono" href={href} title={id}>
        {whole ? id : shortIdentity(id)}
      </a>
    );
  return (
    <>
      <a href={href} title={id}>
        {label}
      </a>
      {whole && <span class="muted mono"> {shortIdentity(id)}</span>}
    </>
  );
}

/** The state of a row: initial and final ones have colours of their own. */
export function StateTag({ state, field }: { readonly state: string; readonly field: StateField }) {
  const kind = state === field.initial ? 'first' : field.final.includes(state) ? 'last' : 'accent';
  return <span class={`tag ${kind}`}>{state}</span>;
}
