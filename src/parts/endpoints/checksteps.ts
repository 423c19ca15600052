import { alwaysTrue } from '../../expression/always.ts';
import { conjuncts, type Expr, fieldsOf, parts, uses } from '../../expression/expr.ts';
import { isEntityTag } from '../../expression/tag.ts';
import * as t from '../../expression/types.ts';
import { identityOf, type Resolved } from '../../model/resolve.ts';
import { language } from '../../source/language.ts';
import { content, type Token } from '../../source/phrase.ts';
import type { Name } from '../../source/read.ts';
import { nearest } from '../../source/suggest.ts';
import { resourcesDiagnostics } from '../resources/diagnostics.ts';
import type { Resource } from '../resources/model.ts';
import { checkAnswer } from './checkanswer.ts';
import { checkCreated } from './checkcreated.ts';
import { endpointsDiagnostics as d } from './diagnostics.ts';
import type { Effective } from './effective.ts';
import { pathStart, segmentsOf } from './headings.ts';
import type { Assignment, Step } from './model.ts';

type Of<V extends Step['verb']> = Extract<Step, { verb: V }>;

/** Checks the steps of one endpoint in order, each against the names that those before it have given. */
export function checkSteps(r: Resolved, one: Effective, names: Map<string, t.Type>): void {
  new StepChecker(r, one, names).run();
}

class StepChecker {
  private readonly r: Resolved;
  private readonly one: Effective;
  private readonly names: Map<string, t.Type>;
  private readonly lists = new Map<string, Token>();
  private readonly removed = new Set<string>();
  private readonly exprs: Expr[] = [];
  private readFromRequest = false;
  private asParameters = false;
  /** True once a name was not understood: what is unused then shows only when that is mended. */
  private broken = false;

  constructor(r: Resolved, one: Effective, names: Map<string, t.Type>) {
    this.r = r;
    this.one = one;
    this.names = names;
  }

  private get findings() {
    return this.r.notes.findings;
  }

  private get endpoint(): string {
    return this.one.endpoint.name;
  }

  run(): void {
    const { steps, endpoint } = this.one;
    for (const step of steps) this.step(step);
    const answer = steps.findIndex((step) => step.verb === 'Answer');
    if (answer < 0) this.findings.push(d.report.noAnswer(endpoint.span, { endpoint: endpoint.name }, [endpoint.name]));
    else if (answer < steps.length - 1) this.findings.push(d.report.answerLast(steps[answer + 1]!.span));
    this.checkUnused();
  }

  private step(step: Step): void {
    switch (step.verb) {
      case 'Find':
        this.find(step);
        return;
      case 'List':
        this.list(step);
        return;
      case 'Require':
        this.require(step.test);
        if (step.code) this.r.code(step.code, 'step');
        else this.findings.push(d.report.requireCode(step.span, {}, [this.endpoint]));
        return;
      case 'Match':
        this.match(step);
        return;
      case 'Create':
        this.create(step);
        return;
      case 'Change':
        this.change(step);
        return;
      case 'Move':
        this.move(step);
        return;
      case 'Remove':
        if (this.row(step.row)) this.removed.add(step.row.text);
        return;
      case 'Answer':
        checkAnswer(this.r, step, this.lists, (token, expected, what) => this.type(token, expected, what));
    }
  }

  private type(token: Token, expected: t.Type | null, what: string, row: string | null = null): Expr | null {
    const expr = this.r.type(token, this.r.scope(this.names, row, true), expected, what, row ? 'rows' : 'step');
    if (expr) this.use(expr, token);
    return expr;
  }

  private use(expr: Expr, token: Token): void {
    this.exprs.push(expr);
    for (const name of this.removed) if (uses(expr, name)) this.findings.push(d.report.afterRemove(token, { name }));
  }

