import type { TransitionContract } from '../../../contract/contract.ts';
import { showDelay } from '../../../text/units.ts';
import type { Machine, StatesAnswer } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { useAnswer, useApp, useLive } from '../app/app.ts';
import { Empty, Head, Loaded, Section } from '../parts/page-parts.tsx';
import { LineLink } from '../parts/refusal.tsx';
import { Table } from '../parts/table.tsx';
import { Chart, plain } from './chart.tsx';

/** The view of all state machines, with the number of rows in each state. */
export function StatesView() {
  const answer = useAnswer<StatesAnswer>('/states');
  return (
    <>
      <Head title="States" below="Rows in each state, and the transitions between states." />
      <Loaded answer={answer} what="the states">
        {({ machines }) =>
          machines.length === 0 ? (
            <Empty title="No resource has states">
              Write a table of transitions under “States and transitions” of the document, for a field whose values are
              given by transitions.
            </Empty>
          ) : (
            <Machines machines={machines} />
          )
        }
      </Loaded>
    </>
  );
}

/** The field of a machine, such as `Order.status`. */
const nameOf = ({ resource, states }: Machine): string => `${resource}.${states.field}`;

function Machines({ machines }: { readonly machines: readonly Machine[] }) {
  const { place } = useApp();
  const { last } = useLive();
  const wanted = place.query.get('resource');
  const [first] = machines;
  const machine =
    machines.find((one) => nameOf(one) === wanted) ?? machines.find((one) => one.resource === wanted) ?? first;
  if (machine === undefined) return null;
  const counts = { ...machine.counts, ...last?.rows[machine.countedAs] };
  return (
    <>
      {machines.length > 1 && (
        <nav class="tabs" aria-label="State machines">
          {machines.map((one) => (
            <a
              key={nameOf(one)}
              href={addresses.states(nameOf(one))}
              aria-current={one === machine ? 'page' : undefined}
            >
              {nameOf(one)}
            </a>
          ))}
        </nav>
      )}
      <Chart machine={machine} counts={counts} />
      <Transitions machine={machine} />
    </>
  );
}

/** All transitions, each with its target state, its guard and its causes. */
function Transitions({ machine: { resource, states } }: { readonly machine: Machine }) {
  const { initial, final } = states;
  const ends = final.length ? `ends as ${final.join(' or ')}` : 'never ends';
  return (
    <Section id="transitions" title="Transitions" note={`Begins as ${initial}, ${ends}.`}>
      <Table
        caption={`Transitions of ${resource}.${states.field}`}
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
      <td>{guard ? <code>{plain(guard.text)}</code> : <span class="muted">always</span>}</td>
      <td>
        {timed && (
          <span>
            by itself, {showDelay(timed.afterMilliseconds, plain(timed.instant?.text ?? timed.transition ?? ''))}
          </span>
        )}
        {madeBy.map((maker) => (
          <div key={`${maker.kind} ${maker.name}`}>
            {maker.kind === 'endpoint' ? <a href={addresses.endpoint(maker.name)}>{maker.name}</a> : maker.name}
          </div>
        ))}
        {!timed && madeBy.length === 0 && <span class="muted">no endpoint, only the operator</span>}
      </td>
      <td>{code ? <code>{code}</code> : <span class="muted">none</span>}</td>
      <td class="tight">
        <LineLink line={lines[0]} />
      </td>
    </tr>
  );
}
