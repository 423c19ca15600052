import { type Expr, isClaims, parts, show } from '../../expression/tree/expression.ts';
import type { Type } from '../../expression/tree/types.ts';
import { answersOf } from '../../plan/answered.ts';
import { transitionsIn } from '../../plan/machines.ts';
import { allNested, eachSortKeys, nestedLists } from '../../plan/nested-steps.ts';
import { isList } from '../../plan/slots.ts';
import type {
  AnswerStep,
  EndpointPlan,
  InsideStep,
  OrderKey,
  ParameterPlan,
  Plan,
  ShownPlan,
} from '../../plan/step.ts';
import { fieldsWithMergedWords, fieldsWithWords, wordsIn } from '../../plan/words.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Span } from '../../syntax/span.ts';
import type { Places } from '../storage/fits.ts';
import { filteredField, isParameter } from './filters.ts';
import { versioningDiagnostics as d } from './messages.ts';

/**
 * Finds the uses of values that callers of an older version would meet in words which are not theirs: texts that are
 * computed from them, orders, groups, comparisons with texts of a request, and copies.
 */
export function checkUses(plan: Plan, places: Places): Finding[] {
  return fieldsWithWords(plan.versions).size === 0 ? [] : new Uses(plan, places).check();
}

/** The origin of the text of a value. */
interface Origin {
  /** A field whose values have other words in an older version; null where it comes from none. */
  readonly field: string | null;
  /** Whether a request has sent it as a text that is no value of such a field. */
  readonly sent: boolean;
}

/** The functions that put the items of a list in an order, or choose one by it. */
const ORDERING: ReadonlySet<string> = new Set(['sort', 'min', 'max']);

const NOWHERE: Origin = { field: null, sent: false };
const either = (...all: readonly Origin[]): Origin => ({
  field: all.find(({ field }) => field !== null)?.field ?? null,
  sent: all.some(({ sent }) => sent),
});

type Names = ReadonlyMap<string, Origin>;

/** The place of an expression: its text in messages, its span, and the endpoints that a finding concerns. */
interface Site {
  readonly where: string;
  readonly span: Span | null;
  readonly endpoints: readonly string[] | null;
  /** The fields whose values the parameters and members of the request take, by their names. */
  readonly words: ReadonlyMap<string, string>;
  /** The names that are no part of the request, such as the results of handlers. */
  readonly results: ReadonlySet<string>;
}

/** A use that values with words of an older version cannot have. */
type WordUse = 'wordComputed' | 'wordOrdered' | 'wordGrouped' | 'wordRepeated';

const REQUESTS = new Set(['path', 'query', 'header', 'request']);

/** Whether values of a type have text in them. */
function hasText(type: Type): boolean {
  switch (type.kind) {
    case 'string':
    case 'unknown':
      return true;
    case 'list':
    case 'map':
      return hasText(type.of);
    case 'object':
      return Object.values(type.members).some(hasText);
    default:
      return false;
  }
}

class Uses {
  private readonly findings: Finding[] = [];
  private readonly plan: Plan;
  private readonly places: Places;
  private readonly fields: ReadonlySet<string>;
  private readonly merged: ReadonlySet<string>;
  private readonly derived = new Map<string, Origin>();
  /** The fields of enumerations that views, derived fields, answers and events read. */
  private readonly shown: ReadonlySet<string>;

  constructor(plan: Plan, places: Places) {
    this.plan = plan;
    this.places = places;
    this.fields = fieldsWithWords(plan.versions);
    this.merged = fieldsWithMergedWords(plan.versions);
    this.shown = shownFields(plan);
  }

  check(): Finding[] {
    for (const resource of this.plan.resources) {
      const { name, views, givings, machines } = resource;
      const at = (where: string, member?: string): Site => ({
        where,
        span: this.places.resource(name, member) ?? this.places.resource(name),
        endpoints: null,
        words: new Map(),
        results: new Set(),
      });
      for (const view of views)
        for (const member of view.members)
          this.mustShow(member, at(`${name}.${member.field}`, member.field), new Map());
      for (const { field, value } of givings)
        this.mustKeep(name, field, value, at(`${name}.${field}`, field), new Map());
      for (const { entry, of } of resource.audit?.facts ?? [])
        if (of !== null && this.fields.has(`${name}.${of}`))
          this.mustBeListed(resource.audit?.entries ?? '', entry, `${name}.${of}`, at(`The audit of ${name}`));
      for (const { name: move, then } of transitionsIn(machines))
        this.steps(then, at(`“After ${move}” of ${name}`), new Map());
    }
    for (const endpoint of this.plan.endpoints) this.endpoint(endpoint);
    const alone = (where: string): Site => ({
      where,
      span: null,
      endpoints: null,
      words: new Map(),
      results: new Set(),
    });
    for (const { name, steps } of this.plan.schedules ?? [])
      this.steps(steps, alone(`The schedule ${name}`), new Map());
    for (const { name, answers, failing } of this.plan.handlers)
      this.steps([...answers, ...failing], alone(`The handler ${name}`), new Map());
    for (const expr of expressionsIn(this.plan.errors.payload))
      this.mustBeFree(expr, alone('The payload of errors'), new Map());
    return this.findings;
  }

