import type { FindingShown, StatementShown } from '../../protocol.ts';
import { addresses, targetAddress } from '../app/addresses.ts';
import { Copy } from '../parts/copy.tsx';
import { WithCode } from '../parts/page-parts.tsx';

const LABELS = { error: 'Error', question: 'Open question', notice: 'Notice' } as const;

/** An open question or an error, below the line that raises it. */
export function Question({ finding }: { readonly finding: FindingShown }) {
  const { severity, message, why, suggestion, code, endpoints } = finding;
  return (
    <aside class={`beside ${severity}`} aria-label={LABELS[severity]}>
      <p class="beside-title">{message}</p>
      {why && (
        <p class="muted">
          <WithCode text={why} />
        </p>
      )}
      {suggestion && (
        <div class="suggestion">
          <pre>
            <code>{suggestion}</code>
          </pre>
          <Copy text={suggestion} what="the line to write" />
        </div>
      )}
      <p class="muted small">
        <code>{code}</code>
        {endpoints !== null && endpoints.length > 0 && <Unserved endpoints={endpoints} />}
      </p>
    </aside>
  );
}

const NAMED = 4;

function Unserved({ endpoints }: { readonly endpoints: readonly string[] }) {
  const more = endpoints.length - NAMED;
  return (
    <>
      {' · not served until it is answered: '}
      {endpoints.slice(0, NAMED).map((name, i) => (
        <span key={name}>
          {i > 0 && ', '}
          <a href={addresses.endpoint(name)}>{name}</a>
        </span>
      ))}
      {more > 0 && ` and ${more} more`}
    </>
  );
}

/** The effects of one line: its statements, with links to the views that show them. */
export function InForce({
  line,
  statements,
}: {
  readonly line: number;
  readonly statements: readonly StatementShown[];
}) {
  return (
    <aside class="beside in-force" aria-label={`What line ${line} states`}>
      {statements.length === 0 ? (
        <p class="muted">This line alone states nothing: it is prose, a heading or a blank line.</p>
      ) : (
        <>
          <p class="beside-title">This line states</p>
          <ul>
            {statements.map(({ what, view }, i) => (
              <li key={i}>{view ? <a href={targetAddress(view)}>{what}</a> : what}</li>
            ))}
          </ul>
        </>
      )}
    </aside>
  );
}
