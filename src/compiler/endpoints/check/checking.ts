import { type Expr, uses } from '../../../expression/tree/expression.ts';
import type * as t from '../../../expression/tree/types.ts';
import type { AnswerStep } from '../../../plan/step.ts';
import { allowing, type Finding } from '../../../syntax/diagnostic.ts';
import type { Token } from '../../../syntax/tokens.ts';
import { nearest } from '../../../text/suggest.ts';
import { checkCondition } from '../../document/conditions.ts';
import type { Effective } from '../../document/effective.ts';
import type { Resolved } from '../../document/resolve.ts';
import type { Scope } from '../../expression/check.ts';
import { expressionDiagnostics } from '../../expression/messages.ts';
import { nonNullTexts } from '../../expression/null-tests.ts';
import type { Place } from '../../expression/place.ts';
import type { Step } from '../../statements/endpoints.ts';
import type { Resource } from '../../statements/resources.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';

export type Of<V extends Step['verb']> = Extract<Step, { verb: V }>;

/** Whether a text can be a name that steps declare. */
export const isPlainName = (text: string): boolean => /^[A-Za-z][A-Za-z0-9_]*$/.test(text);

/** Names with a meaning in the language, which no step may declare. */
const RESERVED = [
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

/** The secret of a row that a step has drawn, and the names that steps had declared before it. */
interface DrawnSecret {
  readonly row: string;
  readonly resource: string;
  readonly field: string;
  readonly before: ReadonlySet<string>;
}

/** The state of checking the steps of one endpoint: the names that earlier steps declare, and those that steps use. */
export class Checking {
  readonly r: Resolved;
  readonly one: Effective;
  readonly visibleOnly: boolean;
  names: Map<string, t.Type>;
  /** The lists in pages, which the answer must contain. */
  readonly lists = new Map<string, Token>();
  /** The views in which answers show these lists. */
  readonly pages = new Map<string, string>();
  /** The lists that are streamed, which the answer must show, and the resources of their rows. */
  readonly streamed = new Map<string, { readonly token: Token; readonly resource: string }>();
  removed = new Set<string>();
  /** The secrets that steps have drawn on this way. */
  drawn: readonly DrawnSecret[] = [];
  /** The expressions that earlier steps have found not to be null, as text. */
  present: ReadonlySet<string> = new Set();
  /** The number of steps in which the current step is nested. */
  depth = 0;
  readonly exprs: Expr[] = [];
  /** The names that steps give to the credentials that they issue. */
  readonly issued: Token[] = [];
  /** The number of steps in which the Issue of each of these credentials is nested. */
  readonly issuedAt = new Map<string, number>();
  /** The credentials that outside handlers take in every request that issues them. */
  readonly handed = new Set<string>();
  /** How many Runs take a credential in some of the requests that issue it. */
  readonly handedSometimes = new Map<string, number>();
  /** The plan of the answer, once it is settled. */
  answer: AnswerStep | null = null;
  readFromRequest = false;
  asParameters = false;
  /** Whether a list step uses the endpoint's `Sort` names for its order. */
  sorted = false;
  /** Whether a name was not understood: unused names are then not reported, as it may have meant one of them. */
  broken = false;
  /** Whether steps may read the body here: not before `Validate the body.`, where the endpoint has this step. */
  isBodyValid: boolean;

  /** `visibleOnly`: rows that the caller may not see don't exist for the steps. */
  constructor(r: Resolved, one: Effective, names: Map<string, t.Type>, visibleOnly = true) {
    this.visibleOnly = visibleOnly;
    this.r = r;
    this.one = one;
    this.names = names;
    this.isBodyValid = !one.steps.some((step) => step.verb === 'Validate');
  }

  /** Whether the endpoint has several Answers, of which a request gets one. */
  get hasSeveralAnswers(): boolean {
    return this.one.every.filter(({ verb }) => verb === 'Answer').length > 1;
  }

  get findings(): Finding[] {
    return this.r.notes.findings;
  }

  get endpoint(): string {
    return this.one.endpoint.name;
  }

  /** The line that a step begins in. */
  line({ span }: Step): number {
    return this.r.line(span.from);
  }

  /** Types an expression against the names known so far; `row`: the resource whose fields need no `this.`. */
  type(token: Token, expected: t.Type | null, what: string, row: string | null = null): Expr | null {
    return this.typeAt(row ? 'rows' : 'step', token, expected, what, row);
  }

  /** Types a condition; `row`: the resource whose fields need no `this.`. */
  condition(token: Token, what: string, row: string | null = null): Expr | null {
    return this.used(
      token,
      checkCondition(this.r, token, this.scope(row), what, row ? 'rows' : 'step', this.one.parameters),
    );
  }

  /** Types the condition of a filter. `sent`: its parameter, which is not null wherever the filter applies. */
  filter(token: Token, row: string, sent: string | null): Expr | null {
    const present = sent === null ? this.present : new Set([...this.present, sent]);
    const scope = { ...this.scope(row), present };
    return checkCondition(this.r, token, scope, '“Keeps rows where”', 'rows', this.one.parameters);
  }

  /** Types an expression of the answer. */
  typeOfAnswer(token: Token, expected: t.Type | null, what: string): Expr | null {
    return this.typeAt('answer', token, expected, what, null);
  }

  /** Types a value that an outside handler takes, which may be a credential. */
  typeOfCall(token: Token, expected: t.Type | null, what: string): Expr | null {
    return this.typeAt('call', token, expected, what, null);
  }

  /** Notes that an outside handler takes a value: a credential may be issued outside the branch or the loop of this Run. */
  hand(name: string): void {
    if (this.depth <= (this.issuedAt.get(name) ?? this.depth)) this.handed.add(name);
    else this.handedSometimes.set(name, (this.handedSometimes.get(name) ?? 0) + 1);
  }

  /** Types a value of a group, for which `rows` are the rows of the group. */
  typeOfGroup(token: Token, resource: string): Expr | null {
    const scope = { ...this.scope(null), group: resource };
    return this.used(token, this.r.type(token, scope, null, 'A member', 'rows'));
  }

  private typeAt(place: Place, token: Token, expected: t.Type | null, what: string, row: string | null): Expr | null {
    return this.used(token, this.r.type(token, this.scope(row), expected, what, place));
  }

  private used(token: Token, expr: Expr | null): Expr | null {
    if (expr) this.use(expr, token);
    else this.broken = true;
    return expr;
  }

  /** The names that an expression may use here. */
  scope(row: string | null, names: ReadonlyMap<string, t.Type> = this.names): Scope {
    return { ...this.r.scope(names, row, this.visibleOnly), present: this.present };
  }

  /** Assumes for the following steps that `test` has the result `truth`. */
  assume(test: Expr | null, truth: boolean): void {
    if (test) this.present = new Set([...this.present, ...nonNullTexts(test, truth)]);
  }

  /** Forgets null tests on fields of rows after a write. Null tests on the request and on whole rows remain valid. */
  forget(): void {
    this.present = new Set([...this.present].filter((text) => !/^(?!(?:request|query|path|header)\.).*\./.test(text)));
  }

  /** Notes that every named row of the resource may have been removed. */
  removeEvery(resource: string): void {
    const removed = [...this.names].filter(([, type]) => {
      const one = type.kind === 'list' ? type.of : type;
      return one.kind === 'row' && one.resource === resource;
    });
    this.removed = new Set([...this.removed, ...removed.map(([name]) => name)]);
  }

  /** Checks nested steps. The names that they declare are returned as `made`, and end with the nested steps. */
  within<T>(work: () => T): { made: Map<string, t.Type>; result: T } {
    const { names, present } = this;
    this.names = new Map(names);
    this.depth++;
    const result = work();
    this.depth--;
    const made = new Map([...this.names].filter(([name]) => !names.has(name)));
    this.names = names;
    this.present = present;
    return { made, result };
  }

  use(expr: Expr, token: Token): void {
    this.exprs.push(expr);
    if (!this.isBodyValid && uses(expr, 'request')) this.findings.push(d.report.bodyUnvalidated(token));
    for (const name of this.streamed.keys())
      if (uses(expr, name)) this.findings.push(d.report.streamedUse(token, { name }));
    for (const name of this.removed) if (uses(expr, name)) this.findings.push(d.report.afterRemove(token, { name }));
  }

  /**
   * Reports a step that removes a row whose secret a step before has drawn, or makes that secret null: it would be shown,
   * and match nothing. `row` is null where the step removes rows that have no name. A name that was declared before the
   * secret was drawn is that of another row.
   */
  loseSecrets(step: Step, row: string | null, isLost: (of: DrawnSecret) => boolean): void {
    const lost = this.drawn.find((of) => {
      const isOther = row !== null && row !== of.row && of.before.has(row);
      return !isOther && isLost(of);
    });
    if (lost)
      this.findings.push(
        d.report.issueSecretLost(step.span, { field: `${lost.resource}.${lost.field}`, row: lost.row }),
      );
  }

  /** Declares the name of a value that a step has found or made. */
  nameRow(as: Token | null, type: t.Type): void {
    const name = as?.text ?? '';
    if (type.kind === 'unknown' || (type.kind === 'list' && type.of.kind === 'unknown')) this.broken = true;
    if (!as) return;
    if (!isPlainName(name)) this.findings.push(d.report.stepName(as, { found: name }));
    if (this.names.has(name) || this.r.rows.has(name) || RESERVED.includes(name))
      this.findings.push(d.report.nameTaken(as, { name, endpoint: this.endpoint }));
    this.names.set(name, type);
  }

  /** The resource of a row that an earlier step has named. */
  row(token: Token): Resource | null {
    const type = this.names.get(token.text);
    if (type?.kind === 'unknown') {
      this.broken = true;
      return null;
    }
    if (type?.kind !== 'row' || token.text === 'caller') {
      this.broken = true;
      const rows = [...this.names].flatMap(([name, known]) =>
        known.kind === 'row' && name !== 'caller' ? [name] : [],
      );
      const params = { found: token.text, owner: 'step', nearest: nearest(token.text, rows) ?? '' };
      this.findings.push(allowing(d.report.notARow(token.inner, params), rows));
      return null;
    }
    if (type.nullable && !this.present.has(token.text))
      this.findings.push(expressionDiagnostics.report.maybeNull(token.inner, { what: token.text }));
    if (this.removed.has(token.text)) this.findings.push(d.report.afterRemove(token, { name: token.text }));
    return this.r.resourceNamed(type.resource);
  }
}
