import { useEffect, useRef, useState } from 'preact/hooks';
import type { TransitionContract } from '../../../contract/contract.ts';
import type { Drawing } from '../../../export/diagram/drawing.ts';
import type { Placed, PlacedArrow, PlacedLabel, PlacedNode } from '../../../export/diagram/layout.ts';
import { showDelay } from '../../../text/units.ts';
import type { Machine } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { Loading } from '../parts/page-parts.tsx';
import { counted, grouped } from '../parts/words.ts';

interface Props {
  readonly machine: Machine;
  readonly counts: Readonly<Record<string, number>>;
}

/** The diagram of a state machine. The layout code is loaded with the first diagram. */
export function Chart({ machine, counts }: Props) {
  const [placed, setPlaced] = useState<Placed | 'failed' | null>(null);
  useEffect(() => {
    let wanted = true;
    import('../../../export/diagram/layout.ts').then(
      ({ place }) => wanted && setPlaced(place(drawingOf(machine))),
      () => wanted && setPlaced('failed'),
    );
    return () => {
      wanted = false;
    };
  }, [machine]);
  if (placed === null) return <Loading what="the drawing" />;
  if (placed === 'failed')
    return <p class="notice">The drawing could not be loaded. The table below has the same content.</p>;
  return <Figure machine={machine} counts={counts} placed={placed} />;
}

function Figure({ machine, counts, placed }: Props & { readonly placed: Placed }) {
  const box = useRef<HTMLDivElement>(null);
  // If the drawing is wider than the window, the start state is scrolled into view.
  useEffect(() => {
    const start = placed.nodes.find((one) => one.kind === 'start');
    if (start && box.current) box.current.scrollLeft = start.x + MARGIN - box.current.clientWidth / 2;
  }, [placed]);
  const { resource, states } = machine;
  const name = `${resource}.${states.field}`;
  const [width, height] = [placed.width + 2 * MARGIN, placed.height + 2 * MARGIN];
  const viewBox = `${-MARGIN} ${-MARGIN} ${width} ${height}`;
  return (
    <figure class="chart" aria-label={name}>
      <div ref={box} class="chart-scroll" tabIndex={0} role="region" aria-label={`Drawing of ${name}`}>
        <svg viewBox={viewBox} width={width} height={height} role="group" aria-label="States and transitions">
          <Head />
          {placed.arrows.map((arrow, i) => (
            <Arrow key={i} arrow={arrow} />
          ))}
          {placed.labels.map((label, i) => (
            <Label key={i} label={label} />
          ))}
          {placed.nodes.map((node, i) => {
            const count = counts[node.name.join('')] ?? 0;
            return <StateBox key={i} node={node} resource={resource} field={states.field} count={count} />;
          })}
        </svg>
      </div>
    </figure>
  );
}

/** The head of every arrow. */
function Head() {
  const size = { refX: '9', refY: '5', markerWidth: '6.5', markerHeight: '6.5' };
  return (
    <defs>
      <marker id="arrow" viewBox="0 0 10 10" orient="auto-start-reverse" {...size}>
        <path class="arrow-head" d="M0 0.5 9.5 5 0 9.5z" />
      </marker>
    </defs>
  );
}

function Label({ label: { x, y, width, height, lines } }: { readonly label: PlacedLabel }) {
  return (
    <g>
      <rect class="chart-label" x={x} y={y} width={width} height={height} />
      {lines.map((line, i) => (
        <text key={i} class="chart-text" x={x + width / 2} y={y + 14 + i * 18} text-anchor="middle">
          {line}
        </text>
      ))}
    </g>
  );
}

const MARGIN = 16;

/** The drawing of a state machine: states with space for the number of rows, and transitions with their guards. */
function drawingOf({ resource, states }: Machine): Drawing {
  const ids = new Map(states.values.map((value, i) => [value, `s${i}`]));
  const id = (value: string): string => ids.get(value) ?? value;
  return {
    heading: `${resource}.${states.field}`,
    words: '',
    nodes: [
      { id: 'start', kind: 'start', name: '', lines: [] },
      ...states.values.map((value) => ({
        id: id(value),
        kind: states.final.includes(value) ? ('final' as const) : ('state' as const),
        name: value,
        lines: ['000 000 rows'],
      })),
    ],
    arrows: [
      { from: 'start', to: id(states.initial), labels: [], dashed: false },
      ...states.transitions.flatMap((one) =>
        one.from.map((from) => ({
          from: id(from),
          to: id(one.to),
          labels: [labelOf(one)],
          dashed: one.timed !== null,
        })),
      ),
    ],
  };
}

function labelOf({ name, guard, timed }: TransitionContract): string {
  const after = timed?.instant?.text ?? timed?.transition ?? '';
  const when = timed ? `, ${showDelay(timed.afterMilliseconds, plain(after))}` : '';
  return `${name}${when}${guard ? ` [${plain(guard.text)}]` : ''}`;
}

/** An expression of a row, without `this.`. */
export const plain = (text: string): string => text.replaceAll('this.', '');

function Arrow({ arrow: { points, dashed } }: { readonly arrow: PlacedArrow }) {
  return <path class={`arrow${dashed ? ' dashed' : ''}`} d={curve(points)} marker-end="url(#arrow)" />;
}

/** A smooth path through points: straight to the middle between two points, and curved at each. */
function curve(points: PlacedArrow['points']): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  const parts = [`M${first.x} ${first.y}`];
  for (const [i, point] of rest.entries()) {
    const next = rest[i + 1];
    if (next === undefined) parts.push(`L${point.x} ${point.y}`);
    else parts.push(`Q${point.x} ${point.y} ${(point.x + next.x) / 2} ${(point.y + next.y) / 2}`);
  }
  return parts.join('');
}

interface BoxProps {
  readonly node: PlacedNode;
  readonly resource: string;
  readonly field: string;
  readonly count: number;
}

/** A state, which links to its rows. */
function StateBox({ node, resource, field, count }: BoxProps) {
  const { x, y, width, height, kind } = node;
  if (kind === 'start') return <circle class="start" cx={x + width / 2} cy={y + height / 2} r={width / 2 - 1} />;
  const name = node.name.join('');
  const href = addresses.rows(resource, [{ field, is: 'equal', value: name }]);
  return (
    <a href={href} class={`state-box${count ? ' some' : ''}`} aria-label={`${name} ${counted(count, 'row')}`}>
      <rect x={x} y={y} width={width} height={height} rx="8" />
      {kind === 'final' && <rect class="inner" x={x + 3} y={y + 3} width={width - 6} height={height - 6} rx="5.5" />}
      <text class="state-name" x={x + width / 2} y={y + height / 2 - 4} text-anchor="middle">
        {name}
      </text>{' '}
      <text class="state-count" x={x + width / 2} y={y + height / 2 + 15} text-anchor="middle">
        {grouped(count)}
      </text>
    </a>
  );
}
