import type { RefusalShown } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';

/** A refusal: its code, its title, and the lines of the document that state it. */
export function Refusal({ refusal }: { readonly refusal: RefusalShown }) {
  const { code, title, status, because, lines } = refusal;
  return (
    <div class="refusal">
      <p>
        {status !== null && <Status status={status} />}
        {code !== null && <code class="code">{code}</code>}
        {title !== null && <span>{title}</span>}
      </p>
      <p class="muted">Why: {because}.</p>
      {lines.length > 0 && (
        <ol class="lines" aria-label="Lines of the document that state it">
          {lines.map(({ line, text }) => (
            <li key={line}>
              <LineLink line={line} />
              <code>{text}</code>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

/** A link to a line of the document. */
export function LineLink({ line }: { readonly line: number | null | undefined }) {
  if (!line) return null;
  return (
    <a class="line-link" href={addresses.document(line)}>
      line {line}
    </a>
  );
}

/** An HTTP status, coloured by its class. */
export function Status({ status }: { readonly status: number }) {
  return <span class={`status s${Math.floor(status / 100)}`}>{status}</span>;
}

/** An HTTP method, in a fixed width. */
function Method({ method }: { readonly method: string }) {
  return <span class="method">{method}</span>;
}

/** The name of an endpoint, with its method set apart, as a link to it. */
export function EndpointLink({ name }: { readonly name: string }) {
  const at = name.indexOf(' ');
  if (at < 0) return <span class="muted">{name}</span>;
  return (
    <a class="endpoint-link" href={addresses.endpoint(name)}>
      <Method method={name.slice(0, at)} />
      <span>{name.slice(at + 1)}</span>
    </a>
  );
}
