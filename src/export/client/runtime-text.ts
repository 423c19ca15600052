import { readFileSync } from 'node:fs';

const FEATURES = [
  'schemes',
  'origin',
  'included',
  'path',
  'forms',
  'parts',
  'keys',
  'optionalKeys',
  'tags',
  'coded',
  'payload',
  'once',
  'query',
  'several',
  'unchanged',
  'pages',
  'links',
  'text',
  'rows',
  'bytesOut',
  'bytes',
  'stream',
  'resumed',
  'webhook',
  'standard',
  'signed',
  'timed',
  'rotated',
  'base64',
  'exact',
] as const;

/** Optional features of a client, besides sending requests. */
export type Feature = (typeof FEATURES)[number];

// The files are read as text, because their text is copied into each client.
const FILES: ReadonlyArray<readonly [URL, Feature | null, string?]> = [
  [new URL('./runtime/result.ts', import.meta.url), null, 'Results'],
  [new URL('./runtime/send.ts', import.meta.url), null, 'Sending requests'],
  [new URL('./runtime/numbers.ts', import.meta.url), 'exact', 'Exact numbers'],
  [new URL('./runtime/pages.ts', import.meta.url), 'pages', 'Pages'],
  [new URL('./runtime/rows.ts', import.meta.url), 'rows', 'Rows of NDJSON'],
  [new URL('./runtime/stream.ts', import.meta.url), 'stream', 'Streams'],
  [new URL('./runtime/webhook.ts', import.meta.url), 'webhook', 'Webhooks'],
  [new URL('./runtime/standard-webhook.ts', import.meta.url), 'standard'],
  [new URL('./runtime/signed-webhook.ts', import.meta.url), 'signed'],
];

/** Declarations that users of a client import; only these keep `export`. */
const PUBLIC =
  /^export (?=(?:async )?(?:class|type|interface|function) (?:Result|Answered|Answer|Success|Refused|Refusal|unwrap|RefusedError|ConnectionError|UnexpectedAnswerError|Credential|ClientOptions|CallOptions|Bytes|IdempotentOptions|MatchOptions|StreamOptions|Exchange|verifyWebhook|WebhookHeaders|WebhookError)\b)/;

/** The runtime with all features; webhooks have one of two kinds of signatures. */
export const wholeRuntime = (): string => runtimeText(new Set(FEATURES.filter((one) => one !== 'signed')));

/** The part of a client that does not depend on the document, with the given features. */
export function runtimeText(features: ReadonlySet<Feature>): string {
  const text = FILES.filter(([, feature]) => feature === null || features.has(feature))
    .map(([url, , title]) => {
      const own = `${selected(readFileSync(url, 'utf8'), features).trim()}\n`;
      return title === undefined ? own : `// ${title}\n\n${own}`;
    })
    .join('\n');
  return features.has('query') ? text : withoutQuery(text);
}

/** Removes the method QUERY, which few services have. */
const withoutQuery = (text: string): string => text.replace(" | 'QUERY'", '').replaceAll('|QUERY', '');

/**
 * Removes the comment marks of a line in an `#else` part. A declaration that encloses such parts also loses the
 * additional indentation.
 */
const uncommented = (line: string): string =>
  line
    .replace(/^( *)\/\/ /, '$1')
    .replace(/^ +(?=export )/, '')
    .replace(/^ {4}(?=private )/, '  ');

/** The text of a file without imports. Parts between `#if` and `#end` are included if the features require them. */
function selected(text: string, features: ReadonlySet<Feature>): string {
  const own = text.replace(/^(?:\/\/ [^#].*\n)*(?:import [^;]*;\n)+\n?/, '');
  const out: string[] = [];
  /** For each open `#if`: whether one of its parts was included, and whether the current one is. */
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
