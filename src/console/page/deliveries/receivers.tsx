import { useState } from 'preact/hooks';
import type { Done, ReceiverAdded, ReceiverShown, ReceiversAnswer } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { post } from '../app/api.ts';
import { useAnswer, useApp, useTask } from '../app/app.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Empty, Failure, Head, Loaded } from '../parts/page-parts.tsx';
import { Secret } from '../parts/secret.tsx';
import { Table } from '../parts/table.tsx';
import { shortInstant } from '../parts/words.ts';
import { ReceiverForm } from './receiver-form.tsx';

/** Who is sent events: registered here, or rows of a resource, or nobody. */
export function ReceiversView() {
  const { service } = useApp();
  const { receivers, receiverResource } = service;
  if (receivers === 'operator') return <Registered />;
  return (
    <>
      <Head title="Receivers" />
      {receivers === 'rows' && receiverResource !== null ? (
        <Empty title={`Receivers are the rows of ${receiverResource}`}>
          <a href={addresses.rows(receiverResource)}>The rows of {receiverResource}</a> come and go as the document
          says.
        </Empty>
      ) : (
        <Empty title="The document has no webhooks">
          State webhooks under “Events”, with the heading `### Webhook`.
        </Empty>
      )}
    </>
  );
}

function Registered() {
  const answer = useAnswer<ReceiversAnswer>('/receivers');
  const [adding, setAdding] = useState(false);
  const [added, setAdded] = useState<ReceiverAdded | null>(null);
  const done = (receiver: ReceiverAdded | null): void => {
    setAdding(false);
    setAdded(receiver);
    answer.again();
  };
  return (
    <>
      <Head title="Receivers" below="Addresses that are sent events, each for those that it was registered for.">
        <button type="button" class="button" onClick={() => setAdding(true)}>
          Register a receiver
        </button>
      </Head>
      {added && (
        <Secret title={`The secret of ${added.id}`} secret={added.secret} what="the secret">
          Receivers verify signatures with this secret. The console shows it only once.
        </Secret>
      )}
      <Loaded answer={answer} what="the receivers">
        {({ receivers }) =>
          receivers.length === 0 ? (
            <Empty title="No receiver is registered">
              Register the address of a server of yours; events that happen from then on are sent to it.
            </Empty>
          ) : (
            <Receivers receivers={receivers} changed={answer.again} />
          )
        }
      </Loaded>
      {adding && <ReceiverForm receiver={null} close={() => setAdding(false)} done={done} />}
    </>
  );
}

interface ListProps {
  readonly receivers: readonly ReceiverShown[];
  readonly changed: () => void;
}

function Receivers({ receivers, changed }: ListProps) {
  const { service } = useApp();
  const versioned = service.versions.length > 0;
  return (
    <Table
      caption="Receivers"
      headings={['Address', 'Events', versioned ? 'Version' : null, 'Registered', { unseen: 'Actions' }]}
    >
      {receivers.map((one) => (
        <ReceiverRow key={one.id} one={one} versioned={versioned} changed={changed} />
      ))}
    </Table>
  );
}

interface RowProps {
  readonly one: ReceiverShown;
  readonly versioned: boolean;
  readonly changed: () => void;
}

function ReceiverRow({ one, versioned, changed }: RowProps) {
  const [open, setOpen] = useState<'change' | 'remove' | null>(null);
  const close = (): void => setOpen(null);
  return (
    <tr>
      <th scope="row">
        <a href={addresses.deliveries({ receiver: one.id })}>{one.url}</a>
        <div class="muted small mono">{one.id}</div>
        {one.allowPrivate && <div class="muted small">private addresses allowed</div>}
      </th>
      <td>{one.events.join(', ')}</td>
      {versioned && (
        <td>
          {one.version}
          {one.waits && <span class="tag warn">waits: its version is retired</span>}
        </td>
      )}
      <td class="tight">{one.created && <time dateTime={one.created}>{shortInstant(one.created)}</time>}</td>
      <td class="tight">
        <span class="actions">
          <button type="button" class="button small" aria-label={`Change ${one.url}`} onClick={() => setOpen('change')}>
            Change
          </button>
          <button
            type="button"
            class="button small danger"
            aria-label={`Remove ${one.url}`}
            onClick={() => setOpen('remove')}
          >
            Remove
          </button>
        </span>
        {open === 'change' && (
          <ReceiverForm
            receiver={one}
            close={close}
            done={() => {
              close();
              changed();
            }}
          />
        )}
        {open === 'remove' && <Remove one={one} close={close} changed={changed} />}
      </td>
    </tr>
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
      await post<Done>(`/receivers/${encodeURIComponent(one.id)}/remove`, {});
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
