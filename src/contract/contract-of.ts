import { type Expr, show } from '../expression/tree/expression.ts';
import { statedResultsOf } from '../plan/bounds.ts';
import { conditionOfCallers } from '../plan/caller-condition.ts';
import type { BasicPlan, CookiePlan } from '../plan/callers.ts';
import { STREAM_FACTS, WEBHOOK_FACTS } from '../plan/event-facts.ts';
import { statementId } from '../plan/lines.ts';
import type { Plan, SchedulePlan, SchemePlan, VersionPlan } from '../plan/step.ts';
import { day } from '../plan/versions.ts';
import { deliveryHeaders, type SigningPlan } from '../plan/webhook-signing.ts';
import {
  type AddressContract,
  type BasicContract,
  type BrowsersContract,
  type Contract,
  type CookieContract,
  type EventContract,
  FORMAT,
  type RateContract,
  type RateNumberContract,
  type ScheduleContract,
  type SchemeContract,
  type ShapeContract,
  type SignatureContract,
  type StreamContract,
  type TokenContract,
  type VersionContract,
  type VersioningContract,
  type WebhookContract,
  type WireContract,
} from './contract.ts';
import { emittedContracts } from './emitted.ts';
import { endpointContract, stepContracts, type VersionFacts } from './endpoints.ts';
import { elsewhere, errorsContract } from './errors.ts';
import { contractMembers } from './facts.ts';
import { TEXT } from './kinds.ts';
import { Makers } from './makers.ts';
import { objectOf, shownObject } from './objects.ts';
import { expressionOrNull, FieldNames, mergeLines, PlanReader } from './plan-reader.ts';
import { resourceContracts } from './resources.ts';
import type { Lines, ObjectContract } from './types.ts';
import { sentMember, shapeName, typeOfRule } from './values.ts';

/**
 * Derives the contract of a plan. Equal plans give byte-identical contracts. `called` holds the fields, as
 * `Resource.field`, that have another name in payloads of the current version than in the plan.
 */
export function contractOf(plan: Plan, called: Names = {}): Contract {
  const r = new PlanReader(plan);
  const makers = new Makers(r);
  const handlers = makers.handlers();
  return {
    format: FORMAT,
    document: plan.document,
    title: plan.title,
    prose: plan.prose.map(({ line, ...one }) => ({ ...one, lines: [line] })),
    address: addressContract(r),
    wire: wireContract(r),
    schemes: plan.schemes.map((scheme) => schemeContract(r, scheme)),
    browsers: browsersContract(r),
    rates: rateContracts(r),
    errors: errorsContract(r),
    resources: resourceContracts(r, makers),
    versioning: versioningContract(r),
    versions: [null, ...(plan.versions?.older ?? [])].map((one) => versionContract(r, one, { called, makers })),
    ...(plan.schedules ? { schedules: plan.schedules.map((one) => scheduleContract(r, one)) } : {}),
    ...(handlers.length ? { handlers } : {}),
    webhook: webhookContract(r),
    stream: streamContract(r),
    unsettled: plan.unsettled,
  };
}

function scheduleContract(r: PlanReader, schedule: SchedulePlan): ScheduleContract {
  const { name, cron, zone, skipped, repeated, missed, missedAfter, overlap, within, steps } = schedule;
  const facts = ['name', 'when', 'skipped', 'repeated', 'missed', 'overlap', 'within'];
  return {
    name,
    cron,
    zone,
    skippedTimes: skipped,
    repeatedTimes: repeated,
    missed,
    missedAfterMilliseconds: missedAfter,
    overlap,
    withinMilliseconds: within,
    steps: stepContracts(r, steps),
    lines: r.lines(...facts.map((fact) => statementId.schedule(name, fact))),
  };
}

type Names = VersionPlan['names'];

/** Facts that do not depend on the version. */
interface Whole {
  readonly called: Names;
  readonly makers: Makers;
}

/** Returns the contract of one version; `older` is null for the current version. */
function versionContract(r: PlanReader, older: VersionPlan | null, { called, makers }: Whole): VersionContract {
  const { versions, endpoints } = r.plan;
  const name = older?.name ?? versions?.current ?? null;
  const names = older?.names ?? {};
  const facts: VersionFacts = {
    name,
    names: new FieldNames({ ...called, ...names }, older),
    mediaType: mediaTypeOf(r, name),
    older,
  };
  const answers = !older?.retired;
  return {
    name,
    status: older ? (older.retired ? 'retired' : older.deprecated === null ? 'supported' : 'deprecated') : 'current',
    deprecated: dayOf(older?.deprecated ?? null),
    sunset: dayOf(older?.sunset ?? null),
    mediaType: facts.mediaType,
    renamed: Object.entries(names).map(([field, one]) => ({ field, name: one })),
    ...(older?.words && { words: older.words }),
    // Retired versions keep their shapes: webhooks to receivers of such a version still use its field names.
    shapes: shapesOf(r, facts.names),
    endpoints: answers ? endpoints.map((one) => endpointContract(r, one, facts)) : [],
    events: [...eventContracts(r, makers), ...emittedContracts(r, facts.names, makers)],
    elsewhere: elsewhere(r),
    lines: r.lines(older ? statementId.version(older.name) : statementId.part('versioning', 'current')),
  };
}

