import { keyOf, MAIN_CELLS, titleOf } from '../cells.ts';
import type { Machine } from '../machine.ts';
import { BASES, SERVERS } from '../servers.ts';
import type { Summary } from '../summary.ts';

/** What is drawn: servers that do the same work, beside Fastify, which is the line at 1. */
const DRAWN = SERVERS.filter((one) => one.alike && !Object.values(BASES).includes(one.name)).map((one) => one.name);

/** Of many cells, the chart shows the main ones: it has to be taken in at a glance. */
const MAIN = new Set(MAIN_CELLS.map(keyOf));

const WIDTH = 760;
const LEFT = 20;
const NAMES = 170;
const RIGHT = 60;
const BAR = 14;
const GAP = 4;
const TITLE = 26;
const BETWEEN = 14;
const HEAD = 64;
const FOOT = 44;

const STYLE = `
    text { font: 13px system-ui, sans-serif; fill: #24292f }
    .head { font-weight: 600; font-size: 16px }
    .cell { font-weight: 600 }
    .small { font-size: 12px; fill: #57606a }
    .bar { fill: #8c959f }
    .own { fill: #0969da }
    .one { stroke: #57606a; stroke-dasharray: 3 3 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .small { fill: #9198a1 }
      .bar { fill: #656c76 }
      .own { fill: #4493f8 }
      .one { stroke: #9198a1 }
    }`;

/** Draws throughput as ratios to Fastify: bars in groups, one group for each kind of work. Null where there is nothing. */
export function chart(summaries: readonly Summary[], machine: Machine): string | null {
  const drawable = summaries.filter((one) => DRAWN.includes(one.server) && one.toFastify);
  const main = drawable.filter((one) => MAIN.has(keyOf(one.cell)));
  const shown = main.length ? main : drawable;
  if (shown.length === 0) return null;
  const groups = [...Map.groupBy(shown, (one) => titleOf(one.cell))];
  const scale = (WIDTH - LEFT - NAMES - RIGHT) / Math.max(1, ...shown.map(ratioOf));
  const parts: string[] = [];
  let y = HEAD;
  for (const [title, rows] of groups) {
    parts.push(text(LEFT, y + 14, title, 'cell'));
    y += TITLE;
    for (const row of rows.toSorted((a, b) => DRAWN.indexOf(a.server) - DRAWN.indexOf(b.server))) {
      parts.push(bar(row, y, scale));
      y += BAR + GAP;
    }
    y += BETWEEN;
  }
  const at = LEFT + NAMES + scale;
  const line = `<line class="one" x1="${round(at)}" x2="${round(at)}" y1="${HEAD}" y2="${y}"/>`;
  const height = y + FOOT;
  const heading = 'Requests a second, as ratios to hand-written Fastify 5';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title">
  <title id="title">${heading}</title>
  <style>${STYLE}
  </style>
  ${text(LEFT, 26, heading, 'head')}
  ${text(LEFT, 46, 'The dashed line is Fastify. Longer is better.', 'small')}
  ${line}
  ${parts.join('\n  ')}
  ${text(LEFT, y + 20, termsOf(machine), 'small')}
</svg>
`;
}

const ratioOf = (one: Summary): number => one.toFastify!.rate.median;

function bar(row: Summary, y: number, scale: number): string {
  const { title } = SERVERS.find(({ name }) => name === row.server)!;
  const ratio = ratioOf(row);
  const x = LEFT + NAMES;
  const kind = row.server === 'ninefold' ? 'own' : 'bar';
  return [
    text(LEFT, y + 12, title, 'name'),
    `<rect class="${kind}" x="${x}" y="${y}" width="${round(ratio * scale)}" height="${BAR}" rx="2"/>`,
    text(round(x + ratio * scale + 6), y + 12, ratio.toFixed(1), 'name'),
  ].join('');
}

function termsOf({ processor, node, sync, pinned }: Machine): string {
  const cores = pinned ? 'server on one core, load on another' : 'server and load not kept apart';
  return `${processor}, Node ${node}, ${cores}, a sync takes ${sync.p50.toFixed(2)} ms. npm run bench`;
}

const round = (value: number): number => Math.round(value * 10) / 10;

function text(x: number, y: number, words: string, kind: string): string {
  const safe = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text class="${kind}" x="${x}" y="${y}">${safe}</text>`;
}
