import type { Effective } from '../../src/compiler/document/effective.ts';
import { namedBy } from '../../src/compiler/document/effective-limits.ts';
import type { Step } from '../../src/compiler/statements/endpoints.ts';
import type { Condition } from '../../src/plan/conditions.ts';
import { fitsVary, variesBy } from '../varies.ts';
import type { Document, Exchange, Outcome, Place } from './document.ts';

type Answer = Extract<Step, { verb: 'Answer' }>;

/** What is answered before a version is known. */
const UNVERSIONED: readonly Condition[] = [
  'unavailable',
  'storage full',
  'failure',
  'credentials missing',
  'credentials not accepted',
  'credentials expired',
  'rate exceeded',
  'scope missing',
  'version missing',
  'version unknown',
  'version retired',
];

/** Expressions that have a value always, whatever the rows are. */
const NEVER_NULL = /^(?:etag\(|"|service\.url \+)/;

/** A header that an answer has to have, may have, or has with one value. */
interface Stated {
  readonly needed: boolean;
  readonly fits: (value: string) => boolean;
}

/**
 * What the headers of an answer say that the document doesn't, and what they leave out. `answers` are the steps that
 * the answer may come from, `outcomes` the errors; one of both is empty.
 */
export function* headerFaults(
  document: Document,
  place: Place,
  { request, said }: Exchange,
  answers: readonly Answer[],
  outcomes: readonly Outcome[],
): Generator<string> {
  const stated = new Map<string, Stated>();
  const state = (name: string, needed: boolean, fits: Stated['fits'] = () => true): void => {
    const before = stated.get(name.toLowerCase());
    stated.set(name.toLowerCase(), { needed: needed || (before?.needed ?? false), fits });
  };
  const isA = (...conditions: Condition[]): boolean =>
    outcomes.some((one) => conditions.some((condition) => one.conditions.has(condition)));
  content(document, place, { request, said }, answers, state);
  origins(document, request, state);
  pressure(document, place.endpoint, outcomes, isA, state);
  if (isA('credentials missing', 'credentials not accepted', 'credentials expired'))
    state('WWW-Authenticate', said.status === 401 && outcomes.every((one) => one.conditions.size > 0), (value) =>
      document.model.authentication.schemes.some(({ header }) =>
        value.includes(header!.value.scheme ?? header!.value.name),
      ),
    );
  if (isA('method not allowed'))
    state('Allow', true, (value) => value.split(', ').sort().join() === [...place.methods].sort().join());
  if (place.endpoint) version(document, place, !isA(...UNVERSIONED), state);
  caches(document, place, state);
  const seen = new Set<string>();
  for (const [name, value] of said.headers) {
    const lower = name.toLowerCase();
    const one = stated.get(lower);
    if (!one) yield `the header ${name}: ${value}, which nobody states`;
    else if (!one.fits(value)) yield `the header ${name} says ${value}`;
    if (seen.has(lower)) yield `the header ${name} twice`;
    seen.add(lower);
  }
  for (const [name, { needed }] of stated) if (needed && !seen.has(name)) yield `no header ${name}`;
}

type State = (name: string, needed: boolean, fits?: Stated['fits']) => void;

function content(
  document: Document,
  place: Place,
  { request, said }: Exchange,
  answers: readonly Answer[],
  state: State,
): void {
  const payload = document.model.errors.payload!.value;
  const error =
    payload.kind === 'table' ? payload.mediaType : payload.kind === 'none' ? null : 'application/problem+json';
  const streams = answers.some((one) => one.stream !== null);
  const type = said.status! >= 400 ? error : streams ? 'text/event-stream' : 'application/json';
  const held = said.body !== null && said.body !== '';
  const bodiless = said.status === 304 || said.status === 204;
  if (!bodiless && (held || streams || request.method === 'HEAD'))
    state('Content-Type', true, (value) => value === type);
  const one = place.endpoint;
  const read = request.method === 'GET' || request.method === 'HEAD';
  const good = said.status! < 300;
  if (read && answers.length && one?.settings.conditional?.value === 'strong ETag')
    state('ETag', true, (value) => /^"[^"]+"$/.test(value));
  const pages = one?.settings.pages?.value ?? document.model.limits.pages?.value;
  const paged = one?.every.some((step) => step.verb === 'List' && step.bound === 'pages');
  if (good && paged && pages?.link.length)
    state('Link', false, (value) =>
      value.split(', ').every((link) => pages.link.some((relation) => link.endsWith(`>; rel="${relation}"`))),
    );
  if (streams && said.status === 200) {
    state('Cache-Control', false);
    state('X-Accel-Buffering', false);
  }
  for (const answer of answers)
    for (const { field, value } of answer.headers)
      state(field.text, answers.length === 1 && NEVER_NULL.test(value.text), (sent) => sent !== '');
}

function origins(document: Document, request: Exchange['request'], state: State): void {
  const stated = document.origins;
  if (!stated) return;
  const asked = request.headers.find(([name]) => name.toLowerCase() === 'origin')?.[1];
  const listed = stated.from === 'any' ? '*' : stated.from.find((one) => one === asked);
  if (listed === undefined) return;
  state('Access-Control-Allow-Origin', true, (value) => value === listed);
  const shown = stated.shown.map((one) => one.text.toLowerCase()).sort();
  if (shown.length)
    state('Access-Control-Expose-Headers', request.method !== 'OPTIONS', (value) => {
      const names = value.toLowerCase().split(/, */);
      return names.sort().join() === shown.join();
    });
  if (stated.credentials) state('Access-Control-Allow-Credentials', true, (value) => value === 'true');
  const preflight = request.headers.some(([name]) => name.toLowerCase() === 'access-control-request-method');
  if (request.method !== 'OPTIONS' || !preflight) return;
  state('Access-Control-Allow-Methods', false);
  state('Access-Control-Allow-Headers', false);
  state('Access-Control-Max-Age', false, (value) => Number(value) * 1000 === stated.keptMilliseconds);
}

function pressure(
  document: Document,
  one: Effective | null,
  outcomes: readonly Outcome[],
  isA: (...conditions: Condition[]) => boolean,
  state: State,
): void {
  const { rates, rateHeaders } = document.model.limits;
  const counted = one ? rates.filter((rate) => namedBy([rate])(one)) : [];
  const told = rateHeaders?.value;
  if (told?.rateLimit && counted.length) {
    const addressed = counted.some((rate) => rate.per === 'address') && !isA('unavailable');
    state('RateLimit-Policy', addressed, (value) =>
      [...value.matchAll(/;q=(\d+);w=(\d+)/g)].every(([, q, w]) =>
        counted.some((rate) => rate.count === Number(q) && rate.milliseconds === Number(w) * 1000),
      ),
    );
    state('RateLimit', addressed, (value) => value.split(', ').every((part) => /^"[^"]+";r=\d+;t=\d+$/.test(part)));
  }
  if (told?.retryAfter && isA('rate exceeded'))
    state(
      'Retry-After',
      outcomes.every((each) => each.conditions.has('rate exceeded')),
      (value) => /^\d+$/.test(value),
    );
}

function caches(document: Document, { endpoint }: Place, state: State): void {
  const varies = endpoint
    ? variesBy(document.model, endpoint)
    : { sure: new Set<string>(), possible: new Set<string>() };
  const stated = endpoint?.steps.some(
    (step) => step.verb === 'Answer' && step.headers.some(({ field }) => field.text === 'Vary'),
  );
  const listed = document.origins !== null && document.origins?.from !== 'any';
  if (!stated && (varies.possible.size || listed))
    state('Vary', varies.sure.size > 0 || listed, (value) => fitsVary(value, varies, listed ? ['origin'] : []));
}

function version(document: Document, { version: spoken, head }: Place, known: boolean, state: State): void {
  const { versions, policy } = document.model.versioning;
  const said = versions.find((one) => one.name === spoken);
  const sure = known && !head;
  if (said?.deprecated && policy?.value.deprecation)
    state('Deprecation', sure, (value) => value === `@${said.deprecated!.value / 1000}`);
  if (said?.sunset && policy?.value.sunset)
    state('Sunset', sure, (value) => value === new Date(said.sunset!.value).toUTCString());
}
