import { SCHEDULE } from '../language/schedules.ts';
import { type Lines, linesOf, type StatementId, statementId } from '../plan/lines.ts';
import type { Span } from '../syntax/span.ts';
import { originsOf } from './authentication/check-origins.ts';
import type { Effective } from './document/effective.ts';
import { limitAt, settledRates } from './document/effective-limits.ts';
import { pagesOf } from './document/pages.ts';
import type { Resolved } from './document/resolve.ts';
import { preconditionsAt } from './endpoints/check/preconditions.ts';
import type { Schedule } from './statements/endpoints.ts';
import type { Errors } from './statements/errors.ts';
import type { Resource } from './statements/resources.ts';
import type { Machine } from './statements/states.ts';

/** The id of a statement, and its place; null where the document does not state it. */
type Fact = readonly [id: StatementId, place: Span | null | undefined];

/** The lines of the statements behind the facts of a plan, so that readers of the plan can refer to the document. */
export function planLines(r: Resolved, settled: ReadonlySet<string>): Lines {
  const facts = [
    ...documentFacts(r),
    ...r.model.resources.list.flatMap(resourceFacts),
    ...r.model.states.machines.flatMap(stateFacts),
    ...r.effective.filter((one) => settled.has(one.endpoint.name)).flatMap((one) => endpointFacts(r, one)),
    ...r.model.endpoints.schedules.flatMap(scheduleFacts),
    ...authenticationFacts(r),
    ...eventFacts(r),
    ...errorFacts(r),
    ...limitFacts(r),
    ...versionFacts(r),
  ];
  return linesOf(facts.flatMap(([id, place]) => (place ? [{ id, line: r.line(place.from) }] : [])));
}

/** The statements of a part that have a place, by the names of their members. */
const factsOf = (part: string, statements: object): Fact[] =>
  Object.entries(statements).map(([fact, place]): Fact => [statementId.part(part, fact), isSpan(place) ? place : null]);

const isSpan = (value: unknown): value is Span => typeof value === 'object' && value !== null && 'from' in value;

function documentFacts({ model }: Resolved): Fact[] {
  return [
    [statementId.part('document', 'title'), model.title],
    ...factsOf('purpose', model.purpose),
    ...factsOf('resources', model.resources.rules),
  ];
}

function resourceFacts(resource: Resource): Fact[] {
  const name = resource.name.text;
  const single = resource.fields.filter((field) => field.unique?.value.kind === 'yes');
  return [
    [statementId.resource(name, 'name'), resource.name],
    [statementId.resource(name, 'shown'), resource.shown],
    [statementId.resource(name, 'visible'), resource.visible],
    [statementId.resource(name, 'audited'), resource.audited],
    ...[...resource.fields, ...resource.derived].map((one): Fact => [statementId.field(name, one.name.text), one.span]),
    ...resource.views.map((view): Fact => [statementId.view(name, view.name.text), view.span]),
    ...[...single, ...resource.uniques].map((one, i): Fact => [statementId.rule(name, 'unique', i), one.span]),
    ...resource.holds.map((rule, i): Fact => [statementId.rule(name, 'holds', i), rule.span]),
    ...resource.overlaps.map((rule, i): Fact => [statementId.rule(name, 'overlap', i), rule.span]),
    ...[...resource.keeps, ...resource.removedWith, ...resource.cleared].flatMap((rule) =>
      rule.fields.map((field): Fact => [statementId.reference(name, field.text), rule.span]),
    ),
  ];
}

function stateFacts({ resource, field, initial, final, transitions, span }: Machine): Fact[] {
  return [
    [statementId.states(resource.text, field.text, 'name'), span],
    [statementId.states(resource.text, field.text, 'initial'), initial],
    [statementId.states(resource.text, field.text, 'final'), final],
    ...transitions.map((one): Fact => [statementId.transition(resource.text, one.name.text), one.span]),
  ];
}

function endpointFacts(r: Resolved, one: Effective): Fact[] {
  const { endpoint, settings, parameters } = one;
  const { name } = endpoint;
  const limits = ['Request size', 'Time-out', 'Page size', 'Whole list'] as const;
  return [
    [statementId.endpoint(name, 'access'), settings.access],
    [statementId.endpoint(name, 'payloads'), settings.payloads],
    [statementId.endpoint(name, 'request'), settings.request],
    [statementId.endpoint(name, 'unread bodies'), settings.unreadBodies],
    [statementId.endpoint(name, 'unknown parameters'), settings.unknownParameters],
    [statementId.endpoint(name, 'HEAD'), settings.head],
    [statementId.endpoint(name, 'conditional'), settings.conditional],
    [statementId.endpoint(name, 'preconditions'), preconditionsAt(r, one)],
    [statementId.endpoint(name, 'idempotency'), settings.idempotency],
    [statementId.endpoint(name, 'sort'), settings.sort],
    [statementId.endpoint(name, 'pages'), pagesOf(r, one)],
    [statementId.endpoint(name, 'deprecated'), settings.deprecated],
    [statementId.endpoint(name, 'audience'), settings.audience],
    [statementId.endpoint(name, 'tag'), settings.tag],
    ...limits.map((limit): Fact => [statementId.endpoint(name, limit), limitAt(r, one, limit)]),
    ...parameters.map((each): Fact => [statementId.parameter(name, each.in?.value ?? '', each.name.text), each.span]),
  ];
}

