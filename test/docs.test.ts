import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { describe, test } from 'node:test';
import { run } from '../src/cli/main.ts';
import { compile } from '../src/compiler/compile.ts';
import { COMMON_1, FAULTS, STAGES } from '../src/plan/conditions.ts';
import { PARTS, type PartName } from '../src/plan/parts.ts';
import { Engine } from '../src/runtime/engine/engine.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import { readCases } from './cases.ts';
import { IN_WHOLE } from './share.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const markdownIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder)).flatMap((name) => (name.endsWith('.md') ? [join(folder, name)] : []));

/** What people read; the pages of diagnostics are generated, and are among what is linked to. */
const PAGES = [...['README.md', 'CONTRIBUTING.md'], ...['docs', 'docs/language', 'examples'].flatMap(markdownIn)];
const LANGUAGE = markdownIn('docs/language').map(read).join('\n');
const ORDERS = read('examples/orders.md');
const QUOTED = markdownIn('docs/documents');
const OTHERS = [
  ...QUOTED.map(read),
  readCases('src/compiler/events/cases/receivers.md')[0]!.document,
  readCases('src/compiler/endpoints/cases/descriptions.md')[2]!.document,
  readCases('src/compiler/endpoints/cases/audiences.md')[2]!.document,
  readCases('src/compiler/endpoints/cases/audiences.md')[6]!.document,
  readCases('src/compiler/endpoints/cases/paths.md')[0]!.document,
  readCases('src/compiler/endpoints/cases/validate.md')[0]!.document,
  readCases('src/compiler/endpoints/cases/query.md')[0]!.document,
];

/** The fenced blocks of a page in one language, without those of a longer fence around them. */
function blocks(text: string, language: string): string[] {
  const fences = text.matchAll(/^(`{3,})(\w*)\n([\s\S]*?)^\1$/gm);
  return [...fences].flatMap(([, , said, body]) => (said === language ? [body!] : []));
}

/** The anchors of a page, as renderers make them from headings. */
function anchors(text: string): string[] {
  const prose = text.replace(/^(`{3,})\w*\n[\s\S]*?^\1$/gm, '');
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** A command as it would be run, with what it prints. */
async function command(...words: string[]): Promise<string> {
  let out = '';
  const write = (text: string): void => {
    out += text;
  };
  await run(words, { out: write, err: write, color: false, exit: () => {} });
  return out;
}

test('every relative link leads to a file, and to a heading of it', () => {
  const broken = PAGES.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(([link, file, anchor]) => {
      const target = file ? normalize(join(dirname(page), file)) : page;
      if (!existsSync(join(ROOT, target))) return [`${page}: ${link}`];
      return anchor && !anchors(read(target)).includes(anchor) ? [`${page}: ${link}`] : [];
    }),
  );
  assert.deepEqual(broken, []);
});

