import { TABLES } from '../../language/columns.ts';
import { ENDPOINT, ENDPOINTS, ENDPOINTS_HEADING } from '../../language/endpoints.ts';
import { readStatements, readTable, readValue } from '../../language/read.ts';
import type { Section } from '../../syntax/markdown.ts';
import { language } from '../../syntax/messages.ts';
import { refuse, refuseRepeats } from '../../syntax/names.ts';
import type { Notes } from '../../syntax/phrase.ts';
import {
  type Endpoint,
  type Endpoints,
  type Handler,
  NO_SETTINGS,
  type Settings,
  type Under,
} from '../statements/endpoints.ts';
import { readHandler } from './handlers/read.ts';
import { endpointsDiagnostics as d } from './messages/endpoints.ts';
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
  const { settings, descriptions } = readShared(section, notes);
  refuse(section, { steps: true }, 'outside an endpoint', notes.findings);
  for (const child of section.children) {
    const heading = readValue(child.heading, notes, ENDPOINTS_HEADING)?.value;
    if (!heading) continue;
    if ('handler' in heading) {
      handlers.push(readHandler(child, heading.handler, notes));
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

/** Reads the bullets for all endpoints, and the endpoints that serve descriptions. */
function readShared(section: Section, notes: Notes): { settings: Settings; descriptions: readonly Endpoint[] } {
  const { descriptions, ...stated } = readStatements(section, 'endpoints', ENDPOINTS, notes);
  if (stated.sort)
    notes.findings.push(language.report.unexpected(stated.sort, { what: 'Sort', where: 'for every endpoint' }));
  return { settings: { ...stated, pages: null }, descriptions: readDescriptions(descriptions?.value ?? [], notes) };
}

/** Reads the bullets of one endpoint. */
export const readSettings = (section: Section, notes: Notes): Settings =>
  readStatements(section, 'endpoint', ENDPOINT, notes);
