import { useState } from 'preact/hooks';
import { pathSegment } from '../../../text/path-segment.ts';
import type {
  AddReceiverRequest,
  ChangeReceiverRequest,
  Done,
  HealthAnswer,
  HealthShown,
  ReceiverAdded,
  ReceiverRotated,
  ReceiverShown,
  ReceiversAnswer,
  RotateSecretRequest,
} from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { post } from '../app/api.ts';
import { useAnswer, useApp, useTask } from '../app/app.ts';
import { Checks } from '../parts/checks.tsx';
import { Secret } from '../parts/copy.tsx';
import { Confirm, FormDialog } from '../parts/dialog.tsx';
import { Instant } from '../parts/instant.tsx';
import { Empty, Failure, Head, Loaded } from '../parts/page-parts.tsx';
import { Table } from '../parts/table.tsx';
import { shortInstant } from '../parts/words.ts';
import { GoneReceivers, HEALTH_HEADINGS, HealthCells, RowReceivers, sampleText } from './health.tsx';
import { TestEvent } from './test-event.tsx';

/** The view of receivers, which are registered here, or rows of a resource, or absent. */
export function ReceiversView() {
  const { service } = useApp();
  const { receivers, receiverResource } = service;
  if (receivers === 'operator') return <Registered />;
  if (receivers === 'rows' && receiverResource !== null) return <Rows resource={receiverResource} />;
  return (
    <>
      <Head title="Receivers" />
      <Empty title="The document has no webhooks">
        State webhooks under “Events”, with the heading <code>### Webhook</code>.
      </Empty>
    </>
  );
}

/** Receivers that are rows: the document says how they are added and removed. */
function Rows({ resource }: { readonly resource: string }) {
  const health = useAnswer<HealthAnswer>('/receivers/health');
  return (
    <>
      <Head
        title="Receivers"
        below={
          <>
            Receivers are <a href={addresses.rows(resource)}>the rows of {resource}</a>.
          </>
        }
      />
      <Loaded answer={health} what="the deliveries to receivers">
        {(data) => <RowReceivers health={data} />}
      </Loaded>
    </>
  );
}

/** A new secret, which is shown once. */
interface Given {
  readonly id: string;
  readonly secret: string;
  readonly oldSecretUntil?: string | null;
}

function Registered() {
  const answer = useAnswer<ReceiversAnswer>('/receivers');
  const health = useAnswer<HealthAnswer>('/receivers/health');
  const [adding, setAdding] = useState(false);
  const [given, setGiven] = useState<Given | null>(null);
  const show = (secret: Given | null): void => {
    setAdding(false);
    setGiven(secret);
    answer.again();
  };
  return (
    <>
      <Head
        title="Receivers"
        below="Addresses to which the service sends events. Each address receives the events that were chosen for it."
      >
        <button type="button" class="button" onClick={() => setAdding(true)}>
          Register a receiver
        </button>
      </Head>
      {given && (
        <Secret title={`The secret of ${given.id}`} secret={given.secret} what="the secret">
          Receivers verify signatures with this secret. The console shows it only once.
          {given.oldSecretUntil && ` The old secret is valid until ${shortInstant(given.oldSecretUntil)}.`}
        </Secret>
      )}
      <Loaded answer={answer} what="the receivers">
        {({ receivers }) =>
          receivers.length === 0 ? (
            <Empty title="No receiver is registered">
              Register the address of a server. From then on, the service sends events to this address.
            </Empty>
          ) : (
            <Receivers receivers={receivers} health={health.data} changed={answer.again} rotated={show} />
          )
        }
      </Loaded>
      {health.error && <Failure error={health.error} again={health.again} />}
      {health.data && <GoneReceivers gone={health.data.gone} />}
      {adding && <ReceiverForm receiver={null} close={() => setAdding(false)} done={show} />}
    </>
  );
}

interface ListProps {
  readonly receivers: readonly ReceiverShown[];
  /** Null until it is loaded. */
  readonly health: HealthAnswer | null;
  readonly changed: () => void;
  readonly rotated: (given: ReceiverRotated) => void;
}

function Receivers({ receivers, health, changed, rotated }: ListProps) {
  const { service } = useApp();
  const versioned = service.versions.length > 0;
  const healthOf = (id: string): HealthShown | null => health?.receivers.find((one) => one.receiver === id) ?? null;
  return (
    <>
      <Table
        caption="Receivers"
        headings={['Address', 'Events', versioned ? 'Version' : null, ...HEALTH_HEADINGS, { unseen: 'Actions' }]}
      >
        {receivers.map((one) => (
          <ReceiverRow
            key={one.id}
            one={one}
            health={healthOf(one.id)}
            versioned={versioned}
            changed={changed}
            rotated={rotated}
          />
        ))}
      </Table>
      {health && <p class="muted small">{sampleText(health.deliveries)}</p>}
    </>
  );
}

interface RowProps {
  readonly one: ReceiverShown;
  readonly health: HealthShown | null;
  readonly versioned: boolean;
  readonly changed: () => void;
  readonly rotated: (given: ReceiverRotated) => void;
}

