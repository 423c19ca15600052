import { useEffect, useState } from 'preact/hooks';
import type { ServingOutcome } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { counted } from '../parts/words.ts';

interface Props {
  readonly outcome: ServingOutcome | null;
  readonly isRunning: boolean;
  readonly confirm: (changes: readonly string[]) => void;
}

/** Whether the document that was saved is served now. */
export function Served({ outcome, isRunning, confirm }: Props) {
  return (
    <div role="status">
      {outcome?.kind === 'served' && (
        <p class="notice ok">
          <span>
            Saved, and served. Try it at <a href={addresses.endpoints()}>Endpoints</a>.
          </span>
        </p>
      )}
      {outcome?.kind === 'findings' && (
        <p class="notice warn">
          Saved, and not served: the document has {counted(outcome.count, 'finding')}. The service continues with the
          last good document.
        </p>
      )}
      {outcome?.kind === 'stops' && (
        <p class="notice warn">Saved, and not served, because the service stops. Its next start reads the file.</p>
      )}
      {outcome?.kind === 'refused' && (
        <div class="notice bad">
          <p>Saved, and not served. The service continues with the last good document.</p>
          <pre class="differences">{outcome.reason}</pre>
          <p>
            <button type="button" class="button" disabled={isRunning} onClick={() => confirm([])}>
              Serve it again, with the options below
            </button>
          </p>
        </div>
      )}
      {outcome?.kind === 'unconfirmed' && (
        <Unconfirmed changes={outcome.changes} isRunning={isRunning} confirm={confirm} />
      )}
    </div>
  );
}

interface UnconfirmedProps {
  readonly changes: readonly string[];
  readonly isRunning: boolean;
  readonly confirm: (changes: readonly string[]) => void;
}

/** Changes of rows that are made only when the operator has read and wants each. */
function Unconfirmed({ changes, isRunning, confirm }: UnconfirmedProps) {
  const [wanted, setWanted] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => setWanted(new Set()), [changes]);
  const toggle = (change: string): void =>
    setWanted(
      (before) => new Set(before.has(change) ? [...before].filter((one) => one !== change) : [...before, change]),
    );
  return (
    <div class="notice warn">
      <p>
        <strong>Saved, and not served yet: it would change stored rows.</strong> Values that are dropped cannot be
        brought back. The service continues with the last good document.
      </p>
      <ul>
        {changes.map((change) => (
          <li key={change}>
            <label class="check">
              <input type="checkbox" checked={wanted.has(change)} onChange={() => toggle(change)} />
              <span>{change}</span>
            </label>
          </li>
        ))}
      </ul>
      <p>
        <button
          type="button"
          class="button danger"
          disabled={isRunning || changes.some((one) => !wanted.has(one))}
          onClick={() => confirm(changes)}
        >
          Change the rows, and serve it
        </button>
      </p>
    </div>
  );
}
