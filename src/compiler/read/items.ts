import { limitRow } from '../../language/limits.ts';
import {
  type ItemName,
  PART_HEADINGS,
  PART_ITEMS,
  type PartItem,
  type PartName,
  partAndItem,
} from '../../plan/parts.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import { bullet, row, step, type Written } from '../../syntax/diagnostic.ts';
import { language } from '../../syntax/messages.ts';
import type { Span } from '../../syntax/span.ts';
import { effectiveEndpoints, takesBody } from '../document/effective.ts';
import { itemDiagnostics as d, ITEM_QUESTIONS } from '../document/messages.ts';
import { everyStep } from '../statements/endpoints.ts';
import type { LimitName } from '../statements/limits.ts';
import type { Model } from '../statements/model.ts';

/** A sentence to paste, or a function of the model that makes it; without a model, a sentence for any document. */
type Write = string | Written | ((model?: Model) => string | Written);

type OptionalSpan = Span | null | undefined;

/** The rule of one item: where a model states the item, and a sentence that states it (`write`). */
interface ItemRule {
  readonly statedAt: (m: Model) => OptionalSpan;
  /** Where the part as a whole is stated absent. */
  readonly none: (m: Model) => boolean;
  readonly write: Write;
  /** Whether other statements depend on the item, so that a sentence can't state its absence. */
  readonly needed: ((m: Model) => boolean) | undefined;
}

const never = (): boolean => false;
const rule = (
  said: (m: Model) => OptionalSpan,
  write: Write,
  none: (m: Model) => boolean = never,
  needed?: (m: Model) => boolean,
): ItemRule => ({ statedAt: said, none, write, needed });

const fields = (m: Model) => m.resources.list.flatMap((resource) => resource.fields);
const firstResource = (m: Model | undefined, otherwise: string) => m?.resources.list[0]?.name.text ?? otherwise;
const steps = (m: Model) => m.endpoints.list.flatMap((endpoint) => [...everyStep(endpoint.steps)]);
const scheme = (m: Model) => m.authentication.schemes[0];
const noScheme = (m: Model) => m.authentication.none;
const noStates = (m: Model) => m.states.none;
const noEvents = (m: Model) => m.events.none;
const noVersions = (m: Model) => m.versioning.none;
const byWebhook = (m: Model) => m.events.list.some((event) => event.notifiedBy?.value.includes('webhook'));
const paged = (m: Model) => steps(m).some((step) => step.verb === 'List' && step.bound === 'pages');
const callers = (m: Model) => scheme(m) !== undefined;
const versions = (m: Model) => m.versioning.scheme !== null;

const takesBodies = (m: Model) =>
  effectiveEndpoints(m).some((one) => takesBody(one) || one.settings.unreadBodies?.value === 'refused');
const ownLimit = (m: Model, limit: LimitName) => m.limits.own.find((row) => row.limit === limit)?.span;

/** The leading item of each part: if the document states it as absent, all other items of the part are absent too. */
const LEADS: Partial<Record<PartName, string>> = {
  resources: 'resources',
  states: 'states',
  authentication: 'scheme',
  events: 'events',
  versioning: 'scheme',
};

