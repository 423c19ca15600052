import { AUTHENTICATION, SCHEME } from '../language/authentication.ts';
import { ENDPOINT, ENDPOINTS, PARAMETER } from '../language/endpoints.ts';
import { ERROR, ERRORS, MORE, PAYLOAD_MEMBER, PROBLEM_TYPE } from '../language/errors.ts';
import { CONTENT, EVENTS, HEARS, NOTIFIED_BY, SEEN, STREAM, WEBHOOK, WHEN } from '../language/events.ts';
import type { AnyGrammar, Grammar } from '../language/grammar.ts';
import { HANDLER } from '../language/handlers.ts';
import { LIMIT_BULLETS, LIMITS, UNCOUNTED_AT } from '../language/limits.ts';
import { PURPOSE_BULLETS } from '../language/purpose.ts';
import { FIELD, RESOURCE, RESOURCES } from '../language/resources.ts';
import { SCHEDULE } from '../language/schedules.ts';
import { type BulletStatements, blanksOf, type Statements } from '../language/statement.ts';
import { MACHINE, STATES, TRANSITION } from '../language/states.ts';
import { STEPS, stepText } from '../language/steps.ts';
import { VERSION, VERSIONING } from '../language/versioning.ts';
import { PART_HEADINGS, PARTS, type PartName } from '../plan/parts.ts';
import type { Located } from '../syntax/names.ts';
import type { Span } from '../syntax/span.ts';
import type { Token } from '../syntax/tokens.ts';
import { keysOf, ownMember } from '../text/own-members.ts';
import type { Authentication, Scheme } from './statements/authentication.ts';
import type { Endpoint, Endpoints, Handler, Parameter, Schedule, Step } from './statements/endpoints.ts';
import type { Errors } from './statements/errors.ts';
import type { Events } from './statements/events.ts';
import type { Limits } from './statements/limits.ts';
import { type AbsenceSentence, type Model, type Paragraphs, proseBelow } from './statements/model.ts';
import type { Field, Resource, Resources } from './statements/resources.ts';
import { type Machine, namesOf, type States } from './statements/states.ts';
import type { Versioning } from './statements/versioning.ts';

/** Blocks of Markdown, such as a heading or a table, in the order of the document; an empty one is left out. */
type Blocks = readonly string[];

/** The columns of tables: those in which some row states something, or also those that still have to be stated. */
type TableColumns = 'stated' | 'open';

/**
 * Prints a model as a document that reads as the same model, part by part in the order of the language. The document has
 * the prose below resources and endpoints, which belongs to the plan, and no other prose.
 */
export function documentOf(model: Model, columns: TableColumns = 'stated'): string {
  const prose = new PrintedProse(model.prose);
  const parts: Readonly<Record<PartName, () => Blocks>> = {
    purpose: () => [bullets(PURPOSE_BULLETS, model.purpose)],
    resources: () => ofResources(model.resources, prose, columns),
    states: () => ofStates(model.states),
    endpoints: () => ofEndpoints(model.endpoints, prose, columns),
    authentication: () => ofAuthentication(model.authentication),
    events: () => ofEvents(model.events, columns),
    errors: () => ofErrors(model.errors, columns),
    limits: () => ofLimits(model.limits),
    versioning: () => ofVersioning(model.versioning),
  };
  const title = model.title === null ? '#' : `# ${model.title.text}`;
  const blocks = PARTS.flatMap(([part]) => {
    const stated = parts[part]();
    return [`## ${PART_HEADINGS[part]}`, sentences(part, model.absences, prose), ...stated];
  });
  return `${[title, ...blocks].filter((block) => block !== '').join('\n\n')}\n`;
}

/** The prose below headings, and which of it has been printed. */
class PrintedProse {
  private readonly all: readonly Paragraphs[];
  private readonly printed: Span[] = [];

  constructor(all: readonly Paragraphs[]) {
    this.all = all;
  }

  /** The prose below the heading at a place; empty where there is none. */
  at(place: Span): string {
    const found = proseBelow(this.all, place);
    if (!found) return '';
    this.printed.push(found.span);
    return found.text;
  }

  /** Whether a sentence was printed with its paragraph. */
  has({ from, to }: Span): boolean {
    return this.printed.some((one) => one.from <= from && to <= one.to);
  }
}

/** The sentences that state items of a part `none` or `not shown`. */
const sentences = (part: PartName, absences: readonly AbsenceSentence[], prose: PrintedProse): string =>
  absences
    .filter((one) => one.part === part && !prose.has(one.span))
    .map(({ item, state }) => `${item.charAt(0).toUpperCase()}${item.slice(1)}: ${state}.`)
    .join(' ');

