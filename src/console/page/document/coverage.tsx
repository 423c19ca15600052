import type { ItemCoverage } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';

const MEANING: Readonly<Record<ItemCoverage['state'], string>> = {
  stated: 'stated',
  none: 'none',
  'not shown': 'not shown',
};

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
                  <span class={`state ${state === 'not shown' ? 'missing' : state}`}>{MEANING[state]}</span>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </details>
  );
}