  private endpoint(endpoint: EndpointPlan): void {
    const words = new Map<string, string>();
    const merged = new Map<string, string>();
    const add = (place: string, { name, words: field }: ParameterPlan): void => {
      if (field === undefined) return;
      words.set(`${place} ${name}`, field);
      if (this.merged.has(field)) merged.set(`${place} ${name}`, field);
    };
    for (const step of endpoint.before) {
      if (step.do === 'read parameters')
        for (const place of ['path', 'query', 'header'] as const) for (const one of step[place]) add(place, one);
      if (step.do !== 'validate body') continue;
      for (const one of step.parameters) add('request', one);
      for (const field of step.payload?.fields ?? [])
        if (this.fields.has(`${step.payload?.resource}.${field}`))
          words.set(`request ${field}`, `${step.payload?.resource}.${field}`);
    }
    const all = [...allNested(endpoint.inside)];
    const results = new Set(all.flatMap((step) => (step.do === 'run' && step.as !== null ? [step.as] : [])));
    const { name } = endpoint;
    const site: Site = { where: name, span: this.places.endpoint(name), endpoints: [name], words, results };
    this.steps(endpoint.inside, site, new Map());
    for (const answer of answersOf(endpoint)) this.answer(answer, site, new Map());
    this.mustNotRead(endpoint, merged, site);
  }

  /** A parameter that may mean several values is compared with its field in filters, and read nowhere else. */
  private mustNotRead(endpoint: EndpointPlan, merged: ReadonlyMap<string, string>, site: Site): void {
    if (merged.size === 0) return;
    /** The first parameter that an expression reads; `isFilter`: but for comparisons with its field. */
    const read = (expr: Expr, isFilter: boolean): { parameter: string; field: string } | null => {
      if (isFilter && filteredField(expr, merged) !== null) return null;
      const field = isParameter(expr, merged);
      if (field !== null && expr.op === 'get') return { parameter: expr.member, field };
      return parts(expr).reduce<ReturnType<typeof read>>((found, part) => found ?? read(part, isFilter), null);
    };
    const mustNot = (expr: Expr, isFilter: boolean): void => {
      const found = read(expr, isFilter);
      if (!found) return;
      const params = { where: site.where, ...found, expression: show(expr) };
      this.findings.push(d.report.wordElsewhere(site.span, params, site.endpoints));
    };
    for (const step of [...allNested(endpoint.inside), ...(endpoint.after ? [endpoint.after] : [])]) {
      const { filters: _, ...own } = withoutNested(step);
      for (const expr of expressionsIn(own)) mustNot(expr, false);
      if (isList(step)) for (const { where, stated = where } of step.filters) mustNot(stated, true);
    }
  }

  private steps(steps: readonly InsideStep[], site: Site, names: Names): void {
    for (const step of steps) {
      let inner = names;
      if (step.do === 'for each' && step.over.kind === 'list')
        inner = new Map([...names, [step.as, this.origin(step.over.list, site, names)]]);
      for (const { by } of orderOf(step, site)) this.mustNot('wordOrdered', by, site, names);
      if (step.do === 'group') {
        for (const { value } of step.by) this.mustNot('wordGrouped', value, site, names);
        for (const member of step.with) this.mustShow(member, site, names);
      }
      if (
        step.do === 'create' ||
        step.do === 'ensure' ||
        step.do === 'change' ||
        step.do === 'move' ||
        step.do === 'move to'
      )
        for (const { field, value } of step.with) this.mustKeep(step.resource, field, value, site, names);
      if (step.do === 'emit')
        for (const given of step.with) {
          this.mustShow(given, site, names);
          const type = this.plan.emitted
            ?.find(({ name }) => name === step.event)
            ?.members.find(({ name }) => name === given.field)?.type;
          // Other steps give the member values of another field, or texts of their own.
          if (type && !this.isWord(type)) this.mustBeFree(given.value, site, names);
        }
      if (step.do === 'answer') continue;
      for (const expr of expressionsIn(withoutNested(step))) this.origin(expr, site, names);
      for (const nested of nestedLists(step)) this.steps(nested, site, inner);
    }
  }