/** A value that has no place of its own in a document. */
const unplaced = <T>(value: T): Located<T> => ({ value, from: 0, to: 0 });
const unplacedIf = <T>(value: T | null): Located<T> | null => (value === null ? null : unplaced(value));

/** The values of statements by their members: a rule of a list has the members of its value. */
type Values<S extends Statements> = {
  readonly [K in keyof S as S[K]['member']]?: Located<unknown> | readonly unknown[] | null;
};

const printedBy = (grammar: AnyGrammar, value: unknown): string => (grammar as Grammar<unknown>).print(value);

function bullets<S extends BulletStatements>(statements: S, stated: Values<S>): string {
  const values = stated as Readonly<Record<string, Located<unknown> | readonly unknown[] | null>>;
  return Object.entries(statements)
    .flatMap(([key, { member, value, rules, named }]) => {
      const given = values[member] ?? null;
      if (given === null) return [];
      if (!rules) return `- ${key}: ${printedBy(value, (given as Located<unknown>).value)}`;
      return (given as ReadonlyArray<{ readonly name?: { readonly text: string } }>).map(
        (rule) => `- ${key}${named ? rule.name?.text : ''}: ${printedBy(value, rule)}`,
      );
    })
    .join('\n');
}

/** A cell of a table, by the grammar of its column; null where nothing is stated. */
type Cell = string | null;

const cell = (grammar: AnyGrammar, stated: Located<unknown> | null): Cell =>
  stated === null ? null : printedBy(grammar, stated.value);

/** The cells of a row by the statements of its columns. */
function cells<S extends Statements>(columns: S, stated: Values<S>): Readonly<Record<keyof S & string, Cell>> {
  const values = stated as Readonly<Record<string, Located<unknown> | null>>;
  return Object.fromEntries(
    Object.entries(columns).map(([column, { member, value }]) => [column, cell(value, values[member] ?? null)]),
  ) as Record<keyof S & string, Cell>;
}

/**
 * A table with the columns in which some row states something, and those that are `kept`; the first column names the
 * subject of a row.
 */
function table(rows: ReadonlyArray<Readonly<Record<string, Cell>>>, kept: readonly string[] = []): string {
  const [first] = rows;
  if (!first) return '';
  const isStated = (column: string): boolean => rows.some((row) => (row[column] ?? null) !== null);
  const columns = keysOf(first).filter((column, i) => i === 0 || kept.includes(column) || isStated(column));
  const line = (texts: readonly string[]): string => `| ${texts.join(' | ')} |`;
  // A bar would end the cell, in inline code too (GFM, 4.10).
  const body = rows.map((row) => line(columns.map((column) => (row[column] ?? '').replaceAll('|', '\\|'))));
  return [line(columns), line(columns.map(() => '---')), ...body].join('\n');
}

const named = (text: string): Located<{ readonly text: string }> => unplaced({ text });

function ofResources({ rules, list }: Resources, prose: PrintedProse, columns: TableColumns): Blocks {
  const { 'Blank cells': _, ...all } = RESOURCES;
  return [bullets(all, rules), ...list.flatMap((resource) => ofResource(resource, prose, columns))];
}

function ofResource(resource: Resource, prose: PrintedProse, columns: TableColumns): Blocks {
  const rows = resource.fields.flatMap((field) => fieldRow(resource, field));
  const fields = table(rows, columns === 'open' ? keysOf(FIELD) : []);
  return [`### ${resource.name.text}`, prose.at(resource.name), fields, bullets(RESOURCE, resource)];
}

/** The row of a field. The members of bytes have one row, at the place of the first of them. */
function fieldRow({ fields, bytes }: Resource, field: Field): Record<string, Cell>[] {
  const of = bytes.find(({ name }) => name.text === field.of);
  if (!of) return [{ Field: field.name.text, ...cells(FIELD, field) }];
  if (fields.find((one) => one.of === field.of) !== field) return [];
  const allowed = of.allowed && unplaced(of.allowed);
  return [{ Field: of.name.text, ...cells(FIELD, { ...field, type: unplaced({ kind: 'bytes' as const }), allowed }) }];
}

function ofStates({ none, machines }: States): Blocks {
  return [bullets(STATES, { none: none ? unplaced('none') : null }), ...machines.flatMap(ofMachine)];
}

