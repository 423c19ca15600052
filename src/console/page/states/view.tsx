import type { Machine, StatesAnswer } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { useAnswer, useApp, useLive } from '../app/app.ts';
import { Empty, Head, Loaded } from '../parts/page-parts.tsx';
import { Chart } from './chart.tsx';
import { Transitions } from './transitions.tsx';

/** The view of all state machines, with the number of rows in each state. */
export function StatesView() {
  const answer = useAnswer<StatesAnswer>('/states');
  return (
    <>
      <Head title="States" below="How many rows stand in each state, now; and what moves them." />
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

function Machines({ machines }: { readonly machines: readonly Machine[] }) {
  const { place } = useApp();
  const { last } = useLive();
  const wanted = place.query.get('resource');
  const [first] = machines;
  const machine = machines.find((one) => one.resource === wanted) ?? first;
  if (machine === undefined) return null;
  const counts = { ...machine.counts, ...last?.rows[machine.resource] };
  return (
    <>
      {machines.length > 1 && (
        <nav class="tabs" aria-label="State machines">
          {machines.map(({ resource, states }) => (
            <a
              key={resource}
              href={addresses.states(resource)}
              aria-current={resource === machine.resource ? 'page' : undefined}
            >
              {resource}.{states.field}
            </a>
          ))}
        </nav>
      )}
      <Chart machine={machine} counts={counts} />
      <Transitions machine={machine} />
    </>
  );
}
