import { TABLES } from '../../language/columns.ts';
import { type Description, ENDPOINT, ENDPOINTS, ENDPOINTS_HEADING, METHODS } from '../../language/endpoints.ts';
import { readStatements, readTable, readValue } from '../../language/read.ts';
import type { Section } from '../../syntax/markdown.ts';
import { language } from '../../syntax/messages.ts';
import { located, refuse, refuseRepeats } from '../../syntax/names.ts';
import type { Notes } from '../../syntax/phrase.ts';
import type { Token } from '../../syntax/tokens.ts';
import { nearest } from '../../text/suggest.ts';
import { sharedSettings } from '../document/effective.ts';
import {
  type Endpoint,
  type Endpoints,
  type Handler,
  NO_PART_SETTINGS,
  NO_SETTINGS,
  type PartSettings,
  type Schedule,
  type Settings,
  type Tag,
  type Under,
} from '../statements/endpoints.ts';
import { readHandler } from './handlers/read.ts';
import { endpointsDiagnostics as d } from './messages/endpoints.ts';
import { PARAMETER_OWED, readParameter } from './read/parameters.ts';
import { goodPath, refuseShared } from './read/paths.ts';
import { checkStepsAsProse, readSteps } from './read/steps.ts';
import { readSchedule } from './schedules/read.ts';
import { NOTHING } from './verbs/verb.ts';

/** Reads `## Endpoints`. */
export function readEndpoints(section: Section | null, notes: Notes): Endpoints {
  const unders: Under[] = [];
  const list: Endpoint[] = [];
  const handlers: Handler[] = [];
  const schedules: Schedule[] = [];
  const tags: Tag[] = [];
  if (!section) return { settings: NO_PART_SETTINGS, parameters: [], unders, list, handlers, schedules, tags };
  const { settings, descriptions } = readShared(section, notes);
  refuse(section, { steps: true }, 'outside an endpoint', notes.findings);
  for (const child of section.children) {
    const heading = readValue(child.heading, notes, ENDPOINTS_HEADING)?.value;
    if (!heading) continue;
    if ('handler' in heading) {
      handlers.push(readHandler(child, heading.handler, notes));
      continue;
    }
    if ('schedule' in heading) {
      schedules.push(readSchedule(child, heading.schedule, notes));
      continue;
    }
    if ('tag' in heading) {
      refuse(child, { children: true, tables: true, bullets: true, steps: true }, 'under a tag', notes.findings);
      tags.push({ name: heading.tag, span: child.heading });
      continue;
    }
    refuse(child, { children: true }, 'under an endpoint', notes.findings);
    checkStepsAsProse(child, notes);
    const steps = readSteps(child.steps, notes);
    if ('under' in heading) {
      refuse(child, { tables: true, bullets: true }, 'under a path', notes.findings);
      const { text: path, inner: span } = heading.under;
      if (child.steps.length === 0) notes.findings.push(d.report.underEmpty(span, { path }));
      if (goodPath(heading.under, path, 0, 'use', notes)) unders.push({ path, steps, span });
    } else {
      const endpoint = readHeading(heading.endpoint, notes);
      const own = readSettings(child, notes);
      const parameters = readParameters(child, notes);
      if (endpoint) list.push({ ...endpoint, settings: own, parameters, steps, span: heading.endpoint.inner });
    }
  }
  list.push(...descriptions.map((one) => takingNothing(one, sharedSettings({ settings }, one.method))));
  refuseShared(list, notes);
  refuseRepeats(
    handlers.map((handler) => handler.name),
    notes.findings,
    'The handler ',
  );
  refuseRepeats(
    schedules.map((schedule) => schedule.name),
    notes.findings,
    'The schedule ',
  );
  refuseRepeats(
    tags.map((tag) => tag.name),
    notes.findings,
    'The tag ',
  );
  for (const [i, under] of unders.entries())
    if (unders.findIndex((other) => other.path === under.path) < i)
      notes.findings.push(language.report.twice(under.span, { what: `“Under ${under.path}”` }));
  return { settings, parameters: readParameters(section, notes), unders, list, handlers, schedules, tags };
}

function readParameters(section: Section, notes: Notes): Endpoint['parameters'] {
  return section.tables.flatMap((table) =>
    readTable(table, TABLES.parameter, notes, PARAMETER_OWED).flatMap((cells) => readParameter(cells, notes) ?? []),
  );
}

/** Reads the bullets for all endpoints, and the endpoints that serve descriptions. */
function readShared(section: Section, notes: Notes): { settings: PartSettings; descriptions: readonly Endpoint[] } {
  const { descriptions, ...stated } = readStatements(section, 'endpoints', ENDPOINTS, notes);
  if (stated.sort)
    notes.findings.push(language.report.unexpected(stated.sort, { what: 'Sort', where: 'for every endpoint' }));
  return {
    settings: { ...stated, pages: null, tag: null, deprecated: null },
    descriptions: readDescriptions(descriptions?.value ?? [], notes),
  };
}

/** Reads the bullets of one endpoint. */
export const readSettings = (section: Section, notes: Notes): Settings =>
  readStatements(section, 'endpoint', ENDPOINT, notes);

/**
 * Makes an endpoint of each description. The settings of the part apply to it as to other endpoints; the bullet of the
 * description may state its Access.
 */
function readDescriptions(stated: readonly Description[], notes: Notes): Endpoint[] {
  return stated.flatMap(({ value: { format, path: token, access, content }, from, to }) => {
    const { text: path, inner: span } = token;
    if (!goodPath(token, path, 0, 'value', notes)) return [];
    if (path.includes('{')) {
      notes.findings.push(d.report.descriptionPath(span, { found: path }));
      return [];
    }
    return {
      name: `GET ${path}`,
      method: 'GET',
      path,
      settings: { ...NO_SETTINGS, access: access ? located(access.names[0], access) : null },
      parameters: [],
      steps: [
        {
          verb: 'Answer',
          span: { from, to },
          does: { ...NOTHING, byRequest: true },
          status: { value: 200, ...span },
          body: null,
          stream: null,
          description: { format, content },
          view: null,
          form: null,
          members: [],
          headers: [],
        },
      ],
      span,
    };
  });
}

/** Sets Request and Idempotency of a description to none: the part's settings for writes don't apply to it. */
function takingNothing(description: Endpoint, { request, idempotency }: Settings): Endpoint {
  const none = located(description.span, 'none' as const);
  const settings = {
    ...description.settings,
    request: request?.value === 'none' ? null : none,
    idempotency: idempotency?.value === 'none' ? null : none,
  };
  return { ...description, settings };
}

/** Reads a method and a path, whose braces hold names of parameters. */
function readHeading(token: Token, notes: Notes): Pick<Endpoint, 'name' | 'method' | 'path'> | null {
  const match = /^(\S+) (\S+)$/.exec(token.text);
  const [, written = token.text, path] = match ?? [];
  const { from } = token.inner;
  const span = match ? { from, to: from + written.length } : token.inner;
  const method = METHODS.find((known) => known === written);
  if (path === undefined || !method) {
    const params = {
      found: written,
      methods: METHODS.join(', '),
      nearest: method ? '' : (nearest(written, METHODS) ?? ''),
    };
    notes.findings.push(d.report.heading(span, params));
    return null;
  }
  notes.marks.push({ ...span, role: 'word' });
  return goodPath(token, path, method.length + 1, 'value', notes) ? { name: token.text, method, path } : null;
}