function ofMachine({ resource, field, initial, final, transitions, reactions }: Machine): Blocks {
  const rows = transitions.map(({ name, from, to, ...stated }) =>
    cells(TRANSITION, {
      ...stated,
      name: unplaced(name),
      from: from.length ? unplaced(from) : null,
      to: unplacedIf(to),
    }),
  );
  return [
    `### ${resource.text}.${field.text}`,
    bullets(MACHINE, { initial: unplacedIf(initial), final }),
    table(rows),
    ...reactions.flatMap((one) => [`#### After ${namesOf(one)}`, stepList(one.steps)]),
  ];
}

function ofEndpoints(
  { settings, parameters, unders, list, handlers, schedules, tags }: Endpoints,
  prose: PrintedProse,
  columns: TableColumns,
): Blocks {
  const described = list.flatMap(descriptionOf);
  const descriptions = described.length ? unplaced(described) : null;
  return [
    bullets(ENDPOINTS, { ...settings, descriptions }),
    parameterTable(parameters, columns),
    ...unders.flatMap(({ path, steps }) => [`### Under \`${path}\``, stepList(steps)]),
    ...list.flatMap((one) => (descriptionOf(one).length ? [] : ofEndpoint(one, prose, columns))),
    ...handlers.flatMap(ofHandler),
    ...schedules.flatMap(ofSchedule),
    ...tags.flatMap(({ name, span }) => [`### Tag ${name.text}`, prose.at(span)]),
  ];
}

function ofEndpoint(
  { name, settings, parameters, steps, span }: Endpoint,
  prose: PrintedProse,
  columns: TableColumns,
): Blocks {
  const bulleted = bullets(ENDPOINT, settings);
  return [`### \`${name}\``, prose.at(span), bulleted, parameterTable(parameters, columns), stepList(steps)];
}

/** The value of the bullet `Description` for an endpoint that serves a description; empty for other endpoints. */
function descriptionOf({ path, settings, steps: [step] }: Endpoint) {
  if (step?.verb !== 'Answer' || step.description === null) return [];
  return [unplaced({ ...step.description, path: inCode(path), access: settings.access?.value ?? null })];
}

/** A span of inline code without a place in a document. */
const inCode = (text: string): Token => ({
  kind: 'code',
  text,
  from: 0,
  to: 0,
  inner: { from: 0, to: 0 },
  offsets: [],
});

const parameterTable = (parameters: readonly Parameter[], columns: TableColumns): string =>
  table(parameters.map(parameterRow), columns === 'open' ? keysOf(blanksOf(PARAMETER)) : []);

function parameterRow({ name, presence, fallback, otherwise, keeps, ...stated }: Parameter) {
  return cells(PARAMETER, {
    ...stated,
    name: unplaced(name),
    presence: presence && unplaced(presence.value === 'else' ? fallback : presence.value),
    otherwise: unplacedIf(otherwise),
    keeps: unplacedIf(keeps),
  });
}

/** The rows of a table of inputs or outputs of a handler, or of claims, whose names stand under `first`. */
const argumentRows = (first: 'Takes' | 'Gives' | 'Claim', list: readonly Parameter[]) =>
  list.map((one) => {
    const { Type, 'Allowed values': allowed, Presence } = parameterRow(one);
    return { [first]: one.name.text, Type, 'Allowed values': allowed, Presence };
  });

function ofHandler(handler: Handler): Blocks {
  const { name, takes, gives, answers, failing } = handler;
  return [
    `### Handler ${name.text}`,
    bullets(HANDLER, handler),
    table(argumentRows('Takes', takes)),
    table(argumentRows('Gives', gives)),
    ...(answers ? [`#### When ${name.text} answers`, stepList(answers.steps)] : []),
    ...(failing ? [`#### When ${name.text} fails`, stepList(failing.steps)] : []),
  ];
}

const ofSchedule = (schedule: Schedule): Blocks => [
  `### Schedule ${schedule.name.text}`,
  bullets(SCHEDULE, schedule),
  stepList(schedule.steps),
];

const stepList = (steps: readonly Step[]): string => stepLines(steps).join('\n');

/** The lines of a numbered list of steps. The steps that a step holds are indented to its text. */
function stepLines(steps: readonly Step[]): string[] {
  const lines: string[] = [];
  let number = 0;
  const add = (text: string, held: readonly Step[]): void => {
    const marker = `${++number}. `;
    lines.push(marker + text, ...stepLines(held).map((line) => ' '.repeat(marker.length) + line));
  };
  for (const step of steps) {
    add(stepText(step.verb, printedBy(STEPS[step.verb], step)), 'steps' in step ? step.steps : []);
    if ('otherwise' in step && step.otherwise) add('Otherwise:', step.otherwise);
  }
  return lines;
}

