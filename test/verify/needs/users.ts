import type { Request } from '../../../src/verify/target/exchange.ts';
import { documentText, withChange } from '../../subject.ts';
import { type Fault, instead } from './fault.ts';

/** The readings, whose callers send their names and passwords. */
const readings = documentText('docs/documents/readings.md');
/** The readings, whose names are compared exactly. */
const exactNames = withChange(
  withChange(readings, 'yes, ignoring case |', 'yes                |'),
  ', ignoring case while',
  ' while',
);

/** A service that takes the credentials of a request for other ones: their bytes, or null where they stay. */
const asUser =
  (taken: (bytes: Buffer, text: string) => Buffer | string | null) =>
  (request: Request): Request => ({
    ...request,
    headers: request.headers.map(([name, value]) => {
      const [, word = '', sent = ''] = name === 'Authorization' ? (/^(Basic) (.*)$/i.exec(value) ?? []) : [];
      const bytes = Buffer.from(sent, 'base64');
      const other = word === '' ? null : taken(bytes, bytes.toString());
      return [name, other === null ? value : `${word} ${Buffer.from(other).toString('base64')}`];
    }),
  });

const withoutHeaders = (request: Request, ...names: readonly string[]): Request => ({
  ...request,
  headers: request.headers.filter(([name]) => !names.includes(name.toLowerCase())),
});

/** A service that remembers a password after the row has another one. */
function remembering(): (request: Request) => Request {
  const changed = new Map<string, string>();
  return (request) => {
    const sent = request.headers.find(([name]) => name === 'Authorization')?.[1] ?? '';
    const text = Buffer.from(sent.slice('Basic '.length), 'base64').toString();
    const body = request.body?.toString() ?? '';
    const [, password] = /^\{"password":"([^"]{12,})"\}$/.exec(body) ?? [];
    const now = changed.get(text);
    if (request.method === 'PUT' && password) changed.set(text, `${text.split(':')[0]}:${password}`);
    return now === undefined ? request : asUser((_, one) => (one === text ? now : null))(request);
  };
}

export const USERS: readonly Fault[] = [
  ...(
    [
      ['takes a user name in other letters', 'subject', (_, text) => text.toLowerCase(), exactNames],
      ['takes a password with a character more', 'credentials', (_, text) => text.replace(/x$/, '')],
      [
        'takes a password in other letters',
        'credentials',
        (_, text) => text.replace(/:.*/s, (one) => one.toLowerCase()),
      ],
      ['takes a control character in a password', 'header', (_, text) => text.replaceAll('\u0001', '')],
      ['takes the first of two pairs', 'header', (_, text) => text.split('\n')[0] ?? ''],
      ['takes credentials that are not in UTF-8', 'header', (bytes) => bytes.filter((one) => one !== 0xe4)],
      ['takes credentials without padding, and with stray padding', 'header', (bytes) => bytes],
    ] as ReadonlyArray<readonly [string, string, (bytes: Buffer, text: string) => Buffer | string, string?]>
  ).map(
    ([name, fact, taken, stated = readings]): Fault => ({
      name,
      stated,
      key: `scheme Password: ${fact}`,
      taken: asUser(taken),
    }),
  ),
  {
    name: 'takes a password that the row had before',
    stated: readings,
    key: 'scheme Password: credentials',
    taken: remembering(),
  },
  {
    name: 'tells user names in other letters apart',
    stated: readings,
    served: exactNames,
    key: 'scheme Password: subject',
  },
  ...(
    [
      ['challenges without a charset', ', charset="UTF-8"'],
      ['challenges without a realm', ' realm="readings",'],
    ] as const
  ).map(
    ([name, part]): Fault => ({
      name,
      stated: readings,
      key: 'scheme Password: realm',
      given: (answer) => ({
        ...answer,
        headers: answer.headers.map(([field, value]) => [field, value.replace(part, '')] as const),
      }),
    }),
  ),
  {
    name: 'takes writes of HTTP Basic from pages of any origin',
    stated: readings,
    key: 'scheme Password: crossOrigin',
    taken: (request) => withoutHeaders(request, 'origin', 'sec-fetch-site'),
  },
  {
    name: 'refuses writes of HTTP Basic that are of no page',
    stated: readings,
    key: 'scheme Password: crossOrigin',
    taken: (request) =>
      request.headers.some(([name]) => /^(origin|sec-fetch-site)$/i.test(name))
        ? request
        : { ...request, headers: [...request.headers, ['Origin', 'https://elsewhere.example']] },
  },
  instead(
    'takes the credentials of a caretaker that has left',
    readings,
    ' while `left == null`',
    '',
    'scheme Password: while',
  ),
];
