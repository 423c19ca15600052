import { parentPort } from 'node:worker_threads';
import { COMPUTED, LIBRARY } from '../src/expression/library/index.ts';
import type { Value } from '../src/expression/values/value.ts';

/** What is long: of steps that grow with the square of it, there are too many to wait for. */
const LONG = 300_000;

const TEXTS: Readonly<Record<string, string>> = {
  'spaces inside': `a${' '.repeat(LONG)}b`,
  'spaces alone': ' '.repeat(LONG),
  'one letter': 'a'.repeat(LONG),
  'marks of two kinds': `a${'\u0301\u0323'.repeat(LONG / 2)}`,
  hyphens: `${'-'.repeat(LONG)}a`,
  digits: '1'.repeat(LONG),
  durations: '1h'.repeat(LONG / 2),
  instants: `2026-01-01T00:00:00.${'0'.repeat(LONG)}x`,
  sigmas: `Σ${"'".repeat(LONG)}Σ`,
  emoji: '😀'.repeat(LONG / 2),
};
/** Each is looked for in texts of one letter: all of it is there but for one end. */
const PARTS = [
  `${'a'.repeat(LONG / 2)}b`,
  `b${'a'.repeat(LONG / 2)}`,
  `${'a'.repeat(LONG / 4)}b${'a'.repeat(LONG / 4)}`,
];
const PATTERNS = ['(a|a)*$', '(.*)*x', 'a*a*a*b', '^(\\pL|\\s)+$', '( +)+b'];

type Does = (...args: unknown[]) => Value;

const WORDS = Array.from({ length: LONG / 3 }, (_, i) => `w${i}`);
const LISTS: readonly unknown[] = [WORDS, WORDS.map((word) => [word]), WORDS.map((_word, i) => i)];

function tried(id: string, ...args: unknown[]): void {
  parentPort!.postMessage(id);
  const does = COMPUTED.find((one) => one.id === id)!.does as unknown as Does;
  does(...args);
}

for (const { id, takes } of [...LIBRARY.values()].flat()) {
  const [first] = takes;
  const listed = first?.nests && first.says.includes('list');
  if (listed && !id.startsWith('math_'))
    for (const list of id === 'join' ? LISTS.slice(0, 1) : id === 'list_flatten' ? LISTS.slice(1, 2) : LISTS)
      tried(id, list, ...(takes.length > 1 ? (id === 'join' ? ['-'] : [1, 50_000]) : []));
  if (first?.nests || !first?.fits({ kind: 'string', nullable: false, oneOf: null, owner: null, format: null }))
    continue;
  for (const text of Object.values(TEXTS))
    if (id === 'matches') for (const pattern of PATTERNS) tried(id, text.slice(0, LONG / 5), pattern);
    else if (id === 'replace' || id === 'split' || id.endsWith('index_of'))
      for (const part of ['', 'a', ...PARTS]) tried(id, text, part, ...(id === 'replace' ? ['b'] : []));
    else if (!id.endsWith('_format')) tried(id, text, 1, 2);
}
tried('list_has', LISTS[1], ['none']);
tried('same', LISTS[1], LISTS[1]);
tried('list_plus', LISTS[1], LISTS[1]);
parentPort!.postMessage('done');