function ofAuthentication({ none, unaccepted, origins, schemes }: Authentication): Blocks {
  const part = bullets(AUTHENTICATION, { none: none ? unplaced('none') : null, unaccepted, origins });
  return [part, ...schemes.flatMap(ofScheme)];
}

function ofScheme(scheme: Scheme): Blocks {
  const { name, caller, condition, tokens, scopes, claims } = scheme;
  const stated = {
    ...scheme,
    ...tokens,
    caller: caller && unplaced({ resource: caller, subject: tokens.subject?.value ?? null, condition }),
    scopes: tokens.scopesIn ?? (scopes?.length === 0 ? unplaced('none') : null),
  };
  const rows = (scopes ?? []).map((one) => ({ Scope: one.name.text, 'Lets the caller': one.permits }));
  return [`### ${name}`, bullets(SCHEME, stated), table(rows), table(argumentRows('Claim', claims))];
}

function ofEvents({ none, list, webhook, stream }: Events, columns: TableColumns): Blocks {
  const rows = list.map(({ name, when, emitted, payload, members, notifiedBy }) => ({
    Event: name.text,
    When: cell(WHEN, unplacedIf(emitted ? 'emitted' : when)),
    Payload: cell(CONTENT, unplacedIf(members ? { members } : payload)),
    'Notified by': cell(NOTIFIED_BY, notifiedBy),
  }));
  const hears = (webhook?.hears ?? []).map(
    ({ resource, condition }) => `- Hears of ${resource.text}: ${printedBy(HEARS, condition)}`,
  );
  const seen = (stream?.seen ?? []).map(
    ({ event, condition }) => `- Visible of ${event.text}: ${printedBy(SEEN, condition)}`,
  );
  return [
    bullets(EVENTS, { none: none ? unplaced('none') : null }),
    table(rows, columns === 'open' ? ['When', 'Payload', 'Notified by'] : []),
    ...(webhook ? ['### Webhook', [bullets(WEBHOOK, webhook), ...hears].filter((line) => line !== '').join('\n')] : []),
    ...(stream ? ['### Stream', [bullets(STREAM, stream), ...seen].filter((line) => line !== '').join('\n')] : []),
  ];
}

function ofErrors(
  { payload, common, blanks: meanings, rows, columns: further, payloads }: Errors,
  columns: TableColumns,
): Blocks {
  const errors = rows.map((row) => ({
    ...cells(ERROR, { ...row, code: unplaced(row.code), when: row.when.length ? unplaced(row.when) : null }),
    ...Object.fromEntries(
      further.map(({ name, heading }) => [
        heading.text,
        cell(payload?.value.kind === 'RFC 9457' ? PROBLEM_TYPE : MORE, ownMember(row.more, name) ?? null),
      ]),
    ),
  }));
  return [
    bullets(ERRORS, { payload, common, blanks: meanings.length ? unplaced(meanings) : null }),
    table(errors),
    ...payloads.map(({ name, members }) =>
      table(
        members.map((member) => {
          const { Member, ...rest } = cells(PAYLOAD_MEMBER, { ...member, name: named(member.name.text) });
          return { [`Payload ${name.text}`]: Member, ...rest };
        }),
        columns === 'open' ? ['Type', 'Value'] : [],
      ),
    ),
  ];
}

function ofLimits(limits: Limits): Blocks {
  const row = (limit: keyof typeof LIMITS, value: unknown, at: unknown, of = LIMITS[limit].at as AnyGrammar) => ({
    Limit: limit,
    Value: printedBy(LIMITS[limit].value, value),
    'Applies to': printedBy(of, at),
  });
  const rows = [
    ...limits.rates.map((rate) => row('Rate', rate, rate)),
    ...limits.uncounted.map((one) => row('Rate', 'any number of requests', one, UNCOUNTED_AT)),
    ...keysOf(LIMITS).flatMap((limit) => {
      const general = limit === 'Rate' ? null : limits[LIMITS[limit].member];
      return general ? [row(limit, general.value, [])] : [];
    }),
    ...limits.own.map(({ limit, value, at }) => row(limit, value, at)),
  ];
  return [bullets(LIMIT_BULLETS, limits), table(rows)];
}

function ofVersioning({ none, scheme, current, without, policy, versions }: Versioning): Blocks {
  const rows = versions.map((version) =>
    cells(VERSION, { ...version, name: named(version.name), state: unplacedIf(version.state) }),
  );
  const stated = {
    scheme: none ? unplaced('none') : scheme,
    current: current && named(current.value),
    without,
    policy,
  };
  return [bullets(VERSIONING, stated), table(rows)];
}
