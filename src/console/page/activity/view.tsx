import { showDuration } from '../../../text/units.ts';
import type { Activity, EndpointActivity } from '../../protocol.ts';
import { useApp, useLive } from '../app/app.ts';
import { Empty, Head, Loading, Section } from '../parts/page-parts.tsx';
import { EndpointLink, LineLink } from '../parts/refusal.tsx';
import { Table } from '../parts/table.tsx';
import { grouped, shortBytes, shortInstant, shortTime } from '../parts/words.ts';
import { classOf, quantile, ratesOf, sum } from './figures.ts';
import { SHOWN, Spark } from './spark.tsx';

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
        note={now?.slow ? `95% of them within ${time(now.slow)}.` : 'The service answered nothing in the last second.'}
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
            { right: 'Half within' },
            { right: '95% within' },
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
  const [half, most] = [quantile(one.took, service.buckets, 0.5), quantile(one.took, service.buckets, 0.95)];
  return (
    <tr>
      <th scope="row">
        {one.endpoint === 'none' ? <span class="muted">no endpoint</span> : <EndpointLink name={one.endpoint} />}
      </th>
      <td class="right">{grouped(all)}</td>
      <Count count={classOf(one, '2') + classOf(one, '3')} />
      <Count count={classOf(one, '4')} />
      <Count count={classOf(one, '5')} bad />
      <td class="right">{half === null ? '–' : shortTime(half)}</td>
      <td class="right">{most === null ? '–' : shortTime(most)}</td>
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
          <dt>Moves by the clock</dt>
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
        {service.rates.map(({ name, per, requests, milliseconds, lines }) => (
          <li key={name}>
            {grouped(requests)} requests per {showDuration(milliseconds).replace(/^1 /, '')} for each {per}{' '}
            <LineLink line={lines[0]} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
