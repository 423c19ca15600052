import { useState } from 'preact/hooks';
import { pathSegment } from '../../../text/path-segment.ts';
import type { Done, IssueKeyRequest, KeyIssued, KeyShown, KeysAnswer } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { post } from '../app/api.ts';
import { useApp, useTask } from '../app/app.ts';
import { usePages } from '../list/pages.ts';
import { List, type ListColumn } from '../list/window.tsx';
import { Checks } from '../parts/checks.tsx';
import { Secret } from '../parts/copy.tsx';
import { Confirm, FormDialog } from '../parts/dialog.tsx';
import { Instant } from '../parts/instant.tsx';
import { Empty, Failure, Head } from '../parts/page-parts.tsx';
import { RowPicker } from '../parts/row-picker.tsx';
import { shortIdentity } from '../parts/words.ts';

/** Keys that were issued, and a form that issues one. */
export function KeysView() {
  const { service } = useApp();
  const schemes = service.schemes.filter((one) => one.issuedBy.includes('operator'));
  if (schemes.length > 0) return <Keys />;
  return (
    <>
      <Head title="Keys" />
      <Empty title="The operator issues no keys">
        {service.schemes.length === 0
          ? 'The document has no scheme of authentication: requests have no caller.'
          : 'The document says who issues its credentials, and the operator is not among them.'}
      </Empty>
    </>
  );
}

function Keys() {
  const { service, place, router } = useApp();
  const [issuing, setIssuing] = useState(false);
  const [issued, setIssued] = useState<KeyIssued | null>(null);
  const valid = place.query.get('valid') === '1';
  const path = valid ? '/keys?valid=1' : '/keys';
  const pages = usePages<KeysAnswer, KeyShown>(path, ({ total, keys }) => ({ total, rows: keys }));
  return (
    <>
      <Head title="Keys" below="Keys of the callers. The service stores only a hash of each.">
        <button type="button" class="button" onClick={() => setIssuing(true)}>
          Issue a key
        </button>
      </Head>
      {issued && (
        <Secret title={`The key ${issued.id}`} secret={issued.key} what="the key">
          Copy the key now. The console shows it only once.
        </Secret>
      )}
      <div class="filters">
        <label class="check">
          <input
            type="checkbox"
            checked={valid}
            onChange={(event) => router.query({ valid: event.currentTarget.checked ? '1' : null })}
          />
          Only valid keys
        </label>
      </div>
      <List
        caption="Keys"
        noun="key"
        list={path}
        pages={pages}
        columns={columnsOf(service.schemes.length > 1, pages.again)}
        keyOf={(one) => one.id}
        empty={
          <Empty title={valid ? 'No key is valid' : 'No key is stored'}>
            Issue a key for a row, so that it can call the service.
          </Empty>
        }
      />
      {issuing && (
        <IssueKey
          close={() => setIssuing(false)}
          done={(key) => {
            setIssuing(false);
            setIssued(key);
            pages.again();
          }}
        />
      )}
    </>
  );
}

function columnsOf(schemes: boolean, changed: () => void): readonly ListColumn<KeyShown>[] {
  return [
    { key: 'id', title: 'Key', width: 'w3', cell: (one) => <span class="mono">{one.id}</span> },
    {
      key: 'state',
      title: 'State',
      width: 'w1',
      cell: ({ revoked }) => (revoked ? <span class="tag">revoked</span> : <span class="tag ok">valid</span>),
    },
    {
      key: 'holder',
      title: 'Holder',
      width: 'w4',
      cell: ({ holder, resource }) =>
        resource === null ? (
          <span class="mono">{holder}</span>
        ) : (
          <a href={addresses.row(resource, holder)} title={holder}>
            {resource} <span class="mono">{shortIdentity(holder)}</span>
          </a>
        ),
    },
    ...(schemes ? [{ key: 'scheme', title: 'Scheme', width: 'w3', cell: (one: KeyShown) => one.scheme ?? '–' }] : []),
    {
      key: 'scopes',
      title: 'Scopes',
      width: 'w3',
      cell: ({ scopes }) => scopes.join(', ') || <span class="absent">none</span>,
    },
    { key: 'created', title: 'Issued', width: 'w3', cell: (one) => <Instant at={one.created} /> },
    { key: 'revoked', title: 'Revoked', width: 'w3', cell: (one) => <Instant at={one.revoked} /> },
    {
      key: 'revoke',
      title: <span class="unseen">Revoke</span>,
      width: 'w1',
      stays: true,
      cell: (one) => <Revoke one={one} changed={changed} />,
    },
  ];
}

interface IssueProps {
  readonly close: () => void;
  readonly done: (key: KeyIssued) => void;
}

/** Issues a key for a row, with the scopes that it may use. */
function IssueKey({ close, done }: IssueProps) {
  const { service } = useApp();
  const schemes = service.schemes.filter((one) => one.issuedBy.includes('operator'));
  const [name, setName] = useState(schemes[0]?.name ?? '');
  const [holder, setHolder] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>([]);
  const scheme = schemes.find((one) => one.name === name);
  if (!scheme) return null;
  const offered = scheme.scopes.map((one) => one.name);
  const issue = async (): Promise<void> => {
    const body: IssueKeyRequest = { scheme: name, holder, scopes };
    done(await post<KeyIssued>('/keys', body));
  };
  return (
    <FormDialog title="Issue a key" action="Issue" close={close} send={issue}>
      {schemes.length > 1 && (
        <div class="field">
          <label for="key-scheme">Scheme</label>
          <select id="key-scheme" value={name} onChange={(event) => setName(event.currentTarget.value)}>
            {schemes.map((one) => (
              <option key={one.name} value={one.name}>
                {one.name}
              </option>
            ))}
          </select>
        </div>
      )}
      <RowPicker
        id="key-holder"
        label={`${scheme.caller} that holds it`}
        resource={scheme.caller}
        value={holder}
        change={setHolder}
      />
      {offered.length > 0 && <Checks legend="Scopes" names={offered} chosen={scopes} change={setScopes} />}
    </FormDialog>
  );
}

/** Revokes a key: from then on, requests with it are refused. */
function Revoke({ one, changed }: { readonly one: KeyShown; readonly changed: () => void }) {
  const [open, setOpen] = useState(false);
  const task = useTask();
  if (one.revoked !== null) return null;
  const close = (): void => {
    setOpen(false);
    task.clear();
  };
  const revoke = (): void =>
    void task.run(async () => {
      await post<Done>(`/keys/${pathSegment(one.id)}/revoke`, {});
      setOpen(false);
      changed();
    });
  return (
    <>
      <button type="button" class="button small danger" aria-label={`Revoke ${one.id}`} onClick={() => setOpen(true)}>
        Revoke
      </button>
      {open && (
        <Confirm title="Revoke this key?" action="Revoke" danger close={close} running={task.running} confirm={revoke}>
          <p>
            Requests with the key <code>{one.id}</code> are refused from now on. You can’t undo the revocation.
          </p>
          {task.error && <Failure error={task.error} />}
        </Confirm>
      )}
    </>
  );
}
