import type { Answer, Request } from '../../../src/verify/target/exchange.ts';
import { readCases } from '../../cases.ts';
import { documentText, withChange } from '../../subject.ts';
import { type Fault, instead, lineOf } from './fault.ts';

/** The sessions, whose credentials are in a cookie. */
const sessions = documentText('docs/documents/sessions.md');
const ORIGIN = 'https://sessions.example';

/** A service that takes a request as if it came from its own page. */
const asOwn = (request: Request): Request => ({
  ...request,
  headers: [...request.headers.filter(([name]) => name.toLowerCase() !== 'origin'), ['Origin', ORIGIN]],
});

const originOf = ({ headers }: Request): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === 'origin')?.[1];

/** The answer with other values of Set-Cookie; without those that are null. */
const setting =
  (sets: (value: string, status: number) => string | null) =>
  (answer: Answer): Answer => ({
    ...answer,
    headers: answer.headers.flatMap(([name, value]) => {
      const set = name.toLowerCase() === 'set-cookie' ? sets(value, answer.status) : value;
      return set === null ? [] : [[name, set] as const];
    }),
  });

export const COOKIES: readonly Fault[] = [
  ...[
    ['sets its cookie without SameSite', /; SameSite=Lax/],
    ['sets its cookie without HttpOnly', /; HttpOnly/],
    ['sets its cookie without Secure', /; Secure/],
    ['sets its cookie for the browser session', /; Max-Age=2592000/],
  ].map(
    ([name, part]): Fault => ({
      name: String(name),
      stated: sessions,
      key: 'scheme Session: cookie',
      given: setting((value) => value.replace(part as RegExp, '')),
    }),
  ),
  {
    name: 'does not remove the cookie of a revoked session',
    stated: sessions,
    key: 'scheme Session: cookie',
    given: setting((value, status) => (status < 300 && value.includes('Max-Age=0') ? null : value)),
  },
  {
    name: 'does not remove a refused cookie',
    stated: sessions,
    key: 'scheme Session: cookie',
    given: setting((value, status) => (status === 401 ? null : value)),
  },
  {
    name: 'takes a cookie in quotes',
    stated: sessions,
    key: 'scheme Session: cookie',
    taken: (request) => ({
      ...request,
      headers: request.headers.map(([name, value]) => [name, name === 'Cookie' ? value.replaceAll('"', '') : value]),
    }),
  },
  {
    name: 'does not check the origin of PATCH',
    stated: sessions,
    key: 'scheme Session: crossOrigin',
    taken: (request) => (request.method === 'PATCH' ? asOwn(request) : request),
  },
  {
    name: 'takes requests from a foreign origin',
    stated: sessions,
    key: 'scheme Session: crossOrigin',
    taken: (request) => (originOf(request) === 'https://elsewhere.example' ? asOwn(request) : request),
  },
  {
    name: 'takes requests from an origin that may only read',
    stated: sessions,
    key: 'scheme Session: crossOrigin',
    taken: (request) => (originOf(request) === 'https://reports.example' ? asOwn(request) : request),
  },
  {
    name: 'takes requests that prove no origin',
    stated: sessions,
    key: 'scheme Session: crossOrigin',
    taken: (request) => (originOf(request) === undefined ? asOwn(request) : request),
  },
  {
    name: 'takes requests of sandboxed pages',
    stated: sessions,
    key: 'scheme Session: crossOrigin',
    taken: (request) => (originOf(request) === 'null' ? asOwn(request) : request),
  },
  instead(
    'refuses the pages of the app',
    sessions,
    'refused except from `https://app.example`',
    'refused',
    'scheme Session: crossOrigin',
  ),
];

const branched = readCases('src/compiler/authentication/cases/cookies-branch.md')[0]!.document;

export const BRANCHED: readonly Fault[] = [
  {
    name: 'sets a cookie whichever branch runs',
    stated: branched,
    key: `step ${lineOf(branched, '2. If `request.stay`')}`,
    served: withChange(branched, 'If `request.stay`', 'If `request.stay || !request.stay`'),
  },
];