const RULES: { readonly [I in PartItem]: ItemRule } = {
  'purpose/purpose': rule((m) => m.purpose.purpose, bullet('Purpose', 'take orders and follow each one to delivery')),
  'purpose/domain': rule((m) => m.purpose.domain, bullet('Domain', 'retail order management')),
  'resources/resources': rule((m) => m.resources.list[0]?.name, '### Order'),
  'resources/fields': rule(
    (m) => fields(m)[0]?.span,
    row('Field', 'Type', 'Format', 'Allowed values', 'Given by', 'Presence', 'Unique'),
  ),
  'resources/types': rule((m) => fields(m).find((f) => f.type)?.type, 'string, in the column “Type”'),
  'resources/formats': rule((m) => fields(m).find((f) => f.format)?.format, 'uuid, or none, in the column “Format”'),
  'resources/allowed values': rule(
    (m) => fields(m).find((f) => f.allowed)?.allowed,
    'at most 80 characters, in the column “Allowed values”',
  ),
  'states/states': rule((m) => m.states.machines[0]?.span, bullet('States', 'none'), noStates),
  'states/transitions': rule(
    (m) => m.states.machines.flatMap((x) => x.transitions)[0]?.span,
    bullet('States', 'none'),
    noStates,
  ),
  'endpoints/methods': rule(
    (m) => m.endpoints.list[0]?.span,
    (m) => `### \`GET /${firstResource(m, 'Order').toLowerCase()}s\``,
  ),
  'endpoints/path shapes': rule(
    (m) => m.endpoints.list[0]?.span,
    (m) => `### \`GET /${firstResource(m, 'Order').toLowerCase()}s/{id}\``,
  ),
  'endpoints/request payloads': rule(
    (m) => m.endpoints.list.find((e) => e.settings.request)?.settings.request ?? m.endpoints.settings.request,
    bullet('Request', 'none'),
  ),
  'endpoints/response payloads': rule(
    (m) => steps(m).find((step) => step.verb === 'Answer')?.span,
    step('Answer', '204.'),
  ),
  'authentication/scheme': rule((m) => scheme(m)?.kind, bullet('Scheme', 'none'), noScheme, callers),
  'authentication/credentials': rule(
    (m) => scheme(m)?.credentials,
    (m) =>
      bullet(
        'Credentials',
        `issued and revoked by the operator, each for one ${firstResource(m, 'Customer')}, kept as a hash`,
      ),
    noScheme,
    callers,
  ),
  'authentication/headers': rule(
    (m) => scheme(m)?.header ?? scheme(m)?.cookie ?? scheme(m)?.crossOrigin,
    bullet('Header', '`Authorization: Bearer {key}`'),
    noScheme,
    callers,
  ),
  'authentication/scopes': rule(
    (m) => scheme(m)?.scopes?.[0]?.span ?? (scheme(m)?.scopes ? scheme(m)?.span : null),
    bullet('Scopes', 'none'),
    noScheme,
  ),
  'events/events': rule((m) => m.events.list[0]?.span, bullet('Events', 'none'), noEvents),
  'events/webhooks': rule(
    (m) => m.events.webhook?.span,
    (m) => (m && byWebhook(m) ? '### Webhook' : '### Webhook, or the sentence “Webhooks: none.”'),
    noEvents,
  ),
  'events/notification kinds': rule(
    (m) => m.events.list.find((e) => e.notifiedBy)?.notifiedBy,
    'webhook, in the column “Notified by”',
    noEvents,
  ),
  'errors/error codes': rule(
    (m) => m.errors.rows[0]?.code ?? m.errors.common,
    bullet('Conditions', 'Ninefold common 1'),
  ),
  'errors/status codes': rule(
    (m) => m.errors.rows.find((row) => row.status)?.status ?? m.errors.common,
    bullet('Conditions', 'Ninefold common 1'),
  ),
  'errors/error payload shape': rule(
    (m) => (m.errors.payload?.value.kind === 'none' ? null : m.errors.payload),
    bullet('Payload', 'RFC 9457'),
    (m) => m.errors.payload?.value.kind === 'none',
  ),
  'limits/rate limits': rule((m) => m.limits.rates[0]?.span, limitRow('Rate')),
  'limits/size limits': rule(
    (m) => m.limits.requestSize ?? ownLimit(m, 'Request size'),
    limitRow('Request size'),
    never,
    takesBodies,
  ),
  'limits/time-outs': rule((m) => m.limits.timeout ?? ownLimit(m, 'Time-out'), limitRow('Time-out')),
  'limits/pagination bounds': rule(
    (m) => m.limits.pageSize ?? ownLimit(m, 'Page size'),
    limitRow('Page size'),
    never,
    paged,
  ),
  'limits/defaults': rule((m) => m.limits.pageSize ?? ownLimit(m, 'Page size'), limitRow('Page size'), never, paged),
  'versioning/scheme': rule((m) => m.versioning.scheme, bullet('Scheme', 'none'), noVersions),
  'versioning/current version': rule(
    (m) => m.versioning.current,
    bullet('Current version', '2026-11-01'),
    noVersions,
    versions,
  ),
  'versioning/deprecation policy': rule(
    (m) => m.versioning.policy,
    bullet('Deprecation policy', 'a deprecated version answers for 12 months'),
    noVersions,
    versions,
  ),
};

