import { useEffect, useRef } from 'preact/hooks';
import type { ResourceSummary, RowAnswer } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { useAnswer, useApp, useLive } from '../app/app.ts';
import { Empty, Head, Loaded, Section } from '../parts/page-parts.tsx';
import { Actions } from './actions.tsx';
import { History, ReferredBy } from './history.tsx';
import { Moves } from './moves.tsx';
import { StateTag } from './state-tag.tsx';
import { Value } from './value.tsx';

/** The page of one row: its values, its possible transitions, the rows that refer to it, and its history. */
export function RowView() {
  const { service, place } = useApp();
  const [, name = '', id = ''] = place.parts;
  const resource = service.resources.find((one) => one.name === name);
  if (resource) return <Row key={`${name} ${id}`} resource={resource} id={id} />;
  return (
    <>
      <Head title={id} above={<a href={addresses.rows()}>Rows</a>} />
      <Empty title={`There is no resource “${name}”`}>
        The document may have changed. The resources are under Rows.
      </Empty>
    </>
  );
}

function Row({ resource, id }: { readonly resource: ResourceSummary; readonly id: string }) {
  const { name } = resource;
  const path = `/rows/${encodeURIComponent(name)}/${encodeURIComponent(id)}`;
  const answer = useAnswer<RowAnswer>(path);
  useFollowed(name, answer.again);
  const { data } = answer;
  return (
    <>
      <Head
        title={id}
        above={
          <>
            <a href={addresses.rows()}>Rows</a> / <a href={addresses.rows(name)}>{name}</a>
          </>
        }
      >
        {data && <Actions resource={resource} answer={data} path={path} changed={answer.again} />}
      </Head>
      <Loaded answer={answer} what={`this ${name}`}>
        {(row) => (
          <div class="columns row-view">
            <Section id="values" title="Values">
              <Values resource={resource} answer={row} />
            </Section>
            <div class="row-side">
              {row.moves.length > 0 && <Moves answer={row} path={path} changed={answer.again} />}
              <ReferredBy answer={row} />
            </div>
            <History answer={row} />
          </div>
        )}
      </Loaded>
    </>
  );
}

/** Reloads the row when the number of rows of its resource, of deliveries or of requests changes. */
function useFollowed(name: string, again: () => void): void {
  const { last } = useLive();
  const stamp = last && JSON.stringify([last.rows[name], last.deliveries, last.requests.map((one) => one.statuses)]);
  const seen = useRef<string | null>(null);
  useEffect(() => {
    if (seen.current !== null && stamp !== null && stamp !== seen.current) again();
    if (stamp !== null) seen.current = stamp;
  }, [stamp]);
}

function Values({ resource, answer }: { readonly resource: ResourceSummary; readonly answer: RowAnswer }) {
  const { row, derived } = answer;
  return (
    <dl class="facts">
      {resource.columns.map((column) => (
        <div key={column.name}>
          <dt>{column.name}</dt>
          <dd>
            {column.type === 'password' ? (
              <span class="absent">never shown</span>
            ) : column.name === resource.stateField ? (
              <StateTag state={String(row.values[column.name] ?? '')} />
            ) : (
              <Value value={row.values[column.name]} column={column} whole />
            )}
          </dd>
        </div>
      ))}
      {Object.entries(derived).map(([member, value]) => (
        <div key={`derived ${member}`}>
          <dt>
            {member} <span class="muted">computed</span>
          </dt>
          <dd>{typeof value === 'string' ? value : <code>{JSON.stringify(value)}</code>}</dd>
        </div>
      ))}
    </dl>
  );
}
