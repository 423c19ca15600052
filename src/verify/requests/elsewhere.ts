import type { Contract, VersionContract } from '../../contract/contract.ts';
import { credentialField } from '../../plan/callers.ts';
import { type Candidate, kindOf } from './candidate.ts';
import type { Known } from './known.ts';
import type { Random } from './random.ts';

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'];
const ELSEWHERE = 'https://elsewhere.example';

/** Requests at no endpoint: other paths, other methods, and what browsers ask before they send. */
export function* elsewhere(
  contract: Contract,
  version: VersionContract,
  known: Known,
  random: Random,
): Generator<Candidate> {
  const by = contract.versioning?.by;
  const said: Candidate['request']['headers'] =
    by?.kind === 'header' && version.name !== null ? [[by.header, version.name]] : [];
  const scheme = contract.schemes[0];
  const who = known.credentials.find((one) => one.scheme === scheme?.name && one.standing === 'good');
  const credentials: Candidate['request']['headers'] = scheme && who ? [credentialField(scheme, who.text)] : [];
  const of = (
    method: string,
    target: string,
    what: string,
    headers: Candidate['request']['headers'] = [],
  ): Candidate => ({
    endpoint: null,
    version: version.name,
    request: { method, target, headers: [...said, ...headers], body: null },
    what,
    kind: kindOf(what),
    valid: false,
  });
  const filled = new Map<string, string>();
  for (const { path } of version.endpoints)
    filled.set(
      path,
      path.replace(/\{[^}]*\}/g, () => random.uuid()),
    );
  for (const [path, target] of filled) {
    for (const method of METHODS)
      if (!version.endpoints.some((one) => one.method === method && one.path === path)) {
        const isAsGet = method === 'HEAD' && version.endpoints.some((one) => one.head && one.path === path);
        const what = `${method} at ${path}${isAsGet ? '' : ', which does not take it'}`;
        yield of(method, target, what);
        yield of(method, target, `${what}, by a caller`, credentials);
      }
    yield* preflights(contract, path, target, of);
  }
  for (const { method, path } of version.endpoints)
    for (const [target, what] of otherVersions(contract, version, filled.get(path) ?? path))
      yield of(method, target, `${method} ${path}: ${what}`, credentials);
  const [some = '/'] = random.shuffled([...filled.values()]);
  for (const target of otherPaths(some)) {
    yield of('GET', target, `GET at ${target}, where nothing is`);
    yield of('POST', target, `POST at ${target}, where nothing is, by a caller`, credentials);
  }
}

/** A path of a version without its version, with an unknown version, and with versions that are no longer served. */
function otherVersions(
  { versioning, versions }: Contract,
  { name }: VersionContract,
  target: string,
): Array<readonly [target: string, what: string]> {
  const by = versioning?.by;
  if (by?.kind !== 'path' || name === null) return [];
  const prefix = (text: string): string => by.prefix.replace('{version}', text);
  if (!target.startsWith(`${prefix(name)}/`)) return [];
  const bare = target.slice(prefix(name).length);
  const retired = versions.flatMap((one) => (one.status === 'retired' && one.name !== null ? [one.name] : []));
  const at = (other: string, what: string): readonly [string, string] => [`${prefix(other)}${bare}`, what];
  return [
    [bare, 'no version is named'],
    ...['nothing', `${name}0`, name.slice(0, -1)].map((other) => at(other, 'an unknown version is named')),
    ...retired.map((other) => at(other, 'a retired version is named')),
  ];
}

function otherPaths(some: string): string[] {
  return [
    '/',
    '/nothing',
    `${some}/nothing/at/all`,
    `${some}/`,
    `/${some}`,
    some.replace(/[a-z]/, (letter) => letter.toUpperCase()),
    `/.${some}`,
    `${some}%2Fnothing`,
    `${some}%zz`,
    `${some}%ff`,
    `${some};a=1`,
    '/__proto__',
    '/health',
    '/openapi.json',
  ];
}

function* preflights(
  { browsers }: Contract,
  path: string,
  target: string,
  of: (method: string, target: string, what: string, headers: Candidate['request']['headers']) => Candidate,
): Generator<Candidate> {
  const named = browsers && browsers.origins !== 'any' ? browsers.origins.slice(0, 2) : [];
  for (const origin of [...named, ELSEWHERE, 'null'])
    for (const [method, asked] of [
      ['GET', null],
      ['POST', 'content-type, authorization'],
      ['DELETE', 'x-anything'],
    ] as const)
      yield of('OPTIONS', target, `a page of ${origin} asks whether it may ${method} at ${path}`, [
        ['Origin', origin],
        ['Access-Control-Request-Method', method],
        ...(asked === null ? [] : [['Access-Control-Request-Headers', asked] as const]),
      ]);
}
