import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Ran, runHere } from '../../src/cli/harness.test.ts';
import { listenApart } from '../ports.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples');

/** One thing that an operator gets wrong: the words of the command, in which `{dir}` is a directory of its own. */
interface Mistake {
  readonly what: string;
  readonly words: readonly string[];
  /** What is there before. */
  readonly before?: (place: Place) => Promise<void> | void;
}

/** Where the mistakes are made. */
interface Place {
  readonly dir: string;
  /** A port at which another program listens. */
  readonly taken: number;
}

const orders = ['{dir}/orders.md', '--data', '{dir}/data'] as const;
const stored = async ({ dir }: Place): Promise<void> => {
  const added = await runHere('rows', join(dir, 'orders.md'), 'add', 'Customer', ...ADA, '--data', join(dir, 'data'));
  if (added.code !== null && added.code !== 0) throw new Error(added.err);
};
/** Rows with a field that the document has no more. */
const withoutEmail = async (place: Place): Promise<void> => {
  await stored(place);
  const path = join(place.dir, 'orders.md');
  writeFileSync(path, readFileSync(path, 'utf8').replace(/^\| email .*\n/m, ''));
};
const ADA = ['id=0195c2a0-0000-7000-8000-000000000001', 'name=Ada', 'email=ada@example.com'];
const file = (name: string, text: string) => (place: Place) => writeFileSync(join(place.dir, name), text);

