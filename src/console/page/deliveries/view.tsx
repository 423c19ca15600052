import { useEffect, useRef, useState } from 'preact/hooks';
import type { DeliveriesAnswer, DeliveryShown, DeliveryState, Replayed, ReplayRequest } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { post } from '../app/api.ts';
import { useApp, useLive, useTask } from '../app/app.ts';
import { type Marks, markColumn } from '../list/marks.tsx';
import { type Pages, usePages } from '../list/pages.ts';
import { List, type ListColumn } from '../list/window.tsx';
import { Instant } from '../parts/instant.tsx';
import { Empty, Failure, Head } from '../parts/page-parts.tsx';
import { counted, shortIdentity } from '../parts/words.ts';
import { DeliveryDetail } from './detail.tsx';
import { Replay } from './replay.tsx';

const STATES: readonly DeliveryState[] = ['pending', 'waiting', 'delivered', 'given up'];
const COLOURS: Readonly<Record<DeliveryState, string>> = {
  pending: 'accent',
  waiting: '',
  delivered: 'ok',
  'given up': 'bad',
};

/** The filters in the address that have no input field. */
const PLAIN = ['event', 'receiver', 'resource', 'row'] as const;

/** The view of deliveries, newest first. */
export function DeliveriesView() {
  const { service, place, router } = useApp();
  const { query } = place;
  const chosen = new URLSearchParams();
  for (const name of ['state', 'type', ...PLAIN]) {
    const value = query.get(name);
    if (value) chosen.set(name, value);
  }
  const path = `/deliveries${chosen.size ? `?${chosen}` : ''}`;
  const pages = usePages<DeliveriesAnswer, DeliveryShown>(path, ({ total, deliveries }) => ({
    total,
    rows: deliveries,
  }));
  useFollowed(pages);
  const [selected, select] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState<DeliveryShown | null>(null);
  // A selection belongs to the list in which it was made.
  useEffect(() => select(new Set()), [path]);
  return (
    <>
      <Head title="Deliveries" below="Events on their way to receivers of webhooks, newest first." />
      {service.receivers !== 'none' && (
        <div class="filters">
          <Choice
            id="state"
            label="State"
            all="all"
            value={query.get('state') ?? ''}
            choices={STATES}
            change={(state) => router.query({ state })}
          />
          <Choice
            id="type"
            label="Event"
            all="all"
            value={query.get('type') ?? ''}
            choices={service.events}
            change={(type) => router.query({ type })}
          />
          <Chosen query={query} />
        </div>
      )}
      <List
        caption="Deliveries"
        noun="delivery"
        list={path}
        pages={pages}
        columns={[markColumn<DeliveryShown>({ selected, select }, endedEvent), ...columnsOf(pages.again, setShown)]}
        keyOf={(one) => one.delivery}
        empty={<NoDeliveries filtered={chosen.size > 0} />}
        head={<ReplaySelected selected={selected} select={select} changed={pages.again} />}
      />
      {shown && <DeliveryDetail delivery={shown} changed={pages.again} close={() => setShown(null)} />}
    </>
  );
}

/** The event of a delivery that has ended, which can be sent again; null of any other. */
const endedEvent = ({ state, event }: DeliveryShown): string | null =>
  state === 'delivered' || state === 'given up' ? event : null;

/** Sends the selected events again, each once. */
function ReplaySelected({ selected, select, changed }: Marks & { readonly changed: () => void }) {
  const task = useTask();
  if (selected.size === 0) return null;
  const replay = (): void =>
    void task.run(async () => {
      const left = new Set(selected);
      try {
        for (const event of selected) {
          const body: ReplayRequest = { event };
          await post<Replayed>('/deliveries/replay', body);
          left.delete(event);
        }
      } finally {
        select(left);
        changed();
      }
    });
  return (
    <section class="selection" aria-label="Selected events">
      <div class="selection-acts">
        <strong>{counted(selected.size, 'event')} selected</strong>
        <button type="button" class="button" disabled={task.running} onClick={replay}>
          {task.running ? 'Working …' : 'Replay'}
        </button>
        <button type="button" class="button" onClick={() => select(new Set())}>
          Select none
        </button>
      </div>
      {task.error && <Failure error={task.error} />}
    </section>
  );
}

