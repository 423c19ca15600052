import { unitText } from '../../../plan/limits.ts';
import { showDuration } from '../../../text/units.ts';
import type { Activity, EndpointActivity } from '../../protocol.ts';
import { useApp, useLive } from '../app/app.ts';
import { Empty, Head, Loading, Section } from '../parts/page-parts.tsx';
import { EndpointLink, LineLink } from '../parts/refusal.tsx';
import { Table } from '../parts/table.tsx';
import { grouped, shortBytes, shortInstant, shortTime } from '../parts/words.ts';
import { Acts } from './acts.tsx';
import { classOf, quantile, ratesOf, sum } from './figures.ts';

/** The live view of requests, their durations and the use of limits. */
export function ActivityView() {
  const { service } = useApp();
  const { last, messages } = useLive();
  return (
    <>
      <Head
        title="Activity"
        below={last ? `Counted since ${shortInstant(last.since)}.` : 'Counted since the service started.'}
      />
      {last === null ? (
        <Loading what="the numbers" />
      ) : (
        <>
          <Charts messages={messages} />
          <Requests last={last} />
          <div class="pair">
            <OtherFigures last={last} />
            {service.rates.length > 0 && <Rates />}
          </div>
          <Acts />
        </>
      )}
    </>
  );
}

function Charts({ messages }: { readonly messages: readonly Activity[] }) {
  const { service } = useApp();
  const shown = messages.slice(-SHOWN);
  const last = shown.at(-1);
  const rates = ratesOf(messages.slice(-SHOWN - 1), service.buckets);
  const now = rates.at(-1);
  const most = Math.max(0, ...rates.map((one) => one.requests));
  const time = (value: number | null | undefined): string =>
    value === null || value === undefined ? '–' : shortTime(value);
  return (
    <div class="sparks">
      <Spark
        title="Requests a second"
        now={now ? now.requests.toFixed(now.requests < 10 ? 1 : 0) : '–'}
        values={rates.map((one) => one.requests)}
        note={`At most ${most.toFixed(most < 10 ? 1 : 0)} in the last two minutes.`}
      />
      <Spark
        title="Time to answer"
        now={time(now?.median)}
        values={rates.map((one) => one.median)}
        second={rates.map((one) => one.slow)}
        note={now?.slow ? `p50; p95 is ${time(now.slow)}.` : 'The service answered nothing in the last second.'}
      />
      <Spark
        title="Processor"
        now={`${Math.round((last?.processor ?? 0) * 100)}%`}
        values={shown.map((one) => one.processor)}
        note="Of one core, by this process."
      />
      <Spark
        title="Memory"
        now={shortBytes(last?.memory ?? 0)}
        values={shown.map((one) => one.memory)}
        note="In use by this process."
      />
    </div>
  );
}

function Requests({ last }: { readonly last: Activity }) {
  const busy = last.requests
    .map((one) => ({ one, all: sum(Object.values(one.statuses)) }))
    .filter(({ all }) => all > 0)
    .sort((a, b) => b.all - a.all);
  return (
    <Section id="requests" title="Requests" note="the endpoints with the most first">
      {busy.length === 0 ? (
        <Empty title="No requests yet">Send a request with the form of an endpoint.</Empty>
      ) : (
        <Table
          caption="Requests by endpoint"
          labelledBy="requests"
          headings={[
            'Endpoint',
            { right: 'Requests' },
            { right: '2xx, 3xx' },
            { right: '4xx' },
            { right: '5xx' },
            { right: 'p50' },
            { right: 'p95' },
            { right: 'p99' },
          ]}
        >
          {busy.map(({ one, all }) => (
            <RequestRow key={one.endpoint} one={one} all={all} />
          ))}
        </Table>
      )}
    </Section>
  );
}