test('every command and script that a page names is there', async () => {
  const help = await command('--help');
  const known = [...help.matchAll(/^ {2}(\w+) [[<]/gm)].map((match) => match[1]);
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const missing = PAGES.flatMap((page) => [
    ...[...read(page).matchAll(/npx ninefold ([a-z]+)/g)].flatMap(([words, name]) =>
      known.includes(name) ? [] : [`${page}: ${words}`],
    ),
    ...[...read(page).matchAll(/npm run (\w+)/g)].flatMap(([words, name]) =>
      scripts[name!] ? [] : [`${page}: ${words}`],
    ),
    ...[...read(page).matchAll(/(?:npx node|node) ([\w./-]+\.ts)/g)].flatMap(([words, file]) =>
      existsSync(join(ROOT, file!)) ? [] : [`${page}: ${words}`],
    ),
  ]);
  assert.deepEqual(missing, []);
  const table = read('README.md')
    .match(/^\| `\w+ .*$/gm)!
    .map((row) => /`(\w+)/.exec(row)![1]);
  assert.deepEqual(
    table,
    known.filter((name) => name !== 'help'),
  );
});

test('the published list is the one that the code has', () => {
  const page = read('docs/common-1.md');
  const conditions = Object.entries(STAGES).flatMap(([stage, list]) =>
    list.flatMap((condition) => {
      const one = COMMON_1.get(condition);
      return one ? [`| ${stage} | ${condition} | ${one.status} | \`${one.code}\` | ${one.title} |`] : [];
    }),
  );
  assert.deepEqual(page.match(/^\| [A-Z]\w+ \| .* \| \d{3} \|.*$/gm), conditions);
  assert.deepEqual(
    [...page.matchAll(/^- \*\*(.*?)\*\*: /gm)].map((match) => match[1]),
    [...COMMON_1.keys()],
  );
  const faults = [...page.matchAll(/^\| `(\w+)` \| (.*?) \| .* \|$/gm)].map(([, code, detail]) => [code, detail]);
  assert.deepEqual(faults, Object.entries(FAULTS));
});

test('backups that a page shows are made and restored where they are shown', IN_WHOLE, () => {
  const shown = PAGES.flatMap((page) => blocks(read(page), 'sh').flatMap((text) => text.split('\n'))).flatMap(
    (line) => {
      const words = /^npx ninefold ((?:backup|restore) (?!.*--store).*)$/.exec(line)?.[1];
      return words ? [words.split(' ')] : [];
    },
  );
  assert.ok(shown.length >= 3);
  const place = mkdtempSync(join(tmpdir(), 'ninefold-docs-'));
  try {
    writeFileSync(join(place, 'orders.md'), ORDERS);
    const ran = (words: readonly string[]): void => {
      const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'bin/ninefold.js'), ...words], {
        cwd: place,
        encoding: 'utf8',
      });
      assert.equal(status, 0, `${words.join(' ')}\n${stderr}`);
    };
    const ada = ['id=0190a000-0000-7000-8000-000000000001', 'name=Ada', 'email=ada@example.com'];
    ran(['rows', 'orders.md', 'add', 'Customer', ...ada, '--data', './data']);
    for (const words of shown) {
      // What is restored has been lost, and what is backed up a second time has been moved away.
      if (words[0] === 'restore') rmSync(join(place, 'data'), { recursive: true });
      else rmSync(join(place, words[words.indexOf('--to') + 1]!), { force: true });
      ran(words);
    }
  } finally {
    rmSync(place, { recursive: true });
  }
});

test('a session that docs/migrations.md shows goes as it shows', IN_WHOLE, () => {
  const page = read('docs/migrations.md');
  const [migrate = '', diff = ''] = blocks(page, 'console');
  const place = mkdtempSync(join(tmpdir(), 'ninefold-docs-'));
  const ran = (command: string): string => {
    const words = command.replace(/^\$ npx ninefold /, '').split(' ');
    const options = { cwd: place, encoding: 'utf8' as const };
    const { stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'bin/ninefold.js'), ...words], options);
    // How long it took, what took long, and which line states it, depend on this machine and on the example of today.
    const said = `${stdout}${stderr}`.replace(/^ {2}… .*\n/gm, '');
    return said.replace(/in \d+ ms/g, 'in 25 ms').replace(/line \d+ → \d+/g, 'line');
  };
  const shown = (block: string): [command: string, output: string] => {
    const [command = '', ...output] = block.split('\n');
    return [command, output.join('\n').replace(/line \d+ → \d+/g, 'line')];
  };
  try {
    const ada = 'id=0190a000-0000-7000-8000-000000000001 name=Ada email=ada@example.com';
    writeFileSync(join(place, 'orders.md'), ORDERS);
    ran(`rows orders.md add Customer ${ada}`);
    const next = ORDERS.replace('| 1 to 1000 ', '| 1 to 100  ').replace(
      '600 requests per minute',
      '700 requests per minute',
    );
    writeFileSync(join(place, 'orders-next.md'), next);
    const [compare, differences] = shown(diff);
    assert.equal(ran(compare), differences);
    const channel = '| channel | string | | 1 to 20 characters | request | optional | |';
    const wider = ORDERS.replace(/^\| note .*$/m, (row) => `${row}\n${channel}`)
      .replace('- Shown: id, customer as id', '- Shown: id, channel, customer as id')
      .replace('Order with sku, quantity, note\n', 'Order with sku, quantity, note, channel\n');
    writeFileSync(join(place, 'orders.md'), wider);
    const [dryRun, changes] = shown(migrate);
    assert.equal(ran(dryRun), changes);
  } finally {
    rmSync(place, { recursive: true });
  }
});