function scheduleFacts({ name, span, ...stated }: Schedule): Fact[] {
  return [
    [statementId.schedule(name.text, 'name'), span],
    ...SCHEDULE_MEMBERS.map((fact): Fact => [statementId.schedule(name.text, fact), stated[fact]]),
  ];
}

const SCHEDULE_MEMBERS = Object.values(SCHEDULE).map(({ member }) => member);

function authenticationFacts({ model: { authentication } }: Resolved): Fact[] {
  return [
    [statementId.part('authentication', 'unaccepted'), authentication.unaccepted],
    [statementId.part('authentication', 'origins'), originsOf(authentication)],
    ...authentication.schemes.flatMap((scheme): Fact[] => [
      [statementId.scheme(scheme.name, 'name'), scheme.span],
      [statementId.scheme(scheme.name, 'kind'), scheme.kind],
      [statementId.scheme(scheme.name, 'header'), scheme.header],
      [statementId.scheme(scheme.name, 'cookie'), scheme.cookie],
      [statementId.scheme(scheme.name, 'realm'), scheme.realm],
      [statementId.scheme(scheme.name, 'crossOrigin'), scheme.crossOrigin],
      [statementId.scheme(scheme.name, 'credentials'), scheme.credentials],
      [statementId.scheme(scheme.name, 'caller'), scheme.caller],
      [statementId.scheme(scheme.name, 'while'), scheme.condition],
      ...Object.entries(scheme.tokens).map(
        ([fact, place]): Fact => [statementId.scheme(scheme.name, fact), isSpan(place) ? place : null],
      ),
      ...(scheme.scopes ?? []).map(
        (one): Fact => [statementId.scheme(scheme.name, `scope ${one.name.text}`), one.span],
      ),
      ...scheme.claims.map((one): Fact => [statementId.scheme(scheme.name, `claim ${one.name.text}`), one.span]),
    ]),
  ];
}

function eventFacts({ model: { events } }: Resolved): Fact[] {
  return [
    ...events.list.map((event): Fact => [statementId.event(event.name.text), event.span]),
    ...(events.webhook ? factsOf('webhook', events.webhook) : []),
    ...(events.webhook?.hears ?? []).map((one): Fact => [statementId.hears(one.resource.text), one]),
    [statementId.part('webhook', 'name'), events.webhook?.span],
    ...(events.stream ? factsOf('stream', events.stream) : []),
    ...(events.stream?.seen ?? []).map((one): Fact => [statementId.seen(one.event.text), one]),
    [statementId.part('stream', 'name'), events.stream?.span],
  ];
}

function errorFacts({ model: { errors } }: Resolved): Fact[] {
  const { payload } = errors;
  return [
    ...(payload?.value.kind === 'table' ? payloadFacts(errors, payload.value.name.text) : []),
    [statementId.part('errors', 'payload'), errors.payload],
    [statementId.part('errors', 'conditions'), errors.common],
    ...errors.rows.map((row): Fact => [statementId.code(row.code.text), row.span]),
    ...errors.rows.flatMap((row) => row.when.map(({ value }): Fact => [statementId.condition(value), row.span])),
  ];
}

/** The members of a payload and of the payloads nested in it; `above` is the path to the payload. */
function payloadFacts({ payloads }: Pick<Errors, 'payloads'>, name: string, above: readonly string[] = []): Fact[] {
  const others = payloads.filter((one) => one.name.text !== name);
  const members = payloads.find((one) => one.name.text === name)?.members ?? [];
  return members.flatMap((member) => {
    const names = [...above, member.name.text];
    const of = member.type?.value.of;
    const within = of?.kind === 'payload' ? payloadFacts({ payloads: others }, of.name.text, names) : [];
    return [[statementId.payloadMember(names), member.name], ...within];
  });
}

function limitFacts(r: Resolved): Fact[] {
  const { limits } = r.model;
  return [...settledRates(r).map((rate, i): Fact => [statementId.rate(i), rate.span]), ...factsOf('limits', limits)];
}

function versionFacts({ model: { versioning } }: Resolved): Fact[] {
  return [
    ...factsOf('versioning', versioning),
    ...versioning.versions.map((version): Fact => [statementId.version(version.name), version.span]),
  ];
}
