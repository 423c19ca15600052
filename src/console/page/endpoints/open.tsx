import type { EndpointSummary, EndpointsAnswer } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { useAnswer } from '../app/app.ts';
import { Empty, Head, Loaded } from '../parts/page-parts.tsx';
import { LineLink } from '../parts/refusal.tsx';
import { EndpointDetail } from './detail.tsx';

/** An endpoint of a document that leaves some open: of such a one there is nothing to be shown but its questions. */
export function PerhapsOpen({ name }: { readonly name: string }) {
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