  private answer({ body, headers }: AnswerStep, site: Site, names: Names): void {
    for (const { value } of headers) this.mustBeFree(value, site, names);
    if (body?.kind === 'text') this.mustBeFree(body.value, site, names);
    if (body?.kind === 'file' && body.name) this.mustBeFree(body.name, site, names);
    if (body?.kind === 'value' || body?.kind === 'row with members') this.mustShow(body.shown, site, names);
    if (body?.kind === 'members' || body?.kind === 'row with members')
      for (const member of body.members) this.mustShow(member, site, names);
  }

  /** A value of JSON is a value of the field itself, which each version shows by its own word. */
  private mustShow({ value }: Pick<ShownPlan, 'value'>, site: Site, names: Names): void {
    if (!this.isWord(value.type)) this.mustBeFree(value, site, names);
    else this.origin(value, site, names);
    if (value.type.kind === 'list') this.mustBeDistinct(value, site, names);
  }

  /** A list of distinct values has a word twice that a version shows several values as. */
  private mustBeDistinct(value: Expr, site: Site, names: Names): void {
    if (value.op === 'call' && value.fn === 'distinct') {
      const { field } = this.origin(value, site, names);
      if (field !== null && this.merged.has(field)) this.mustNotBe('wordRepeated', value, { field, sent: false }, site);
    }
    if (value.op === 'call') for (const arg of value.args) this.mustBeDistinct(arg, site, names);
    if (value.op === 'each') this.mustBeDistinct(value.list, site, names);
    if (value.op === 'if') for (const part of [value.then, value.else]) this.mustBeDistinct(part, site, names);
  }

  /** Whether all texts of a type are values of fields with words, which are shown by these. */
  private isWord(type: Type): boolean {
    switch (type.kind) {
      case 'string':
        return type.oneOf !== null && type.owner !== null && this.fields.has(type.owner);
      case 'list':
      case 'map':
        return this.isWord(type.of);
      default:
        return false;
    }
  }

  private mustBeFree(value: Expr, site: Site, names: Names): void {
    this.mustNot('wordComputed', value, site, names);
  }

  private mustNot(code: WordUse, value: Expr, site: Site, names: Names): void {
    this.mustNotBe(code, value, this.origin(value, site, names), site);
  }

  private mustNotBe(code: WordUse, value: Expr, { field }: Origin, site: Site): void {
    if (field === null) return;
    const params = { where: site.where, field, expression: show(value), version: this.versionOf(field) };
    this.findings.push(d.report[code](site.span, params, site.endpoints));
  }

  /** A value is copied only into a field that has allowed values of its own. */
  private mustKeep(resource: string, name: string, value: Expr, site: Site, names: Names): void {
    const { field } = this.origin(value, site, names);
    if (field !== null) this.mustBeListed(resource, name, field, site);
  }

  private mustBeListed(resource: string, name: string, field: string, site: Site): void {
    const column = this.plan.resources.find((one) => one.name === resource)?.columns.find((one) => one.name === name);
    if (column && column.rule.oneOf !== null) this.mustHaveWords(`${resource}.${name}`, field, site);
    if (!column || column.rule.oneOf !== null) return;
    const params = { where: site.where, field, to: `${resource}.${name}`, version: this.versionOf(field) };
    this.findings.push(d.report.wordCopied(site.span, params, site.endpoints));
  }

  /** A field that is shown, and that takes values of a field with other words in a version, has words of its own there. */
  private mustHaveWords(to: string, field: string, site: Site): void {
    if (to === field || !this.shown.has(to)) return;
    const older = (this.plan.versions?.older ?? []).filter(({ retired }) => !retired);
    const version = older.find(
      (one) => wordsIn(one, field) !== null && wordsIn(one, to) === null && one.names[to] !== null,
    );
    if (!version) return;
    const [first] = wordsIn(version, field)?.words.filter(({ word, values }) => values[0] !== word) ?? [];
    const params = { where: site.where, field, to, version: version.name };
    const example = { value: first?.values[0] ?? '', word: first?.word ?? '' };
    this.findings.push(d.report.wordUncopied(site.span, { ...params, ...example }, site.endpoints));
  }

  private versionOf(field: string): string {
    return this.plan.versions?.older.find((one) => wordsIn(one, field))?.name ?? '';
  }

  /** The origin of a value’s text. Reports each comparison of a value with a text of the request. */
  private origin(expr: Expr, site: Site, names: Names): Origin {
    const found = this.originOf(expr, site, names);
    return hasText(expr.type) ? found : NOWHERE;
  }

