import { documentText } from '../subject.ts';

/** What a document of ticks states, where it differs. */
export interface Stated {
  readonly when?: string;
  readonly clocks?: readonly string[];
  readonly missed?: string;
  readonly overlap?: string;
  readonly within?: string;
  readonly steps?: readonly string[];
}

/** The step by which each run of a schedule leaves a row. */
export const tick = (name: string): string => `Create \`tick\`: Tick with name \`"${name}"\`, scheduled \`scheduled\`.`;

const TABLE = `### Tick

| Field     | Type      | Format | Allowed values | Given by           | Presence | Unique   |
| --------- | --------- | ------ | -------------- | ------------------ | -------- | -------- |
| id        | string    | uuid   | any            | on create \`uuid()\` |          | identity |
| name      | string    |        | 1 to 20 characters | steps          |          |          |
| scheduled | timestamp |        | any            | steps              |          |          |
| created   | timestamp |        | any            | on create \`now()\`  |          |          |

- Visible: everyone
- Shown: name, scheduled, created

`;

const ENDPOINT = `### \`GET /ticks\`

1. List \`ticks\`: Tick, earliest \`scheduled\` first, all.
2. Answer 200 with \`ticks\`.

`;

/** A schedule with a name, of which each run leaves a row. */
export function schedule(
  name: string,
  {
    when = 'cron `* * * * *` in `UTC`',
    clocks = [],
    missed = 'each',
    overlap = 'waits',
    within = '1 minute',
    steps = [tick(name)],
  }: Stated,
): string {
  const bullets = [`- When: ${when}`, ...clocks, `- Missed: ${missed}`, `- Overlap: ${overlap}`, `- Within: ${within}`];
  return `### Schedule ${name}\n\n${bullets.join('\n')}\n\n${steps.map((one, i) => `${i + 1}. ${one}`).join('\n')}\n\n`;
}

/** A document with schedules, whose rows \`GET /ticks\` lists. */
export function ticking(...schedules: readonly string[]): string {
  const code = '| note_not_found | 404    | a step says so | No such note |';
  const isRefusing = schedules.some((one) => one.includes('too_much'));
  return documentText('docs/documents/notes.md')
    .replace('## States and transitions', `${TABLE}## States and transitions`)
    .replace('## Authentication', `${ENDPOINT}${schedules.join('')}## Authentication`)
    .replace(
      code,
      isRefusing
        ? `${code}
| too_much       | 409    | a step says so | Too much     |`
        : code,
    )
    .replace(
      '| Page size ',
      '| Whole list   | 10,000 at most, more is left out           | every list of all   |\n| Page size ',
    );
}
