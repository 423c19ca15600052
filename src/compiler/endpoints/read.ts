import type { BulletKey } from '../../language/bullets.ts';
import { TABLES } from '../../language/columns.ts';
import { PAGES } from '../../language/limits.ts';
import { type ReadBullet, readBullets, readTable, readWith } from '../../language/read.ts';
import { isFieldName } from '../../syntax/field-name.ts';
import type { Section } from '../../syntax/markdown.ts';
import { language } from '../../syntax/messages.ts';
import { type Located, located, type Name, refuse, refuseRepeats, takeName } from '../../syntax/names.ts';
import { type Notes, Phrase } from '../../syntax/phrase.ts';
import { takeDuration } from '../../syntax/units.ts';
import { nearest } from '../../text/suggest.ts';
import type { Handler } from '../statements/endpoints.ts';
import {
  type Bounds,
  type Endpoint,
  type Endpoints,
  type Idempotency,
  NO_SETTINGS,
  PRECONDITIONS,
  type Requested,
  type Settings,
  type SortKey,
  type Under,
} from '../statements/endpoints.ts';
import { readHandler } from './handlers/read.ts';
import { endpointsDiagnostics as d } from './messages/endpoints.ts';
import { readAccess } from './read/access.ts';
import { readDescriptions, takingNothing } from './read/descriptions.ts';
import { goodPath, readHeading, refuseShared } from './read/headings.ts';
import { PARAMETER_OWED, readParameter } from './read/parameters.ts';
import { checkStepsAsProse, readSteps } from './read/steps.ts';

/** Reads `## Endpoints`. */
export function readEndpoints(section: Section | null, notes: Notes): Endpoints {
  const unders: Under[] = [];
  const list: Endpoint[] = [];
  const handlers: Handler[] = [];
  if (!section) return { settings: NO_SETTINGS, parameters: [], unders, list, handlers };
  const descriptions: Endpoint[] = [];
  const settings = readSettings(section, 'part', notes, descriptions);
  refuse(section, { steps: true }, 'outside an endpoint', notes.findings);
  for (const child of section.children) {
    const heading = new Phrase(child.heading, notes);
    if (heading.take('Handler')) {
      const name = takeName(heading, 'declaration', 'the name of a handler');
      if (name && heading.end()) handlers.push(readHandler(child, name, notes));
      continue;
    }
    const under = heading.take('Under');
    const token = heading.code('value', 'a method and a path in inline code, such as `GET /orders`');
    if (!token || !heading.end()) continue;
    refuse(child, { children: true }, 'under an endpoint', notes.findings);
    checkStepsAsProse(child, notes);
    const steps = readSteps(child.steps, notes);
    if (under) {
      refuse(child, { tables: true, bullets: true }, 'under a path', notes.findings);
      const span = token.inner;
      if (child.steps.length === 0) notes.findings.push(d.report.underEmpty(span, { path: token.text }));
      if (goodPath(token, token.text, 0, 'use', notes)) unders.push({ path: token.text, steps, span });
    } else {
      const endpoint = readHeading(token, notes);
      const own = readSettings(child, 'endpoint', notes);
      const parameters = readParameters(child, notes);
      if (endpoint) list.push({ ...endpoint, settings: own, parameters, steps, span: token.inner });
    }
  }
  list.push(...descriptions.map((one) => takingNothing(one, settings)));
  refuseShared(list, notes);
  refuseRepeats(
    handlers.map((handler) => handler.name),
    notes.findings,
    'The handler ',
  );
  for (const [i, under] of unders.entries())
    if (unders.findIndex((other) => other.path === under.path) < i)
      notes.findings.push(language.report.twice(under.span, { what: `“Under ${under.path}”` }));
  return { settings, parameters: readParameters(section, notes), unders, list, handlers };
}

function readParameters(section: Section, notes: Notes): Endpoint['parameters'] {
  return section.tables.flatMap((table) =>
    readTable(table, TABLES.parameter, notes, PARAMETER_OWED).flatMap((cells) => readParameter(cells, notes) ?? []),
  );
}

