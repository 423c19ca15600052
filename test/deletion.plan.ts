import type { Plan } from '../src/plan/step.ts';

/**
 * The places in which two plans differ, as paths such as `endpoints.POST /orders.before.claim key`. Things that have
 * a name are matched by it, so that one more or one fewer is one difference. Lines of the document and the types that follow
 * from other statements don't count.
 */
export function planDifferences(a: Plan, b: Plan): string[] {
  const out: string[] = [];
  compare(strip(a), strip(b), '', out);
  return [...new Set(out)];
}

function strip(plan: Plan): unknown {
  return JSON.parse(
    JSON.stringify(plan, (key, value) => (['line', 'document', 'type'].includes(key) ? undefined : value)),
  );
}

function compare(a: unknown, b: unknown, path: string, out: string[]): void {
  if (JSON.stringify(a) === JSON.stringify(b)) return;
  if (!isTree(a) || !isTree(b)) {
    out.push(path);
    return;
  }
  const left = members(a);
  const right = members(b);
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    const at = path ? `${path}.${key}` : key;
    if (!left.has(key) || !right.has(key)) out.push(at);
    else compare(left.get(key), right.get(key), at, out);
  }
}

const isTree = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The members of an object, or the elements of a list by what they are called. */
function members(tree: object): Map<string, unknown> {
  if (!Array.isArray(tree)) return new Map(Object.entries(tree));
  return new Map(tree.map((element, i) => [nameOf(element) ?? String(i), element]));
}

function nameOf(element: unknown): string | null {
  if (!isTree(element)) return null;
  const named = element as Record<string, unknown>;
  const name =
    named.name ??
    named.parameter ??
    named.do ??
    named.per ??
    named.moment ??
    (named.fields as string[] | undefined)?.join(' ');
  return typeof name === 'string' ? name + (named.do && 'rate' in named ? ` ${named.rate}` : '') : null;
}