function RequestRow({ one, all }: { readonly one: EndpointActivity; readonly all: number }) {
  const { service } = useApp();
  return (
    <tr>
      <th scope="row">
        {one.endpoint === 'none' ? <span class="muted">no endpoint</span> : <EndpointLink name={one.endpoint} />}
      </th>
      <td class="right">{grouped(all)}</td>
      <Count count={classOf(one, '2') + classOf(one, '3')} />
      <Count count={classOf(one, '4')} />
      <Count count={classOf(one, '5')} bad />
      {[0.5, 0.95, 0.99].map((share) => {
        const within = quantile(one.took, service.buckets, share);
        return (
          <td key={share} class="right">
            {within === null ? '–' : shortTime(within)}
          </td>
        );
      })}
    </tr>
  );
}

function Count({ count, bad = false }: { readonly count: number; readonly bad?: boolean }) {
  return (
    <td class={`right${count === 0 ? ' absent' : bad ? ' bad-text' : ''}`}>{count === 0 ? '–' : grouped(count)}</td>
  );
}

function OtherFigures({ last }: { readonly last: Activity }) {
  const attempts = Object.entries(last.deliveries);
  return (
    <Section id="others" title="Beside requests">
      <dl class="facts">
        {attempts.map(([outcome, count]) => (
          <div key={outcome}>
            <dt>Deliveries {outcome}</dt>
            <dd class="number">{grouped(count)}</dd>
          </div>
        ))}
        <div>
          <dt>Timed transitions</dt>
          <dd class="number">{grouped(last.timedMoves)}</dd>
        </div>
      </dl>
    </Section>
  );
}

function Rates() {
  const { service } = useApp();
  return (
    <Section id="rates" title="Rates" note="what the document limits">
      <ul class="plain-list">
        {service.rates.map(({ name, per, row = '', requests, by, milliseconds, lines }) => (
          <li key={name}>
            {requests === null ? by?.expression : grouped(requests)} requests per{' '}
            {showDuration(milliseconds).replace(/^1 /, '')} for each {unitText(per, row)} <LineLink line={lines[0]} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface Props {
  readonly title: string;
  readonly now: string;
  /** Null where there is nothing to draw. */
  readonly values: readonly (number | null)[];
  /** A second line below the first. */
  readonly second?: readonly (number | null)[];
  readonly note: string;
}

const WIDE = 300;
const HIGH = 56;
/** So many seconds are drawn: the newest at the right. */
const SHOWN = 120;

/** A small chart with a title, the current value and the recent values. */
function Spark({ title, now, values, second, note }: Props) {
  const most = Math.max(...[...values, ...(second ?? [])].map((one) => one ?? 0), 0);
  return (
    <figure class="spark card">
      <figcaption>
        <span class="label">{title}</span>
        <span class="spark-now number">{now}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDE} ${HIGH}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: now ${now}. ${note}`}
      >
        <path class="spark-base" d={`M0 ${HIGH - 0.5}H${WIDE}`} />
        {second && <path class="spark-second" d={wayOf(second, most)} />}
        <path class="spark-area" d={areaOf(values, most)} />
        <path class="spark-line" d={wayOf(values, most)} />
      </svg>
      <p class="muted small">{note}</p>
    </figure>
  );
}

const x = (i: number, length: number): number => WIDE - ((length - 1 - i) / (SHOWN - 1)) * WIDE;
const y = (value: number, most: number): number => HIGH - 2 - (most === 0 ? 0 : (value / most) * (HIGH - 6));

/** The line through values; where one is missing it is interrupted. */
function wayOf(values: readonly (number | null)[], most: number): string {
  let open = false;
  return values
    .map((value, i) => {
      if (value === null) {
        open = false;
        return '';
      }
      const step = `${open ? 'L' : 'M'}${x(i, values.length).toFixed(1)} ${y(value, most).toFixed(1)}`;
      open = true;
      return step;
    })
    .join('');
}

function areaOf(values: readonly (number | null)[], most: number): string {
  if (values.length < 2 || values.some((one) => one === null)) return '';
  return `${wayOf(values, most)}V${HIGH}H${x(0, values.length).toFixed(1)}Z`;
}
