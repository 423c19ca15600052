import { documentText, withChange } from '../../subject.ts';
import type { Fault } from './fault.ts';

const ATTEMPTS = '3, after 5 seconds, 5 minutes';

/** The tasks, whose webhooks are attempted three times. */
const tasks = withChange(documentText('docs/documents/tasks.md'), '- Attempts: 1\n', `- Attempts: ${ATTEMPTS}\n`);

const ANSWERED = `${ATTEMPTS}\n- Gone: 410 removes the receiver\n- Retry-After: heeded, at most 1 hour`;
const answering = tasks.replace(`- Attempts: ${ATTEMPTS}`, `- Attempts: ${ANSWERED}`);

const FORM =
  'HMAC-SHA256 of `{seconds}.{body}` in hexadecimal, in `X-Signature: t={seconds},v1={signature}`, other headers `X-Id: {id}`, `X-Event: {type}`; of two secrets the new one signs';
const signing = tasks.replace('- Signature: Standard Webhooks', `- Signature: ${FORM}`);

export const WEBHOOKS: readonly Fault[] = [
  ...(
    [
      ['signs the body alone', '`{seconds}.{body}`', '`{body}`'],
      ['signs in base64', 'hexadecimal', 'base64'],
      ['sends another header', 'X-Event', 'X-Type'],
      ['sends another value in a header', '{type}', '{timestamp}'],
      ['signs as Standard Webhooks', FORM, 'Standard Webhooks'],
    ] as const
  ).map(
    ([name, from, to]): Fault => ({
      name,
      stated: signing,
      served: withChange(signing, from, to),
      key: 'webhook: signature',
    }),
  ),
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
  ...(
    [
      ['goes on after the status 410', '\n- Gone: 410 removes the receiver', '', 'gone'],
      ['does not heed Retry-After', '\n- Retry-After: heeded, at most 1 hour', '', 'retryAfter'],
      ['waits longer than is stated for Retry-After', 'at most 1 hour', 'at most 2 hours', 'retryAfter'],
      ['waits shorter than is stated for Retry-After', 'at most 1 hour', 'at most 59 minutes', 'retryAfter'],
    ] as const
  ).map(
    ([name, from, to, fact]): Fault => ({
      name,
      stated: answering,
      served: withChange(answering, from, to),
      key: `webhook: ${fact}`,
    }),
  ),
];
