import type { AttemptShown } from '../../protocol.ts';
import { Instant } from '../parts/instant.tsx';
import { shortTime } from '../parts/words.ts';

/** One attempt at a delivery, with the beginning of the receiver's answer. The answer is shown as text alone. */
export function Attempt({ one }: { readonly one: AttemptShown }) {
  const { at, milliseconds, status, result, body, bodyCut } = one;
  const delivered = status !== null && status >= 200 && status < 300 && result === `status ${status}`;
  return (
    <>
      <span class="history-line">
        <span class={`tag ${delivered ? 'ok' : 'bad'}`}>{result}</span>
        <span class="muted">
          <Instant at={at} /> · {shortTime(milliseconds)}
        </span>
      </span>
      {body === '' ? (
        <span class="muted small">{status === null ? 'No answer came.' : 'The answer has no body.'}</span>
      ) : (
        <pre class="block answer" tabIndex={0} role="group" aria-label={`Answer of the receiver at ${at}`}>
          {body}
          {bodyCut && ' …'}
        </pre>
      )}
    </>
  );
}
