import { type Lines, lineKey, linesOf, type StatementId } from '../plan/lines.ts';
import type { Span } from '../syntax/span.ts';
import { originsOf } from './authentication/check-origins.ts';
import type { Effective } from './document/effective.ts';
import { limitAt } from './document/effective-limits.ts';
import { pagesOf } from './document/pages.ts';
import type { Resolved } from './document/resolve.ts';
import { preconditionsAt } from './endpoints/check/preconditions.ts';
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
  Object.entries(statements).map(([fact, place]): Fact => [lineKey.part(part, fact), isSpan(place) ? place : null]);

const isSpan = (value: unknown): value is Span => typeof value === 'object' && value !== null && 'from' in value;

function documentFacts({ model }: Resolved): Fact[] {
  return [
    [lineKey.part('document', 'title'), model.title],
    ...factsOf('purpose', model.purpose),
    ...factsOf('resources', model.resources.rules),
  ];
}

function resourceFacts(resource: Resource): Fact[] {
  const name = resource.name.text;
  const single = resource.fields.filter((field) => field.unique?.value.kind === 'yes');
  return [
    [lineKey.resource(name, 'name'), resource.name],
    [lineKey.resource(name, 'shown'), resource.shown],
    [lineKey.resource(name, 'visible'), resource.visible],
    ...[...resource.fields, ...resource.derived].map((one): Fact => [lineKey.field(name, one.name.text), one.span]),
    ...resource.views.map((view): Fact => [lineKey.view(name, view.name.text), view.span]),
    ...[...single, ...resource.uniques].map((one, i): Fact => [lineKey.rule(name, 'unique', i), one.span]),
    ...resource.holds.map((rule, i): Fact => [lineKey.rule(name, 'holds', i), rule.span]),
    ...resource.overlaps.map((rule, i): Fact => [lineKey.rule(name, 'overlap', i), rule.span]),
    ...[...resource.keeps, ...resource.removedWith, ...resource.cleared].flatMap((rule) =>
      rule.fields.map((field): Fact => [lineKey.reference(name, field.text), rule.span]),
    ),
  ];
}

function stateFacts({ resource, initial, final, transitions, span }: Machine): Fact[] {
  return [
    [lineKey.states(resource.text, 'name'), span],
    [lineKey.states(resource.text, 'initial'), initial],
    [lineKey.states(resource.text, 'final'), final],
    ...transitions.map((one): Fact => [lineKey.transition(resource.text, one.name.text), one.span]),
  ];
}

function endpointFacts(r: Resolved, one: Effective): Fact[] {
  const { endpoint, settings, parameters } = one;
  const { name } = endpoint;
  const limits = ['Request size', 'Time-out', 'Page size', 'Whole list'] as const;
  return [
    [lineKey.endpoint(name, 'access'), settings.access],
    [lineKey.endpoint(name, 'payloads'), settings.payloads],
    [lineKey.endpoint(name, 'request'), settings.request],
    [lineKey.endpoint(name, 'unread bodies'), settings.unreadBodies],
    [lineKey.endpoint(name, 'unknown parameters'), settings.unknownParameters],
    [lineKey.endpoint(name, 'HEAD'), settings.head],
    [lineKey.endpoint(name, 'conditional'), settings.conditional],
    [lineKey.endpoint(name, 'preconditions'), preconditionsAt(r, one)],
    [lineKey.endpoint(name, 'idempotency'), settings.idempotency],
    [lineKey.endpoint(name, 'sort'), settings.sort],
    [lineKey.endpoint(name, 'pages'), pagesOf(r, one)],
    ...limits.map((limit): Fact => [lineKey.endpoint(name, limit), limitAt(r, one, limit)]),
    ...parameters.map((each): Fact => [lineKey.parameter(name, each.in?.value ?? '', each.name.text), each.span]),
  ];
}

function authenticationFacts({ model: { authentication } }: Resolved): Fact[] {
  return [
    [lineKey.part('authentication', 'unaccepted'), authentication.unaccepted],
    [lineKey.part('authentication', 'origins'), originsOf(authentication)],
    ...authentication.schemes.flatMap((scheme): Fact[] => [
      [lineKey.scheme(scheme.name, 'name'), scheme.span],
      [lineKey.scheme(scheme.name, 'kind'), scheme.kind],
      [lineKey.scheme(scheme.name, 'header'), scheme.header],
      [lineKey.scheme(scheme.name, 'credentials'), scheme.credentials],
      [lineKey.scheme(scheme.name, 'caller'), scheme.caller],
      ...Object.entries(scheme.tokens).map(
        ([fact, place]): Fact => [lineKey.scheme(scheme.name, fact), isSpan(place) ? place : null],
      ),
      ...(scheme.scopes ?? []).map((one): Fact => [lineKey.scheme(scheme.name, `scope ${one.name.text}`), one.span]),
    ]),
  ];
}

function eventFacts({ model: { events } }: Resolved): Fact[] {
  return [
    ...events.list.map((event): Fact => [lineKey.event(event.name.text), event.span]),
    ...(events.webhook ? factsOf('webhook', events.webhook) : []),
    ...(events.webhook?.hears ?? []).map((one): Fact => [lineKey.hears(one.resource.text), one]),
    [lineKey.part('webhook', 'name'), events.webhook?.span],
    ...(events.stream ? factsOf('stream', events.stream) : []),
    [lineKey.part('stream', 'name'), events.stream?.span],
  ];
}

function errorFacts({ model: { errors } }: Resolved): Fact[] {
  const { payload } = errors;
  return [
    ...(payload?.value.kind === 'table' ? payloadFacts(errors, payload.value.name.text) : []),
    [lineKey.part('errors', 'payload'), errors.payload],
    [lineKey.part('errors', 'conditions'), errors.common],
    ...errors.rows.map((row): Fact => [lineKey.code(row.code.text), row.span]),
    ...errors.rows.flatMap((row) => row.when.map(({ value }): Fact => [lineKey.condition(value), row.span])),
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
    return [[lineKey.payloadMember(names), member.name], ...within];
  });
}

function limitFacts({ model: { limits } }: Resolved): Fact[] {
  return [...limits.rates.map((rate, i): Fact => [lineKey.rate(i), rate.span]), ...factsOf('limits', limits)];
}

function versionFacts({ model: { versioning } }: Resolved): Fact[] {
  return [
    ...factsOf('versioning', versioning),
    ...versioning.versions.map((version): Fact => [lineKey.version(version.name), version.span]),
  ];
}
