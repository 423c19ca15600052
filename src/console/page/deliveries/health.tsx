import { useState } from 'preact/hooks';
import type { HealthAnswer, HealthShown } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { useApp } from '../app/app.ts';
import { Instant } from '../parts/instant.tsx';
import { Empty, Section } from '../parts/page-parts.tsx';
import { Table } from '../parts/table.tsx';
import { grouped } from '../parts/words.ts';
import { TestEvent } from './test-event.tsx';

/** The most pending deliveries of a receiver that are counted. */
const MOST_PENDING = 1000;

/** The headings of the columns that `HealthCells` fills. */
export const HEALTH_HEADINGS = [{ right: 'Delivered' }, 'Last success', { right: 'Pending' }, 'Next attempt'] as const;

/** The cells of a receiver about its deliveries; null before they are loaded. */
export function HealthCells({ health, held }: { readonly health: HealthShown | null; readonly held: boolean }) {
  if (!health) return <td colSpan={HEALTH_HEADINGS.length} class="absent" />;
  const { delivered, givenUp, lastSuccess, pending, next, receiver } = health;
  const ended = delivered + givenUp;
  return (
    <>
      <td class="right tight">
        {ended === 0 ? <span class="absent">–</span> : `${Math.floor((delivered / ended) * 100)}%`}
        {givenUp > 0 && (
          <div class="small">
            <a href={addresses.deliveries({ receiver, state: 'given up' })}>{grouped(givenUp)} given up</a>
          </div>
        )}
      </td>
      <td class="tight">
        <Instant at={lastSuccess} />
      </td>
      <td class="right">
        {pending === 0 ? <span class="absent">–</span> : `${grouped(pending)}${pending >= MOST_PENDING ? '+' : ''}`}
      </td>
      <td class="tight">{held && pending > 0 ? <span class="muted">held</span> : <Instant at={next} />}</td>
    </>
  );
}

/** Describes the deliveries of which the share of successes is computed. */
export const sampleText = (deliveries: number): string =>
  `Delivered: the share of deliveries that succeeded, of those that have ended among the last ${grouped(deliveries)} deliveries of the service.`;

/** Receivers that are rows, as far as the last deliveries are to them. */
export function RowReceivers({ health }: { readonly health: HealthAnswer }) {
  if (health.receivers.length === 0)
    return (
      <Empty title="No event has been sent to a receiver yet">
        A receiver is listed here once the service has recorded an event for it.
      </Empty>
    );
  return (
    <Section id="health" title="Deliveries to receivers" note={sampleText(health.deliveries)}>
      <Table caption="Receivers" labelledBy="health" headings={['Address', ...HEALTH_HEADINGS, { unseen: 'Actions' }]}>
        {health.receivers.map((one) => (
          <RowReceiver key={one.receiver} one={one} />
        ))}
      </Table>
    </Section>
  );
}

function RowReceiver({ one }: { readonly one: HealthShown }) {
  const { service } = useApp();
  const [testing, setTesting] = useState(false);
  const url = one.url ?? one.receiver;
  return (
    <tr>
      <th scope="row">
        <a href={addresses.deliveries({ receiver: one.receiver })}>{url}</a>
        <div class="muted small mono">{one.receiver}</div>
      </th>
      <HealthCells health={one} held={false} />
      <td class="row-acts">
        <button type="button" class="button small" aria-label={`Test ${url}`} onClick={() => setTesting(true)}>
          Test
        </button>
        {testing && (
          <TestEvent receiver={one.receiver} url={url} events={service.events} close={() => setTesting(false)} />
        )}
      </td>
    </tr>
  );
}

/** Receivers that were removed because they answered 410. */
export function GoneReceivers({ gone }: Pick<HealthAnswer, 'gone'>) {
  if (gone.length === 0) return null;
  return (
    <Section id="gone" title="Removed: the address is gone" note="in the last 30 days">
      <ul class="plain-list">
        {gone.map(({ receiver, url, at }) => (
          <li key={receiver}>
            {url} <span class="muted small mono">{receiver}</span> answered 410 at <Instant at={at} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