function mediaTypeOf({ plan: { versions } }: PlanReader, name: string | null): string {
  if (versions?.by.kind !== 'media type' || name === null) return 'application/json';
  return versions.by.template.replace('{version}', name);
}

const dayOf = (at: number | null): string | null => (at === null ? null : day(at));

/** The shown forms of rows. A view without members is never shown. */
function shapesOf(r: PlanReader, names: FieldNames): ShapeContract[] {
  return r.plan.resources.flatMap((resource) =>
    resource.views
      .filter((view) => view.members.length)
      .map((view) => {
        const own = view.name === resource.name;
        return {
          name: shapeName({ resource: resource.name, name: view.name }),
          resource: resource.name,
          view: view.name,
          type: shownObject(resource.name, view.members, names, r),
          lines: r.lines(
            own ? statementId.resource(resource.name, 'shown') : statementId.view(resource.name, view.name),
          ),
        };
      }),
  );
}

function addressContract(r: PlanReader): AddressContract {
  return { url: r.plan.address.url, lines: r.lines(statementId.part('purpose', 'address')) };
}

function wireContract(r: PlanReader): WireContract {
  const { text, missing, emptyText } = r.plan.wire;
  const facts = ['timestamps', 'dates', 'durations', 'decimals', 'text', 'missing', 'nulls', 'emptyText'];
  return { text, missing, emptyText, lines: r.lines(...facts.map((fact) => statementId.part('resources', fact))) };
}

function schemeContract(r: PlanReader, scheme: SchemePlan): SchemeContract {
  const { name, kind, header, scheme: word, cookie, basic, resource, issuedBy, scopes } = scheme;
  const facts = ['name', 'kind', 'header', 'cookie', 'realm', 'crossOrigin', 'credentials', 'caller'];
  const token = ['algorithm', 'subject', 'keys', 'issuer', 'audience', 'lifetime', 'skew', 'scopesIn'];
  const condition = conditionOfCallers(r.plan.resources, scheme);
  return {
    name,
    kind,
    header,
    word,
    ...(cookie ? { cookie: cookieContract(cookie) } : {}),
    caller: resource,
    while: expressionOrNull(condition),
    issuedBy,
    scopes: scopes.map((scope) => ({ name: scope, lines: r.lines(statementId.scheme(name, `scope ${scope}`)) })),
    token: tokenContract(r, scheme),
    ...(basic ? { basic: basicContract(basic) } : {}),
    lines: mergeLines(
      r.lines(...[...facts, ...token].map((fact) => statementId.scheme(name, fact))),
      condition ? r.lines(statementId.resource(resource, 'visible')) : [],
    ),
  };
}

const basicContract = ({ realm, field, ignoresCase, origins }: BasicPlan): BasicContract => ({
  realm,
  userName: field,
  ignoresCase,
  origins,
});

const cookieContract = ({ name, sameSite, maxAge, removed, origins }: CookiePlan): CookieContract => ({
  name,
  sameSite,
  maxAge,
  removedWhenRefused: removed,
  origins,
});

function tokenContract(r: PlanReader, { name, tokens }: SchemePlan): TokenContract | null {
  if (!tokens) return null;
  const { algorithm, type, issuer, audience, keys, lifetime, longest, skew, claim, field, scopes } = tokens;
  return {
    algorithm,
    type,
    issuer,
    audience,
    keys: keys === 'operator' ? null : keys.url,
    lifetime,
    longest,
    skew,
    subject: { claim, field },
    scopes,
    claims: tokens.claims.map((one) => ({
      name: one.name,
      type: typeOfRule(one.rule, r.plan.wire),
      required: !one.nullable,
      lines: r.lines(statementId.scheme(name, `claim ${one.name}`)),
    })),
  };
}

function browsersContract(r: PlanReader): BrowsersContract | null {
  const { browsers } = r.plan;
  if (!browsers) return null;
  return {
    origins: browsers.origins,
    credentials: browsers.credentials,
    preflightSeconds: browsers.kept,
    exposedHeaders: browsers.shown,
    lines: r.lines(statementId.part('authentication', 'origins')),
  };
}

