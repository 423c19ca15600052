import { type Compiled, compile } from '../../src/compiler/compile.ts';

/** A document with a stream of what happens to its rows. */
export interface Heard {
  readonly text: string;
  readonly document: Compiled;
  /** How each resource whose events are heard is shown in them. */
  readonly views: ReadonlyMap<string, string>;
}

/** Where the stream is read. */
export const STREAM = '/heard';

/** Each resource with what stands under its heading. */
const SECTIONS = /^### ([A-Z]\w*)\n((?:(?!\n#)[\s\S])*?\n\| Field [\s\S]*?)(?=\n##)/gm;

/** A document that tells of its rows by stream, and of nothing by webhook; null where its settings leave no room for that. */
export function withStream(text: string): Heard | null {
  const asking = askingFields(text);
  const views = new Map<string, string>();
  const hidden = hiding(text);
  let next = text;
  const shown = [...text.matchAll(SECTIONS)].flatMap(([, name = '', section = '']) => {
    const stated = /^- Shown: (.*)$/m.exec(section)?.[1] ?? 'never';
    const members = stated === 'never' ? [] : stated.split(', ').filter((one) => !asks(one, text, asking));
    return members.length ? [{ name, section, members }] : [];
  });
  for (const { name, section, members } of shown) {
    views.set(name, `Heard${name}`);
    const others = [...hidden.keys()].filter((other) => other !== name);
    const lines = others.flatMap((other) => [
      `- Derived count${other}: integer, \`${other}.size()\``,
      `- Derived rows${other}: list of ${other}, \`${other}\``,
    ]);
    const more = others.flatMap((other) => [`count${other}`, `rows${other} as Plain${other}`]);
    lines.push(`- Shown as Heard${name}: ${[...members, ...more].join(', ')}`);
    const plain = hidden.get(name);
    if (plain && shown.some((other) => other.name !== name)) lines.push(`- Shown as Plain${name}: ${plain.join(', ')}`);
    next = next.replace(section, () => `${section.trimEnd()}\n${lines.join('\n')}\n`);
  }
  if (views.size === 0) return null;
  next = next.replace(/^## Events\n[\s\S]*?(?=\n## )/m, () => `## Events\n\n${eventsOf(text, views)}\n`);
  const caller = /^- Caller: (\w+)$/m.exec(text)?.[1];
  const access = caller ? [`- Access: any ${caller}`] : [];
  const more = ['- HEAD: not served', '- Conditional requests: none'];
  for (const bullets of [[], access, more.slice(1), [...access, ...more.slice(1)], more, [...access, ...more]]) {
    const head = bullets.length ? `${bullets.join('\n')}\n\n` : '';
    const endpoint = `### \`GET ${STREAM}\`\n\n${head}1. Answer 200 with the stream.\n\n`;
    const whole = next.replace('## Authentication', () => `${endpoint}## Authentication`);
    const document = compile('heard.md', whole);
    if (document.findings.length === 0) return { text: whole, document: unheard(document), views };
  }
  return null;
}

/** The resources of which not everyone may see each row, with their fields that are no references. */
function hiding(text: string): Map<string, string[]> {
  const out = new Map<string, string[]>();
  for (const [, name = '', section = ''] of text.matchAll(SECTIONS)) {
    const rows = [...section.matchAll(/^\| ([\w.]+) +\| ([^|]+) \| +([^|]*)\|/gm)];
    const plain = rows.flatMap(([, field = '', type = '', format = '']) =>
      field === 'Field' || /[A-Z]/.test(type) || /password|secret/.test(format) ? [] : [field],
    );
    if (/^- Visible: `/m.test(section) && !/^- Shown: never/m.test(section)) out.set(name, plain);
  }
  return out;
}

/** The same document for the interpreter, which knows nothing of streams. */
function unheard(document: Compiled): Compiled {
  const { endpoints } = document.model;
  const list = endpoints.list.filter(({ path }) => path !== STREAM);
  return { ...document, model: { ...document.model, endpoints: { ...endpoints, list } } };
}

/** The derived fields that depend on the caller or the time, by their names, which no two resources share. */
function askingFields(text: string): Set<string> {
  const derived = [...text.matchAll(/^- Derived (\w+): .*?, `(.*)`$/gm)];
  const asking = new Set<string>();
  for (let before = -1; before < asking.size; ) {
    before = asking.size;
    for (const [, name = '', value = ''] of derived)
      if ((value.match(/\w+/g) ?? []).some((word) => ['caller', 'scopes', 'now'].includes(word) || asking.has(word)))
        asking.add(name);
  }
  return asking;
}

/** Whether a member shows something that depends on the caller, itself or in the form of what it points at. */
function asks(member: string, text: string, asking: ReadonlySet<string>): boolean {
  const [field = '', as] = member.split(' as ');
  if (asking.has(field) || (as !== undefined && asking.has(as))) return true;
  if (as === undefined || !/^[A-Z]/.test(as)) return false;
  const [, , section = ''] = [...text.matchAll(SECTIONS)].find(([, name]) => name === as) ?? [];
  const shown = (/^- Shown: (.*)$/m.exec(section) ?? new RegExp(`^- Shown as ${as}: (.*)$`, 'm').exec(text))?.[1];
  return (shown ?? '').split(', ').some((one) => asks(one, text, asking));
}

function eventsOf(text: string, views: ReadonlyMap<string, string>): string {
  const rows = [...views].flatMap(([name, view]) => {
    const article = /^[AEIOU]/.test(name) ? 'an' : 'a';
    const what = [`${article} ${name} is created`, `${article} ${name} is removed`];
    const transitions = new RegExp(`^### ${name}\\.\\w+\\n[\\s\\S]*?(?=\\n##)`, 'm').exec(text)?.[0] ?? '';
    const moves = [...transitions.matchAll(/^\| (?!Transition|---)(\w+) +\|/gm)].map((match) => match[1]);
    if (moves.length) what.push(`${article} ${name} moves by ${moves.join(', ')}`);
    return what.map((when, i) => `| ${name.toLowerCase()}.heard${i} | ${when} | ${name} as ${view} | stream |`);
  });
  return [
    '| Event | When | Payload | Notified by |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    'Webhooks: none.',
    '',
    '### Stream',
    '',
    '- Format: server-sent events (WHATWG HTML)',
    '- Data: type, timestamp, data',
    '- Resumption: none',
    '- Retry: none',
    '- Heartbeat: none',
    '- Slow readers: cut off after 30 seconds',
    '- At once: any number',
  ].join('\n');
}
