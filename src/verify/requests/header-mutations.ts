import type { Contract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import { isSafe } from '../../plan/callers.ts';
import { newestTag, provesOrigin } from './bases.ts';
import type { Base, Mutation, Situation } from './candidate.ts';
import { type Draft, targetOf, withHeader } from './draft.ts';

const DAY_MS = 86_400_000;

/**
 * Mutations of the headers for versions, idempotency, preconditions, media types, CORS and the resumption of streams.
 */
export function headerMutations(situation: Situation, base: Base): Mutation[] {
  return [
    ...versionMutations(situation),
    ...idempotencyMutations(situation),
    ...preconditionMutations(situation, base),
    ...acceptMutations(situation),
    ...browserMutations(situation),
    ...resumptionMutations(situation),
    ...rangeMutations(situation, base),
  ];
}

const header =
  (aspect: string, name: string) =>
  (what: string, value: string | null | ((draft: Draft) => string | null), valid: boolean): Mutation => ({
    aspect,
    what,
    valid,
    change: (draft) => withHeader(draft, name, typeof value === 'function' ? value(draft) : value),
  });

function versionMutations({ contract, endpoint, known }: Situation): Mutation[] {
  const by = contract.versioning?.by;
  if (by?.kind === 'media type')
    return mediaVersions(
      contract.versions.flatMap((one) => one.name ?? []),
      by.template,
    );
  const one = endpoint.parameters.find(({ role }) => role === 'version');
  if (by?.kind !== 'header' || !one) return [];
  const of = header('version', by.header);
  const out = contract.versions.map(({ name, status, sunset }) => {
    const over = status === 'retired' || (sunset !== null && Date.parse(sunset) <= known.now);
    return of(`the version is ${name}, which is ${status}`, name, !over);
  });
  const current = contract.versions[0]?.name ?? '';
  const tomorrow = new Date(known.now + DAY_MS).toISOString().slice(0, 10);
  const none = [
    '',
    'latest',
    'current',
    `${current} `,
    `${current}0`,
    current.slice(0, -1),
    `"${current}"`,
    tomorrow,
    '__proto__',
  ];
  out.push(of('no version is named', null, !one.required));
  for (const text of none.filter((text) => text.trim() !== current))
    out.push(of(`the version is ${JSON.stringify(text)}`, text, false));
  const [, other] = contract.versions;
  if (other) out.push(of('two versions are named', `${current}, ${other.name}`, false));
  return out;
}

function mediaVersions(names: readonly string[], template: string): Mutation[] {
  const of = header('version', 'Accept');
  const typed = (name: string): string => template.replace('{version}', name);
  return [
    ...names.map((name) => of(`Accept asks for version ${name}`, typed(name), true)),
    of('Accept asks for a version that there is not', typed('nothing'), false),
    of('Accept asks for two versions', names.slice(0, 2).map(typed).join(', '), true),
    of('Accept asks for JSON of no version', 'application/json', true),
  ];
}

function idempotencyMutations({ endpoint, known, random }: Situation): Mutation[] {
  if (!endpoint.idempotency) return [];
  const of = header('key', endpoint.idempotency.header);
  const fresh = random.text('abcdefghijklmnopqrstuvwxyz', 8);
  const out = [of('there is no idempotency key', null, !endpoint.idempotency.required)];
  const own = known.keys.filter((one) => one.endpoint === endpoint.name).slice(-3);
  const others = known.keys.filter((one) => one.endpoint !== endpoint.name).slice(-2);
  for (const { key } of own) out.push(of(`the idempotency key “${key}” was used here`, key, true));
  for (const { key } of own)
    out.push(of(`the idempotency key “${key}” was used here, now in other letters`, key.toUpperCase(), true));
  for (const { key, endpoint: at } of others) out.push(of(`the idempotency key “${key}” was used at ${at}`, key, true));
  for (const [what, value] of [
    ['is empty', ''],
    ['is a single quote', '"'],
    ['is an empty text in quotes', '""'],
    ['has a space', `${fresh} 1`],
    ['has a comma', `${fresh},1`],
    ['has a character beyond ASCII', `${fresh}\u00e9`],
    ['has a control character', `${fresh}\u0001`],
    ['is two keys', `"${fresh}", "${fresh}"`],
    ['has 256 characters', fresh.padEnd(256, 'k')],
    ['has 257 characters', fresh.padEnd(257, 'k')],
    ['has 4000 characters', fresh.padEnd(4000, 'k')],
  ] as const)
    out.push(of(`the idempotency key ${what}`, value, false));
  for (const [what, value] of [
    ['has one character', fresh.slice(0, 1)],
    ['stands in quotes', `"${fresh}"`],
    ['has 255 characters', fresh.padEnd(255, 'k')],
    ['has signs', `${fresh}!#$%&'*+-.^_|~/=`],
    ['is a UUID', random.uuid()],
  ] as const)
    out.push(of(`the idempotency key ${what}`, value, true));
  return out;
}

function preconditionMutations({ endpoint, known, random }: Situation, { draft }: Base): Mutation[] {
  const read = endpoint.parameters.some((one) => one.role === 'precondition');
  if (!read) return unread(endpoint, known.tags);
  const path = targetOf({ ...draft, query: [] });
  const tags = known.tags.filter(({ target }) => target.split('?')[0] === path).map((one) => one.tag);
  const current = (at: Draft): string | undefined => newestTag(known.tags, endpoint.path, at);
  const others = known.tags.filter(({ target }) => target.split('?')[0] !== path).map((one) => one.tag);
  const out: Mutation[] = [];
  for (const { name, required } of endpoint.parameters.filter((one) => one.role === 'precondition')) {
    const of = header(name, name);
    out.push(of(`there is no ${name}`, null, !required));
    const say = (what: string, value: string): void => {
      out.push(of(`${name} ${what}`, value, true));
    };
    // Which tag is current is known when the request is made: what was sent before may have changed the row.
    const sayOfCurrent = (what: string, written: (tag: string) => string): void => {
      const value = (made: Draft): string | null => {
        const tag = current(made);
        return tag === undefined ? null : written(tag);
      };
      out.push(of(`${name} ${what}`, value, true));
    };
    say('is *', '*');
    const newest = current(draft);
    if (newest !== undefined) {
      sayOfCurrent('is the current tag', (tag) => tag);
      sayOfCurrent('is the current tag, as a weak one', (tag) => `W/${tag}`);
      sayOfCurrent('is a list with the current tag', (tag) => `"x", ${tag}`);
      sayOfCurrent('is a list with the current tag twice, and empty items', (tag) => `, ${tag}, ,${tag}`);
      sayOfCurrent('is the current tag without quotes', (tag) => tag.replaceAll('"', ''));
      sayOfCurrent('is the current tag with one character more', (tag) => `${tag.slice(0, -1)}x"`);
    }
    for (const tag of new Set([...tags.slice(-4, -1), ...random.some(others, 2)]))
      if (tag !== newest) say('is a tag of before, or of another row', tag);
    for (const value of ['"nothing"', 'W/"nothing"', '"a", "b"', '""', 'nothing', '"open', '*, "a"', ''])
      say(`is ${JSON.stringify(value)}`, value);
  }
  for (const name of ['If-Modified-Since', 'If-Unmodified-Since'])
    out.push(header(name, name)(`${name} is a day long ago`, 'Thu, 01 Jan 2004 00:00:00 GMT', true));
  return out;
}

/** Preconditions where no answer is conditional: they are ignored, or the document refuses them. */
function unread({ method, preconditions }: EndpointContract, tags: Situation['known']['tags']): Mutation[] {
  const name = isSafe(method) ? 'If-None-Match' : 'If-Match';
  const taken = preconditions?.ifMatch !== 'refused';
  const out = [header(name, name)(`${name} is sent where it is not looked at`, tags.at(-1)?.tag ?? '"nothing"', taken)];
  if (!preconditions) return out;
  for (const [one, value] of [
    ['If-Match', '"nothing"'],
    ['If-Match', '*'],
    ['If-None-Match', '*'],
    ['If-Unmodified-Since', 'Thu, 01 Jan 2004 00:00:00 GMT'],
  ] as const)
    out.push(header(one, one)(`${one} is ${value}, where it is not evaluated`, value, taken));
  return out;
}

function acceptMutations({ version, contract }: Situation): Mutation[] {
  const of = header('accept', 'Accept');
  const own = version.mediaType;
  const out: Array<readonly [string, boolean]> = [
    ['image/png', false],
    ['*/*', true],
    [own, true],
    [own.toUpperCase(), true],
    [`${own};q=0.001`, true],
    [`image/png, ${own};q=0.5`, true],
    ['application/*', true],
    [`${own};charset=utf-8`, true],
    ['', true],
    ['nonsense', true],
    [`${own};q=0`, false],
    [`${own};q=0, */*`, false],
    ['*/*;q=0', false],
    ['application/*;q=0, */*', false],
    [`${own};version=2`, false],
    ['application/problem+json', false],
    ['text/*', false],
  ];
  if (contract.versioning?.by.kind === 'media type') out.push(['application/json', true]);
  return out.map(([value, valid]) => of(`Accept is ${JSON.stringify(value)}`, value, valid));
}

/** Mutations of the last event from which a stream resumes. */
function resumptionMutations({ endpoint }: Situation): Mutation[] {
  const one = endpoint.parameters.find(({ role }) => role === 'last event');
  if (!one) return [];
  const of = header('last event', one.name);
  return ['', '0', 'nothing', 'A'.repeat(60)].map((value) =>
    of(`${one.name} is ${JSON.stringify(value)}`, value, false),
  );
}

/** Mutations that ask for a part of a file. */
function rangeMutations({ endpoint, known }: Situation, { draft }: Base): Mutation[] {
  if (!endpoint.parameters.some(({ role }) => role === 'range')) return [];
  const of = header('range', 'Range');
  const asked = RANGES.map(([value, valid]) => of(`Range is ${JSON.stringify(value)}`, value, valid));
  if (!endpoint.parameters.some(({ name }) => name === 'If-Range')) return asked;
  const tag = newestTag(known.tags, endpoint.path, draft);
  const conditions = ['"another"', ...(tag === undefined ? [] : [tag, `W/${tag}`])].map(
    (value): Mutation => ({
      aspect: 'range',
      what: `a part is asked for, and If-Range is ${JSON.stringify(value)}`,
      valid: true,
      change: (one) => withHeader(withHeader(one, 'Range', 'bytes=0-1'), 'If-Range', value),
    }),
  );
  return [...asked, ...conditions];
}

/** Values of Range, and whether a file with a few bytes has bytes there. */
const RANGES: ReadonlyArray<readonly [value: string, valid: boolean]> = [
  ['bytes=0-0', true],
  ['bytes=2-', true],
  ['bytes=-2', true],
  ['bytes=0-99999999999999999999', true],
  ['bytes=99999999999-', false],
  ['bytes=-0', false],
  ['bytes=3-1', true],
  ['bytes=0-1,3-4', true],
  ['bytes=0-1, 0-1, 0-1', true],
  ['bytes=--1', true],
  ['bytes=', true],
  ['items=0-1', true],
];

function browserMutations({ contract, endpoint, known }: Situation): Mutation[] {
  const of = header('origin', 'Origin');
  if (provesOrigin(endpoint)) return originMutations(contract, known.origin);
  const { origins } = contract.browsers ?? { origins: [] };
  const named = origins === 'any' ? [] : origins;
  const near = named.slice(0, 1).flatMap(nearOrigins);
  return [...named.slice(0, 2), 'https://elsewhere.example', 'null', ...near].map((origin) =>
    of(`the page that asks is of ${origin}`, origin, true),
  );
}

/** Mutations of what proves the origin of a request with a cookie. */
function originMutations({ schemes, browsers }: Contract, own: string): Mutation[] {
  const of = header('origin', 'Origin');
  const writers = schemes.flatMap(({ cookie, basic }) => (cookie ?? basic)?.origins ?? []);
  const readers = browsers && browsers.origins !== 'any' ? browsers.origins : [];
  const others = ['https://elsewhere.example', 'null', '', ...nearOrigins(own), `${own}, ${own}`, own.toUpperCase()];
  const site = (value: string): Mutation => ({
    aspect: 'origin',
    what: `the request has no Origin, and Sec-Fetch-Site is ${value}`,
    valid: value === 'same-origin',
    change: (draft) => withHeader(withHeader(draft, 'Origin', null), 'Sec-Fetch-Site', value),
  });
  return [
    of('the request has no Origin', null, false),
    ...[...new Set([...others, ...readers, ...writers])].map((origin) =>
      of(`the page that asks is of ${origin}`, origin, writers.includes(origin)),
    ),
    ...['same-origin', 'same-site', 'cross-site', 'none'].map(site),
  ];
}

/** Origins that a comparison of a part takes for another: one that begins or ends alike, of another scheme or port. */
function nearOrigins(origin: string): string[] {
  const { protocol, hostname, port } = new URL(origin);
  const beside = port === '' ? '' : `:${port}`;
  const [scheme, other] = protocol === 'https:' ? ['https', 'http'] : ['http', 'https'];
  return [
    `${scheme}://evil${hostname}${beside}`,
    `${scheme}://evil.${hostname}${beside}`,
    `${origin}.evil.example`,
    `${other}://${hostname}${beside}`,
    `${scheme}://${hostname}:${Number(port || 80) + 1}`,
  ];
}
