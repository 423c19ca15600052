import { conjuncts, type Expr, show, some } from '../../../expression/tree/expression.ts';
import type { Name } from '../../../syntax/names.ts';
import type { Token } from '../../../syntax/tokens.ts';
import { zip } from '../../../text/lists.ts';
import type { Resource, UniqueRule } from '../../statements/resources.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import type { Checking, Of } from './checking.ts';
import { checkIgnoring, ignoringCase, reportIdle } from './unique-look-up.ts';

/** The values that requests send, as expressions read them. */
const SENT: readonly string[] = ['path', 'query', 'header', 'request'];

/** The condition of a look-up, and the unique rules that it fixes. */
interface LookUp {
  readonly where: Expr | null;
  readonly rules: readonly UniqueRule[];
}

/**
 * Checks whether a look-up ignores case as the unique rules do by which it finds its row. Returns the condition with
 * the comparisons that ignore case.
 */
export function checkCase(
  c: Checking,
  step: Of<'Find'> | Of<'Authenticate'>,
  resource: Resource,
  { where, rules }: LookUp,
): Expr | null {
  const { verb, ignoringCase: at } = step;
  if (!at.value) {
    if (where && step.where) noticeExact(c, { where, rules }, step.where, verb);
    return where;
  }
  if (where && rules.length > 0) return checkIgnoring(c, resource, where, { rules, at, verb });
  // A condition that several rows can match has a finding of its own.
  if (!step.where || (where && 'order' in step && step.order)) reportIdle(c, resource, at, verb);
  return where;
}

/**
 * Reports a condition that compares a sent value case-sensitively with a field whose unique rule ignores case: the row
 * is not found by the same text in another case, although no other row can have that text.
 */
function noticeExact(c: Checking, { where, rules }: LookUp & { readonly where: Expr }, at: Token, verb: string): void {
  const found = ignoringCase(c, rules, where);
  const folded = 'where' in found ? conjuncts(found.where) : [];
  for (const [i, one] of conjuncts(where).entries()) {
    if (one.op !== 'call' || one.fn !== '==') continue;
    for (const [field, value] of zip(one.args, one.args.toReversed())) {
      const of = field.op === 'get' && !field.derived && field.of.type.kind === 'row' ? field.of.type.resource : null;
      const resource = of === null ? null : c.r.resourceNamed(of);
      if (!resource || field.op !== 'get' || !ignoresCase(resource, field.member) || !isSent(value)) continue;
      const [name, member] = [resource.name.text, field.member];
      if (!isFirst(c, `${verb} ${name}.${member}`)) continue;
      const ignoring = folded[i] !== undefined && folded[i] !== one ? 'yes' : '';
      const params = { resource: name, field: member, value: lowered(value), verb, ignoring };
      c.findings.push(d.report.exactLookUp(at, params, []));
    }
  }
}

/** Reports an Ensure by a unique rule that ignores case, which looks up an existing row exactly. */
export function noticeExactEnsure(c: Checking, resource: Resource, rules: readonly UniqueRule[], at: Name): void {
  const fields = new Set(rules.flatMap((rule) => rule.ignoringCase));
  for (const field of fields) {
    const params = { resource: resource.name.text, field };
    if (isFirst(c, `Ensure ${params.resource}.${field}`)) c.findings.push(d.report.exactEnsure(at, params, []));
  }
}

const knownOnce = (): Set<string> => new Set();

/** True at the first call for a verb and field: only the first step with such a look-up is reported. */
function isFirst({ r }: Checking, what: string): boolean {
  const known = r.once(knownOnce);
  if (known.has(what)) return false;
  known.add(what);
  return true;
}

function ignoresCase({ fields, uniques }: Resource, name: string): boolean {
  const unique = fields.find((field) => field.name.text === name)?.unique?.value;
  if (unique?.kind === 'yes' && unique.ignoringCase) return true;
  return uniques.some((rule) => rule.ignoringCase.some((one) => one.text === name));
}

/** The expression for a value in lower case. */
const lowered = (value: Expr): string =>
  value.op === 'call' && value.fn === 'lower' ? show(value) : `${show(value)}.lower()`;

const isSent = (value: Expr): boolean => some(value, (part) => part.op === 'name' && SENT.includes(part.name));