/** The filters in the address beside state and event, each with a button that removes it. */
function Chosen({ query }: { readonly query: URLSearchParams }) {
  const { router } = useApp();
  const filters = PLAIN.filter((name) => query.get(name) && (name !== 'resource' || !query.get('row')));
  if (filters.length === 0) return null;
  return (
    <ul class="chips" aria-label="Filters">
      {filters.map((name) => (
        <li key={name} class="chip">
          <span class="cut">
            {name} {name === 'row' && `${query.get('resource') ?? ''} `}
            {query.get(name)}
          </span>
          <button
            type="button"
            aria-label={`Remove the filter ${name}`}
            onClick={() => router.query(name === 'row' ? { row: null, resource: null } : { [name]: null })}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}

function NoDeliveries({ filtered }: { readonly filtered: boolean }) {
  const { service } = useApp();
  if (service.receivers === 'none')
    return (
      <Empty title="The document has no webhooks">
        State webhooks under “Events”, with the heading <code>### Webhook</code>.
      </Empty>
    );
  if (filtered) return <Empty title="No delivery matches the filters">Remove a filter.</Empty>;
  return (
    <Empty title="No delivery is stored">
      A delivery begins when an event happens for <a href={addresses.receivers()}>a receiver</a>.
    </Empty>
  );
}

/** Reloads the deliveries when the number of attempts or requests changes. */
function useFollowed(pages: Pages<DeliveryShown>): void {
  const { last } = useLive();
  const stamp = last && JSON.stringify([last.deliveries, last.rows]);
  const seen = useRef<string | null>(null);
  useEffect(() => {
    if (seen.current !== null && stamp !== null && stamp !== seen.current) pages.again();
    if (stamp !== null) seen.current = stamp;
  }, [stamp]);
}

function columnsOf(changed: () => void, show: (one: DeliveryShown) => void): readonly ListColumn<DeliveryShown>[] {
  return [
    {
      key: 'type',
      title: 'Event',
      width: 'w3',
      cell: (one) => <a href={addresses.deliveries({ event: one.event })}>{one.type}</a>,
    },
    {
      key: 'state',
      title: 'State',
      width: 'w2',
      cell: ({ state }) => <span class={`tag ${COLOURS[state]}`}>{state}</span>,
    },
    {
      key: 'result',
      title: 'Last result',
      width: 'w2',
      cell: ({ lastResult }) => lastResult ?? <span class="absent">–</span>,
    },
    { key: 'attempts', title: 'Attempts', width: 'w1', right: true, cell: (one) => one.attempts },
    {
      key: 'row',
      title: 'Row',
      width: 'w3',
      // An event that a step emits is about no row.
      cell: ({ resource, row }) =>
        resource === null || row === null ? (
          <span class="absent">–</span>
        ) : (
          <a href={addresses.row(resource, row)} title={row}>
            {resource} <span class="mono">{shortIdentity(row)}</span>
          </a>
        ),
    },
    { key: 'receiver', title: 'Receiver', width: 'w4', cell: (one) => <span title={one.receiver}>{one.url}</span> },
    { key: 'at', title: 'Last attempt', width: 'w3', cell: ({ lastAt }) => <Instant at={lastAt} /> },
    { key: 'due', title: 'Next attempt', width: 'w3', cell: ({ due }) => <Instant at={due} /> },
    {
      key: 'acts',
      title: <span class="unseen">Details and replay</span>,
      width: 'acts',
      stays: true,
      cell: (one) => (
        <>
          <button type="button" class="button small" aria-label={`Details of ${one.event}`} onClick={() => show(one)}>
            Details
          </button>{' '}
          <Replay delivery={one} changed={changed} />
        </>
      ),
    },
  ];
}

interface ChoiceProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly choices: readonly string[];
  /** The label of the choice without a filter. */
  readonly all: string;
  readonly change: (value: string | null) => void;
}

/** A filter of a list by one value, or none. */
function Choice({ id, label, value, choices, all, change }: ChoiceProps) {
  const offered = value === '' || choices.includes(value) ? choices : [...choices, value];
  return (
    <div class="choice">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => change(event.currentTarget.value || null)}>
        <option value="">{all}</option>
        {offered.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </div>
  );
}
