import { useState } from 'preact/hooks';
import type { AddReceiverRequest, ChangeReceiverRequest, Done, ReceiverAdded, ReceiverShown } from '../../protocol.ts';
import { post } from '../app/api.ts';
import { useApp } from '../app/app.ts';
import { Checks } from '../parts/checks.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';

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
  const send = async (): Promise<void> => {
    if (receiver === null) {
      const body: AddReceiverRequest = { url, events, version, allowPrivate };
      done(await post<ReceiverAdded>('/receivers', body));
      return;
    }
    const body: ChangeReceiverRequest = { events, version };
    await post<Done>(`/receivers/${encodeURIComponent(receiver.id)}/change`, body);
    done(null);
  };
  const [title, action] = receiver ? ['Change the receiver', 'Save'] : ['Register a receiver', 'Register'];
  return (
    <FormDialog title={title} action={action} close={close} send={send}>
      <Address url={url} fixed={receiver !== null} change={setUrl} />
      <Checks legend="Events" names={service.events} chosen={events} change={setEvents} />
      {service.versions.length > 0 && <Version version={version} versions={service.versions} change={setVersion} />}
      {receiver === null && (
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
  readonly fixed: boolean;
  readonly change: (url: string) => void;
}

function Address({ url, fixed, change }: AddressProps) {
  return (
    <div class="field">
      <label for="receiver-url">Address</label>
      <input
        id="receiver-url"
        class="input"
        type="url"
        required
        readOnly={fixed}
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
