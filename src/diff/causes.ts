import type { Contract, RuleContract, VersionContract } from '../contract/contract.ts';
import type { AnswerContract, BecauseContract, EndpointContract } from '../contract/endpoint.ts';
import { transitionsIn } from '../contract/machines.ts';
import { successesOf } from '../contract/successes.ts';
import type { Condition } from '../plan/conditions.ts';
import { ownMember } from '../text/own-members.ts';
import { meaning } from './compare.ts';

/** One of the two documents, in one version; without an endpoint if the comparison is not about one. */
export interface Side {
  readonly contract: Contract;
  readonly version: VersionContract;
  readonly endpoint: EndpointContract | null;
}

/**
 * Facts that cause an answer or header. If the facts differ, their difference is reported, and the differences that
 * follow from them are not.
 */
type Facts = (side: Side) => unknown;

const none: Facts = () => null;
const access: Facts = ({ endpoint, contract }) => [endpoint?.access, contract.schemes];
const rates: Facts = ({ endpoint, contract }) => [endpoint?.limits.rates, contract.rates];
const body: Facts = ({ endpoint }) => [endpoint?.body, endpoint?.unreadBody, endpoint?.limits.requestSize];
const content: Facts = ({ endpoint }) => [endpoint?.body, endpoint?.unreadBody, endpoint?.parameters];
const steps: Facts = ({ endpoint }) => endpoint?.steps;
const idempotency: Facts = ({ endpoint }) => endpoint?.idempotency;
const preconditions: Facts = ({ endpoint }) => [endpoint?.preconditions, endpoint?.steps];
const versioning: Facts = ({ contract }) => [
  contract.versioning,
  contract.versions.map((one) => [one.name, one.status]),
];
const browsers: Facts = ({ contract }) => contract.browsers;
const references: Facts = (side) => [content(side), side.contract.resources.map((one) => one.fields)];

/** The facts that cause each condition, apart from its error code. */
const CONDITIONS: Readonly<Record<Condition, Facts>> = {
  'malformed HTTP': none,
  'headers too large': none,
  'address too long': none,
  'host not served': none,
  'no such endpoint': none,
  'method not allowed': none,
  unavailable: none,
  'origin not accepted': (side) => [access(side), steps(side)],
  'credentials missing': access,
  'credentials not accepted': access,
  'credentials expired': access,
  'rate exceeded': rates,
  'scope missing': access,
  'version missing': versioning,
  'version unknown': versioning,
  'version retired': versioning,
  // A response without a body is acceptable to every client.
  'not acceptable': ({ endpoint }) => endpoint && successesOf(endpoint).every(({ body }) => body === null),
  'length missing': body,
  'request too large': body,
  'unsupported media type': body,
  'unsupported encoding': body,
  'malformed request': content,
  'invalid request': content,
  'unknown field': content,
  'unknown parameter': ({ endpoint }) => endpoint?.unknownParameters,
  'reference unknown': references,
  'body not expected': body,
  'page refused': ({ endpoint }) => [endpoint?.page, endpoint?.steps],
  'idempotency key missing': idempotency,
  'idempotency key malformed': idempotency,
  'idempotency key reused': idempotency,
  'idempotency key in flight': idempotency,
  'precondition missing': preconditions,
  'precondition failed': preconditions,
  'range not satisfiable': ({ endpoint }) => endpoint && successesOf(endpoint).map(({ body }) => body?.type),
  conflict: steps,
  'time-out': ({ endpoint }) => endpoint?.limits.timeout,
  'storage full': steps,
  'upstream failed': steps,
  failure: none,
};

const deprecation: Facts = ({ endpoint }) => endpoint?.deprecation;

/** The facts that cause an answer, by the kind of its cause. */
const KINDS: { readonly [K in BecauseContract['kind']]: (of: BecauseContract) => Facts } = {
  condition: ({ name }) => ownMember(CONDITIONS, name) ?? none,
  parameter: () => content,
  // A step is identified by its text, which its answer repeats.
  step:
    ({ text }) =>
    ({ endpoint }) =>
      endpoint?.steps.filter((one) => one.text === text),
  transition:
    ({ name }) =>
    (side) => [transition(side, name), steps(side), following(side)],
  rule:
    ({ name, text }) =>
    (side) => [
      side.contract.resources.find((one) => one.name === name)?.rules.filter((one) => one.text.endsWith(text)),
      removals(side),
      steps(side),
      following(side),
    ],
  handler: () => steps,
  stream:
    () =>
    ({ contract }) =>
      contract.stream,
  sunset: () => deprecation,
  'not modified': () => preconditions,
  range: () => none,
  success: () => none,
};

/** Rules for rows that reference a removed row. */
const removals = ({ contract }: Side) =>
  contract.resources.flatMap(({ rules }) => rules.filter(({ kind }) => REMOVALS.has(kind)));

const REMOVALS: ReadonlySet<RuleContract['kind']> = new Set(['keeps', 'removed with', 'cleared']);

const transitionsOf = ({ contract }: Side) =>
  contract.resources.flatMap((resource) =>
    transitionsIn(resource).map((one) => ({ name: `${resource.name}.${one.name}`, one })),
  );

const transition = (side: Side, name: string) => transitionsOf(side).find((one) => one.name === name);

/** Steps after transitions run in every endpoint that performs the transition, and may refuse its request. */
const following = (side: Side) => transitionsOf(side).map(({ one }) => one.follows);

/** The facts that cause each header, by its name in lower case. Other headers have an expression. */
const HEADERS: Readonly<Record<string, Facts>> = {
  'ratelimit-policy': (side) => [rates(side), access(side)],
  ratelimit: (side) => [rates(side), access(side)],
  'retry-after': rates,
  'www-authenticate': access,
  deprecation: (side) => [side.version.deprecated, side.contract.versioning?.headers, deprecation(side)],
  sunset: (side) => [side.version.sunset, side.contract.versioning?.headers, deprecation(side)],
  'access-control-allow-origin': browsers,
  'access-control-allow-credentials': browsers,
  'access-control-expose-headers': browsers,
  etag: preconditions,
  link: ({ endpoint }) => endpoint?.page?.links,
  vary: (side) => [
    browsers(side),
    versioning(side),
    access(side),
    side.contract.stream?.resumption,
    side.endpoint?.parameters.flatMap((one) => (one.in === 'header' ? [one.name] : [])),
    side.endpoint && successesOf(side.endpoint).flatMap(({ headers }) => headers.map((one) => one.expression)),
  ],
};

/** Whether the facts that cause an answer differ. Then these facts are reported, and the answer is not. */
export function isCaused({ because, code }: AnswerContract, old: Side, next: Side): boolean {
  const facts = KINDS[because.kind](because);
  return meaning(facts(old)) !== meaning(facts(next)) || recoded(code, old, next);
}

/** Whether the status, title or conditions of a code differ. */
export function recoded(code: string | null, old: Side, next: Side): boolean {
  const of = ({ contract }: Side): string => {
    const found = contract.errors.codes.find((one) => one.code === code);
    return meaning(found && { status: found.status, title: found.title, conditions: found.conditions });
  };
  return code !== null && of(old) !== of(next);
}

/** Whether the facts that cause a header differ. */
export function headerBroughtAbout(name: string, old: Side, next: Side): boolean {
  // Of the other headers, those without an expression mark repeated answers.
  const facts = HEADERS[name.toLowerCase()] ?? idempotency;
  return meaning(facts(old)) !== meaning(facts(next));
}
