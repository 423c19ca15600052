/**
 * The elements of an explanation in the Markdown that the language server writes: paragraphs, rules, fenced blocks, code
 * and strong text. Everything else is text: no part of the document becomes an element.
 */
export function explanationOf(markdown: string): HTMLElement {
  const block = element('div', 'explanation');
  for (const part of markdown.split(/^(~~~[^\n]*\n.*?\n~~~)$/ms)) {
    const fenced = /^~~~.*\n(.*)\n~~~$/s.exec(part)?.[1];
    if (fenced !== undefined) block.append(element('pre', '', fenced));
    else for (const paragraph of part.split(/\n{2,}/)) block.append(...paragraphOf(paragraph.trim()));
  }
  return block;
}

function paragraphOf(text: string): HTMLElement[] {
  if (text === '') return [];
  if (text === '---') return [element('hr')];
  const paragraph = element('p');
  for (const part of text.split(/(`[^`]+`|\*\*[^*]+\*\*)/))
    paragraph.append(
      part.startsWith('`')
        ? element('code', '', part.slice(1, -1))
        : part.startsWith('**')
          ? element('strong', '', part.slice(2, -2))
          : part.replaceAll('&lt;', '<'),
    );
  return [paragraph];
}

function element(name: 'div' | 'p' | 'hr' | 'pre' | 'code' | 'strong', className = '', text = ''): HTMLElement {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}
