import { TABLES } from '../../language/columns.ts';
import {
  type Channel,
  CONTENT,
  EVENTS,
  HEARS,
  NOTIFIED_BY,
  SEEN,
  STREAM,
  WEBHOOK,
  WHEN,
} from '../../language/events.ts';
import { type Cells, isBlank, readStatements, readTable, readValue, readWith } from '../../language/read.ts';
import type { Section, Text } from '../../syntax/markdown.ts';
import { language } from '../../syntax/messages.ts';
import { type Located, readName, refuse, takeName } from '../../syntax/names.ts';
import { type Notes, Phrase } from '../../syntax/phrase.ts';
import type { Event, Events, Hears, Seen, Stream, Webhook } from '../statements/events.ts';
import { eventsDiagnostics as d } from './messages.ts';

/** Reads `## Events`. */
export function readEvents(section: Section | null, notes: Notes): Events {
  if (!section) return { none: false, list: [], webhook: null, stream: null };
  const { none } = readStatements(section, 'events', EVENTS, notes);
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
  return { none: none !== null, list, webhook, stream };
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
  const when = (cells.When && readValue(cells.When, notes, WHEN)?.value) ?? null;
  const content = (cells.Payload && readValue(cells.Payload, notes, CONTENT)?.value) ?? null;
  const members = content && 'members' in content ? content.members : null;
  return {
    name,
    when: when === 'emitted' ? null : when,
    emitted: when === 'emitted',
    payload: content && 'resource' in content ? content : null,
    members,
    notifiedBy: notified && readChannels(notified, notes),
    span: cells.span,
  };
}

/** Each channel once. */
function readChannels(cell: Text, notes: Notes): Located<readonly Channel[]> | null {
  const channels = readValue(cell, notes, NOTIFIED_BY);
  const twice = channels?.value.find((one, i, all) => all.indexOf(one) < i);
  if (twice) notes.findings.push(language.report.twice(cell, { what: `“${twice}”` }));
  return channels;
}

/** Reads `### Webhook`. */
export function readWebhook(section: Section, notes: Notes): Webhook {
  let hears: readonly Hears[] = [];
  const stated = readStatements(section, 'webhook', WEBHOOK, notes, {
    'Hears of ': (value, span, key) => {
      const resource = takeName(key, 'use', 'a resource');
      const condition = readWith(HEARS, value, notes);
      if (resource && condition !== undefined) hears = [...hears, { resource, condition, ...span }];
    },
  });
  refuse(section, { tables: true, steps: true, children: true }, 'under “Webhook”', notes.findings);
  return { ...stated, hears, span: section.heading };
}

/** Reads `### Stream`. */
export function readStream(section: Section, notes: Notes): Stream {
  let seen: readonly Seen[] = [];
  const stated = readStatements(section, 'stream', STREAM, notes, {
    'Visible of ': (value, span, key) => {
      const event = takeName(key, 'use', 'an event');
      const condition = readWith(SEEN, value, notes);
      if (event && condition !== undefined) seen = [...seen, { event, condition, ...span }];
    },
  });
  refuse(section, { tables: true, steps: true, children: true }, 'under “Stream”', notes.findings);
  return { ...stated, seen, span: section.heading };
}
