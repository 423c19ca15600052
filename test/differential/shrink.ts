import { compile } from '../../src/compiler/compile.ts';
import { type Difference, replay, type Turn } from './conversation.ts';
import type { OpenStore } from './engine.ts';

/** The least that was found to differ still. */
export interface Shrunk {
  readonly text: string;
  readonly turns: readonly Turn[];
  readonly difference: Difference;
}

/** Leaves out turns, then endpoints of the document, for as long as the two sides go on to differ. */
export async function shrink(
  text: string,
  turns: readonly Turn[],
  difference: Difference,
  open: OpenStore,
): Promise<Shrunk> {
  const attempt = async (document: string, said: readonly Turn[]): Promise<Shrunk | null> => {
    const compiled = compiledIfSound(document);
    if (!compiled || compiled.findings.length || !compiled.plan) return null;
    const found = await replay(compiled, said, open).catch(() => null);
    return found && { text: document, turns: said.slice(0, found.turn + 1), difference: found.difference };
  };
  let least: Shrunk = (await attempt(text, turns)) ?? { text, turns, difference };
  for (let at = least.turns.length - 2; at >= 0; at--)
    least = (await attempt(least.text, least.turns.toSpliced(at, 1))) ?? least;
  for (let at = least.turns.length - 2; at >= 0; at--)
    least = (await attempt(least.text, least.turns.toSpliced(at, 1))) ?? least;
  for (const section of least.text.split(/\n(?=###? )/).filter((one) => one.startsWith('### ')))
    least = (await attempt(least.text.replace(`\n${section}`, ''), least.turns)) ?? least;
  return least;
}

function compiledIfSound(text: string): ReturnType<typeof compile> | null {
  try {
    return compile('document.md', text);
  } catch {
    return null;
  }
}

/** A turn as a person reads it. */
export function tell(turn: Turn): string {
  if (turn.say === 'key')
    return `key ${turn.key} for ${turn.resource} ${turn.id}, scopes ${turn.scopes.join(', ') || 'none'}`;
  if (turn.say === 'command') {
    const { command } = turn;
    const fields = 'fields' in command ? JSON.stringify(Object.fromEntries(command.fields)) : '';
    return `operator: ${command.do} ${command.resource} ${'id' in command ? command.id : ''} ${fields}`;
  }
  const { method, path, query, headers, body, at } = turn.request;
  const target = query === null ? path : `${path}?${query}`;
  const lines = headers.map(([name, value]) => `  ${name}: ${value}`);
  return [`${new Date(at).toISOString()} ${method} ${target}`, ...lines, ...(body === null ? [] : [`  ${body}`])].join(
    '\n',
  );
}
