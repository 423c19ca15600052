import { alwaysTrue } from '../../expression/tree/always.ts';
import { rowOf } from '../../expression/tree/types.ts';
import type { Managed } from '../../language/events.ts';
import { step } from '../../syntax/diagnostic.ts';
import { language } from '../../syntax/messages.ts';
import { refuseRepeats } from '../../syntax/names.ts';
import { checkCondition } from '../document/conditions.ts';
import type { Resolved } from '../document/resolve.ts';
import type { Event, Webhook } from '../statements/events.ts';
import type { Field, Resource } from '../statements/resources.ts';
import { hiddenIn } from './check-payload.ts';
import { eventsDiagnostics as d } from './messages.ts';

/** Checks receivers that are rows: the fields for their address and form, and the rows whose events each receives. */
export function checkReceivers(r: Resolved, webhook: Webhook): void {
  const { findings } = r.notes;
  const receivers = webhook.receivers?.value;
  checkAnswers(r, webhook);
  if (!receivers || receivers === 'operator') {
    if (receivers) for (const one of webhook.hears) findings.push(d.report.hearsUnused(one));
    return;
  }
  const resource = r.resource(receivers.resource);
  const versions = r.model.versioning.scheme !== null;
  if (versions !== receivers.current)
    findings.push(versions ? d.report.receiverVersion(webhook.receivers) : d.report.versionUnused(webhook.receivers));
  if (resource) checkFields(r, receivers, resource);
  checkHears(r, webhook, receivers);
}

/** Checks the statements about what receivers answer. */
function checkAnswers(r: Resolved, { receivers, gone, retryAfter, delays }: Webhook): void {
  const { findings } = r.notes;
  if (gone && receivers && receivers.value !== 'operator') findings.push(d.report.goneRow(gone));
  if (!retryAfter || !delays) return;
  const waits = delays.value.delays ?? [];
  if (waits.length === 0) findings.push(d.report.retryAfterOnce(retryAfter));
  else if (waits.every((one) => one >= retryAfter.value)) findings.push(d.report.retryAfterShort(retryAfter));
}

function checkFields(r: Resolved, receivers: Managed, resource: Resource): void {
  const { findings } = r.notes;
  const name = resource.name.text;
  const url = r.field(resource, receivers.url);
  if (url && !(isText(url, 'uri') && url.presence?.value === 'always'))
    findings.push(
      d.report.receiverField(receivers.url, { field: `${name}.${url.name.text}`, what: 'a string of the format uri' }),
    );
  const secret = r.field(resource, receivers.secret);
  if (secret && !(isText(secret, 'webhook secret') && secret.presence?.value === 'always'))
    findings.push(
      d.report.receiverField(receivers.secret, {
        field: `${name}.${secret.name.text}`,
        what: 'a string of the format webhook secret',
      }),
    );
  if (secret) r.afterAll(() => checkSecretKnown(r, receivers, resource, secret));
  const events = receivers.events && r.field(resource, receivers.events);
  if (!events || !receivers.events) return;
  const kind = events.type?.value.kind;
  const items = events.allowed?.value.kind === 'items' ? events.allowed.value.each : null;
  const values = items?.kind === 'one of' ? items.values : null;
  if ((kind !== 'set' && kind !== 'list') || !values || events.presence?.value !== 'always') {
    const params = { field: `${name}.${events.name.text}`, what: 'a set of string, each one of some events' };
    findings.push(d.report.receiverField(receivers.events, params));
    return;
  }
  const told = r.model.events.list.filter((event) => event.notifiedBy?.value.includes('webhook'));
  const names = told.map((event) => event.name.text);
  for (const value of values) if (!names.includes(value.text)) r.unknown(value, 'webhook event', names);
  r.afterAll(() => {
    for (const { name: event } of told)
      if (!values.some((value) => value.text === event.text) && !r.isSuggested(event.text))
        findings.push(d.report.neverChosen(event, { event: event.text, field: `${name}.${events.name.text}` }));
  });
}

/**
 * Only a receiver that knows the secret can verify a signature: a random secret has to be shown, or read by an
 * expression.
 */
function checkSecretKnown(r: Resolved, receivers: Managed, resource: Resource, { name, givenBy }: Field): void {
  const field = `${resource.name.text}.${name.text}`;
  const chosen = givenBy?.value.some(({ from }) => from === 'request' || from === 'operator') ?? true;
  const views = [resource.shown?.value ?? [], ...resource.views.map(({ members }) => members)];
  const shown = views.some((members) => members.some((member) => member.field.text === name.text));
  if (chosen || shown || r.fieldReads.has(field) || r.untyped || assignedFromRequest(r, resource, name.text)) return;
  const row = resource.name.text.toLowerCase();
  const example = step('Answer', `201 with ${row}: \`${row}\`, ${name.text}: \`${row}.${name.text}\`.`);
  r.notes.findings.push(d.report.secretUntold(receivers.secret, { field }, null, example));
}

/** Whether a step assigns a value of the request to a field. */
function assignedFromRequest(r: Resolved, resource: Resource, field: string): boolean {
  return r.effective.some(({ every }) =>
    every.some((one) => {
      if (!('with' in one) || ('resource' in one && one.resource.text !== resource.name.text)) return false;
      return one.with.some(
        (given) => given.field.text === field && /\b(?:request|query|header|path)\b/.test(given.value.text),
      );
    }),
  );
}

const isText = (field: Field, format: string): boolean =>
  field.type?.value.kind === 'string' && field.format?.value === format;

/** Checks that, for each resource in webhook events, the document states whose events a receiver gets. */
function checkHears(r: Resolved, webhook: Webhook, receivers: Managed): void {
  const { findings } = r.notes;
  const told = r.model.events.list.filter((event) => event.notifiedBy?.value.includes('webhook'));
  const about = [...new Set(told.flatMap((event) => (event.when ? [event.when.resource.text] : [])))];
  const hidden = new Set(told.flatMap((event) => [...hiddenIn(r, event).keys()]));
  refuseRepeats(
    webhook.hears.map((one) => one.resource),
    findings,
    'The bullet “Hears of” for ',
  );
  for (const { resource, condition } of webhook.hears) {
    if (!r.resource(resource)) continue;
    if (!about.includes(resource.text) && !hidden.has(resource.text))
      findings.push(d.report.hearsNothing(resource, { resource: resource.text }));
    if (condition === 'everything') continue;
    const row = rowOf(resource.text);
    const scope = r.scope(new Map([['about', row]]), receivers.resource.text);
    const test = checkCondition(r, condition, scope, 'The condition under “Hears of”', 'rows');
    if (test && alwaysTrue(test))
      findings.push(
        language.report.unknown(condition, { found: condition.text, nearest: '', expected: '“everything”' }),
      );
  }
  for (const resource of about)
    if (r.resourceNamed(resource) && !webhook.hears.some((one) => one.resource.text === resource))
      findings.push(d.report.hears(webhook.receivers, { resource }));
  checkHidden(r, webhook, told, about);
}

/**
 * `Visible` restricts callers, and receivers are no callers: the document has to state which hidden rows the payloads
 * for a receiver may show.
 */
function checkHidden(r: Resolved, webhook: Webhook, told: readonly Event[], about: readonly string[]): void {
  const asked = new Set([...about, ...webhook.hears.map((one) => one.resource.text)]);
  for (const event of told)
    for (const [resource, field] of hiddenIn(r, event)) {
      if (asked.has(resource)) continue;
      asked.add(resource);
      r.notes.findings.push(d.report.hearsHidden(webhook.receivers, { event: event.name.text, resource, field }));
    }
}