  private nameRow(as: Token, type: t.Type): void {
    const name = as.text;
    if (type.kind === 'unknown' || (type.kind === 'list' && type.of.kind === 'unknown')) this.broken = true;
    if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name)) this.findings.push(d.report.stepName(as, { name }));
    const reserved = [
      'request',
      'query',
      'path',
      'header',
      'service',
      'this',
      'moved',
      'has',
      'in',
      'true',
      'false',
      'null',
    ];
    if (this.names.has(name) || this.r.rows.has(name) || reserved.includes(name))
      this.findings.push(d.report.nameTaken(as, { name, endpoint: this.endpoint }));
    this.names.set(name, type);
  }

  private match(step: Of<'Match'>): void {
    const tag = this.type(step.to, t.STRING, 'Match');
    if (tag && !isEntityTag(tag)) this.findings.push(d.report.entityTag(step.to, { what: 'If-Match' }));
  }

  private find(step: Of<'Find'>): void {
    const resource = this.r.resource(step.resource);
    if (resource && !step.where) {
      const identity = identityOf(resource)?.name.text ?? 'id';
      this.findings.push(d.report.findWhere(step.span, { resource: resource.name.text, identity }, [this.endpoint]));
    }
    if (resource && step.where) {
      const where = this.type(step.where, t.BOOLEAN, '“where”', resource.name.text);
      if (where && !matchesUnique(resource, where))
        this.findings.push(d.report.findNotUnique(step.where, { resource: resource.name.text }));
    }
    if (step.code) this.r.code(step.code, 'step');
    else this.findings.push(d.report.findCode(step.span, { resource: step.resource.text }, [this.endpoint]));
    this.nameRow(step.as, resource ? row(resource.name.text) : t.UNKNOWN);
  }

  private require(token: Token): void {
    const test = this.type(token, t.BOOLEAN, 'Require');
    if (test && alwaysTrue(test)) this.findings.push(d.report.cannotFail(token));
  }

  private list(step: Of<'List'>): void {
    const resource = this.r.resource(step.resource);
    const params = { resource: step.resource.text };
    if (this.lists.size) this.findings.push(d.report.listedTwice(step.span));
    if (resource && step.where) this.type(step.where, t.BOOLEAN, '“where”', resource.name.text);
    if (!step.order) this.findings.push(d.report.listOrder(step.span, params, [this.endpoint]));
    else if (resource) {
      const by = this.r.type(step.order.by, this.r.scope(new Map(), resource.name.text), null, 'The order', 'row');
      const field = by?.op === 'get' && by.of.op === 'name' && by.of.name === 'this';
      const ordered = ['string', 'integer', 'timestamp'];
      if (by && (!field || by.type.nullable || !ordered.includes(by.type.kind)))
        this.findings.push(d.report.orderBy(step.order.by));
    }
    if (!step.bound) this.findings.push(d.report.listBound(step.span, params, [this.endpoint]));
    if (resource && step.asParameters) {
      this.asParameters = true;
      if (!this.one.endpoint.parameters.some((parameter) => parameter.keeps))
        this.findings.push(d.report.filterMissing(step.span));
      for (const parameter of this.one.endpoint.parameters)
        if (parameter.keeps) this.keeps(parameter.keeps, parameter.name.text, resource.name.text);
    }
    this.lists.set(step.as.text, step.as);
    const of = resource ? row(resource.name.text) : t.UNKNOWN;
    this.nameRow(step.as, { kind: 'list', of, nullable: false });
  }

  /** A filter applies when its parameter is sent, so inside it the parameter is there. */
  private keeps(token: Token, parameter: string, resource: string): void {
    const query = this.names.get('query');
    const members = query?.kind === 'object' ? { ...query.members } : {};
    if (members[parameter]) members[parameter] = t.nullable(members[parameter], false);
    const names = new Map(this.names).set('query', { kind: 'object', members, nullable: false });
    const expr = this.r.type(token, this.r.scope(names, resource, true), t.BOOLEAN, '“Keeps rows where”', 'rows');
    if (expr) this.use(expr, token);
  }

  private create(step: Of<'Create'>): void {
    const resource = this.r.resource(step.resource);
    const assigned = this.assignments(step.with, resource, 'create');
    if (resource) {
      const requested = this.fromRequest(step.from, 'Create', resource);
      const request = this.one.settings.request?.value;
      // What a request may leave out, it doesn't give.
      const given = request && request !== 'none' && request.optional ? new Set<string>() : requested;
      checkCreated(this.r, this.one, resource.name.text, { requested: given, assigned });
    }
    this.nameRow(step.as, resource ? row(resource.name.text) : t.UNKNOWN);
  }

  private change(step: Of<'Change'>): void {
    const resource = this.row(step.row);
    if (!resource) return;
    this.assignments(step.with, resource, 'change');
    if (step.from) this.fromRequest(step.from, 'Change', resource);
    else if (step.with.length === 0 && !touched(resource))
      this.findings.push(d.report.changeNothing(step.span, { resource: resource.name.text }));
  }

  /** `from request`: the fields that the request has to have, and reports what can't be taken from. */
  private fromRequest(from: Token | null, verb: string, resource: Resource): Set<string> {
    if (!from) return new Set();
    const request = this.one.settings.request?.value;
    this.r.notes.marks.push({ ...content(from), role: 'use' });
    if (from.text !== 'request') {
      const best = nearest(from.text, ['request']);
      this.findings.push(
        best
          ? language.report.unknownName(content(from), { kind: 'name', found: from.text, nearest: best })
          : d.report.fromRequest(from, { verb }),
      );
      return new Set();
    }
    if (!request || request === 'none' || request.resource.text !== resource.name.text) {
      const params = { endpoint: this.endpoint, resource: resource.name.text };
      this.findings.push(d.report.requestMissing(from, params, [this.endpoint]));
      return new Set();
    }
    this.readFromRequest = true;
    if (verb === 'Change') for (const field of request.fields) this.keepsIdentity(resource, field);
    return new Set(request.fields.map((field) => field.text));
  }

  private keepsIdentity(resource: Resource, field: Name): void {
    if (identityOf(resource)?.name.text !== field.text) return;
    const path = `${resource.name.text}.${field.text}`;
    this.findings.push(resourcesDiagnostics.report.identityChanged(field, { field: path }));
  }

  private assignments(list: readonly Assignment[], resource: Resource | null, moment: string): Set<string> {
    const out = new Set<string>();
    for (const one of list) {
      const field = resource && this.r.field(resource, one.field);
      const type = field ? this.r.rows.get(resource!.name.text)!.fields.get(field.name.text)! : null;
      this.type(one.value, type, `“${one.field.text}”`);
      if (field?.givenBy && !field.givenBy.value.some((giving) => giving.from === 'steps')) {
        const path = `${resource!.name.text}.${field.name.text}`;
        this.findings.push(d.report.notGivenBy(one.field, { field: path, source: 'steps' }));
      }
      if (field?.givenBy?.value.some((giving) => giving.from === 'moment' && giving.moment.text === moment)) {
        const path = `${resource!.name.text}.${field.name.text}`;
        this.findings.push(resourcesDiagnostics.report.givenTwice(one.field, { field: path }));
      }
      if (resource && moment === 'change') this.keepsIdentity(resource, one.field);
      out.add(one.field.text);
    }
    return out;
  }

  private move(step: Of<'Move'>): void {
    const resource = this.row(step.row);
    if (!resource) return;
    const machine = this.r.machine(resource.name.text);
    if (!machine) {
      this.findings.push(d.report.moveUnknown(step.row, { resource: resource.name.text }));
      return;
    }
    const names = machine.transitions.map((transition) => transition.name.text);
    if (!names.includes(step.by.text)) this.r.unknown(step.by, `transition of ${resource.name.text}`, names);
  }

  /** The resource of a row that an earlier step has given. */
  private row(token: Token): Resource | null {
    const type = this.names.get(token.text);
    if (type?.kind === 'unknown') {
      this.broken = true;
      return null;
    }
    if (type?.kind !== 'row' || token.text === 'caller') {
      this.broken = true;
      const rows = [...this.names].filter(([, known]) => known.kind === 'row').map(([name]) => name);
      this.findings.push(
        d.report.notARow(content(token), { name: token.text, nearest: nearest(token.text, rows) ?? '' }),
      );
      return null;
    }
    if (this.removed.has(token.text)) this.findings.push(d.report.afterRemove(token, { name: token.text }));
    return this.r.model.resources.list.find((resource) => resource.name.text === type.resource) ?? null;
  }

  /** What is read and then not used would be accepted and ignored. */
  private checkUnused(): void {
    if (this.broken) return;
    for (const parameter of this.one.endpoint.parameters) {
      const place = parameter.in?.value ?? 'query';
      const asked = parameter.keeps !== null && this.asParameters;
      const mentioned = this.exprs.some((expr) => mentions(expr, place, parameter.name.text));
      if (this.r.meant(parameter.name.text)) continue;
      if ((parameter.keeps && !this.asParameters) || (!asked && !mentioned))
        this.findings.push(d.report.parameterUnused(parameter.name, { name: parameter.name.text }));
    }
    for (const segment of segmentsOf(this.one.endpoint.path, pathStart(this.one.endpoint))) {
      const { text: name } = segment;
      const own = this.one.endpoint.parameters.some(
        (parameter) => parameter.in?.value === 'path' && parameter.name.text === name,
      );
      const declared = this.one.parameters.some((parameter) => parameter.name.text === name);
      if (
        !segment.named ||
        own ||
        !declared ||
        this.r.meant(name) ||
        this.exprs.some((expr) => mentions(expr, 'path', name))
      )
        continue;
      this.findings.push(d.report.parameterUnused(segment, { name }));
    }
    const request = this.one.settings.request?.value;
    if (!request || request === 'none' || this.readFromRequest) return;
    for (const field of request.fields)
      if (!this.r.meant(field.text) && !this.exprs.some((expr) => mentions(expr, 'request', field.text)))
        this.findings.push(d.report.requestUnread(field, { field: field.text }));
  }
}