/** The 31 items of the nine parts, in document order. */
export const ITEMS = PART_ITEMS.map((item) => {
  const [part, name] = partAndItem(item);
  return { part, name, ...RULES[item] };
});

/** The state of one item. `span` is where the document says so, or null. */
export interface Item {
  readonly part: PartName;
  readonly item: ItemName;
  readonly state: 'stated' | 'none' | 'not shown';
  readonly span: Span | null;
}

/** The sentence that would state an item, of a document or (without one) of any. */
export const writing = (write: Write, model?: Model): string | Written =>
  typeof write === 'function' ? write(model) : write;

/** Finds the state of each of the 31 items, and reports items that are not shown, or stated in two ways. */
export function readItems(model: Model, partSpans: ReadonlyMap<PartName, Span>, findings: Finding[]): Item[] {
  const reported = new Set<PartName>();
  return ITEMS.map((item): Item => {
    const at = item.statedAt(model) ?? null;
    const sentences = model.absences.filter((one) => one.part === item.part && one.item === item.name);
    const sentence = sentences[0];
    const stated = at || item.none(model);
    const write = writing(item.write, model);
    const name = `${capital(item.name)} (${PART_HEADINGS[item.part]})`;
    for (const again of stated ? sentences : sentences.slice(1)) {
      const said = at ? 'stated' : stated ? 'none' : sentence?.state;
      if (again.state === said) findings.push(language.report.twice(again.span, { what: `“${name}: ${said}”` }));
      else findings.push(d.report.contradicted(again.span, { item: name, state: again.state }));
    }
    const result = { part: item.part, item: item.name };
    if (at && item.none(model) && !reported.has(item.part)) {
      reported.add(item.part);
      findings.push(d.report.noneStated(at, { part: PART_HEADINGS[item.part] }));
    }
    if (at) return { ...result, state: 'stated', span: at };
    if (item.none(model)) return { ...result, state: 'none', span: partSpans.get(item.part) ?? null };
    if (sentence?.state === 'none' && item.needed?.(model))
      findings.push(d.report.needed(sentence.span, { item: name }, null, write));
    if (sentence?.state === 'none') return { ...result, state: 'none', span: sentence.span };
    const lead = sentence ? undefined : leadNone(model, item.part);
    if (lead) return { ...result, state: 'none', span: lead.span };
    const params = { item: name, name: capital(item.name), question: ITEM_QUESTIONS[name] ?? '' };
    const question = d.report.notShown(sentence?.span ?? null, params, governs(item.part), write);
    findings.push({ ...question, code: `${item.part}/${item.name.replaceAll(' ', '-')}`, part: item.part });
    return { ...result, state: 'not shown', span: sentence?.span ?? null };
  });
}

/** The sentence that states the leading item of a part as none. */
function leadNone(model: Model, part: PartName): Model['absences'][number] | undefined {
  return model.absences.find((one) => one.part === part && one.item === LEADS[part] && one.state === 'none');
}

/**
 * The endpoints that the items of a part govern, null for all. The purpose governs none: nothing that runs depends on
 * it.
 */
const governs = (part: PartName): readonly string[] | null => (part === 'purpose' ? [] : null);

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
