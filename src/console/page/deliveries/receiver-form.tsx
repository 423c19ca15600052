import { useState } from 'preact/hooks';
import type { AddReceiverRequest, ChangeReceiverRequest, Done, ReceiverAdded, ReceiverShown } from '../../protocol.ts';
import { post } from '../app/api.ts';
import { useApp } from '../app/app.ts';
import { Checks } from '../parts/checks.tsx';
import { FormDialog } from '../parts/dialog.tsx';

interface Props {
  /** Null for one that is registered. */
  readonly receiver: ReceiverShown | null;
  readonly close: () => void;
  readonly done: (added: ReceiverAdded | null) => void;
}

/** Registers a receiver, or gives one another address, other events or another version. */
export function ReceiverForm({ receiver, close, done }: Props) {
  const { service } = useApp();
  const [url, setUrl] = useState(receiver?.url ?? '');
  const [events, setEvents] = useState<readonly string[]>(receiver?.events ?? service.events);
  const [version, setVersion] = useState<string | null>(receiver?.version ?? service.version);
  const [allowPrivate, setAllowPrivate] = useState(receiver?.allowPrivate ?? false);
  const moves = url !== receiver?.url;
  const send = async (): Promise<void> => {
    if (receiver === null) {
      const body: AddReceiverRequest = { url, events, version, allowPrivate };
      done(await post<ReceiverAdded>('/receivers', body));
      return;
    }
    const body: ChangeReceiverRequest = { events, version, url: moves ? url : null, allowPrivate };
    await post<Done>(`/receivers/${encodeURIComponent(receiver.id)}/change`, body);
    done(null);
  };
  const [title, action] = receiver ? ['Change the receiver', 'Save'] : ['Register a receiver', 'Register'];
  return (
    <FormDialog title={title} action={action} close={close} send={send}>
      <Address url={url} change={setUrl} />
      {receiver !== null && moves && <p class="muted small">Deliveries that are pending go to the new address.</p>}
      <Checks legend="Events" names={service.events} chosen={events} change={setEvents} />
      {service.versions.length > 0 && <Version version={version} versions={service.versions} change={setVersion} />}
      {moves && (
        <label class="check">
          <input
            type="checkbox"
            checked={allowPrivate}
            onChange={(event) => setAllowPrivate(event.currentTarget.checked)}
          />
          Allow a private or local address
        </label>
      )}
    </FormDialog>
  );
}

interface AddressProps {
  readonly url: string;
  readonly change: (url: string) => void;
}

function Address({ url, change }: AddressProps) {
  return (
    <div class="field">
      <label for="receiver-url">Address</label>
      <input
        id="receiver-url"
        class="input"
        type="url"
        required
        placeholder="https://example.com/webhooks"
        value={url}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </div>
  );
}

interface VersionProps {
  readonly version: string | null;
  readonly versions: readonly string[];
  readonly change: (version: string) => void;
}

function Version({ version, versions, change }: VersionProps) {
  return (
    <div class="field">
      <label for="receiver-version">Version</label>
      <select id="receiver-version" value={version ?? ''} onChange={(event) => change(event.currentTarget.value)}>
        {versions.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </div>
  );
}
