import type { ASTNode } from '@marcbachmann/cel-js';
import { EVERY, type Expr, type Fn, type Macro, ROWS, show } from '../../expression/tree/expression.ts';
import { memberText } from '../../expression/tree/member-text.ts';
import { decimalLiteral, fitted, levelled, levelledFor } from '../../expression/tree/scales.ts';
import * as t from '../../expression/tree/types.ts';
import { allowing, type Finding } from '../../syntax/diagnostic.ts';
import { language } from '../../syntax/messages.ts';
import type { Mark } from '../../syntax/phrase.ts';
import type { Span } from '../../syntax/span.ts';
import { zip } from '../../text/lists.ts';
import { chain, listed, nearest, patience, suggested } from '../../text/suggest.ts';
import { CONTEXT_NAMES, call, DIVIDING, eitherOf, FUNCTIONS, LATER, MACROS, METHODS, macroType } from './functions.ts';
import { expressionDiagnostics as d } from './messages.ts';
import { beginnings, isNested, memberIn, nearestMember, nestedIn, ownerOf } from './nested.ts';
import { holdsNull, nonNullTexts } from './null-tests.ts';
import { ownFields, type Parsed, place } from './parse.ts';
import type { Scope } from './scope.ts';
import { isSelection } from './selections.ts';
import { applicationElsewhere, functionElsewhere, knownBy, methodLike, methodsOf, nameElsewhere } from './synonyms.ts';
import { type ExprPlaces, Typing, unknown } from './typing.ts';

export type { RowType, Scope } from './scope.ts';

/**
 * Types an expression against the names in scope and returns it as data; null after reporting an error. `expected` is
 * the type that the statement requires.
 */
export function checkExpression(
  parsed: Parsed,
  scope: Scope,
  expected: t.Type | null,
  what: string,
  out: { findings: Finding[]; marks: Mark[]; places?: ExprPlaces },
): Expr | null {
  const checker = new Checker(parsed, scope, out.findings, out.marks, out.places);
  const before = out.findings.length;
  const own = checker.check(parsed.ast);
  if (out.findings.length > before || own.type.kind === 'unknown') return null;
  if (!expected) return own;
  const expr = fitted(own, expected);
  if (!t.comparable(expr.type, expected) || holdsNull(expr.type, expected)) {
    const write = t.fittingMember(parsed.source, expr.type, expected);
    const params = { what, expected: t.describe(expected), found: t.describe(expr.type), write };
    out.findings.push(d.report.mismatch(checker.span(parsed.ast), params));
    return null;
  }
  if (expr.type.nullable && !expected.nullable) {
    out.findings.push(d.report.maybeNull(checker.span(parsed.ast), { what: parsed.source }));
    return null;
  }
  checker.checkValues(expr, expected, parsed.ast);
  return out.findings.length > before ? null : expr;
}

class Checker extends Typing {
  /** The names that macros bind, innermost last. */
  private readonly bound: Array<[name: string, type: t.Type, list: Expr]> = [];
  /** The values of items, as text, that a filter of their list has found not to be null. They may be compared again. */
  private filtered: ReadonlySet<string> = new Set();
  /** Callers that can be read although they may be null. */
  private readonly readable = new Set<Expr>();

  check(node: ASTNode): Expr {
    const expr = this.plain(node);
    this.places?.set(expr, { ...this.span(node), value: this.text(node) });
    // A misspelt resource has a finding at its declaration.
    if (expr.type.kind === 'row' && !this.scope.resources.has(expr.type.resource)) return unknown;
    if (expr.type.nullable && expr.type.kind !== 'null' && this.present.has(show(expr)))
      return { ...expr, type: t.nullable(expr.type, false) } as Expr;
    return expr;
  }

