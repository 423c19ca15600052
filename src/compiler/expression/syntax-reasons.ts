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
export function syntaxReason(message: string, found: string): string {
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
