import { pathSegment } from '../../../text/path-segment.ts';
import type { AttemptsAnswer, DeliveryShown, EventAnswer } from '../../protocol.ts';
import { useAnswer } from '../app/app.ts';
import { Copy } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Loaded } from '../parts/page-parts.tsx';
import { counted } from '../parts/words.ts';
import { Attempt } from './attempt.tsx';
import { Replay } from './replay.tsx';

interface Props {
  readonly delivery: DeliveryShown;
  /** Called after the event has been sent again. */
  readonly changed: () => void;
  readonly close: () => void;
}

/** A delivery: what the receiver answered at each attempt, and the payload of the event. */
export function DeliveryDetail({ delivery, changed, close }: Props) {
  const { type, url, state } = delivery;
  return (
    <Dialog title={type} close={close}>
      <p>
        To <code>{url}</code>: {state}
      </p>
      <Attempts delivery={delivery} />
      <Payload event={delivery.event} />
      <div class="dialog-actions">
        <Replay delivery={delivery} changed={changed} />
        <button type="button" class="button primary" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function Attempts({ delivery: { delivery, attempts, lastAt } }: { readonly delivery: DeliveryShown }) {
  // Each attempt changes the address of the list, so that it is loaded again.
  const answer = useAnswer<AttemptsAnswer>(`/deliveries/${delivery}?last=${encodeURIComponent(lastAt ?? '')}`);
  return (
    <>
      <h3>Attempts</h3>
      <Loaded answer={answer} what="the attempts">
        {({ attempts: kept }) =>
          kept.length === 0 ? (
            <p class="muted">
              {attempts === 0 && lastAt === null
                ? 'The service has not tried to deliver it yet.'
                : 'An earlier version of Ninefold made the attempts, and kept no answer.'}
            </p>
          ) : (
            <>
              <ol class="history">
                {kept.map((one) => (
                  <li key={one.at}>
                    <Attempt one={one} />
                  </li>
                ))}
              </ol>
              {attempts > kept.length && (
                <p class="muted small">
                  The service keeps the last {counted(kept.length, 'attempt')} of {attempts}.
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** The payload of an event. */
function Payload({ event }: { readonly event: string }) {
  const answer = useAnswer<EventAnswer>(`/events/${pathSegment(event)}`);
  return (
    <>
      <h3>Payload</h3>
      <Loaded answer={answer} what="the event">
        {({ at, data }) => (
          <>
            <p class="muted small">
              Recorded at {at}, in the names of the current version.{' '}
              <Copy text={JSON.stringify(data, null, 2)} what="the payload" />
            </p>
            <pre class="block" tabIndex={0} role="group" aria-label="Payload">
              {JSON.stringify(data, null, 2)}
            </pre>
          </>
        )}
      </Loaded>
    </>
  );
}