  private plain(node: ASTNode): Expr {
    switch (node.op) {
      case 'value':
        return this.literal(node, node.args);
      case 'id':
        return this.name(node, node.args);
      case '.':
        return this.member(node, ...node.args);
      case 'call':
        return this.functionCall(node, ...node.args);
      case 'rcall':
        return this.methodCall(node, ...node.args);
      case '&&':
      case '||':
        return this.logic(node.op, node.args);
      case '?:':
        return this.conditional(node.args);
      case '!_':
        return this.operator(node, 'not', [node.args]);
      case '-_':
        return this.operator(node, 'negate', [node.args]);
      case 'list':
        return this.list(node.args);
      case '[]':
        return this.index(node, node.args);
      case 'map':
        return this.map(node.args);
      case '[?]':
      case '.?':
        return this.unsupported(
          node,
          `“${this.text(node)}” cannot be used: the language has no optional values of CEL`,
        );
      default:
        return this.hyphened(node) ?? this.operator(node, node.op, node.args);
    }
  }

  /** Reports a difference whose text is the name of a field, such as `first-name`. */
  private hyphened(node: ASTNode): Expr | null {
    const text = node.op === '-' ? this.text(node) : '';
    if (!this.scope.row?.fields.has(text)) return null;
    const span = this.span(node);
    return this.fail(d.report.hyphen(span, { name: text, write: memberText('this', text) }));
  }

  private unsupported(node: ASTNode, what: string): Expr {
    return this.fail(d.report.unsupported(this.span(node), { what }));
  }

  private literal(node: ASTNode, value: unknown): Expr {
    if (value === null) return { op: 'const', value: null, type: t.NULL };
    if (typeof value === 'bigint') {
      if (value > BigInt(Number.MAX_SAFE_INTEGER) || value < BigInt(Number.MIN_SAFE_INTEGER))
        return this.unsupported(node, 'An integer lies between −(2^53 − 1) and 2^53 − 1');
      return { op: 'const', value: Number(value), type: t.INTEGER };
    }
    if (typeof value === 'string') return this.textLiteral(node, value);
    if (typeof value === 'boolean') return { op: 'const', value, type: t.BOOLEAN };
    const decimal = typeof value === 'number' ? decimalLiteral(this.text(node)) : null;
    if (decimal) return decimal;
    return this.unsupported(
      node,
      `The literal “${this.text(node)}” cannot be used. Write an integer, a decimal such as 1.50, a string, true, false or null`,
    );
  }

  private textLiteral(node: ASTNode, value: string): Expr {
    if (!/\0|\p{Surrogate}/u.test(value)) return { op: 'const', value, type: t.STRING };
    return this.unsupported(node, 'A string cannot have the character U+0000, or half of a surrogate pair');
  }

  private name(node: ASTNode, name: string): Expr {
    this.mark(this.span(node), 'use');
    const [, item] = this.bound.findLast(([one]) => one === name) ?? [];
    if (item) return { op: 'name', name, type: item };
    const { group } = this.scope;
    if (group !== undefined && name === ROWS)
      return {
        op: 'rows',
        resource: group,
        among: 'group',
        type: { kind: 'list', of: t.rowOf(group), nullable: false },
      };
    const { row, names, resources, giving } = this.scope;
    const field = row?.fields.get(name) ?? nestedIn(row?.fields, name);
    const nameType = field && CONTEXT_NAMES.includes(name) ? undefined : names.get(name);
    if (nameType && row && field && !ownFields(this.parsed.ast).has(name))
      return this.fail(d.report.ambiguous(this.span(node), { name, resource: row.name }));
    if (nameType) return this.named(name, nameType);
    if (row && name === 'this') return { op: 'name', name, type: t.rowOf(row.name) };
    if (row && field) return this.read({ op: 'name', name: 'this', type: t.rowOf(row.name) }, name, field);
    const own = giving?.fields.has(name) || nestedIn(giving?.fields, name);
    if (giving && (own || name === 'this')) {
      const known = listed(chain(names.keys(), ['service']));
      return this.fail(d.report.givenField(this.span(node), { name, resource: giving.name, known }));
    }
    if (resources.has(name))
      return { op: 'rows', resource: name, type: { kind: 'list', of: t.rowOf(name), nullable: false } };
    if (name === 'service') return { op: 'name', name, type: t.service(null) };
    if (LATER.includes(name)) return this.fail(language.report.notYet(this.span(node), { what: `“${name}”` }));
    if (row?.fields.size === 0) return unknown;
    const bound = this.bound.map(([bound]) => bound);
    const fields = row ? [...row.fields.keys(), 'this'] : [];
    const candidates = [
      ...chain(
        bound,
        group === undefined ? [] : [ROWS],
        names.keys(),
        fields,
        beginnings(fields),
        giving ? ['service'] : resources.keys(),
      ),
    ];
    const nearest = nameElsewhere(name, names, row?.fields);
    const suggestion = { ...suggested(name, candidates, patience(this.findings.length)), ...(nearest && { nearest }) };
    const owner = row ? `field of ${row.name}` : 'step';
    const finding = d.report.unknownName(this.span(node), { found: name, owner, ...suggestion });
    return this.fail(allowing(finding, chain(candidates, FUNCTIONS)));
  }

