import type { Answer } from '../../../src/verify/target/exchange.ts';
import { documentText, withChange } from '../../subject.ts';
import { type Fault, lineOf } from './fault.ts';

const files = documentText('docs/documents/files.md');
const pictures = documentText('docs/documents/pictures.md');
/** The file of a member, whose first bytes are checked. */
const unchecked = withChange(files, 'image/jpeg, first bytes checked', 'image/jpeg, first bytes not checked');
const OF_FILE = `step ${lineOf(files, 'attachment.content` as file')}`;

const withHeader = (answer: Answer, name: string, value: string | null): Answer => ({
  ...answer,
  headers: [
    ...answer.headers.filter(([one]) => one.toLowerCase() !== name.toLowerCase()),
    ...(value === null ? [] : [[name, value] as const]),
  ],
});
const isFile = ({ headers }: Answer): boolean => headers.some(([name]) => /^content-disposition$/i.test(name));
const ofFile = (name: string, change: (answer: Answer) => Answer): Fault => ({
  name,
  stated: files,
  key: OF_FILE,
  given: (answer) => (isFile(answer) ? change(answer) : answer),
});

export const FILES: readonly Fault[] = [
  ofFile('answers a file without nosniff', (answer) => withHeader(answer, 'X-Content-Type-Options', null)),
  ofFile('answers a file without a sandbox', (answer) => withHeader(answer, 'Content-Security-Policy', null)),
  ofFile('lets a browser show a file', (answer) => withHeader(answer, 'Content-Disposition', 'inline')),
  ofFile('answers a file with another byte', (answer) => ({
    ...answer,
    body: Buffer.from(answer.body.map((byte) => byte ^ 1)),
  })),
  ofFile('answers a part as the whole', (answer) => (answer.status === 206 ? { ...answer, status: 200 } : answer)),
  {
    name: 'serves no ranges',
    stated: files,
    key: OF_FILE,
    taken: (request) => ({ ...request, headers: request.headers.filter(([name]) => !/^range$/i.test(name)) }),
  },
  {
    name: 'takes bytes that are not of their media type',
    stated: files,
    key: 'endpoint PUT /me/photo: request',
    served: unchecked,
  },
  {
    name: 'takes files in a form that are not of their media type',
    stated: pictures,
    key: 'endpoint POST /pictures: request',
    served: withChange(
      pictures,
      'image/png, image/jpeg, first bytes checked',
      'image/png, image/jpeg, first bytes not checked',
    ),
  },
  {
    name: 'keeps the bytes that a form leaves out',
    stated: pictures,
    key: `step ${lineOf(pictures, '2. Change `picture` from `request`')}`,
    served: withChange(
      pictures,
      'title, taken, tags, image, thumbnail\n\n1. Require',
      'title, taken, tags, image, thumbnail, each optional\n\n1. Require',
    ),
  },
  {
    name: 'removes no bytes in a step',
    stated: pictures,
    key: `step ${lineOf(pictures, 'with thumbnail `null`')}`,
    served: withChange(pictures, '2. Change `picture` with thumbnail `null`.\n3. Answer 204.', '2. Answer 204.'),
  },
];
