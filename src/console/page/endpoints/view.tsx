import { useMemo } from 'preact/hooks';
import type { EndpointSummary, EndpointsAnswer } from '../../protocol.ts';
import { useAnswer, useApp } from '../app/app.ts';
import { EndpointLink } from '../parts/method-name.tsx';
import { Empty, Head, Loaded } from '../parts/page-parts.tsx';
import { LineLink } from '../parts/refusal.tsx';
import { Table } from '../parts/table.tsx';
import { counted } from '../parts/words.ts';
import { EndpointDetail } from './detail.tsx';
import { PerhapsOpen } from './open.tsx';

/** Every endpoint, or the one that the address names. */
export function EndpointsView() {
  const { service, place } = useApp();
  const name = place.query.get('name');
  if (name === null) return <Endpoints />;
  return service.unsettled > 0 ? <PerhapsOpen key={name} name={name} /> : <EndpointDetail key={name} name={name} />;
}

function Endpoints() {
  const { service } = useApp();
  const answer = useAnswer<EndpointsAnswer>('/endpoints');
  return (
    <>
      <Head
        title="Endpoints"
        below={`${counted(service.endpoints, 'endpoint')} at ${service.address}${service.unsettled ? `; ${service.unsettled} not served yet, because of open questions` : ''}`}
      />
      <Loaded answer={answer} what="the endpoints">
        {({ endpoints }) =>
          endpoints.length === 0 ? (
            <Empty title="The document has no endpoints">
              Write a heading with a method and a path under “Endpoints”, such as ### `GET /notes`.
            </Empty>
          ) : (
            <List endpoints={endpoints} />
          )
        }
      </Loaded>
    </>
  );
}

function List({ endpoints }: { readonly endpoints: readonly EndpointSummary[] }) {
  const { place, router } = useApp();
  const find = place.query.get('find') ?? '';
  const found = useMemo(() => {
    const words = find.toLowerCase().split(/\s+/).filter(Boolean);
    return endpoints.filter((one) => {
      const text = `${one.name} ${one.access ?? ''} ${one.settled ? '' : 'not served'}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }, [endpoints, find]);
  return (
    <>
      <div class="find field">
        <label for="find">Find</label>
        <input
          id="find"
          class="input"
          type="search"
          placeholder="a path, a method or a scope"
          value={find}
          onInput={(event) => router.query({ find: event.currentTarget.value }, true)}
        />
      </div>
      {found.length === 0 ? (
        <Empty title={`No endpoint has “${find}”`}>Look for a part of a path, a method or a scope.</Empty>
      ) : (
        <Table caption="Endpoints" kind="endpoint-list" headings={['Endpoint', 'Access', 'Does', 'Document']}>
          {found.map((one) => (
            <EndpointRow key={one.name} one={one} />
          ))}
        </Table>
      )}
    </>
  );
}

function EndpointRow({ one }: { readonly one: EndpointSummary }) {
  return (
    <tr class="pick">
      <th scope="row">
        <EndpointLink name={one.name} />
      </th>
      <td class="tight">{one.access ?? <span class="muted">not settled</span>}</td>
      <td class="tight">
        {one.settled ? (
          <span class="muted">{one.writes ? 'reads and writes' : 'reads'}</span>
        ) : (
          <span class="tag warn">answers 501</span>
        )}
      </td>
      <td class="tight">
        <LineLink line={one.line} />
      </td>
    </tr>
  );
}
