import type { Condition, Outcome } from '../parts/errors/conditions.ts';
import type {
  AddressPlan,
  BrowsersPlan,
  ErrorsPlan,
  HandlerPlan,
  HashingPlan,
  RatePlan,
  SchemePlan,
  StreamPlan,
  TokensPlan,
  VersionPlan,
  VersionsPlan,
  WebhookPlan,
  WirePlan,
} from '../plan/step.ts';
import { showDuration } from '../source/units.ts';
import { type Compare, follows, members, named, optional, record, value, words } from './compare.ts';
import { steps } from './steps.ts';

const fewer = (old: readonly unknown[], next: readonly unknown[]): boolean => next.length < old.length;
const shorter = (old: number | null, next: number | null): boolean => next !== null && (old === null || next < old);
const duration = (one: number | null): string => (one === null ? 'none' : showDuration(one));
const list = { added: false, removed: true, order: false } as const;

export const address: Compare<AddressPlan> = members<AddressPlan>({
  url: value('where the service lives', true),
  used: value('whether an expression says where the service lives', false),
  usedByRows: value('whether rows say where the service lives', false),
});

const outcome: Compare<Outcome> = members<Outcome>({
  code: value('the code', true),
  status: value('the status', true, String),
  title: value('the title', false),
});

const outcomes: Compare<ErrorsPlan> = members<ErrorsPlan>({
  payload: value('how errors are told', true),
  columns: value('what errors say beside code, status and title', true),
  conditions: record(
    'the outcome of',
    outcome as Compare<Outcome | undefined>,
    { added: false, removed: true },
    (_at, name) => `condition ${name}`,
  ) as Compare<ErrorsPlan['conditions']>,
  codes: record('the code', outcome, { added: false, removed: false }, (_at, name) => name) as Compare<
    ErrorsPlan['codes']
  >,
});

/** What HTTP answers by itself where no row does; any other condition without an outcome can't arise any more. */
const BARE: readonly Condition[] = ['malformed HTTP', 'headers too large'];

/** A code that a condition has and steps raise too is told of once. */
export const errors: Compare<ErrorsPlan> = (old, next, at) => {
  const seen = new Set<string>();
  return outcomes(old, next, at).flatMap((one) => {
    const condition = /^condition (.+)$/.exec(one.at)?.[1] as Condition | undefined;
    const code = condition && next.conditions[condition]?.code;
    const gone = condition !== undefined && next.conditions[condition] === undefined;
    const told = { ...one, at: code ?? one.at, breaking: gone ? BARE.includes(condition) : one.breaking };
    const key = `${told.at} ${told.text}`;
    if (seen.has(key)) return [];
    seen.add(key);
    return [told];
  });
};

export const wire: Compare<WirePlan> = members<WirePlan>({
  timestamps: value('timestamps', true),
  durations: value('durations', true),
  decimals: value('decimals', true),
  text: value('white space around text', true),
  missing: value('missing values in answers', true),
  emptyText: value('empty text in requests', true),
});

const tokens: Compare<TokensPlan> = members<TokensPlan>({
  algorithm: value('the algorithm of tokens', true),
  keys: value('where the keys of tokens are', false),
  issuer: value('the issuer of tokens', true),
  audience: value('the audience of tokens', true),
  lifetime: value('how long tokens are good', shorter, duration),
  longest: value('how long tokens may be good', shorter, duration),
  skew: value('how far clocks may differ', shorter, duration),
  field: value('the field that finds the caller', true),
  claim: value('the claim that finds the caller', true),
  scopes: value('where scopes stand in tokens', true),
  type: value('the type of tokens', (_was, is) => is !== null),
  oauth: value('whether tokens are those of OAuth 2', true),
});

export const scheme: Compare<SchemePlan> = members<SchemePlan>({
  name: follows('schemes are compared by their names'),
  kind: value('the kind of credentials', true),
  issuedBy: words('who issues credentials:', list),
  header: value('the header of credentials', true),
  scheme: value('the word before credentials', true),
  mark: value('what keys are stored under', true),
  resource: value('who callers are', true),
  scopes: words('scopes:', list),
  tokens: optional('tokens:', tokens, { added: true, removed: true }),
});