  private named(name: string, type: t.Type): Expr {
    if (type.kind !== 'row' || !type.unreached) return { op: 'name', name, type };
    const { unreached: _, ...plain } = type;
    const caller: Expr = { op: 'name', name, type: plain };
    this.readable.add(caller);
    return caller;
  }

  /** `query["page-size"]` and `this["first-name"]` are members too, whose names are no identifiers. */
  private index(node: ASTNode, [ofNode, key]: [ASTNode, ASTNode]): Expr {
    const of = this.check(ofNode);
    if ((of.type.kind !== 'object' && of.type.kind !== 'row') || key.op !== 'value' || typeof key.args !== 'string')
      return this.apply(node, '[]', [of, this.check(key)], [ofNode, key]);
    return this.memberOf(node, ofNode, of, key.args, place(this.parsed.token, key.range.start + 1, key.range.end - 1));
  }

  private member(node: ASTNode, ofNode: ASTNode, member: string): Expr {
    const span = place(this.parsed.token, node.range.end - member.length, node.range.end);
    return this.memberOf(node, ofNode, this.check(ofNode), member, span);
  }

  private memberOf(node: ASTNode, ofNode: ASTNode, of: Expr, member: string, span: Span): Expr {
    this.mark(span, 'use');
    if (of.type.kind === 'unknown') return of;
    if (of.type.kind === 'map')
      return this.apply(node, '[]', [of, { op: 'const', value: member, type: t.STRING }], [ofNode, node]);
    // An unknown resource, or one without fields, has a finding at its declaration.
    if (of.type.kind === 'row' && !this.scope.resources.get(of.type.resource)?.fields.size) return unknown;
    const type = memberIn(of.type, member, () => this.membersOf(of.type));
    if (!type) {
      const members = this.membersOf(of.type);
      const params = {
        of: `“${show(of)}”`,
        found: member,
        nearest: members ? nearestMember(show(of), member, [...members.keys()]) : methodLike(member),
        known: listed(members?.keys() ?? []),
        // The members of an object of dotted names are fields of the row.
        ...ownerOf(of.op === 'get' && isNested(of.type) ? of.of.type : of.type),
      };
      return this.fail(allowing(d.report.unknownMember(span, params), members?.keys() ?? []));
    }
    if (of.type.kind === 'row' && of.type.nullable && !this.readable.has(of))
      return this.fail(d.report.maybeNull(this.span(ofNode), { what: show(of) }));
    // If callers are rows of several resources, `caller` has a member for each, which is a loaded row.
    if (of.op === 'name' && of.name === 'caller' && of.type.kind === 'object')
      return { op: 'name', name: `caller.${member}`, type };
    if (isNested(of.type) && of.op === 'get') return this.read(of.of, `${of.member}.${member}`, type);
    return this.read(of, member, type);
  }

  /** Reads a member, which is nullable if the row is reached by a reference and may be hidden from the caller. */
  private read(of: Expr, member: string, type: t.Type): Expr {
    const row = of.type.kind === 'row' ? this.scope.resources.get(of.type.resource) : null;
    const hidden = row?.hides && this.scope.visibleOnly && !this.selected(of);
    const expr: Expr = { op: 'get', of, member, type: hidden ? t.nullable(type, true) : type };
    return row?.derived.has(member) ? { ...expr, derived: true } : expr;
  }

