import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { answersOf } from './answers.ts';
import { ASPECTS, type Aspect, aspectsOf } from './aspects.ts';
import { corpus, RANDOM_DOCUMENTS, SEED } from './corpus.ts';

/**
 * The frozen oracle: hashes of what Ninefold makes of very many documents, and of what it answers. A change that is to
 * leave behaviour as it was leaves them as they are; any other says in its commit which of them changed and why.
 */
const FILE = join(import.meta.dirname, 'frozen.txt');
const HELP = `Usage: npm run frozen -- [options]

Says what differs from test/frozen/frozen.txt: findings (where and what), words (of the messages), plans, the SQL of
either store, and answers. Ends with 1 where anything does.

  --write        write what there is now into frozen.txt
  --dump DIR     write everything in full into DIR, to compare with what another checkout dumps there
  --only TEXT    look only at documents whose name holds TEXT
  --help         print this
`;

const { values: options } = parseArgs({
  options: {
    write: { type: 'boolean' },
    dump: { type: 'string' },
    only: { type: 'string', default: '' },
    help: { type: 'boolean' },
  },
});

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** Each thing that is frozen, with its text. */
async function* frozen(): AsyncGenerator<readonly [name: string, texts: Readonly<Record<string, string>>]> {
  for (const { name, text } of corpus()) if (name.includes(options.only)) yield [name, { ...(await aspectsOf(text)) }];
  for (const [title, answer] of await answersOf())
    if (`answer ${title}`.includes(options.only)) yield [`answer ${title}`, { answer }];
}

function dump(directory: string, name: string, texts: Readonly<Record<string, string>>): void {
  const folder = join(directory, name.replaceAll(/[^\w.-]+/g, '-').slice(0, 120));
  mkdirSync(folder, { recursive: true });
  for (const [aspect, text] of Object.entries(texts)) writeFileSync(join(folder, `${aspect}.txt`), `${text}\n`);
}

/** The lines of the file: a name, then an aspect and its hash each. */
function readFrozen(): Map<string, string> {
  const lines = readFileSync(FILE, 'utf8').split('\n');
  return new Map(
    lines
      .filter((line) => /^\S.*\t/.test(line))
      .map((line) => {
        const cut = line.indexOf('\t');
        return [line.slice(0, cut), line.slice(cut + 1)];
      }),
  );
}

async function main(): Promise<void> {
  if (options.help) return void process.stdout.write(HELP);
  const lines: string[] = [];
  const before = options.write ? new Map<string, string>() : readFrozen();
  const differing = new Map<string, string[]>();
  const seen = new Set<string>();
  for await (const [name, texts] of frozen()) {
    if (options.dump) dump(options.dump, name, texts);
    const hashes = Object.entries(texts).map(([aspect, text]) => `${aspect}=${hash(text)}`);
    lines.push(`${name}\t${hashes.join(' ')}`);
    seen.add(name);
    const old = before.get(name)?.split(' ');
    const what = old ? hashes.filter((one) => !old.includes(one)).map((one) => one.split('=')[0]!) : ['new'];
    for (const aspect of what) differing.set(aspect, [...(differing.get(aspect) ?? []), name]);
  }
  if (options.write) {
    const head = `The frozen oracle: npm run frozen says what differs. Random documents: ${RANDOM_DOCUMENTS}, seed ${SEED}.`;
    writeFileSync(FILE, `${head}\n${lines.join('\n')}\n`);
    console.log(`${lines.length} lines are written to test/frozen/frozen.txt.`);
    return;
  }
  const gone = [...before.keys()].filter((name) => name.includes(options.only) && !seen.has(name));
  if (gone.length) differing.set('gone', gone);
  report(differing, lines.length);
}

function report(differing: ReadonlyMap<string, readonly string[]>, count: number): void {
  for (const aspect of ['new', 'gone', ...ASPECTS, 'answer'] as ReadonlyArray<Aspect | string>) {
    const names = differing.get(aspect);
    if (names) console.log(`${aspect}: ${names.length}\n${names.map((name) => `  ${name}`).join('\n')}`);
  }
  console.log(differing.size ? 'What is frozen has changed.' : `${count} documents and answers: nothing differs.`);
  process.exitCode = differing.size ? 1 : 0;
}

await main();
