import { documentText, withChange } from '../../subject.ts';
import type { Fault } from './fault.ts';

const ATTEMPTS = '3, after 5 seconds, 5 minutes';

/** The tasks, whose webhooks are attempted three times. */
const tasks = withChange(documentText('docs/documents/tasks.md'), '- Attempts: 1\n', `- Attempts: ${ATTEMPTS}\n`);

export const WEBHOOKS: readonly Fault[] = [
  ...(
    [
      ['waits shorter before the third attempt', '5 minutes', '1 minute'],
      ['makes one attempt fewer', ATTEMPTS, '2, after 5 seconds'],
    ] as const
  ).map(
    ([name, from, to]): Fault => ({
      name,
      stated: tasks,
      served: tasks.replace(`- Attempts: ${ATTEMPTS}`, `- Attempts: ${ATTEMPTS.replace(from, to)}`),
      key: 'webhook: delays',
    }),
  ),
];