function ReceiverRow({ one, health, versioned, changed, rotated }: RowProps) {
  return (
    <tr>
      <th scope="row">
        <a href={addresses.deliveries({ receiver: one.id })}>{one.url}</a>
        <div class="muted small mono">{one.id}</div>
        {one.created && (
          <div class="muted small">
            registered <Instant at={one.created} />
          </div>
        )}
        {one.allowPrivate && <div class="muted small">private addresses allowed</div>}
        {one.paused && <div class="tag warn">paused since {shortInstant(one.paused)}</div>}
        {one.oldSecretUntil && (
          <div class="muted small">two secrets are valid until {shortInstant(one.oldSecretUntil)}</div>
        )}
      </th>
      <td>{one.events.join(', ')}</td>
      {versioned && (
        <td class="tight">
          {one.version}
          {one.waits && <span class="tag warn">waits: its version is retired</span>}
        </td>
      )}
      <HealthCells health={health} held={one.paused !== null || one.waits} />
      <td class="row-acts">
        <Actions one={one} changed={changed} rotated={rotated} />
      </td>
    </tr>
  );
}

const ACTIONS = { test: 'Test', change: 'Change', rotate: 'Rotate secret', remove: 'Remove' } as const;

/** The buttons for changes of a receiver, and the open dialog. */
function Actions({ one, changed, rotated }: Pick<RowProps, 'one' | 'changed' | 'rotated'>) {
  const [open, setOpen] = useState<keyof typeof ACTIONS | null>(null);
  const close = (): void => setOpen(null);
  const saved = (): void => {
    close();
    changed();
  };
  const given = (secret: ReceiverRotated): void => {
    close();
    rotated(secret);
  };
  const button = (action: keyof typeof ACTIONS) => (
    <button
      type="button"
      class={`button small${action === 'remove' ? ' danger' : ''}`}
      aria-label={`${ACTIONS[action]}${action === 'rotate' ? ' of' : ''} ${one.url}`}
      onClick={() => setOpen(action)}
    >
      {ACTIONS[action]}
    </button>
  );
  return (
    <>
      <span class="actions">
        {button('test')}
        {button('change')}
        <Pause one={one} changed={changed} />
        {button('rotate')}
        {button('remove')}
      </span>
      {open === 'test' && <TestEvent receiver={one.id} url={one.url} events={one.events} close={close} />}
      {open === 'change' && <ReceiverForm receiver={one} close={close} done={saved} />}
      {open === 'rotate' && <RotateForm receiver={one} close={close} done={given} />}
      {open === 'remove' && <Remove one={one} close={close} changed={changed} />}
    </>
  );
}

/** The button that pauses or resumes a receiver. */
function Pause({ one, changed }: { readonly one: ReceiverShown; readonly changed: () => void }) {
  const task = useTask();
  const [path, name] = one.paused === null ? ['pause', 'Pause'] : ['resume', 'Resume'];
  const send = (): void =>
    void task.run(async () => {
      await post<Done>(`/receivers/${pathSegment(one.id)}/${path}`, {});
      changed();
    });
  return (
    <>
      <button
        type="button"
        class="button small"
        aria-label={`${name} ${one.url}`}
        disabled={task.running}
        onClick={send}
      >
        {name}
      </button>
      {task.error && <Failure error={task.error} />}
    </>
  );
}

function Remove({
  one,
  close,
  changed,
}: {
  readonly one: ReceiverShown;
  readonly close: () => void;
  readonly changed: () => void;
}) {
  const task = useTask();
  const remove = (): void =>
    void task.run(async () => {
      await post<Done>(`/receivers/${pathSegment(one.id)}/remove`, {});
      close();
      changed();
    });
  return (
    <Confirm title="Remove this receiver?" action="Remove" danger close={close} running={task.running} confirm={remove}>
      <p>The service sends nothing more to {one.url}, and drops its pending deliveries.</p>
      {task.error && <Failure error={task.error} />}
    </Confirm>
  );
}

interface RotateProps {
  readonly receiver: ReceiverShown;
  readonly close: () => void;
  readonly done: (rotated: ReceiverRotated) => void;
}

/** A form that replaces the secret of a receiver. The operator enters how long the old secret stays valid. */
function RotateForm({ receiver, close, done }: RotateProps) {
  const [oldSecretFor, setOldSecretFor] = useState('');
  const send = async (): Promise<void> => {
    const body: RotateSecretRequest = { oldSecretFor };
    done(await post<ReceiverRotated>(`/receivers/${pathSegment(receiver.id)}/rotate`, body));
  };
  return (
    <FormDialog title="Rotate the secret" action="Rotate" close={close} send={send}>
      <p>Until the old secret ends, both sign each delivery to {receiver.url}, and either of them verifies it.</p>
      <div class="field">
        <label for="old-secret-for">The old secret stays valid for</label>
        <input
          id="old-secret-for"
          class="input"
          required
          placeholder="24h, 7 days, or 0"
          value={oldSecretFor}
          onInput={(event) => setOldSecretFor(event.currentTarget.value)}
        />
      </div>
    </FormDialog>
  );
}

interface Props {
  /** Null for one that is registered. */
  readonly receiver: ReceiverShown | null;
  readonly close: () => void;
  readonly done: (added: ReceiverAdded | null) => void;
}

/** Registers a receiver, or gives one another address, other events or another version. */
function ReceiverForm({ receiver, close, done }: Props) {
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
    await post<Done>(`/receivers/${pathSegment(receiver.id)}/change`, body);
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
