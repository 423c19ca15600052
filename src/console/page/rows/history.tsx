import type { HistoryEntry, ReferredBy as ReferredByField, RowAnswer } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { Section } from '../parts/page-parts.tsx';
import { counted, shortInstant } from '../parts/words.ts';

/** The events of the row that are kept, newest first. */
export function History({ answer }: { readonly answer: RowAnswer }) {
  const { history, resource, row } = answer;
  const deliveries = addresses.deliveries({ resource, row: row.id });
  return (
    <Section id="history" title="History" note={history.length > 0 && <a href={deliveries}>Deliveries of this row</a>}>
      {history.length === 0 ? (
        <p class="muted">
          The service stores no event of this row. The document states under “Events” which changes record an event.
        </p>
      ) : (
        <ol class="history">
          {history.map((one) => (
            <Entry key={one.event} one={one} />
          ))}
        </ol>
      )}
    </Section>
  );
}

function Entry({ one: { event, type, at, data } }: { readonly one: HistoryEntry }) {
  return (
    <li>
      <span class="history-line">
        <strong>{type}</strong>
        <time dateTime={at} title={at} class="muted number">
          {shortInstant(at)}
        </time>
      </span>
      <span class="history-line muted small">
        <a href={addresses.deliveries({ event })}>{event}</a>
      </span>
      {data !== null && (
        <details>
          <summary>Payload</summary>
          <pre class="block">{JSON.stringify(data, null, 2)}</pre>
        </details>
      )}
    </li>
  );
}

/** Rows that refer to this one, as links to them. */
export function ReferredBy({ answer: { referredBy, row } }: { readonly answer: RowAnswer }) {
  if (referredBy.length === 0) return null;
  return (
    <Section id="referred" title="Referred to by">
      <ul class="plain-list">
        {referredBy.map((one) => (
          <Referring key={`${one.resource} ${one.field}`} one={one} id={row.id} />
        ))}
      </ul>
    </Section>
  );
}

function Referring({ one: { resource, field, rows }, id }: { readonly one: ReferredByField; readonly id: string }) {
  return (
    <li>
      <a href={addresses.rows(resource, [{ field, is: 'equal', value: id }])}>{counted(rows, `${resource} row`)}</a>{' '}
      <span class="muted">
        by <code>{field}</code>
      </span>
    </li>
  );
}
