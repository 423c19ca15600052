import { TABLES } from '../../language/columns.ts';
import type { Channel, Event, Events, Payload, Stream, Trigger, Webhook } from '../statements/events.ts';
import { language } from '../syntax/language.ts';
import type { Section } from '../syntax/markdown.ts';
import { type Notes, Phrase } from '../syntax/phrase.ts';
import {
  type Cells,
  isBlank,
  located,
  readBullets,
  readCell,
  readName,
  readTable,
  refuse,
  takeName,
  takeNames,
} from '../syntax/read.ts';
import { takeDuration } from '../syntax/units.ts';
import { eventsDiagnostics as d } from './messages.ts';
import { readAttempts } from './read-attempts.ts';
import { readHears, readReceivers } from './read-receivers.ts';
import { readStream } from './read-stream.ts';

/** Reads `## Events`. */
export function readEvents(section: Section | null, notes: Notes): Events {
  if (!section) return { none: false, list: [], webhook: null, stream: null };
  let none = false;
  readBullets(
    section,
    'events',
    {
      Events: (value) => {
        none = value.expect('none');
      },
    },
    notes,
  );
  refuse(section, { steps: true }, 'among the events', notes.findings);
  const list = section.tables.flatMap((table) =>
    readTable(table, TABLES.event, notes).flatMap((cells) => readEvent(cells, notes) ?? []),
  );
  let webhook: Webhook | null = null;
  let stream: Stream | null = null;
  for (const child of section.children) {
    const heading = new Phrase(child.heading, notes);
    const kind = heading.choose(['Webhook', 'Stream']);
    if (!kind || !heading.end()) continue;
    if (kind === 'Webhook' ? webhook : stream)
      notes.findings.push(language.report.twice(child.heading, { what: `“${kind}”` }));
    if (kind === 'Webhook') webhook = readWebhook(child, notes);
    else stream = readStream(child, notes);
  }
  return { none, list, webhook, stream };
}

function readEvent(cells: Cells<keyof typeof TABLES.event>, notes: Notes): Event | null {
  const name = cells.Event && readName(cells.Event, notes, 'declaration', 'the name of an event');
  if (!name) {
    if (!cells.Event) notes.findings.push(d.report.blankCell(cells.span, { event: 'This event', column: 'Event' }));
    return null;
  }
  for (const column of ['When', 'Payload', 'Notified by'] as const)
    if (isBlank(cells, column)) notes.findings.push(d.report.blankCell(name, { event: name.text, column }));
  const notified = cells['Notified by'];
  return {
    name,
    when: (cells.When && readCell(cells.When, notes, (phrase) => readTrigger(phrase))?.value) ?? null,
    payload: (cells.Payload && readCell(cells.Payload, notes, readPayload)?.value) ?? null,
    notifiedBy: notified && readCell(notified, notes, readChannels),
    span: cells.span,
  };
}

/** `Issue`, `Issue as Short` */
function readPayload(phrase: Phrase): Payload | null {
  const resource = takeName(phrase, 'use', 'a resource');
  const as = resource && phrase.take('as');
  const view = as ? takeName(phrase, 'use', 'a view') : null;
  return resource && (!as || view) ? { resource, view } : null;
}

/** `webhook`, `stream`, or both */
function readChannels(phrase: Phrase): readonly Channel[] | null {
  const out: Channel[] = [];
  do {
    const at = phrase.span;
    const channel = phrase.choose(['webhook', 'stream']);
    if (!channel) return null;
    if (out.includes(channel)) phrase.findings.push(language.report.twice(at, { what: `“${channel}”` }));
    out.push(channel);
  } while (phrase.mark(','));
  return out;
}

/** `an Issue is created`, `an Issue is changed in title, body`, `an Order moves by cancel, expire` */
function readTrigger(phrase: Phrase): Trigger | null {
  if (!phrase.choose(['a', 'an'])) return null;
  const resource = takeName(phrase, 'use', 'a resource');
  if (!resource) return null;
  const verb = phrase.choose(['is created', 'is removed', 'is changed', 'is at', 'moves by']);
  if (verb === 'is created') return { resource, on: { kind: 'created' } };
  if (verb === 'is removed') return { resource, on: { kind: 'removed' } };
  if (verb === 'is changed') {
    if (!phrase.expect('in')) return null;
    const fields = takeNames(phrase, 'a field');
    return fields.length ? { resource, on: { kind: 'changed', fields } } : null;
  }
  if (verb === 'is at') {
    const instant = phrase.code('expression', 'an instant in inline code');
    const condition = instant && phrase.take('while') ? phrase.code('expression', 'a condition in inline code') : null;
    return instant && { resource, on: { kind: 'at', instant, condition } };
  }
  const by = verb ? takeNames(phrase, 'a transition') : [];
  return by.length ? { resource, on: { kind: 'moves', by } } : null;
}

/** Reads `### Webhook`. */
export function readWebhook(section: Section, notes: Notes): Webhook {
  const out: { -readonly [K in keyof Webhook]: Webhook[K] } = {
    receivers: null,
    hears: [],
    signature: null,
    timeout: null,
    delays: null,
    order: null,
    delivery: null,
    kept: null,
    span: section.heading,
  };
  readBullets(
    section,
    'webhook',
    {
      Receivers: (value, span) => {
        out.receivers = located(span, readReceivers(value));
      },
      'Hears of ': (value, span, key) => {
        const one = readHears(value, span, key);
        if (one) out.hears = [...out.hears, one];
      },
      Signature: (value, span) => {
        out.signature = located(span, value.choose(['Standard Webhooks']));
      },
      'Time-out': (value, span) => {
        out.timeout = located(span, takeDuration(value));
      },
      Attempts: (value, span) => {
        out.delays = located(span, readAttempts(value, notes));
      },
      Order: (value, span) => {
        if (value.take('none')) out.order = located(span, 'none');
        else if (value.expect('per')) out.order = located(span, takeName(value, 'use', 'a resource'));
      },
      Delivery: (value, span) => {
        out.delivery = located(span, value.choose(['at least once']));
      },
      Kept: (value, span) => {
        if (value.take('forever')) out.kept = located(span, 'forever');
        else {
          const kept = takeDuration(value, ', or “forever”');
          if (kept !== null && value.expect('after delivery')) out.kept = located(span, kept);
        }
      },
    },
    notes,
    ['Hears of '],
  );
  refuse(section, { tables: true, steps: true, children: true }, 'under “Webhook”', notes.findings);
  return out;
}
