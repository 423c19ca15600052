import { useState } from 'preact/hooks';
import { pathSegment } from '../../../text/path-segment.ts';
import type { TestAnswer, TestRequest } from '../../protocol.ts';
import { post } from '../app/api.ts';
import { useTask } from '../app/app.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/page-parts.tsx';
import { Attempt } from './attempt.tsx';

interface Props {
  readonly receiver: string;
  readonly url: string;
  /** The events that the receiver may be sent. */
  readonly events: readonly string[];
  readonly close: () => void;
}

/** A dialog that sends a test event to a receiver, and shows the receiver's answer. */
export function TestEvent({ receiver, url, events, close }: Props) {
  const [event, setEvent] = useState(events[0] ?? '');
  const [answer, setAnswer] = useState<TestAnswer | null>(null);
  const task = useTask();
  const send = (submitted: Event): void => {
    submitted.preventDefault();
    void task.run(async () => {
      setAnswer(null);
      const body: TestRequest = { event };
      setAnswer(await post<TestAnswer>(`/receivers/${pathSegment(receiver)}/test`, body));
    });
  };
  return (
    <Dialog title="Send a test event" close={close}>
      <form class="form" onSubmit={send}>
        <p>
          The service sends one request to <code>{url}</code>, signed as any delivery. The payload has made-up values,
          and the id of the event begins with <code>test_</code>. The service does not repeat the request.
        </p>
        <div class="field">
          <label for="test-event">Event</label>
          <select id="test-event" value={event} onChange={({ currentTarget }) => setEvent(currentTarget.value)}>
            {events.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </div>
        {task.error && <Failure error={task.error} />}
        {answer && (
          <div role="status">
            <p class="muted small mono">{answer.event}</p>
            <Attempt one={answer.attempt} />
          </div>
        )}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={close}>
            Close
          </button>
          <button type="submit" class="button primary" disabled={task.running}>
            {task.running ? 'Sending …' : 'Send'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
