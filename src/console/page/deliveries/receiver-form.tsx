import { useState } from 'preact/hooks';
import type { AddReceiverRequest, ChangeReceiverRequest, Done, ReceiverAdded, ReceiverShown } from '../../protocol.ts';
import { post } from '../app/api.ts';
import { useApp, useTask } from '../app/app.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/page-parts.tsx';

interface Props {
  /** Null for one that is registered. */
  readonly receiver: ReceiverShown | null;
  readonly close: () => void;
  readonly done: (added: ReceiverAdded | null) => void;
}

/** Registers a receiver, or gives one other events or another version. */
export function ReceiverForm({ receiver, close, done }: Props) {
  const { service } = useApp();
  const [url, setUrl] = useState(receiver?.url ?? '');
  const [events, setEvents] = useState<readonly string[]>(receiver?.events ?? service.events);
  const [version, setVersion] = useState<string | null>(receiver?.version ?? service.version);
  const [allowPrivate, setAllowPrivate] = useState(false);
  const task = useTask();
  const send = (event: Event): void => {
    event.preventDefault();
    void task.run(async () => {
      if (receiver === null) {
        const body: AddReceiverRequest = { url, events, version, allowPrivate };
        done(await post<ReceiverAdded>('/receivers', body));
        return;
      }
      const body: ChangeReceiverRequest = { events, version };
      await post<Done>(`/receivers/${encodeURIComponent(receiver.id)}/change`, body);
      done(null);
    });
  };
  return (
    <Dialog title={receiver ? 'Change the receiver' : 'Register a receiver'} close={close}>
      <form class="form" onSubmit={send}>
        <div class="field">
          <label for="receiver-url">Address</label>
          <input
            id="receiver-url"
            class="input"
            type="url"
            required
            readOnly={receiver !== null}
            placeholder="https://example.com/webhooks"
            value={url}
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
        </div>
        <fieldset class="field">
          <legend>Events</legend>
          <div class="checks">
            {service.events.map((name) => (
              <label key={name} class="check">
                <input
                  type="checkbox"
                  checked={events.includes(name)}
                  onChange={({ currentTarget: { checked } }) =>
                    setEvents(service.events.filter((one) => (one === name ? checked : events.includes(one))))
                  }
                />
                {name}
              </label>
            ))}
          </div>
        </fieldset>
        {service.versions.length > 0 && (
          <div class="field">
            <label for="receiver-version">Version</label>
            <select
              id="receiver-version"
              value={version ?? ''}
              onChange={(event) => setVersion(event.currentTarget.value)}
            >
              {service.versions.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          </div>
        )}
        {receiver === null && (
          <label class="check">
            <input
              type="checkbox"
              checked={allowPrivate}
              onChange={(event) => setAllowPrivate(event.currentTarget.checked)}
            />
            It may be a private or local address
          </label>
        )}
        {task.error && <Failure error={task.error} />}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={task.running}>
            {receiver ? 'Save' : 'Register'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
