import type { Json } from './json.ts';

/** Text that is a plain scalar in YAML 1.1 and 1.2; other text is quoted as in JSON. */
const PLAIN = /^[A-Za-z_/$][\w./$-]*(?: [\w./$-]+)*$/;
const WORDS = /^(?:true|false|yes|no|on|off|y|n|null)$/i;

/** Serializes data as YAML, whose strings mean the same in YAML 1.1 and 1.2. */
export const yamlText = (value: Json): string => `${block(value, '').replace(/^\n/, '')}\n`;

const scalar = (text: string): string => (PLAIN.test(text) && !WORDS.test(text) ? text : JSON.stringify(text));

/** The text after a key or dash: a scalar on the same line, or lines below. */
function block(value: Json, indent: string): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return ' []';
    return value.map((one) => `\n${indent}-${inList(one, `${indent}  `)}`).join('');
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    if (entries.length === 0) return ' {}';
    return entries.map(([name, one]) => `\n${indent}${scalar(name)}:${block(one, `${indent}  `)}`).join('');
  }
  return ` ${typeof value === 'string' ? scalar(value) : JSON.stringify(value)}`;
}

/** An item of a list, whose first line follows the dash. */
function inList(value: Json, indent: string): string {
  const text = block(value, indent);
  return text.startsWith('\n') ? ` ${text.slice(1 + indent.length)}` : text;
}