test('the list says of no condition that nothing raises it, where something does', () => {
  const raised = globSync('src/runtime/**/*.ts', { cwd: ROOT }).map(read).join('\n');
  const said = [...read('docs/common-1.md').matchAll(/^- \*\*(.*?)\*\*: .*Nothing in the language raises it yet/gm)];
  assert.deepEqual(
    said.map((match) => match[1]).filter((condition) => raised.includes(`'${condition}'`)),
    [],
  );
});

describe('docs/language', () => {
  const examples = blocks(LANGUAGE, 'markdown');

  test('the whole documents that it quotes are complete, and can be put into force', async () => {
    assert.equal(QUOTED.length, 12);
    for (const file of QUOTED) {
      const { findings, plan } = compile(file, read(file));
      assert.deepEqual(findings, []);
      const store = new SqliteStore(':memory:', plan!);
      await Engine.start(plan!, store);
      await store.close();
    }
  });

  test('every line of its other examples stands in a document that is complete', () => {
    const squeezed = (line: string): string => line.replace(/\s+/g, ' ').trim();
    // A case that shows a plan or an exchange is of a complete document.
    const shown = globSync('src/**/cases/*.md', { cwd: ROOT })
      .flatMap((file) => readCases(file))
      .filter((one) => one.blocks.some((block) => block.kind === 'plan' || block.kind === 'exchange'))
      .map((one) => one.document);
    const known = new Set([ORDERS, ...OTHERS, ...shown].join('\n').split('\n').map(squeezed));
    const lines = examples.join('\n').split('\n');
    assert.deepEqual(
      lines.filter((line) => line && !known.has(squeezed(line))),
      [],
    );
  });

  /** What may stand where: the reader is given a word it can't know, and lists what is allowed. */
  function expected(part: string, below: string, what: string): string[] {
    const text = `# T\n\n## ${part}\n\n${below}\n\n${what}\n`;
    const found = compile('t.md', text).findings.find((one) => one.message.startsWith('“Zzzzzzzzzzzz” is not'));
    return [...(found?.message.split('Allowed: ')[1] ?? '').matchAll(/“(.*?)”/g)].map((match) => match[1]!);
  }

  const BULLET = '- Zzzzzzzzzzzz: x';
  const TABLE = '| Zzzzzzzzzzzz |\n| --- |\n| x |';
  const PLACES: Record<string, ReadonlyArray<readonly [below: string, what: string]>> = {
    'What the service does': [['', BULLET]],
    'Resources and their fields': [
      ['', BULLET],
      ['### Thing', BULLET],
      ['### Thing', TABLE],
    ],
    'States and transitions': [
      ['', BULLET],
      ['### Thing.state', BULLET],
      ['### Thing.state', TABLE],
    ],
    Endpoints: [
      ['', BULLET],
      ['', TABLE],
      ['### `GET /`', BULLET],
      ['### `GET /`', TABLE],
      ['### `GET /`', '1. Zzzzzzzzzzzz.'],
    ],
    Authentication: [
      ['', BULLET],
      ['### Key', BULLET],
      ['### Key', TABLE],
    ],
    Events: [
      ['', BULLET],
      ['', TABLE],
      ['### Webhook', BULLET],
    ],
    Errors: [
      ['', BULLET],
      ['', TABLE],
    ],
    Limits: [
      ['', BULLET],
      ['', TABLE],
    ],
    Versioning: [
      ['', BULLET],
      ['', TABLE],
    ],
  };

  const PAGES_OF: Readonly<Partial<Record<PartName, readonly string[]>>> = {
    endpoints: ['endpoints', 'steps', 'handlers'],
  };

  for (const [name, part] of PARTS)
    test(`says every bullet, column and verb of “${part}”`, () => {
      const pages = PAGES_OF[name] ?? [name];
      const section = pages.map((page) => read(`docs/language/${page}.md`)).join('\n');
      const later = read('docs/language/document.md').split('\n## Not yet\n')[1]!.split('\n## ')[0]!;
      for (const [below, what] of PLACES[part]!) {
        const words = expected(part, below, what);
        assert.ok(words.length > 0, `${part} ${below} ${what}`);
        const said = (word: string): boolean =>
          new RegExp(`\\n\\| (?:[^|\\n]* · )?${word}(?: · [^|\\n]*)? \\|`).test(section) ||
          section.includes(`\`- ${word}: none\``);
        assert.deepEqual(
          words.filter((word) => !said(word) && !new RegExp(`\\b${word}\\b`).test(later)),
          [],
        );
      }
    });
});

