import { compile } from '../../src/compiler/compile.ts';
import { some } from '../../src/expression/tree/expression.ts';
import { loweringOf } from '../../src/plan/lowering.ts';
import type { Plan, ResourcePlan } from '../../src/plan/step.ts';
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
 * The resources whose hidden rows the payloads of a document would tell receivers of: as `check` says, where receivers
 * are rows that hear of some rows alone, and as the plan does. Null where something else is found.
 */
export function hiddenFromReceivers({ text, document, views }: Heard): { checked: string[]; planned: string[] } | null {
  const versions = document.plan!.versions !== null;
  const received = text
    .replace('## States and transitions', () => `${SINK}## States and transitions`)
    .replace('Webhooks: none.', () => WEBHOOK([...views.keys()], versions))
    .replaceAll('| stream |', '| webhook, stream |');
  const { findings } = compile('received.md', received);
  if (findings.some(({ code }) => code !== 'events/hears-hidden' && code !== 'events/hears-in-part')) return null;
  const checked = findings.flatMap(({ message }) => /(?:of|on) (\w+) rows/.exec(message)?.[1] ?? []);
  return { checked: [...new Set(checked)].sort(), planned: [...hiddenInPayloads(document.plan!)].sort() };
}

/** The resources of which payloads show rows, or something of them, that not everyone may see. */
function hiddenInPayloads(plan: Plan): Set<string> {
  const of = (name: string): ResourcePlan => plan.resources.find((one) => one.name === name)!;
  const out = new Set<string>();
  const add = (name: string): void => {
    if (of(name).visible) out.add(name);
  };
  const collect = (resource: string, view: string): void => {
    for (const member of of(resource).views.find(({ name }) => name === view)!.members) {
      some(loweringOf(of, 'caller').lower(member.value), (part) => {
        if (part.op === 'query') add(part.resource);
        return false;
      });
      if (!member.view) continue;
      add(member.view.resource);
      collect(member.view.resource, member.view.name);
    }
  };
  for (const { name, events } of plan.resources) for (const { view } of events) collect(name, view);
  return out;
}
