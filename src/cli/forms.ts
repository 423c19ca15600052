import { samplesOfBullet, samplesOfColumn } from '../compiler/edits/legal-texts.ts';
import type { BulletPlace } from '../language/bullets.ts';
import { TABLES } from '../language/columns.ts';
import { CONTENT, NOTIFIED_BY, WHEN } from '../language/events.ts';
import { BULLET_KEYS } from '../language/keys.ts';
import { LIMITS } from '../language/limits.ts';
import { formOf, STEPS, type Verb } from '../language/steps.ts';
import type { PartName } from '../plan/parts.ts';
import { keysOf } from '../text/own-members.ts';

/** Where statements of a part stand: bullets below a heading, or the columns of a table. */
type Home = readonly [where: string, of: { readonly bullets: BulletPlace } | { readonly table: keyof typeof TABLES }];

const HOMES: Readonly<Record<PartName, readonly Home[]>> = {
  purpose: [['Bullets', { bullets: 'purpose' }]],
  resources: [
    ['Bullets for all resources', { bullets: 'resources' }],
    ['The table of a resource', { table: 'field' }],
    ['Bullets of a resource', { bullets: 'resource' }],
  ],
  states: [
    ['Bullets of a field with states', { bullets: 'machine' }],
    ['The table of its transitions', { table: 'transition' }],
  ],
  endpoints: [
    ['Bullets, for all endpoints or for one', { bullets: 'endpoints' }],
    ['The table of parameters', { table: 'parameter' }],
    ['Bullets of one endpoint alone', { bullets: 'endpoint' }],
    ['Bullets under “### Schedule NAME”', { bullets: 'schedule' }],
  ],
  authentication: [
    ['Bullets for all schemes', { bullets: 'authentication' }],
    ['Bullets of a scheme', { bullets: 'scheme' }],
  ],
  events: [
    ['Bullets under “### Webhook”', { bullets: 'webhook' }],
    ['Bullets under “### Stream”', { bullets: 'stream' }],
  ],
  errors: [
    ['Bullets', { bullets: 'errors' }],
    ['The table of errors', { table: 'error' }],
  ],
  limits: [['Bullets', { bullets: 'limits' }]],
  versioning: [
    ['Bullets', { bullets: 'versioning' }],
    ['The table of versions', { table: 'version' }],
  ],
};

/** The tables whose cells have grammars of their own. */
const CELLS: { readonly [P in PartName]?: () => readonly string[] } = {
  events: () => [
    'The table of events:',
    `  When: ${alternatives(WHEN.samples)}`,
    `  Payload: ${alternatives(CONTENT.samples)}`,
    `  Notified by: ${alternatives(NOTIFIED_BY.samples)}`,
  ],
  limits: () => [
    'The table of limits, with value and what it applies to:',
    ...Object.entries(LIMITS).map(
      ([limit, { value, at }]) => `  ${limit}: ${alternatives(value.samples)} | ${alternatives(at.samples)}`,
    ),
  ],
};

/** The most alternatives of one statement, and about how long they may be together. */
const MOST = 10;
const LONG = 260;

/** The forms of the statements of a part, a line for each, for readers who have nothing else. */
export function formsOfPart(part: PartName): string[] {
  const homes = HOMES[part].flatMap(([where, of]) => {
    const lines = 'bullets' in of ? bulletForms(of.bullets) : columnForms(of.table);
    return lines.length === 0 ? [] : [`${where}:`, ...lines];
  });
  return [...homes, ...(part === 'endpoints' ? stepForms() : []), ...(CELLS[part]?.() ?? [])];
}

function bulletForms(place: BulletPlace): string[] {
  // Some bullets take the name of something else, such as a method: one of them shows the form. The bullets of all endpoints
  // come before those of one.
  const shown: readonly string[] = place === 'endpoint' ? BULLET_KEYS.endpoints : [];
  const keys = BULLET_KEYS[place].filter((key) => !/^Idempotency of /.test(key) && !shown.includes(key));
  return keys.flatMap((key) => {
    const samples = samplesOfBullet(place, key);
    const name = key.endsWith(' ') ? `${key}…` : key;
    return samples.length === 0 ? [] : [`  - ${name}: ${alternatives(samples)}`];
  });
}

const columnForms = (table: keyof typeof TABLES): string[] =>
  keysOf(TABLES[table]).flatMap((column) => {
    const samples = samplesOfColumn(table, column).filter((sample) => sample !== '');
    return samples.length === 0 ? [] : [`  ${column}: ${alternatives(samples)}`];
  });

const stepForms = (): string[] => [
  'Steps (a condition is an expression in CEL: it knows the fields of the row, `caller`, `path.x`, `query.x`, `header.x`, `request.x`, and the names of earlier steps):',
  ...keysOf(STEPS).map((verb: Verb) => `  1. ${formOf(verb)}`),
];

/** The first samples, as many as fit into a line. */
function alternatives(samples: readonly string[]): string {
  const out: string[] = [];
  let length = 0;
  for (const sample of samples.slice(0, MOST)) {
    length += sample.length;
    if (out.length > 0 && length > LONG) break;
    out.push(sample);
  }
  return out.join(' · ');
}
