import { useEffect, useRef, useState } from 'preact/hooks';
import type { TransitionContract } from '../../../contract/contract.ts';
import type { Drawing } from '../../../export/diagram/drawing.ts';
import type { Placed, PlacedArrow, PlacedNode } from '../../../export/diagram/layout.ts';
import { showDuration } from '../../../text/units.ts';
import type { Machine } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { Loading } from '../parts/page-parts.tsx';
import { counted, grouped } from '../parts/words.ts';

interface Props {
  readonly machine: Machine;
  readonly counts: Readonly<Record<string, number>>;
}

/** A state machine as a drawing. What finds the places of boxes is loaded with the first one. */
export function Chart({ machine, counts }: Props) {
  const [placed, setPlaced] = useState<Placed | null>(null);
  useEffect(() => {
    let wanted = true;
    setPlaced(null);
    void import('../../../export/diagram/layout.ts').then(({ place }) => {
      if (wanted) setPlaced(place(drawingOf(machine)));
    });
    return () => {
      wanted = false;
    };
  }, [machine]);
  const box = useRef<HTMLDivElement>(null);
  // Where the window is narrower than the drawing, its beginning is seen first.
  useEffect(() => {
    const start = placed?.nodes.find((one) => one.kind === 'start');
    if (start && box.current) box.current.scrollLeft = start.x + MARGIN - box.current.clientWidth / 2;
  }, [placed]);
  const { resource, states } = machine;
  if (placed === null) return <Loading what="the drawing" />;
  const [width, height] = [placed.width + 2 * MARGIN, placed.height + 2 * MARGIN];
  return (
    <figure class="chart" aria-label={`${resource}.${states.field}`}>
      <div
        ref={box}
        class="chart-scroll"
        tabIndex={0}
        role="region"
        aria-label={`Drawing of ${resource}.${states.field}`}
      >
        <svg
          viewBox={`${-MARGIN} ${-MARGIN} ${width} ${height}`}
          width={width}
          height={height}
          role="group"
          aria-label="States and transitions"
        >
          <defs>
            <marker
              id="arrow"
              viewBox="0 0 10 10"
              refX="9"
              refY="5"
              markerWidth="6.5"
              markerHeight="6.5"
              orient="auto-start-reverse"
            >
              <path class="arrow-head" d="M0 0.5 9.5 5 0 9.5z" />
            </marker>
          </defs>
          {placed.arrows.map((arrow, i) => (
            <Arrow key={i} arrow={arrow} />
          ))}
          {placed.labels.map(({ x, y, width: wide, height: high, lines }, i) => (
            <g key={i}>
              <rect class="chart-label" x={x} y={y} width={wide} height={high} />
              {lines.map((line, j) => (
                <text key={j} class="chart-text" x={x + wide / 2} y={y + 14 + j * 18} text-anchor="middle">
                  {line}
                </text>
              ))}
            </g>
          ))}
          {placed.nodes.map((node, i) => (
            <StateBox
              key={i}
              node={node}
              resource={resource}
              field={states.field}
              count={counts[node.name.join('')] ?? 0}
            />
          ))}
        </svg>
      </div>
    </figure>
  );
}

const MARGIN = 16;

/** What is drawn: each state with room for its number, and each transition by its name and guard. */
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
  const when = timed ? `, ${showDuration(timed.afterMilliseconds)} after ${plain(after)}` : '';
  return `${name}${when}${guard ? ` [${plain(guard.text)}]` : ''}`;
}

/** An expression of a row as the document writes it. */
const plain = (text: string): string => text.replaceAll('this.', '');

function Arrow({ arrow: { points, dashed } }: { readonly arrow: PlacedArrow }) {
  return <path class={`arrow${dashed ? ' dashed' : ''}`} d={curve(points)} marker-end="url(#arrow)" />;
}

/** A smooth way through points: straight to the middle between two of them, and bent at each. */
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

/** A state: a link to its rows. */
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
