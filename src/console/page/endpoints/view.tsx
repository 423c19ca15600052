import { useMemo } from 'preact/hooks';
import type { EndpointSummary, EndpointsAnswer } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { useAnswer, useApp } from '../app/app.ts';
import { Empty, Head, Loaded } from '../parts/page-parts.tsx';
import { EndpointLink, LineLink } from '../parts/refusal.tsx';
import { Table } from '../parts/table.tsx';
import { counted } from '../parts/words.ts';
import { EndpointDetail } from './detail.tsx';

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
              Write a heading with a method and a path under “Endpoints”, such as <code>### `GET /notes`</code>.
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
        <Empty title={`No endpoint has “${find}”`}>Search for a part of a path, a method or a scope.</Empty>
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

/** An endpoint of a document that leaves some open: of such a one there is nothing to be shown but its questions. */
function PerhapsOpen({ name }: { readonly name: string }) {
  const answer = useAnswer<EndpointsAnswer>('/endpoints');
  if (answer.data === null)
    return (
      <Loaded answer={answer} what={name}>
        {() => null}
      </Loaded>
    );
  const open = answer.data.endpoints.find((one) => one.name === name && !one.settled);
  return open ? <Open endpoint={open} /> : <EndpointDetail name={name} />;
}

function Open({ endpoint: { name, line } }: { readonly endpoint: EndpointSummary }) {
  return (
    <>
      <Head
        title={name}
        above={<a href={addresses.endpoints()}>Endpoints</a>}
        below={
          <>
            Answers 501 · <LineLink line={line} />
          </>
        }
      />
      <Empty title="The document leaves this endpoint open">
        The service serves this endpoint once you answer its questions, beside their lines in{' '}
        <a href={addresses.document(line)}>the document</a>.
      </Empty>
    </>
  );
}
