import type { ASTNode } from '@marcbachmann/cel-js';

/** The fields that an expression reads as `this.field`: there, the bare name means something else. */
export function ownFields(ast: ASTNode): Set<string> {
  const out = new Set<string>();
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) walk(one);
    if (node === null || typeof node !== 'object' || !('op' in node)) return;
    const { op, args } = node as ASTNode;
    const [of, member] = Array.isArray(args) ? (args as [ASTNode, unknown]) : [];
    if (op === '.' && of?.op === 'id' && of.args === 'this') out.add(member as string);
    walk(args);
  };
  walk(ast);
  return out;
}