/** Reads the bullets of an endpoint, or those of the part that hold for all of them. */
export function readSettings(
  section: Section,
  of: 'part' | 'endpoint',
  notes: Notes,
  descriptions: Endpoint[] = [],
): Settings {
  const out: { -readonly [K in keyof Settings]: Settings[K] } = { ...NO_SETTINGS };
  const shared: Record<BulletKey<'endpoints'> & BulletKey<'endpoint'>, ReadBullet> = {
    Payloads: (value, span) => {
      if (value.expect('JSON (RFC 8259)')) out.payloads = located(span, 'JSON');
    },
    Access: (value, span) => {
      out.access = located(span, readAccess(value));
    },
    Request: (value, span) => {
      out.request = located(span, value.take('none') ? 'none' : readRequested(value));
    },
    'Unread bodies': (value, span) => {
      out.unreadBodies = located(span, value.choose(['refused', 'ignored']));
    },
    'Unknown parameters': (value, span) => {
      out.unknownParameters = located(span, value.choose(['refused', 'ignored']));
    },
    HEAD: (value, span) => {
      out.head = located(span, value.choose(['not served', 'as GET']));
    },
    'Conditional requests': (value, span) => {
      const tagged = 'RFC 9110, strong ETag of the answer';
      const found = value.choose(['none', of === 'part' ? `${tagged}, every GET` : tagged]);
      out.conditional = located(span, found && (found === 'none' ? found : 'strong ETag'));
    },
    'Preconditions on writes': (value, span) => {
      out.preconditions = located(span, value.choose(PRECONDITIONS));
    },
    Idempotency: (value, span) => {
      out.idempotency = located(span, value.take('none') ? 'none' : readIdempotency(value, notes));
    },
    Sort: (value, span) => {
      out.sort = located(span, readSort(value));
      if (of === 'part')
        notes.findings.push(language.report.unexpected(span, { what: 'Sort', where: 'for every endpoint' }));
    },
  };
  const description: ReadBullet = (value) => {
    descriptions.push(...readDescriptions(value, notes));
  };
  const pages: ReadBullet = (value, span) => {
    out.pages = located(span, readWith(PAGES, value, notes) ?? null);
  };
  if (of === 'part') readBullets(section, 'endpoints', { ...shared, Description: description }, notes);
  else readBullets(section, 'endpoint', { ...shared, Pages: pages }, notes);
  return out;
}

/** ``created by `created_at`, updated by `updated_at` `` */
function readSort(value: Phrase): SortKey[] | null {
  const keys: SortKey[] = [];
  do {
    const name = takeName(value, 'use', 'a name to sort by');
    const by = name && value.expect('by') ? value.code('expression', 'what rows are sorted by in inline code') : null;
    if (!name || !by) return null;
    keys.push({ name, by });
  } while (value.mark(','));
  refuseRepeats(
    keys.map((key) => key.name),
    value.findings,
  );
  return keys;
}

const REQUEST_FORMS =
  '“none”, or a resource and those of its fields that the body may have, such as “Order with sku, note”';

/** `Order with quantity, note, each optional`, alone, or in a member: `order: Order with …`, `orders: list of Order with …` */
function readRequested(value: Phrase): Requested | null {
  if (value.tokens.length === 1 && !/^[A-Z]/.test(value.peek()?.text ?? '')) value.fail(REQUEST_FORMS);
  const wrapped = value.peek(1)?.kind === 'mark' && value.peek(1)?.text === ':';
  const member = wrapped ? takeName(value, 'declaration', 'the name of a member') : null;
  if (wrapped && !value.mark(':')) return null;
  const listed = wrapped && value.take('list of');
  if (wrapped && !listed && !/^[A-Z]/.test(value.peek()?.text ?? '')) value.fail('a resource');
  const resource = takeName(value, 'use', 'a resource');
  if (!resource || !value.expect('with')) return null;
  const fields: Name[] = [];
  let optional = false;
  let items: Located<Bounds> | null = null;
  do {
    if (fields.length && value.peek(1)?.kind === 'word' && isEnding(value, listed)) {
      if (listed) items = readItems(value);
      else optional = value.expect('each optional');
      break;
    }
    const field = takeName(value, 'use', 'a field');
    if (!field) return null;
    fields.push(field);
  } while (value.mark(','));
  refuseRepeats(fields, value.findings);
  return { member, list: listed ? { items } : null, resource, fields, optional };
}

/** True where the words after the fields begin, and no field with a word too many after it. */
function isEnding(value: Phrase, listed: boolean): boolean {
  const [first = '', second = ''] = [value.peek()?.text, value.peek(1)?.text];
  if (listed) return /^\d/.test(first) || nearest(first, ['at']) !== null;
  return nearest(first, ['each']) !== null || nearest(second, ['optional']) !== null;
}

/** `1 to 50 items`, `at most 50 items` */
function readItems(value: Phrase): Located<Bounds> | null {
  const from = value.peek()?.from ?? value.span.from;
  const least = value.take('at most') ? 0 : value.integer('a number of items');
  if (least === null || (least !== 0 && !value.expect('to'))) return null;
  const most = value.positive('a number of items');
  const to = value.peek()?.to ?? value.span.to;
  if (most === null || !value.expect('items')) return null;
  if (most < least) value.findings.push(d.report.itemBounds({ from, to }));
  return { value: { min: least, max: most }, from, to };
}

function readIdempotency(value: Phrase, notes: Notes): Idempotency | null {
  if (!value.expect('header')) return null;
  const header = value.code('value', 'the name of a header in inline code');
  if (header && !isFieldName(header.text))
    notes.findings.push(d.report.headerName(header.inner, { found: header.text }));
  if (!header || !value.expect(', required, for each caller, kept')) return null;
  const keptMilliseconds = takeDuration(value);
  if (keptMilliseconds === null || !value.expect(', answers below')) return null;
  const answersBelow = value.integer('a status, such as 500');
  if (answersBelow === null) return null;
  if (answersBelow < 200 || answersBelow > 600)
    notes.findings.push(d.report.answersBelow(value.span, { status: `${answersBelow}` }));
  return { header: header.text, keptMilliseconds, answersBelow };
}
