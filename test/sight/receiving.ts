import { compile } from '../../src/compiler/compile.ts';
import type { Plan } from '../../src/plan/step.ts';
import { hiddenRows } from '../../src/verify/oracle/hiding-members.ts';
import type { Heard } from './heard.ts';

const SINK = `### Sink

| Field  | Type   | Format         | Allowed values         | Given by | Presence | Unique   |
| ------ | ------ | -------------- | ---------------------- | -------- | -------- | -------- |
| id     | string | uuid           | any                    | operator | always   | identity |
| url    | string | uri            | at most 200 characters | operator | always   | no       |
| secret | string | webhook secret | any                    | operator | always   | no       |

- Shown: never

`;

const WEBHOOK = (subjects: readonly string[], versions: boolean): string =>
  [
    '### Webhook',
    '',
    `- Receivers: the rows of Sink, at url, for every event, signed with secret${versions ? ', in the current version' : ''}`,
    ...subjects.map((name) => `- Hears of ${name}: \`url != "x"\``),
    '- Signature: Standard Webhooks',
    '- Time-out: 10 seconds',
    '- Attempts: 1',
    '- Order: none',
    '- Delivery: at least once',
    '- Kept: forever',
  ].join('\n');

/**
 * Of each resource, the others whose hidden rows the payloads of its events would show receivers, of which nothing is
 * stated: as `check` says, and as the plan does. Null where something else is found.
 */
export function hiddenFromReceivers({ text, document, views }: Heard): { checked: string[]; planned: string[] } | null {
  const checked: string[] = [];
  const planned: string[] = [];
  const plan = document.plan!;
  for (const name of views.keys()) {
    const received = text
      .replace('## States and transitions', () => `${SINK}## States and transitions`)
      .replace('Webhooks: none.', () => WEBHOOK([name], plan.versions !== null))
      .replace(new RegExp(`^(\\|.*\\ban? ${name} is .*)\\| stream +\\|$`, 'gm'), '$1| webhook, stream |');
    const { findings } = compile('received.md', received);
    if (findings.some(({ code }) => code !== 'events/hears-hidden')) return null;
    const asked = findings.flatMap(({ message }) => /on (\w+) rows/.exec(message)?.[1] ?? []);
    checked.push(...asked.sort().map((other) => `${name}: ${other}`));
    const hidden = [...hiddenInPayloads(plan, name)].filter((other) => other !== name);
    planned.push(...hidden.sort().map((other) => `${name}: ${other}`));
  }
  return { checked, planned };
}

/** The resources of which payloads of one resource’s events show rows, or something of them, that not everyone may see. */
function hiddenInPayloads(plan: Plan, resource: string): Set<string> {
  const { events } = plan.resources.find(({ name }) => name === resource)!;
  return new Set(events.flatMap(({ view }) => [...hiddenRows(plan, resource, view)]));
}