function rateContracts(r: PlanReader): RateContract[] {
  return r.plan.rates.map(({ name, per, row, count, milliseconds, headers }, i) => ({
    name,
    per,
    ...(row && { row: show(row) }),
    requests: typeof count === 'number' ? count : null,
    ...(typeof count !== 'number' && { by: rateNumber(r, count) }),
    milliseconds,
    headers,
    lines: r.lines(statementId.rate(i), statementId.part('limits', 'rateHeaders')),
  }));
}

function rateNumber({ plan }: PlanReader, count: Expr): RateNumberContract {
  const claims = plan.schemes.flatMap((scheme) => scheme.tokens?.claims ?? []);
  const [least, most] = statedResultsOf(plan.resources, claims).rangeOfNumber(count);
  return { expression: show(count), least, most: most < Number.MAX_SAFE_INTEGER ? most : null };
}

function versioningContract(r: PlanReader): VersioningContract | null {
  const { versions } = r.plan;
  if (!versions) return null;
  const { by, without, vary, headers } = versions;
  const facts = ['scheme', 'current', 'without', 'policy'];
  return {
    by,
    without,
    vary: vary !== null,
    headers,
    lines: r.lines(...facts.map((fact) => statementId.part('versioning', fact))),
  };
}

/** Events about rows. */
function eventContracts(r: PlanReader, makers: Makers): EventContract[] {
  return r.plan.resources.flatMap((resource) =>
    resource.events.map((event): EventContract => {
      const { name, on, by, fields, timed, to, view } = event;
      const madeBy = makers.event(resource, event);
      return {
        name,
        resource: resource.name,
        when: {
          kind: on,
          transitions: by,
          fields,
          instant: expressionOrNull(timed?.instant ?? null),
          condition: expressionOrNull(timed?.condition ?? null),
        },
        ...(madeBy && { madeBy }),
        notifiedBy: to,
        payload: { kind: 'shape', name: shapeName({ resource: resource.name, name: view }) },
        lines: r.lines(statementId.event(name)),
      };
    }),
  );
}

/** The envelope around the payload of an event. */
function envelope(r: PlanReader): ObjectContract {
  const { wire } = r.plan;
  const { resources, emitted = [] } = r.plan;
  const names = [...resources.flatMap(({ events }) => events), ...emitted].map(({ name }) => name);
  return objectOf(
    [
      sentMember('type', { ...TEXT, oneOf: names }, false, wire),
      sentMember('timestamp', { kind: 'timestamp', precision: 'milliseconds', whole: null }, false, wire),
      sentMember('data', { kind: 'object', members: [], unknown: 'none' }, false, wire),
    ],
    'none',
  );
}

/** The contract of webhooks; null if the document has none. */
function webhookContract(r: PlanReader): WebhookContract | null {
  const { webhook } = r.plan;
  if (!webhook) return null;
  const { receivers, delays, gone, retryAfter, signing } = webhook;
  return {
    receivers: receivers && {
      ...receivers,
      hears: receivers.hears.map(({ name, where }) => ({ resource: name, where: expressionOrNull(where) })),
    },
    method: 'POST',
    mediaType: 'application/json',
    envelope: envelope(r),
    ...contractMembers(WEBHOOK_FACTS, webhook, {
      signature: { signature: signatureContract(signing) },
      delays: { attempts: delays.length + 1, delays },
      delivery: { delivery: 'at least once' },
    }),
    ...(gone && { gone }),
    ...(retryAfter !== undefined && { retryAfterMilliseconds: retryAfter }),
    lines: linesOf(r, 'webhook', 'receivers', ...Object.keys(WEBHOOK_FACTS), 'gone', 'retryAfter'),
  };
}

function signatureContract(form: SigningPlan | undefined): SignatureContract {
  if (form) return { scheme: 'HMAC-SHA256', headers: deliveryHeaders(form).map(({ name }) => name), form };
  return { scheme: 'Standard Webhooks', headers: ['webhook-id', 'webhook-timestamp', 'webhook-signature'] };
}

/** The contract of the event stream; null if the document has none. */
function streamContract(r: PlanReader): StreamContract | null {
  const { stream } = r.plan;
  if (!stream) return null;
  const { resumption, atOnce } = stream;
  return {
    ...contractMembers(STREAM_FACTS, stream, {
      format: { mediaType: 'text/event-stream' },
      resumption: { resumption },
      atOnce: { atOnce },
    }),
    lines: linesOf(r, 'stream', ...Object.keys(STREAM_FACTS)),
  };
}

const linesOf = (r: PlanReader, part: string, ...facts: readonly string[]): Lines =>
  r.lines(...['name', ...facts].map((fact) => statementId.part(part, fact)));