  private originOf(expr: Expr, site: Site, names: Names): Origin {
    switch (expr.op) {
      case 'const':
      case 'rows':
        return NOWHERE;
      case 'name':
        return names.get(expr.name) ?? NOWHERE;
      case 'get':
        return this.originOfMember(expr, site, names);
      case 'sent':
        return NOWHERE;
      case 'call': {
        const args = expr.args.map((arg) => this.origin(arg, site, names));
        const of = args.find(({ field }) => field !== null);
        if (!hasText(expr.type) && of && args.some((one) => one !== of && one.sent)) {
          const params = { where: site.where, field: of.field ?? '', expression: show(expr) };
          const version = this.versionOf(of.field ?? '');
          this.findings.push(d.report.wordCompared(site.span, { ...params, version }, site.endpoints));
        }
        if (ORDERING.has(expr.fn)) this.mustNotBe('wordOrdered', expr, either(...args), site);
        return either(...args);
      }
      case 'if':
        this.origin(expr.test, site, names);
        return either(this.origin(expr.then, site, names), this.origin(expr.else, site, names));
      case 'each': {
        const list = this.origin(expr.list, site, names);
        const body = this.origin(expr.body, site, new Map([...names, [expr.name, list]]));
        if (expr.macro === 'sortBy' && body.field !== null)
          this.mustNot('wordOrdered', expr.body, site, new Map([...names, [expr.name, list]]));
        return expr.macro === 'map' ? body : list;
      }
      default:
        return either(...parts(expr).map((part) => this.origin(part, site, names)));
    }
  }

  private originOfMember(expr: Extract<Expr, { op: 'get' }>, site: Site, names: Names): Origin {
    const { of, member } = expr;
    const { type } = of;
    if (type.kind === 'row') {
      this.originOf(of, site, names);
      const path = `${type.resource}.${member}`;
      if (!expr.derived) return this.fields.has(path) ? { field: path, sent: false } : NOWHERE;
      return this.originOfDerived(type.resource, member, site);
    }
    if (type.kind !== 'object' || isClaims(of)) return this.originOf(of, site, names);
    if (of.op === 'name' && (of.name === 'service' || site.results.has(of.name))) return NOWHERE;
    const place = of.op === 'name' && REQUESTS.has(of.name) ? of.name : 'request';
    const field = site.words.get(`${place} ${member}`);
    return field === undefined ? { field: null, sent: true } : { field, sent: false };
  }

  private originOfDerived(resource: string, name: string, site: Site): Origin {
    const path = `${resource}.${name}`;
    const known = this.derived.get(path);
    if (known) return known;
    // A derived field that reads itself through rows has no other origin on the way.
    this.derived.set(path, NOWHERE);
    const value = this.plan.resources
      .find((one) => one.name === resource)
      ?.derived.find((one) => one.name === name)?.value;
    const found = value ? this.origin(value, { ...site, words: new Map() }, new Map()) : NOWHERE;
    this.derived.set(path, found);
    return found;
  }
}

/** The members of a step but for its nested steps. */
const withoutNested = (step: InsideStep): Record<string, unknown> => {
  const { then: _then, else: _else, steps: _steps, ...own } = step as unknown as Record<string, unknown>;
  return own;
};

/**
 * The sort keys of a step whose order a caller meets: of a list, of the row that a Find chooses, and of the rounds of a
 * loop. Steps without a request have no caller.
 */
function orderOf(step: InsideStep, { endpoints }: Site): readonly OrderKey[] {
  if (step.do === 'list' || step.do === 'list streamed') return eachSortKeys(step.order).flat();
  if (endpoints === null) return [];
  if (step.do === 'find') return step.order ? eachSortKeys(step.order).flat() : [];
  return step.do === 'for each' && step.over.kind === 'rows' ? eachSortKeys(step.over.order).flat() : [];
}

/** The stored fields that views, derived fields, answers and events read, as `Resource.field`. */
function shownFields({ resources, endpoints, emitted = [] }: Plan): ReadonlySet<string> {
  const out = new Set<string>();
  const read = (expr: Expr): void => {
    if (expr.op === 'get' && expr.of.type.kind === 'row') out.add(`${expr.of.type.resource}.${expr.member}`);
    for (const part of parts(expr)) read(part);
  };
  const shown = [
    ...resources.flatMap(({ views, derived }) => [views, derived]),
    ...endpoints.flatMap(answersOf),
    emitted,
  ];
  for (const expr of expressionsIn(shown)) read(expr);
  return out;
}

/** The expressions in plain data, each whole. */
function* expressionsIn(data: unknown): Generator<Expr> {
  if (typeof data !== 'object' || data === null) return;
  if ('op' in data && 'type' in data) yield data as Expr;
  else for (const part of Object.values(data)) yield* expressionsIn(part);
}
