import type { ItemCoverage } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';

/** The nine parts and their items: stated, stated absent, or not shown. */
export function Coverage({ items }: { readonly items: readonly ItemCoverage[] }) {
  const parts = Map.groupBy(items, (one) => one.part);
  const missing = items.filter((one) => one.state === 'not shown').length;
  return (
    <details open={window.matchMedia('(min-width: 1101px)').matches}>
      <summary>
        <h2>Coverage</h2>{' '}
        <span class={`note${missing ? ' warn' : ''}`}>
          {items.length - missing} of {items.length}
        </span>
      </summary>
      <ol class="coverage">
        {[...parts].map(([part, of]) => (
          <li key={part}>
            <h3>{part}</h3>
            <ul>
              {of.map(({ item, state, line }) => (
                <li key={item}>
                  {line === null ? <span>{item}</span> : <a href={addresses.document(line)}>{item}</a>}
                  <span class={`state ${state === 'not shown' ? 'missing' : state}`}>
                    {state === 'stated' ? <Tick /> : state}
                  </span>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** Stated. */
function Tick() {
  return (
    <svg viewBox="0 0 12 12" width="12" height="12" role="img" aria-label="stated">
      <path d="M2 6.5 4.8 9.2 10 3.2" fill="none" stroke="currentColor" stroke-width="1.6" />
    </svg>
  );
}