  /** Whether a row has been selected by a query; a row that a reference points at may be hidden. */
  private selected(row: Expr): boolean {
    const pointing = (resource: string, field: string): boolean =>
      this.scope.resources.get(resource)?.pointing.has(field) ?? false;
    if (row.op === 'call') return isSelection(row, pointing);
    if (row.op !== 'name') return false;
    const [, , list] = this.bound.findLast(([name]) => name === row.name) ?? [];
    return list === undefined || isSelection(list, pointing);
  }

  private membersOf(type: t.Type): ReadonlyMap<string, t.Type> | null {
    if (type.kind === 'row') return this.scope.resources.get(type.resource)?.fields ?? null;
    return type.kind === 'object' ? new Map(Object.entries(type.members)) : null;
  }

  private functionCall(node: ASTNode, name: string, args: ASTNode[]): Expr {
    const span = place(this.parsed.token, node.range.start, node.range.start + name.length);
    this.mark(span, 'word');
    if (name === 'has') return this.has(node, args);
    if (name === EVERY) return this.every(node, args);
    const fn = FUNCTIONS.find((known) => known === name);
    return fn ? this.operator(node, fn, args) : this.unknownFunction(span, name, [...FUNCTIONS, 'has', EVERY]);
  }

  private unknownFunction(span: Span, name: string, known: readonly string[], of = ''): Expr {
    const bare = name.replace(/^math\./i, '');
    const suggestion = functionElsewhere(bare, of ? 'behind a point' : 'alone') ?? nearest(name, known) ?? '';
    const params = { found: name, nearest: suggestion, of, known: listed(known) };
    return this.fail(allowing(d.report.unknownFunction(span, params), known));
  }

  /** `every(R)`: all rows of a resource, whether or not the caller may see them, for an aggregate. */
  private every(node: ASTNode, [of, ...others]: ASTNode[]): Expr {
    const rows = of && others.length === 0 ? this.check(of) : null;
    if (rows && rows.type.kind === 'unknown') return rows;
    if (rows?.op !== 'rows' || rows.among) {
      const params = { what: `${EVERY}()`, expected: 'a resource, such as every(Order)', found: 'something else' };
      return this.fail(d.report.mismatch(this.span(node), params));
    }
    const { resource } = rows;
    if (this.scope.visibleOnly && this.scope.resources.get(resource)?.hides) return { ...rows, among: 'every' };
    const why = this.scope.visibleOnly ? 'everyone' : 'here';
    return this.fail(d.report.everyAnyway(this.span(node), { resource, why }));
  }

  /** CEL's `has(a.b)`: whether the member was sent, even if it is null. */
  private has(node: ASTNode, args: ASTNode[]): Expr {
    const [arg, ...others] = args;
    const of = arg && others.length === 0 ? this.check(arg) : null;
    if (of && of.type.kind === 'unknown') return of;
    const [map, key] = of?.op === 'call' && of.fn === '[]' ? of.args : [];
    if (map?.type.kind === 'map' && key) return { op: 'call', fn: 'in', args: [key, map], type: t.BOOLEAN };
    if (of?.op !== 'get' || isNested(of.type)) {
      const params = { what: 'has()', expected: 'one member, such as request.name', found: 'something else' };
      return this.fail(d.report.mismatch(this.span(node), params));
    }
    return { op: 'sent', of: of.of, member: of.member, type: t.BOOLEAN };
  }

