import type { TryAnswer } from '../../protocol.ts';
import { Refusal, Status } from '../parts/refusal.tsx';
import { shortTime } from '../parts/words.ts';

/** The response to a tried request, with the lines of the document that refused it. */
export function Tried({ answer }: { readonly answer: TryAnswer }) {
  const { status, headers, body, bodyCut, milliseconds, refusal, sent, revoked } = answer;
  return (
    <div class="tried">
      <h3>
        <Status status={status} /> <span class="muted">in {shortTime(milliseconds)}</span>
      </h3>
      {refusal && (
        <div class={`notice ${status >= 500 ? 'bad' : 'warn'}`}>
          <Refusal refusal={{ ...refusal, status: null }} />
        </div>
      )}
      {body === '' ? (
        <p class="muted">The answer has no body.</p>
      ) : (
        <pre class="block" tabIndex={0} role="group" aria-label="Body of the answer">
          {pretty(body)}
        </pre>
      )}
      {bodyCut && <p class="muted small">The console shows only the beginning of this answer.</p>}
      <details>
        <summary>Headers of the answer</summary>
        <HeaderList headers={headers} />
      </details>
      <details>
        <summary>The request as it was sent</summary>
        <p>
          <code>{sent.line}</code>
        </p>
        <HeaderList headers={sent.headers} />
      </details>
      {!revoked && (
        <p class="notice bad" role="alert">
          The console could not revoke the key of this request. Revoke it under Keys.
        </p>
      )}
    </div>
  );
}

function HeaderList({ headers }: { readonly headers: TryAnswer['headers'] }) {
  return (
    <dl class="headers">
      {headers.map(([name, value], i) => (
        <div key={i}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Indents JSON; other text stays unchanged. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
