import { Graph, layout } from '@dagrejs/dagre';
import { type Arrow, type Drawing, type DrawnNode, merged } from './drawing.ts';
import { widthOf, wrapped } from './measure.ts';

export const FONT = 13;
export const LINE = 18;
const PAD = 12;
/** The width, in pixels, at which lines in boxes and labels are wrapped. */
const NODE_WIDTH = 300;
const LABEL_WIDTH = 250;
const START_RADIUS = 7;
/** The width of an arrow from a box to itself. */
const LOOP = 34;

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PlacedNode extends Box {
  readonly kind: DrawnNode['kind'];
  readonly name: readonly string[];
  readonly lines: readonly string[];
}

export interface PlacedLabel extends Box {
  readonly lines: readonly string[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PlacedArrow {
  readonly points: readonly Point[];
  readonly dashed: boolean;
}

/** A drawing with positions, from 0, 0 to its width and height. */
export interface Placed {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly arrows: readonly PlacedArrow[];
  readonly labels: readonly PlacedLabel[];
}

/** A node with its size: the box, and the arrows to itself on its right. */
interface Sized {
  readonly node: DrawnNode;
  readonly name: readonly string[];
  readonly lines: readonly string[];
  readonly width: number;
  readonly height: number;
  readonly loops: readonly Label[];
  readonly wholeWidth: number;
  readonly wholeHeight: number;
}

interface Label {
  readonly lines: readonly string[];
  readonly width: number;
  readonly height: number;
  readonly dashed: boolean;
}

/** Computes the positions of a drawing, deterministically. */
export function place({ nodes, arrows }: Drawing): Placed {
  const all = merged(arrows);
  const sized = new Map(nodes.map((node) => [node.id, sizeOf(node, all)]));
  const between = all.filter((one) => one.from !== one.to);
  const labels = between.map(labelOf);
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 28, edgesep: 18, ranksep: 30 });
  for (const [id, { wholeWidth, wholeHeight }] of sized) graph.setNode(id, { width: wholeWidth, height: wholeHeight });
  for (const [i, { from, to }] of between.entries()) {
    const { width, height } = labels[i] ?? EMPTY;
    graph.setEdge(from, to, { width, height, labelpos: 'c' }, `a${i}`);
  }
  layout(graph);
  const placed = [...sized].map(([id, size]) => nodeAt(size, graph.node(id)));
  const boxes = new Map([...sized.keys()].map((id, i) => [id, placed[i]?.box]));
  const found = between.map(({ from, to, dashed }, i) => {
    const { points = [], x = 0, y = 0 } = graph.edge({ v: from, w: to, name: `a${i}` }) as EdgeFound;
    return {
      points: clipped(points, boxes.get(from), boxes.get(to)),
      dashed,
      label: labelAt(labels[i] ?? EMPTY, x, y),
    };
  });
  return framed({
    nodes: placed.map((one) => one.box),
    arrows: [...found.map(({ points, dashed }) => ({ points, dashed })), ...placed.flatMap((one) => one.loops)],
    labels: [...found.map((one) => one.label), ...placed.flatMap((one) => one.labels)].filter(
      (one) => one.lines.length,
    ),
  });
}

interface EdgeFound {
  readonly points?: readonly Point[];
  readonly x?: number;
  readonly y?: number;
}

const EMPTY: Label = { lines: [], width: 0, height: 0, dashed: false };

function sizeOf(node: DrawnNode, arrows: readonly Arrow[]): Sized {
  const loops = arrows.filter((one) => one.from === node.id && one.to === node.id).map(labelOf);
  const size = node.kind === 'start' ? { ...EMPTY_BOX, node } : boxOf(node);
  const loopWidth = loops.length ? LOOP + Math.max(...loops.map((one) => one.width)) : 0;
  const tall = loops.reduce((sum, one) => sum + Math.max(one.height, LINE) + LINE / 2, 0);
  return {
    ...size,
    loops,
    wholeWidth: size.width + loopWidth,
    wholeHeight: Math.max(size.height, tall),
  };
}

const EMPTY_BOX = { name: [], lines: [], width: 2 * START_RADIUS, height: 2 * START_RADIUS };

function boxOf(node: DrawnNode): Pick<Sized, 'node' | 'name' | 'lines' | 'width' | 'height'> {
  const name = wrapped(node.name, FONT, NODE_WIDTH);
  const lines = node.lines.flatMap((one) => wrapped(one, FONT, NODE_WIDTH));
  const wide = Math.max(...[...name, ...lines].map((one) => widthOf(one, FONT)), 40);
  const height = (name.length + lines.length) * LINE + 2 * PAD + (lines.length ? PAD : 0);
  return { node, name, lines, width: Math.ceil(wide) + 2 * PAD, height };
}

