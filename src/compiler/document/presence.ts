import { type Expr, isCaller } from '../../expression/tree/expression.ts';
import type * as t from '../../expression/tree/types.ts';
import { opensToNobody } from './access.ts';
import type { Effective } from './effective.ts';
import type { Resolved } from './resolve.ts';

/** The reason why an expression is never null, if a statement of the document gives one; else empty. */
export function whyPresent(r: Resolved, names: ReadonlyMap<string, t.Type>, expr: Expr): string {
  if (expr.op === 'name') return isCaller(expr.name) ? whyCaller(r, names.get('caller')) : '';
  if (expr.op !== 'get') return '';
  const { of, member } = expr;
  if (of.type.kind === 'row') return whyField(r, of.type.resource, member);
  const payload = of.type.kind === 'object' ? of.type.payload : undefined;
  if (payload?.fields.includes(member)) return whyField(r, payload.resource, member);
  return of.op === 'name' ? whyParameter(r, of.name === 'request' ? 'body' : of.name, member) : '';
}

function whyCaller(r: Resolved, type: t.Type | undefined): string {
  const where = (type && r.callersAt.get(type)) ?? [];
  if (type?.kind === 'object') {
    const members = Object.keys(type.members).map((name) => `\`caller.${name}\``);
    return `callers are rows of several resources, of which ${members.join(', ')} can be null`;
  }
  if (where.some(opensToNobody)) return '';
  const lines = linesOf(r, where);
  const [only] = where;
  if (only && where.length === 1) return `${only.endpoint.name} does not state \`Access: anyone\`${lines}`;
  return `no endpoint that reaches this expression states \`Access: anyone\`${lines}`;
}

/** The lines of the Access bullets of some endpoints. */
function linesOf(r: Resolved, where: readonly Effective[]): string {
  const offsets = where.flatMap(({ settings: { access } }) => (access ? [access.from] : []));
  const lines = [...new Set(offsets.sort((a, b) => a - b).map((offset) => r.line(offset)))];
  if (lines.length === 0) return '';
  const shown = lines.slice(0, MOST_LINES).join(', ');
  const more = lines.length > MOST_LINES ? ` and ${lines.length - MOST_LINES} more` : '';
  return ` (Access on ${lines.length === 1 ? 'line' : 'lines'} ${shown}${more})`;
}

/** The most line numbers in one message. */
const MOST_LINES = 5;

function whyField(r: Resolved, resource: string, member: string): string {
  const owner = r.resourceNamed(resource);
  const field = owner && r.fieldNamed(owner, member);
  const at = field ?? owner?.derived.find(({ name }) => name.text === member);
  if (!at) return '';
  const how = field ? 'is always present' : 'is derived from values that are always present';
  return `${resource}.${member} ${how} (line ${r.line(at.name.from)})`;
}

function whyParameter(r: Resolved, place: string, name: string): string {
  const one = r.effective.find(({ endpoint }) => endpoint.name === r.endpoint);
  const found = one?.parameters.find((parameter) => parameter.in?.value === place && parameter.name.text === name);
  if (!found) return '';
  const how = found.presence?.value === 'else' ? 'has a value even when a client does not send it' : 'is always sent';
  return `the parameter ${name} ${how} (line ${r.line(found.name.from)})`;
}
