import type { Section } from '../../source/markdown.ts';
import { language } from '../../source/language.ts';
import { type Notes, Phrase, type Token } from '../../source/phrase.ts';
import { readBullets, readTable, refuse, said, takeName } from '../../source/read.ts';
import { takeDuration } from '../../source/units.ts';
import { endpointsDiagnostics as d } from './diagnostics.ts';
import type { Endpoint, Endpoints, Idempotency, Requested, Settings, Under } from './model.ts';
import { PARAMETER_COLUMNS, readParameter } from './parameters.ts';
import { readStep } from './steps.ts';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Reads `## Endpoints`. */
export function readEndpoints(section: Section | null, notes: Notes): Endpoints {
  const unders: Under[] = [];
  const list: Endpoint[] = [];
  if (!section) return { settings: NOTHING, parameters: [], unders, list };
  const settings = readSettings(section, notes);
  refuse(section, { steps: true }, 'outside an endpoint', notes.findings);
  for (const child of section.children) {
    const heading = new Phrase(child.heading, notes);
    const under = heading.take('Under');
    const token = heading.code('declaration', 'a method and a path in inline code, such as `GET /orders`');
    if (!token || !heading.end()) continue;
    refuse(child, { children: true }, 'under an endpoint', notes.findings);
    const steps = child.steps.map((step) => readStep(step, notes)).filter((step) => step !== null);
    if (under) {
      refuse(child, { tables: true, bullets: true }, 'under a path', notes.findings);
      if (goodPath(token, token.text, notes)) unders.push({ path: token.text, steps, span: token });
    } else {
      const endpoint = readHeading(token, notes);
      const own = readSettings(child, notes);
      const parameters = readParameters(child, notes);
      if (endpoint) list.push({ ...endpoint, settings: own, parameters, steps, span: token });
    }
  }
  for (const [i, endpoint] of list.entries())
    if (list.findIndex((other) => samePlace(other, endpoint)) < i)
      notes.findings.push(language.report.twice(endpoint.span, { what: `The endpoint “${endpoint.name}”` }));
  return { settings, parameters: readParameters(section, notes), unders, list };
}

const samePlace = (a: Endpoint, b: Endpoint): boolean =>
  a.method === b.method && a.path.replace(/\{[^}]*\}/g, '{}') === b.path.replace(/\{[^}]*\}/g, '{}');

function readHeading(token: Token, notes: Notes): Pick<Endpoint, 'name' | 'method' | 'path'> | null {
  const match = /^(\S+) (\S+)$/.exec(token.text);
  const method = METHODS.find((known) => known === match?.[1]);
  if (!match || !method) {
    notes.findings.push(d.report.heading(token, { found: token.text, methods: METHODS.join(', ') }));
    return null;
  }
  return goodPath(token, match[2]!, notes) ? { name: token.text, method, path: match[2]! } : null;
}

/** A path of segments, each literal (RFC 3986 unreserved) or `{name}`. */
function goodPath(token: Token, path: string, notes: Notes): boolean {
  const good = path === '/' || /^(?:\/(?:\{[A-Za-z][A-Za-z0-9_]*\}|[A-Za-z0-9._~-]+))+$/.test(path);
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map((match) => match[1]);
  if (good && new Set(names).size === names.length) return true;
  notes.findings.push(d.report.path(token, { found: path }));
  return false;
}

function readParameters(section: Section, notes: Notes): Endpoint['parameters'] {
  return section.tables.flatMap((table) =>
    readTable(table, PARAMETER_COLUMNS, notes).flatMap((cells) => readParameter(cells, notes) ?? []),
  );
}

const NOTHING: Settings = {
  payloads: null,
  access: null,
  request: null,
  unreadBodies: null,
  unknownParameters: null,
  head: null,
  conditional: null,
  idempotency: null,
};

function readSettings(section: Section, notes: Notes): Settings {
  const out: { -readonly [K in keyof Settings]: Settings[K] } = { ...NOTHING };
  readBullets(
    section,
    {
      Payloads: (value, span) => {
        if (value.expect('JSON (RFC 8259)')) out.payloads = said(span, 'JSON');
      },
      Access: (value, span) => {
        for (const later of ['anyone', 'any'])
          if (value.take(later)) {
            notes.findings.push(language.report.notYet(span, { what: `The access “${later}”` }));
            value.rest();
            return;
          }
        out.access = said(span, takeName(value, 'use', 'a scope'));
      },
      Request: (value, span) => {
        out.request = said(span, value.take('none') ? 'none' : readRequested(value));
      },
      'Unread bodies': (value, span) => {
        out.unreadBodies = said(span, value.choose(['refused', 'ignored']));
      },
      'Unknown parameters': (value, span) => {
        out.unknownParameters = said(span, value.choose(['refused', 'ignored']));
      },
      HEAD: (value, span) => {
        if (value.take('as GET')) notes.findings.push(language.report.notYet(span, { what: '“HEAD: as GET”' }));
        else out.head = said(span, value.choose(['not served']));
      },
      'Conditional requests': (value, span) => {
        if (value.take('RFC 9110')) {
          notes.findings.push(language.report.notYet(span, { what: 'Conditional requests other than none' }));
          value.rest();
        } else out.conditional = said(span, value.choose(['none']));
      },
      Idempotency: (value, span) => {
        out.idempotency = said(span, value.take('none') ? 'none' : readIdempotency(value, notes));
      },
      Sort: (value, span) => {
        notes.findings.push(language.report.notYet(span, { what: '“Sort”' }));
        value.rest();
      },
    },
    notes,
  );
  return out;
}

/** `Order with quantity, note, each optional` */
function readRequested(value: Phrase): Requested | null {
  const resource = takeName(value, 'use', 'a resource');
  if (!resource || !value.expect('with')) return null;
  const fields = [];
  let optional = false;
  do {
    if (fields.length && value.take('each optional')) {
      optional = true;
      break;
    }
    const field = takeName(value, 'use', 'a field');
    if (!field) return null;
    fields.push(field);
  } while (value.mark(','));
  return { resource, fields, optional };
}

function readIdempotency(value: Phrase, notes: Notes): Idempotency | null {
  if (!value.expect('header')) return null;
  const header = value.code('value', 'the name of a header in inline code');
  if (!header || !value.expect(', required, for each caller, kept')) return null;
  const keptMilliseconds = takeDuration(value);
  if (keptMilliseconds === null || !value.expect(', answers below')) return null;
  const answersBelow = value.integer('a status, such as 500');
  if (answersBelow === null) return null;
  if (answersBelow < 200 || answersBelow > 600)
    notes.findings.push(d.report.answersBelow(value.span, { status: `${answersBelow}` }));
  return { header: header.text, keptMilliseconds, answersBelow };
}
