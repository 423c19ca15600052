import { oneLine } from '../../text/visible.ts';
import type { Drawing } from './drawing.ts';
import {
  FONT,
  LINE,
  type Placed,
  type PlacedArrow,
  type PlacedLabel,
  type PlacedNode,
  type Point,
  place,
} from './layout.ts';
import { widthOf } from './measure.ts';

const MARGIN = 24;
const HEADING = 17;

/** Colours for a light and a dark page; everything else is the same. */
const STYLE = `
svg{font:${FONT}px ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;--page:#fff;--box:#f6f8fa;--line:#57606a;--text:#1f2328}
@media (prefers-color-scheme:dark){svg{--page:#0d1117;--box:#161b22;--line:#9198a1;--text:#e6edf3}}
.page,.label{fill:var(--page)}
.node{fill:var(--box);stroke:var(--line);stroke-width:1.5}
.inner{fill:none;stroke:var(--line)}
.start,.head{fill:var(--line)}
.arrow{fill:none;stroke:var(--line);stroke-width:1.5;marker-end:url(#arrow)}
.dashed{stroke-dasharray:5 4}
.rule{stroke:var(--line)}
text{fill:var(--text)}
.name,.heading{font-weight:600}
.heading{font-size:${HEADING}px}
`;

/** One SVG with the drawings below each other, without scripts and external references. */
export function svgOf(title: string, drawings: readonly Drawing[]): string {
  const parts = drawings.map((drawing) => ({ drawing, placed: place(drawing) }));
  const heads = parts.map(({ drawing }) => widthOf(drawing.heading, HEADING));
  const width = Math.max(...parts.map(({ placed }) => placed.width), ...heads, 200) + 2 * MARGIN;
  let y = MARGIN;
  const out: string[] = [];
  for (const { drawing, placed } of parts) {
    out.push(text('heading', MARGIN, y + HEADING, drawing.heading, 'start'));
    y += HEADING + MARGIN;
    out.push(`<g transform="translate(${MARGIN} ${number(y)})">`, ...shapes(placed), '</g>');
    y += placed.height + 2 * MARGIN;
  }
  if (parts.length === 0) {
    out.push(text('heading', MARGIN, y + HEADING, 'There is nothing to draw.', 'start'));
    y += HEADING + MARGIN;
  }
  const words = parts.map(({ drawing }) => `${drawing.heading}: ${drawing.words}`).join('\n');
  const size = `${number(width)} ${number(y)}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc" viewBox="0 0 ${size}" width="${number(width)}" height="${number(y)}">`,
    `<title id="title">${escapeXml(title)}</title>`,
    `<desc id="desc">${words.split('\n').map(escapeXml).join('\n')}</desc>`,
    `<style>${STYLE}</style>`,
    '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path class="head" d="M0 0 10 5 0 10z"/></marker></defs>',
    `<rect class="page" width="${number(width)}" height="${number(y)}"/>`,
    ...out,
    '</svg>',
    '',
  ].join('\n');
}

/** The elements in paint order: boxes and labels cover arrows. */
const shapes = ({ arrows, nodes, labels }: Placed): string[] => [
  ...arrows.map(arrowShape),
  ...nodes.flatMap(nodeShape),
  ...labels.flatMap(labelShape),
];

function arrowShape({ points, dashed }: PlacedArrow): string {
  return `<path class="arrow${dashed ? ' dashed' : ''}" d="${wayOf(points)}"/>`;
}

/** The path of straight lines with rounded corners. */
function wayOf(points: readonly Point[]): string {
  const at = ({ x, y }: Point): string => `${number(x)} ${number(y)}`;
  const halfway = (a: number, b: number): number => (a + b) / 2;
  return points
    .map((point, i) => {
      const [before, after] = [points[i - 1], points[i + 1]];
      if (!before) return `M${at(point)}`;
      if (!after) return `L${at(point)}`;
      const near = { x: halfway(before.x, point.x), y: halfway(before.y, point.y) };
      const far = { x: halfway(point.x, after.x), y: halfway(point.y, after.y) };
      return `L${at(near)}Q${at(point)} ${at(far)}`;
    })
    .join('');
}

function nodeShape({ kind, name, lines, ...box }: PlacedNode): string[] {
  const { x, y, width, height } = box;
  const [middle, top] = [x + width / 2, y + 12];
  if (kind === 'start')
    return [`<circle class="start" cx="${number(middle)}" cy="${number(y + height / 2)}" r="${number(width / 2)}"/>`];
  const round = kind === 'resource' ? 4 : 10;
  const inner = { x: x + 3, y: y + 3, width: width - 6, height: height - 6 };
  const rule = top + name.length * LINE + 6;
  return [
    rect('node', box, round),
    ...(kind === 'final' ? [rect('inner', inner, round - 3)] : []),
    ...name.map((one, i) => text('name', middle, top + i * LINE + FONT, one, 'middle')),
    ...(lines.length ? [line(x, rule, x + width)] : []),
    ...lines.map((one, i) => text('', x + 12, rule + 6 + i * LINE + FONT, one, 'start')),
  ];
}

function labelShape({ lines, ...box }: PlacedLabel): string[] {
  const middle = box.x + box.width / 2;
  return [
    rect('label', box, 2),
    ...lines.map((one, i) => text('', middle, box.y + 2 + i * LINE + FONT, one, 'middle')),
  ];
}

const rect = (name: string, { x, y, width, height }: Omit<PlacedLabel, 'lines'>, round: number): string =>
  `<rect class="${name}" x="${number(x)}" y="${number(y)}" width="${number(width)}" height="${number(height)}" rx="${round}"/>`;

const line = (x: number, y: number, to: number): string =>
  `<path class="rule" d="M${number(x)} ${number(y)}H${number(to)}"/>`;

function text(name: string, x: number, y: number, said: string, anchor: 'start' | 'middle'): string {
  const own = name && ` class="${name}"`;
  return `<text${own} x="${number(x)}" y="${number(y)}" text-anchor="${anchor}">${escapeXml(said)}</text>`;
}

/** Rounds to a tenth of a pixel. */
const number = (value: number): string => `${Math.round(value * 10) / 10 || 0}`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for XML: markup characters become entities, and characters that XML forbids are replaced. */
const escapeXml = (said: string): string =>
  oneLine(said)
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"]/g, (one) => ENTITIES[one] ?? one);