  private methodCall(node: ASTNode, name: string, ofNode: ASTNode, args: ASTNode[]): Expr {
    const from = this.parsed.source.indexOf(name, ofNode.range.end);
    const span = place(this.parsed.token, from, from + name.length);
    const namespaced = ofNode.op === 'id' ? FUNCTIONS.find((known) => known === `${ofNode.args}.${name}`) : undefined;
    if (namespaced) {
      this.mark({ from: this.span(ofNode).from, to: span.to }, 'word');
      return this.operator(node, namespaced, args);
    }
    const math = ofNode.op === 'id' && /^math$/i.test(ofNode.args) && !this.scope.names.has(ofNode.args);
    if (math) {
      const whole = { from: this.span(ofNode).from, to: span.to };
      return this.unknownFunction(whole, `${ofNode.args}.${name}`, FUNCTIONS);
    }
    const of = this.check(ofNode);
    this.mark(span, 'word');
    if (of.type.kind === 'unknown') return of;
    const macro = MACROS.find((known) => known === name);
    if (macro && (of.type.kind === 'list' || of.type.kind === 'map')) {
      if (of.type.nullable) return this.fail(d.report.maybeNull(this.span(ofNode), { what: show(of) }));
      const keys: Expr = { op: 'call', fn: 'keys', args: [of], type: { kind: 'list', of: t.STRING, nullable: false } };
      const list = of.type.kind === 'map' ? keys : of;
      return this.checkItems(this.macro(span, macro, list, list === of ? of.type.of : t.STRING, args), ofNode);
    }
    const fn = METHODS.find((known) => known === name);
    if (!fn) return this.unknownFunction(span, name, methodsOf(of.type), t.describe(of.type));
    return this.apply(node, fn, [of, ...args.map((arg) => this.check(arg))], [ofNode, ...args]);
  }

  /** A macro binds a name to each item of a list, and evaluates an expression with it. */
  private macro(span: Span, macro: Macro, list: Expr, of: t.Type, args: ASTNode[]): Expr {
    const [variable, body] = args;
    if (args.length !== 2 || variable?.op !== 'id' || !body) {
      const params = { what: `${macro}()`, expected: 'a name and an expression', found: 'something else' };
      return this.fail(d.report.mismatch(span, params));
    }
    const { args: name } = variable;
    this.mark(this.span(variable), 'declaration');
    const before = this.present;
    // The macro's variable shadows an outer name: null tests of the outer name don't hold for the item.
    const isOfOthers = (text: string): boolean => !new RegExp(`\\b${name}\\b`).test(text);
    this.present = new Set([...before].filter(isOfOthers));
    const filtered = this.filtered;
    const kept = keptFacts(list, name);
    this.present = new Set([...this.present, ...kept]);
    this.filtered = new Set([...[...filtered].filter(isOfOthers), ...kept]);
    this.bound.push([name, of, list]);
    const inner = this.check(body);
    this.bound.pop();
    this.present = before;
    this.filtered = filtered;
    if (inner.type.kind === 'unknown') return inner;
    const wrong = this.wrongBody(macro, inner, body);
    if (wrong) return wrong;
    const type = macroType(macro, list.type, inner, nonNullTexts(inner, true).includes(name));
    return { op: 'each', macro, list, name, body: inner, type };
  }

  /** `&&` and `||`: null tests on the left side hold on the right side. */
  private logic(op: '&&' | '||', [left, right]: [ASTNode, ASTNode]): Expr {
    const fn = op === '&&' ? 'and' : 'or';
    const a = this.check(left);
    const b = this.assuming(a, fn === 'and', () => this.check(right));
    for (const [expr, at] of [
      [a, left],
      [b, right],
    ] as const) {
      const wrong = this.wrongType(expr, t.BOOLEAN, `“${op}”`, at);
      if (wrong) return wrong;
    }
    return { op: 'call', fn, args: [a, b], type: t.BOOLEAN };
  }

  private conditional([testNode, thenNode, elseNode]: [ASTNode, ASTNode, ASTNode]): Expr {
    const test = this.check(testNode);
    const wrong = this.wrongType(test, t.BOOLEAN, '“?:”', testNode);
    if (wrong) return wrong;
    const [yes, no] = levelled([
      this.assuming(test, true, () => this.check(thenNode)),
      this.assuming(test, false, () => this.check(elseNode)),
    ]) as [Expr, Expr];
    if (!t.comparable(yes.type, no.type)) {
      const params = { what: '“?:”', expected: t.describe(yes.type), found: t.describe(no.type) };
      return this.fail(d.report.mismatch(this.span(elseNode), params));
    }
    return { op: 'if', test, then: yes, else: no, type: eitherOf([yes, no]) };
  }