/** True if every change gives a field of the resource a value. */
const touched = (resource: Resource): boolean =>
  resource.fields.some((field) =>
    field.givenBy?.value.some((giving) => giving.from === 'moment' && giving.moment.text === 'change'),
  );

const row = (resource: string): t.Type => ({ kind: 'row', resource, nullable: false });

/** True if an expression reads `object.member`. */
function mentions(expr: Expr, object: string, member: string): boolean {
  if (
    (expr.op === 'get' || expr.op === 'sent') &&
    expr.of.op === 'name' &&
    expr.of.name === object &&
    expr.member === member
  )
    return true;
  return parts(expr).some((one) => mentions(one, object, member));
}

/** True if `where` fixes every field of the identity or of a unique rule without a condition. */
function matchesUnique(resource: Resource, where: Expr): boolean {
  const fixed = new Set<string>();
  for (const one of conjuncts(where)) {
    if (one.op !== 'call' || one.fn !== '==') continue;
    // Two values that can both be absent match every row without one.
    if (one.args.every((arg) => arg.type.nullable)) continue;
    for (const [a, b] of [
      [one.args[0]!, one.args[1]!],
      [one.args[1]!, one.args[0]!],
    ] as const)
      if (a.op === 'get' && a.of.op === 'name' && a.of.name === 'this' && fieldsOf(b, 'this').size === 0)
        fixed.add(a.member);
  }
  const keys = [
    ...resource.fields.filter((field) => field.unique?.value.kind !== 'no').map((field) => [field.name.text]),
    ...resource.uniques.filter((rule) => !rule.condition).map((rule) => rule.fields.map((field) => field.text)),
  ];
  return keys.some((key) => key.every((field) => fixed.has(field)));
}
