import type { TransitionContract } from '../../../contract/contract.ts';
import { showDuration } from '../../../text/units.ts';
import type { Machine } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { Section } from '../parts/page-parts.tsx';
import { LineLink } from '../parts/refusal.tsx';
import { Table } from '../parts/table.tsx';

/** Every transition: where it leads, under which guard, and what makes it. */
export function Transitions({ machine: { resource, states } }: { readonly machine: Machine }) {
  const { initial, final } = states;
  const ends = final.length ? `ends as ${final.join(' or ')}` : 'never ends';
  return (
    <Section id="transitions" title="Transitions" note={`Begins as ${initial}, ${ends}.`}>
      <Table
        caption={`Transitions of ${resource}`}
        labelledBy="transitions"
        headings={['Transition', 'From', 'To', 'Guard', 'Made by', 'Else', 'Document']}
      >
        {states.transitions.map((one) => (
          <TransitionRow key={one.name} one={one} />
        ))}
      </Table>
    </Section>
  );
}

function TransitionRow({ one }: { readonly one: TransitionContract }) {
  const { name, from, to, guard, timed, code, madeBy, lines } = one;
  return (
    <tr>
      <th scope="row">
        <strong>{name}</strong>
      </th>
      <td>{from.join(', ')}</td>
      <td>{to}</td>
      <td>{guard ? <code>{guard.text.replaceAll('this.', '')}</code> : <span class="muted">always</span>}</td>
      <td>
        {timed && (
          <span>
            by itself, {showDuration(timed.afterMilliseconds)} after{' '}
            {timed.instant ? <code>{timed.instant.text.replaceAll('this.', '')}</code> : timed.transition}
          </span>
        )}
        {madeBy.map((maker) => (
          <div key={`${maker.kind} ${maker.name}`}>
            {maker.kind === 'endpoint' ? <a href={addresses.endpoint(maker.name)}>{maker.name}</a> : maker.name}
          </div>
        ))}
        {!timed && madeBy.length === 0 && <span class="muted">only the operator</span>}
      </td>
      <td>{code ? <code>{code}</code> : <span class="muted">none</span>}</td>
      <td class="tight">
        <LineLink line={lines[0]} />
      </td>
    </tr>
  );
}