  private list(nodes: ASTNode[]): Expr {
    const items = levelled(nodes.map((item) => this.check(item)));
    const wrong = this.wrongAmong(items, 'A list', nodes);
    if (wrong) return wrong;
    return { op: 'list', items, type: { kind: 'list', of: items.length ? eitherOf(items) : t.NULL, nullable: false } };
  }

  /** CEL’s `{"a": 1}`. */
  private map(entries: readonly [ASTNode, ASTNode][]): Expr {
    const keys = entries.map(([key]) => this.check(key));
    const nodes = entries.map(([, value]) => value);
    const values = levelled(nodes.map((value) => this.check(value)));
    const names: string[] = [];
    const wrong = this.wrongAmong(values, 'A map', nodes);
    if (wrong) return wrong;
    for (const [key, [keyNode]] of zip(keys, entries)) {
      const name = key.op === 'const' && typeof key.value === 'string' ? key.value : null;
      if (key.type.kind === 'unknown') return unknown;
      if (name === null || names.includes(name)) {
        const expected = 'text that is written out as its keys, each once';
        const found = name === null ? t.describe(key.type) : `“${name}” again`;
        return this.fail(d.report.mismatch(this.span(keyNode), { what: 'A map', expected, found }));
      }
      names.push(name);
    }
    const either = values.length ? eitherOf(values) : t.NULL;
    return { op: 'map', keys: names, values, type: { kind: 'map', of: either, nullable: false } };
  }

  private operator(node: ASTNode, fn: Fn, nodes: readonly ASTNode[]): Expr {
    const given = nodes.map((arg) => this.check(arg));
    return this.apply(node, fn, given, nodes);
  }

  private apply(node: ASTNode, fn: Fn, given: readonly Expr[], nodes: readonly ASTNode[]): Expr {
    if (given.some((arg) => arg.type.kind === 'unknown')) return unknown;
    const args = levelledFor(fn, given);
    this.checkOperands(fn, args, nodes);
    if (fn === '==' || fn === '!=')
      for (const [i, [arg, at]] of [...zip(args, nodes)].entries())
        if (!arg.type.nullable && args[1 - i]?.type.kind === 'null' && !this.filtered.has(show(arg)))
          return this.fail(d.report.neverNull(this.span(at), this.neverNull(arg)));
    const result = call(fn, args);
    if (result.ok && result.type.kind === 'object')
      return this.unsupported(
        node,
        `${fn === '[]' ? '“[…]”' : `${fn}()`} cannot return a group. Read a member of each group first, such as \`groups.map(g, g.count)\``,
      );
    if (result.ok) {
      const [, divisor] = DIVIDING.includes(fn) ? args : [];
      const divides = divisor && this.present.has(`${show(divisor)} != 0`);
      return { op: 'call', fn, args, type: divides ? t.nullable(result.type, false) : result.type };
    }
    const at = nodes[result.argument] ?? node;
    const wrong = args[result.argument];
    if (result.absent && wrong) return this.fail(d.report.maybeNull(this.span(at), { what: show(wrong) }));
    const text = wrong?.op === 'const' && typeof wrong.value === 'string';
    const found = wrong ? (text ? show(wrong) : t.describe(wrong.type)) : 'not there';
    const known = wrong?.op === 'const' && result.known ? knownBy(String(wrong.value), result.known) : null;
    const suggestion = known ?? applicationElsewhere(fn, args);
    const what = /^\w/.test(fn) ? `${fn}()` : `“${fn}”`;
    return this.fail(
      d.report.mismatch(this.span(at), { what, expected: result.expected, found, write: suggestion ?? '' }),
    );
  }
}

/** The values of each item of a list, as text with the item's `name`, that the filters of the list leave not null. */
function keptFacts(list: Expr, name: string): string[] {
  if (list.op !== 'each' || (list.macro !== 'filter' && list.macro !== 'sortBy')) return [];
  const own = list.macro === 'filter' ? nonNullTexts(list.body, true) : [];
  const begins = [`${list.name}.`, `${list.name}[`];
  const facts = own.flatMap((text) =>
    begins.some((begun) => text.startsWith(begun)) ? [`${name}${text.slice(list.name.length)}`] : [],
  );
  return [...keptFacts(list.list, name), ...facts];
}
