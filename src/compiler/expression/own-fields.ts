import type { ASTNode } from '@marcbachmann/cel-js';
import { operandsOf } from './parse.ts';

/** The fields that an expression reads as `this.field`: in this expression, the bare name is not the field. */
export function ownFields(ast: ASTNode): Set<string> {
  const out = new Set<string>();
  const walk = (node: ASTNode): void => {
    if (node.op === '.') {
      const [of, member] = node.args;
      if (of.op === 'id' && of.args === 'this') out.add(member);
    }
    for (const operand of operandsOf(node)) walk(operand);
  };
  walk(ast);
  return out;
}
