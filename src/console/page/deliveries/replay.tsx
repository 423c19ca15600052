import { useState } from 'preact/hooks';
import type { DeliveryShown, Replayed, ReplayRequest } from '../../protocol.ts';
import { post } from '../app/api.ts';
import { useTask } from '../app/app.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Failure } from '../parts/page-parts.tsx';

interface ReplayProps {
  readonly delivery: DeliveryShown;
  readonly changed: () => void;
}

/** Sends an event again, once its delivery has ended. */
export function Replay({ delivery, changed }: ReplayProps) {
  const [open, setOpen] = useState(false);
  const task = useTask();
  const { state, type, event } = delivery;
  if (state !== 'delivered' && state !== 'given up') return null;
  const close = (): void => {
    setOpen(false);
    task.clear();
  };
  const replay = (): void =>
    void task.run(async () => {
      const body: ReplayRequest = { event };
      await post<Replayed>('/deliveries/replay', body);
      setOpen(false);
      changed();
    });
  return (
    <>
      <button type="button" class="button small" aria-label={`Replay ${type} ${event}`} onClick={() => setOpen(true)}>
        Replay
      </button>
      {open && (
        <Confirm title={`Send ${type} again?`} action="Replay" close={close} running={task.running} confirm={replay}>
          <p>
            The service sends the event again, with the same <code>webhook-id</code>, to each receiver whose delivery
            has ended: a receiver that keeps to Standard Webhooks knows that it is the same.
          </p>
          {task.error && <Failure error={task.error} />}
        </Confirm>
      )}
    </>
  );
}
