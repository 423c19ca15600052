import { readFileSync } from 'node:fs';

const FEATURES = [
  'schemes',
  'path',
  'keys',
  'tags',
  'coded',
  'payload',
  'once',
  'unchanged',
  'pages',
  'links',
  'stream',
  'resumed',
  'webhook',
  'exact',
] as const;

/** What a client may have need of, beside sending requests. */
export type Feature = (typeof FEATURES)[number];

// Read as text: what they say is written into each client, and runs there.
const FILES: ReadonlyArray<readonly [URL, Feature | null, string]> = [
  [new URL('./runtime/result.ts', import.meta.url), null, 'What calls come to'],
  [new URL('./runtime/send.ts', import.meta.url), null, 'How requests are sent'],
  [new URL('./runtime/numbers.ts', import.meta.url), 'exact', 'Exact numbers'],
  [new URL('./runtime/pages.ts', import.meta.url), 'pages', 'Pages'],
  [new URL('./runtime/stream.ts', import.meta.url), 'stream', 'Streams'],
  [new URL('./runtime/webhook.ts', import.meta.url), 'webhook', 'Webhooks'],
];

/** What a user of a client imports; everything else is the client’s own. */
const PUBLIC =
  /^export (?=(?:async )?(?:class|type|interface|function) (?:Result|Answer|Success|Refused|Refusal|unwrap|RefusedError|ConnectionError|UnexpectedAnswerError|Credential|ClientOptions|CallOptions|IdempotentOptions|MatchOptions|StreamOptions|Exchange|verifyWebhook|WebhookError)\b)/;

/** The text of all of it. */
export const wholeRuntime = (): string => runtimeText(new Set(FEATURES));

/** The part of a client that is the same for every document with these features. */
export function runtimeText(features: ReadonlySet<Feature>): string {
  return FILES.filter(([, feature]) => feature === null || features.has(feature))
    .map(([url, , title]) => `// ${title}\n\n${selected(readFileSync(url, 'utf8'), features).trim()}\n`)
    .join('\n');
}

/** A line that stands in a comment; where it closes or opens what stands further out, it stands there too. */
const uncommented = (line: string): string =>
  line
    .replace(/^( *)\/\/ /, '$1')
    .replace(/^ +(?=export )/, '')
    .replace(/^ {4}(?=private )/, '  ');

/** A file without its imports, and of what lies between `#if` and `#end` only what the features ask for. */
function selected(text: string, features: ReadonlySet<Feature>): string {
  const own = text.replace(/^(?:\/\/ [^#].*\n)*(?:import [^;]*;\n)+\n?/, '');
  const out: string[] = [];
  /** For each `#if` that is open: whether one of its parts was taken, and whether this one is. */
  const open: Array<{ taken: boolean; here: boolean; commented: boolean }> = [];
  for (const line of own.split('\n')) {
    const [, word, names = ''] = /^ *\/\/ #(if|else|end)(.*)$/.exec(line) ?? [];
    const block = open.at(-1);
    const included = names === '' || FEATURES.some((one) => names.split(' ').includes(one) && features.has(one));
    if (word === 'if') open.push({ taken: included, here: included, commented: false });
    else if (word === 'else' && block) {
      block.here = !block.taken && included;
      block.taken ||= included;
      block.commented = true;
    } else if (word === 'end') open.pop();
    else if (open.every((one) => one.here)) out.push(block?.commented ? uncommented(line) : line);
  }
  return out
    .map((line) => (PUBLIC.test(line) ? line : line.replace(/^export /, '')))
    .join('\n')
    .replace(/\n\n(?= *\})/g, '\n');
}