function labelOf({ labels, dashed }: Arrow): Label {
  const lines = labels.flatMap((one) => wrapped(one, FONT, LABEL_WIDTH));
  if (lines.length === 0) return { ...EMPTY, dashed };
  const width = Math.ceil(Math.max(...lines.map((one) => widthOf(one, FONT)))) + 8;
  return { lines, width, height: lines.length * LINE + 4, dashed };
}

const labelAt = ({ lines, width, height }: Label, x: number, y: number): PlacedLabel => ({
  lines,
  width,
  height,
  x: x - width / 2,
  y: y - height / 2,
});

/** Places a box on the left of its area, and its arrows to itself on the right, one below the other. */
function nodeAt(
  { node, name, lines, width, height, loops, wholeWidth, wholeHeight }: Sized,
  { x = 0, y = 0 }: { readonly x?: number; readonly y?: number },
): { readonly box: PlacedNode; readonly loops: readonly PlacedArrow[]; readonly labels: readonly PlacedLabel[] } {
  const left = x - wholeWidth / 2;
  const box: PlacedNode = { kind: node.kind, name, lines, x: left, y: y - height / 2, width, height };
  const right = left + width;
  let top = y - wholeHeight / 2;
  const places = loops.map((loop) => {
    const rows = Math.max(loop.height, LINE);
    const middle = top + rows / 2 + LINE / 4;
    top += rows + LINE / 2;
    // The arrow begins and ends at the box, regardless of the position of its label.
    const at = Math.min(Math.max(middle, box.y + 8), box.y + height - 8);
    return {
      arrow: { points: loopAt(right, at, middle), dashed: loop.dashed },
      label: { ...loop, x: right + LOOP, y: middle - loop.height / 2 },
    };
  });
  return { box, loops: places.map((one) => one.arrow), labels: places.map((one) => one.label) };
}

const loopAt = (right: number, at: number, middle: number): Point[] => [
  { x: right, y: at - 5 },
  { x: right + LOOP - 8, y: middle - 7 },
  { x: right + LOOP - 8, y: middle + 7 },
  { x: right, y: at + 5 },
];

/** The points of an arrow, from the edge of one box to the edge of the other. */
function clipped(points: readonly Point[], from: Box | undefined, to: Box | undefined): readonly Point[] {
  const inner = points.slice(1, -1);
  const [first, last] = [inner[0], inner.at(-1)];
  if (!first || !last || !from || !to) return points;
  return [edgeOf(from, first), ...inner, edgeOf(to, last)];
}

/** The point where the line from the centre of a box to another point crosses the edge. */
function edgeOf(box: Box, towards: Point): Point {
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const [dx, dy] = [towards.x - middle.x, towards.y - middle.y];
  if (dx === 0 && dy === 0) return middle;
  const part = Math.min(
    dx === 0 ? Number.POSITIVE_INFINITY : box.width / 2 / Math.abs(dx),
    dy === 0 ? Number.POSITIVE_INFINITY : box.height / 2 / Math.abs(dy),
  );
  return { x: middle.x + dx * part, y: middle.y + dy * part };
}

/** Moves the drawing so that it begins at 0, 0. */
function framed(all: Pick<Placed, 'nodes' | 'arrows' | 'labels'>): Placed {
  const boxes: Box[] = [...all.nodes, ...all.labels];
  const points = all.arrows.flatMap((one) => one.points);
  const xs = [...boxes.flatMap((one) => [one.x, one.x + one.width]), ...points.map((one) => one.x)];
  const ys = [...boxes.flatMap((one) => [one.y, one.y + one.height]), ...points.map((one) => one.y)];
  const [left, top] = [least(xs), least(ys)];
  const moved = <T extends Point>(one: T): T => ({ ...one, x: one.x - left, y: one.y - top });
  return {
    width: -least(xs.map((one) => -one)) - left,
    height: -least(ys.map((one) => -one)) - top,
    nodes: all.nodes.map(moved),
    labels: all.labels.map(moved),
    arrows: all.arrows.map((one) => ({ ...one, points: one.points.map(moved) })),
  };
}

/** The minimum of a list, which may be too long for `Math.min(...)`. */
const least = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.min(a, b), numbers[0] ?? 0);
