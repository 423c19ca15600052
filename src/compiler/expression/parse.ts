import { type ASTNode, type ParseError, parse } from '@marcbachmann/cel-js';
import type { Finding } from '../../syntax/diagnostic.ts';
import type { Span } from '../../syntax/span.ts';
import type { Token } from '../../syntax/tokens.ts';
import { expressionDiagnostics as d } from './messages.ts';
import { operatorElsewhere, phraseElsewhere } from './synonyms.ts';

/** A parsed expression with its text and its place in the document. */
export interface Parsed {
  readonly ast: ASTNode;
  readonly source: string;
  readonly token: Token;
}

/** The longest expression that is read, in characters, so that parsing stays bounded. */
const LONGEST = 4000;

/** The deepest expression that is read: functions over expressions recurse at every level. */
const DEEPEST = 250;

/** Parses one inline code span as CEL (cel-spec, its syntax only). Null, with a finding, if the text is no CEL. */
export function parseExpression(token: Token, findings: Finding[]): Parsed | null {
  if (token.text.length > LONGEST) {
    findings.push(d.report.tooLong(token, { length: `${token.text.length}`, most: `${LONGEST}` }));
    return null;
  }
  try {
    const { ast } = parse(token.text);
    if (depthOf(ast) <= DEEPEST) return { ast, source: token.text, token };
    findings.push(d.report.tooDeep(token, { most: `${DEEPEST}` }));
    return null;
  } catch (error) {
    const operator = operatorElsewhere(token.text);
    if (operator) {
      const { found, start, instead } = operator;
      const at = place(token, start, start + found.length);
      findings.push(d.report.operatorElsewhere(at, { found, instead }));
      return null;
    }
    const phrase = phraseElsewhere(token.text);
    if (phrase) {
      const { found, start, instead } = phrase;
      findings.push(d.report.phraseElsewhere(place(token, start, start + found.length), { found, instead }));
      return null;
    }
    const range = (error as ParseError).range ?? { start: 0, end: token.text.length };
    const [first = ''] = String((error as Error).message).split('\n');
    // The parser counts UTF-16 units, and names one surrogate of a character beyond U+FFFF.
    const whole = String.fromCodePoint(token.text.codePointAt(range.start) ?? 0);
    const written = first.trim().replace(/\p{Cs}/gu, () => whole);
    const reason = syntaxReason(
      written,
      token.text.slice(range.start, Math.max(range.start + whole.length, range.end)),
    );
    findings.push(
      d.report.syntax(place(token, range.start, range.start + Math.max(whole.length, range.end - range.start)), {
        reason,
      }),
    );
    return null;
  }
}

/** The place in the document of the characters `start` to `end` of an expression. */
export function place(token: Token, start: number, end: number): Span {
  const { offsets, inner } = token;
  return { from: offsets[start] ?? inner.to, to: offsets[end] ?? inner.to };
}

/** How deep an expression is nested, found without recursion. */
function depthOf(ast: ASTNode): number {
  let depth = 0;
  for (let level = [ast]; level.length > 0; depth++) level = level.flatMap(operandsOf);
  return depth;
}

/** The nodes right below a node. */
function operandsOf({ args }: ASTNode): ASTNode[] {
  const all: readonly unknown[] = Array.isArray(args) ? args.flat(2) : [args];
  return all.filter(isNode);
}

const isNode = (part: unknown): part is ASTNode => part !== null && typeof part === 'object' && 'op' in part;

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

/** The characters of the parser's tokens, by the parser's names for them. */
const SIGNS: Readonly<Record<string, string>> = {
  RPAREN: ')',
  RBRACKET: ']',
  RBRACE: '}',
  COLON: ':',
  LPAREN: '(',
  LBRACKET: '[',
  LBRACE: '{',
  COMMA: ',',
};

/** The reason of a syntax error in words about the text: the parser's messages name tokens that readers don't know. */
function syntaxReason(message: string, found: string): string {
  const [, wanted, got] = /^Expected (\w+), got (\w+)$/.exec(message) ?? [];
  if (wanted) {
    const sign = SIGNS[wanted] ? `“${SIGNS[wanted]}”` : wanted === 'IDENTIFIER' ? 'a name' : 'something else';
    if (wanted === 'EOF') return `The expression already ends before “${found}”`;
    return got === 'EOF' || found === ''
      ? `It ends where ${sign} is missing`
      : `${capital(sign)} is missing before “${found}”`;
  }
  if (message === 'Unexpected token: EOF') return 'It ends where a value is missing';
  if (message.startsWith('Unexpected token: ')) return `A value is missing before “${found}”`;
  const [, character] = /^Unexpected character: '?(.+?)'?$/u.exec(message) ?? [];
  if (character) return `“${character}” has no meaning here`;
  if (message.startsWith('Unterminated')) return 'The quotation mark that ends this text is missing';
  return message;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