test('README.md’s first commands go as it says', () => {
  const place = mkdtempSync(join(tmpdir(), 'ninefold-docs-'));
  try {
    const commands =
      blocks(read('README.md'), 'sh')
        .join('')
        .match(/^npx ninefold (?:init|check) .*$/gm) ?? [];
    assert.equal(commands.length, 2);
    const statuses = commands.map((command) => {
      const words = command.split(' ').slice(2);
      return spawnSync(process.execPath, [join(ROOT, 'bin/ninefold.js'), ...words], { cwd: place }).status;
    });
    assert.deepEqual(statuses, [0, 1]);
  } finally {
    rmSync(place, { recursive: true });
  }
});

test('README.md shows what the product does', async () => {
  const readme = read('README.md');
  for (const excerpt of blocks(readme, 'markdown')) assert.ok(ORDERS.includes(excerpt), excerpt);
  const shown = /\$ grep -v '\^- Visible' .*\n([\s\S]*?)```/.exec(readme)![1]!;
  const { findings, name } = compile('<stdin>', ORDERS.replace(/^- Visible.*\n/m, ''));
  assert.equal(findings.length, 1);
  for (const text of [name, findings[0]!.code, findings[0]!.message, findings[0]!.why, findings[0]!.suggestion!])
    assert.ok(shown.includes(text), text);
});

test('docs/dependencies.md lists what package.json has, in its versions, and so of the bench and the tools', () => {
  const parts = read('docs/dependencies.md').split(/\n## In the (?:tools|bench).*\n/);
  const [clone = '', tools = '', bench = '', engines = '', others = ''] = parts;
  listsWhatIsIn('package.json', clone);
  listsWhatIsIn('test/export/tools/package.json', tools);
  listsWhatIsIn('bench/package.json', bench);
  listsWhatIsIn('bench/test/peers/package.json', others);
  // An engine has many packages: the row names the most important ones.
  for (const folder of globSync('bench/engines/*/package.json')) {
    const { dependencies } = JSON.parse(read(folder)) as Record<string, Record<string, string>>;
    const rows = engines.split('\n').map((line) => line.split('|').slice(1, 3));
    const isListed = ([name, version]: [string, string]): boolean =>
      rows.some(([names, versions]) => names?.includes(`\`${name.replace(/\/.*/, '')}`) && versions!.includes(version));
    assert.ok(Object.entries(dependencies!).some(isListed), folder);
  }
});

function listsWhatIsIn(file: string, text: string): void {
  const { dependencies, devDependencies } = JSON.parse(read(file)) as Record<string, Record<string, string>>;
  const rows = text.match(/^\| `.*$/gm)!.flatMap((row) => {
    const [, names = '', versions = ''] = row.split('|');
    const all = versions.trim().split(', ');
    return [...names.matchAll(/`(.*?)`/g)].map(([, name], i) => [name!, all[i]!]);
  });
  const sorted = (list: string[][]): string[][] => list.sort(([a], [b]) => (a! < b! ? -1 : 1));
  assert.deepEqual(sorted(rows), sorted(Object.entries({ ...dependencies, ...devDependencies })));
}