/** What operators get wrong, in the order in which they would meet it. */
export const MISTAKES: readonly Mistake[] = [
  { what: 'A command that does not exist', words: ['start', '{dir}/orders.md'] },
  { what: 'An option that does not exist', words: ['serve', ...orders, '--prot', '8080'] },
  { what: 'No document', words: ['serve'] },
  { what: 'A document that does not exist', words: ['serve', '{dir}/order.md'] },
  {
    what: 'A document that is a link to itself',
    words: ['serve', '{dir}/loop.md', '--data', '{dir}/data'],
    before: ({ dir }) => symlinkSync('loop.md', join(dir, 'loop.md')),
  },
  { what: 'A document with too long a name', words: ['serve', `{dir}/${'o'.repeat(256)}.md`, '--data', '{dir}/data'] },
  { what: 'A directory instead of a document', words: ['check', '{dir}'] },
  {
    what: 'A document that is not text',
    words: ['check', '{dir}/orders.md.gz'],
    before: ({ dir }) => writeFileSync(join(dir, 'orders.md.gz'), Buffer.from([0x1f, 0x8b, 8, 0, 0xff, 0xfe, 0])),
  },
  {
    what: 'A document with findings',
    words: ['serve', '{dir}/draft.md', '--data', '{dir}/data'],
    before: file('draft.md', '# Orders\n\n## Resources\n\n### Order\n'),
  },
  { what: 'A port that is not a number', words: ['serve', ...orders, '--port', 'http'] },
  { what: 'A port that another program uses', words: ['serve', ...orders, '--port', '{taken}'] },
  { what: 'An address of another machine', words: ['serve', ...orders, '--host', '192.0.2.1', '--port', '0'] },
  { what: 'A host without an address', words: ['serve', ...orders, '--host', 'nowhere.invalid', '--port', '0'] },
  { what: 'An operator’s port without a host', words: ['serve', ...orders, '--admin', '9090'] },
  {
    what: 'An operator’s port that another program uses',
    words: ['serve', ...orders, '--port', '0', '--admin', '127.0.0.1:{taken}'],
  },
  { what: 'A log level that does not exist', words: ['serve', ...orders, '--log', 'verbose'] },
  { what: 'A public address without a scheme', words: ['serve', ...orders, '--url', 'api.example.com'] },
  { what: 'A document that needs its public address', words: ['serve', '{dir}/blogging.md', '--data', '{dir}/data'] },
  {
    what: 'A token scheme without its key',
    words: ['serve', '{dir}/blogging.md', '--data', '{dir}/data', '--url', 'https://blog.example'],
  },
  { what: 'An invalid range of proxies', words: ['serve', ...orders, '--trust-proxy', '10.0.0.0/33'] },
  { what: 'Every address as a trusted proxy', words: ['serve', ...orders, '--trust-proxy', '0.0.0.0/0'] },
  {
    what: 'Every address as a trusted proxy, in two halves',
    words: ['serve', ...orders, '--trust-proxy', '0.0.0.0/1,128.0.0.0/1'],
  },
  { what: 'Names of the operator’s port without the port', words: ['serve', ...orders, '--admin-names', 'orders'] },
  {
    what: 'A name of the operator’s port with a port',
    words: ['serve', ...orders, '--admin', '127.0.0.1:9090', '--admin-names', 'orders.internal:9090'],
  },
  { what: 'Proxy headers without a trusted proxy', words: ['serve', ...orders, '--proxy-headers', 'forwarded'] },
  {
    what: 'An unsupported proxy header',
    words: ['serve', ...orders, '--trust-proxy', 'loopback', '--proxy-headers', 'X-Real-IP'],
  },
  {
    what: 'A socket in a directory that does not exist',
    words: ['serve', ...orders, '--listen', 'unix:{dir}/run/http.sock'],
  },
  { what: 'A socket at the path of a file', words: ['serve', ...orders, '--listen', 'unix:{dir}/orders.md'] },
  { what: 'A systemd socket without a socket unit', words: ['serve', ...orders, '--listen', 'systemd'] },
  { what: 'A socket and a port', words: ['serve', ...orders, '--listen', 'systemd', '--port', '80'] },
  {
    what: 'A file instead of a data directory',
    words: ['serve', '{dir}/orders.md', '--data', '{dir}/orders.md'],
  },
  { what: 'A data directory below a file', words: ['serve', '{dir}/orders.md', '--data', '{dir}/orders.md/data'] },
  {
    what: 'A database file of another program',
    words: ['serve', ...orders, '--port', '0'],
    before: ({ dir }) => {
      mkdirSync(join(dir, 'data'));
      file('data/ninefold.sqlite', 'rows of another program '.repeat(500))({ dir, taken: 0 });
    },
  },
  {
    what: 'The rows of another document',
    words: ['serve', '{dir}/issues.md', '--data', '{dir}/data', '--port', '0', '--url', 'https://issues.example'],
    before: stored,
  },
  {
    what: 'An unsupported kind of store',
    words: ['serve', '{dir}/orders.md', '--store', 'mysql://localhost/orders'],
  },
  {
    what: 'A database server that does not answer',
    words: ['serve', '{dir}/orders.md', '--store', 'postgres://127.0.0.1:1/orders'],
  },
  { what: 'A directory and a database', words: ['serve', ...orders, '--store', 'postgres://127.0.0.1:1/orders'] },
  { what: 'Keys without a store', words: ['keys', ...orders, 'list'] },
  { what: 'Rows without a store', words: ['rows', ...orders, 'list', 'Order'] },
  { what: 'Events without a store', words: ['events', ...orders, 'list'] },
  { what: 'Receivers without a store', words: ['receivers', ...orders, 'list'] },
  { what: 'A resource that does not exist', words: ['rows', ...orders, 'list', 'Orders'], before: stored },
  { what: 'A field that does not exist', words: ['rows', ...orders, 'add', 'Customer', 'nmae=Ada'], before: stored },
  {
    what: 'A value that isn’t allowed',
    words: ['rows', ...orders, 'add', 'Customer', 'id=1', 'name=Ada', 'email=ada'],
    before: stored,
  },
  {
    what: 'A key for a row that does not exist',
    words: ['keys', ...orders, 'issue', 'Customer', '0195c2a0-0000-7000-8000-000000000009', '--scopes', 'none'],
    before: stored,
  },
  {
    what: 'A key with a scope that does not exist',
    words: ['keys', ...orders, 'issue', 'Customer', '0195c2a0-0000-7000-8000-000000000001', '--scopes', 'orders:raed'],
    before: stored,
  },
  { what: 'A key that does not exist', words: ['keys', ...orders, 'revoke', 'h3Kd82nQxY1z'], before: stored },
  {
    what: 'A receiver at a private address',
    words: ['receivers', ...orders, 'add', 'http://127.0.0.1:9000/hooks', '--events', 'order.placed'],
    before: stored,
  },
  {
    what: 'A receiver at port 0',
    words: ['receivers', ...orders, 'add', 'https://hooks.example:0/', '--events', 'order.placed'],
    before: stored,
  },
  {
    what: 'A receiver’s address with a tab',
    words: ['receivers', ...orders, 'add', 'https://hooks.example/\tnew', '--events', 'order.placed'],
    before: stored,
  },
  {
    what: 'A receiver of an event that does not exist',
    words: ['receivers', ...orders, 'add', 'https://hooks.example/', '--events', 'order.lost'],
    before: stored,
  },
  {
    what: 'A receiver that does not exist',
    words: ['receivers', ...orders, 'pause', 'rcv_0195c2a0000070008000000000000001'],
    before: stored,
  },
  {
    what: 'A secret rotated without a time for the old one',
    words: ['receivers', ...orders, 'rotate', 'rcv_0195c2a0000070008000000000000001'],
    before: stored,
  },
  {
    what: 'A time for an old secret that is not a duration',
    words: [
      'receivers',
      ...orders,
      'rotate',
      'rcv_0195c2a0000070008000000000000001',
      '--old-secret-for',
      'a fortnight',
    ],
    before: stored,
  },
  {
    what: 'A receiver’s address given as the service’s',
    words: [
      'receivers',
      ...orders,
      'change',
      'rcv_0195c2a0000070008000000000000001',
      '--url',
      'https://hooks.example/',
    ],
    before: stored,
  },
  { what: 'An event that does not exist', words: ['events', ...orders, 'replay', 'evt_1'], before: stored },
  { what: 'A migration without a store', words: ['migrate', ...orders] },
  {
    what: 'A change that is accepted without its name',
    words: ['migrate', ...orders, '--accept', 'Customer.email'],
    before: stored,
  },
  {
    what: 'A change that is accepted by a misspelt name',
    words: ['migrate', ...orders, '--accept', 'drop Customer.emial'],
    before: withoutEmail,
  },
  {
    what: 'A change that is accepted and is none',
    words: ['migrate', ...orders, '--accept', 'drop Customer.email', '--accept', 'drop Order.note'],
    before: withoutEmail,
  },
  { what: 'A backup without a store', words: ['backup', ...orders, '--to', '{dir}/backup'] },
  {
    what: 'A backup into a directory that does not exist',
    words: ['backup', ...orders, '--to', '{dir}/backups/today'],
    before: stored,
  },
  { what: 'A backup over another file', words: ['backup', ...orders, '--to', '{dir}/orders.md'], before: stored },
  { what: 'A backup without a name', words: ['backup', ...orders, '--to', ''], before: stored },
  { what: 'A backup with the name of a directory', words: ['backup', ...orders, '--to', '{dir}/new/'], before: stored },
  { what: 'A backup to standard output', words: ['backup', ...orders, '--to', '-'], before: stored },
  { what: 'A backup that does not exist', words: ['restore', ...orders, '--from', '{dir}/backup'] },
  { what: 'A backup file of another kind', words: ['restore', ...orders, '--from', '{dir}/orders.md'] },
  {
    what: 'A backup over existing rows',
    words: ['restore', ...orders, '--from', '{dir}/backup'],
    before: async (place) => {
      await stored(place);
      await runHere(
        'backup',
        join(place.dir, 'orders.md'),
        '--data',
        join(place.dir, 'data'),
        '--to',
        join(place.dir, 'backup'),
      );
    },
  },
];

/** Makes a mistake in a directory of its own; gives what was printed, in which the directory is `/srv`. */
export async function make(mistake: Mistake, dir: string): Promise<Ran> {
  for (const name of ['orders', 'blogging', 'issues'])
    writeFileSync(join(dir, `${name}.md`), readFileSync(join(EXAMPLES, `${name}.md`)));
  const other = createServer();
  const taken = await listenApart(other);
  try {
    await mistake.before?.({ dir, taken });
    const { out, err, code } = await runHere(...filled(mistake.words, dir, taken));
    const plain = (text: string): string => text.replaceAll(dir, '/srv').replaceAll(String(taken), '8080');
    return { out: plain(out), err: plain(err), code };
  } finally {
    other.close();
  }
}

/** The words of a mistake as they are given, or with `/srv` and 8080 as they are shown. */
export const filled = (words: readonly string[], dir = '/srv', taken = 8080): string[] =>
  words.map((word) => word.replaceAll('{dir}', dir).replaceAll('{taken}', String(taken)));