export const browsers: Compare<BrowsersPlan> = members<BrowsersPlan>({
  origins: value(
    'the origins whose pages may call',
    (was, is) => is !== 'any' && (was === 'any' || was.some((one) => !is.includes(one))),
  ),
  credentials: value('whether pages may send credentials', (was) => was),
  kept: value('how long browsers go by a preflight', false),
  shown: words('the headers that scripts may read:', list),
});

export const passwords: Compare<HashingPlan> = members<HashingPlan>({
  cost: value('what a hash costs (N)', false),
  blocks: value('what a hash costs (r)', false),
  lanes: value('what a hash costs (p)', false),
});

export const rate: Compare<RatePlan> = members<RatePlan>({
  name: follows('rates are compared by their names'),
  per: value('what it counts for each of', true),
  count: value('how many requests', (was, is) => is < was, String),
  milliseconds: value('the window', (was, is) => is > was, showDuration),
  headers: members<RatePlan['headers']>({
    rateLimit: value('whether answers tell the rate', (was) => was),
    retryAfter: value('whether refusals tell when to come back', (was) => was),
  }),
});

const day = (one: number | null): string => (one === null ? 'none' : new Date(one).toISOString().slice(0, 10));

const version: Compare<VersionPlan> = members<VersionPlan>({
  name: follows('versions are compared by their names'),
  retired: value('whether it is retired', (_was, is) => is),
  deprecated: value('since when it is deprecated', false, day),
  sunset: value('from when it is refused', shorter, day),
  names: record('the name of', value('the name of a field', true) as Compare<string | null | undefined>, {
    added: true,
    removed: true,
  }) as Compare<VersionPlan['names']>,
});

/** `current` and what older versions call a field are told by what they cover. */
export const versions = (current: string): Compare<VersionsPlan> =>
  members<VersionsPlan>({
    by: value('how requests say their version', true),
    vary: value('whether answers name the header of versions', false),
    current: value('the current version', false),
    without: value('a request without a version', (_was, is) => is === 'refused'),
    headers: members<VersionsPlan['headers']>({
      deprecation: value('whether answers tell of deprecation', (was) => was),
      sunset: value('whether answers tell of a sunset', (was) => was),
    }),
    older: named(
      'version',
      (one) => one.name,
      version,
      {
        added: (one) => one.name !== current && one.retired,
        removed: (one) => !one.retired,
      },
      (_at, name) => `version ${name}`,
    ),
  });

export const handler: Compare<HandlerPlan> = members<HandlerPlan>({
  name: follows('handlers are compared by their names'),
  kind: value('whether it reaches outside', true),
  file: value('the file it is in', false),
  takes: value('what it takes', false),
  gives: value('what it gives', true),
  fails: words('what it fails with:', { added: true, removed: false, order: false }),
  within: value('how long it may take', shorter, duration),
  delays: value('how often it is tried', fewer),
  answers: steps('when it answers, '),
  failing: steps('when it fails, '),
});

export const webhook: Compare<WebhookPlan> = members<WebhookPlan>({
  timeout: value('how long a receiver may take', shorter, duration),
  delays: value('when deliveries are tried again', fewer),
  receivers: value('who receives', true),
  order: value('what is told in order', (was) => was !== null),
});

export const stream: Compare<StreamPlan> = members<StreamPlan>({
  data: value('what messages hold', true),
  resumption: value(
    'how readers come back',
    (was, is) => was !== null && (is === null || is.milliseconds < was.milliseconds || is.code !== was.code),
  ),
  retry: value('when readers are told to come back', false),
  heartbeat: value('how often readers hear that the stream is there', false),
  patience: value('how long a reader may take nothing', shorter, duration),
  atOnce: value(
    'how many streams may be open',
    (was, is) =>
      is !== null &&
      (was === null || shorter(was.caller, is.caller) || shorter(was.nobody, is.nobody) || was.code !== is.code),
  ),
});
