import { useEffect, useRef, useState } from 'preact/hooks';
import type { RequestShown, RequestsAnswer } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { useApp, useLive } from '../app/app.ts';
import { type Pages, usePages } from '../list/pages.ts';
import { List, type ListColumn } from '../list/window.tsx';
import { Copy } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Instant } from '../parts/instant.tsx';
import { Empty, Head } from '../parts/page-parts.tsx';
import { EndpointLink, Refusal, Status } from '../parts/refusal.tsx';
import { shortIdentity, shortTime } from '../parts/words.ts';

/** The filters of the address. */
const FILTERS = ['endpoint', 'status', 'code', 'caller', 'id'] as const;

/** The last requests, newest first, with what refused them. */
export function RequestsView() {
  const { place } = useApp();
  const [open, setOpen] = useState<RequestShown | null>(null);
  const query = new URLSearchParams();
  for (const name of FILTERS) {
    const value = place.query.get(name);
    if (value) query.set(name, value);
  }
  const path = `/requests${query.size ? `?${query}` : ''}`;
  const pages = usePages<RequestsAnswer, RequestShown>(path, ({ total, requests }) => ({ total, rows: requests }));
  useFollowed(pages);
  return (
    <>
      <Head title="Requests" below="The last thousand since the process started, newest first." />
      <Filters query={query} />
      <List
        caption="Requests"
        noun="request"
        list={path}
        pages={pages}
        columns={columnsOf(setOpen)}
        keyOf={({ id, at }) => `${id} ${at}`}
        empty={
          query.size > 0 ? (
            <Empty title="No request matches">Remove a filter. Older requests are in the log.</Empty>
          ) : (
            <Empty title="No requests yet">Send a request with the form of an endpoint.</Empty>
          )
        }
      />
      {open && <Details one={open} close={() => setOpen(null)} />}
    </>
  );
}

/** Shows further requests as they are answered. */
function useFollowed(pages: Pages<RequestShown>): void {
  const { last } = useLive();
  const stamp = last && JSON.stringify(last.requests.map(({ statuses }) => statuses));
  const seen = useRef(stamp);
  useEffect(() => {
    if (seen.current !== null && stamp !== seen.current) pages.again();
    seen.current = stamp;
  }, [stamp]);
}

const CLASSES = [
  ['2', '2xx'],
  ['3', '3xx'],
  ['4', '4xx'],
  ['5', '5xx'],
] as const;

function Filters({ query }: { readonly query: URLSearchParams }) {
  const { router } = useApp();
  return (
    <form
      class="filters"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        router.query(Object.fromEntries(FILTERS.map((name) => [name, String(data.get(name) ?? '').trim() || null])));
      }}
    >
      <select
        name="status"
        aria-label="Status"
        value={query.get('status') ?? ''}
        onChange={(event) => event.currentTarget.form?.requestSubmit()}
      >
        <option value="">every status</option>
        {CLASSES.map(([first, words]) => (
          <option key={first} value={first}>
            {words}
          </option>
        ))}
      </select>
      {(['endpoint', 'code', 'caller', 'id'] as const).map((name) => (
        <input
          key={`${name} ${query.get(name) ?? ''}`}
          class="input"
          name={name}
          aria-label={LABELS[name]}
          placeholder={LABELS[name]}
          data-key={name === 'endpoint' ? '/' : undefined}
          defaultValue={query.get(name) ?? ''}
          autocomplete="off"
          spellcheck={false}
        />
      ))}
      <button type="submit" class="button">
        Filter
      </button>
      {query.size > 0 && (
        <button
          type="button"
          class="button"
          onClick={() => router.query(Object.fromEntries(FILTERS.map((name) => [name, null])))}
        >
          Show all
        </button>
      )}
    </form>
  );
}

const LABELS = {
  endpoint: 'part of an endpoint',
  code: 'code',
  caller: 'part of a caller',
  id: 'id of a request',
} as const;

const columnsOf = (open: (one: RequestShown) => void): ReadonlyArray<ListColumn<RequestShown>> => [
  {
    key: 'endpoint',
    title: 'Endpoint',
    width: 'w4',
    cell: ({ endpoint, method }) =>
      endpoint === null ? <span class="muted">{method}, no endpoint</span> : <EndpointLink name={endpoint} />,
  },
  { key: 'status', title: 'Status', width: 'w1', cell: ({ status }) => <Status status={status} /> },
  { key: 'code', title: 'Code', width: 'w3', cell: ({ code }) => (code === null ? '' : <code>{code}</code>) },
  { key: 'caller', title: 'Caller', width: 'w3', cell: ({ caller }) => <Caller caller={caller} /> },
  {
    key: 'took',
    title: 'Took',
    width: 'w2',
    right: true,
    cell: ({ milliseconds }) => shortTime(milliseconds),
  },
  { key: 'at', title: 'Answered', width: 'w3', cell: ({ at }) => <Instant at={at} /> },
  {
    key: 'more',
    title: <span class="unseen">Details</span>,
    width: 'w1',
    stays: true,
    cell: (one) => (
      <button type="button" class="button small" aria-label={`Details of ${one.id}`} onClick={() => open(one)}>
        {one.lines.length > 0 ? 'Why' : 'Details'}
      </button>
    ),
  },
];

function Caller({ caller }: { readonly caller: RequestShown['caller'] }) {
  if (caller === null) return <span class="absent">nobody</span>;
  return (
    <a href={addresses.row(caller.resource, caller.id)} title={caller.id}>
      {caller.resource} <span class="mono">{shortIdentity(caller.id)}</span>
    </a>
  );
}

function Details({ one, close }: { readonly one: RequestShown; readonly close: () => void }) {
  const { id, code, status, because, lines, bytes, milliseconds, at } = one;
  return (
    <Dialog title={one.endpoint ?? `${one.method}, no endpoint`} close={close}>
      <dl class="facts apart">
        <div>
          <dt>Id</dt>
          <dd>
            <code>{id}</code> <Copy text={id} what="the id of the request" />
          </dd>
        </div>
        <div>
          <dt>Answered</dt>
          <dd>
            {at}, in {shortTime(milliseconds)}, with {bytes} bytes
          </dd>
        </div>
        <div>
          <dt>Caller</dt>
          <dd>
            <Caller caller={one.caller} />
          </dd>
        </div>
      </dl>
      {because === null ? (
        <p>
          <Status status={status} />
        </p>
      ) : (
        <Refusal refusal={{ code, title: null, status, because, lines }} />
      )}
      <div class="dialog-actions">
        <button type="button" class="button primary" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
