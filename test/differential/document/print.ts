import type { Draft, Resource } from './draft.ts';

const table = (rows: ReadonlyArray<readonly string[]>): string =>
  rows.map((row, i) => `| ${row.join(' | ')} |${i === 0 ? `\n|${row.map(() => ' --- |').join('')}` : ''}`).join('\n');

/** Writes a draft down as a document. */
export function print(draft: Draft): string {
  const { random } = draft;
  const bounds = limits(draft);
  const parts = [
    '# A document',
    '## What the service does\n\n- Purpose: be compared\n- Domain: tests\n- Address: given by the operator',
    `## Resources and their fields\n\n${rules(draft, bounds)}\n\n${[...draft.resources.map(resourceText), ...auditText(draft)].join('\n\n')}`,
    `## States and transitions\n\n${states(draft)}`,
    `## Endpoints\n\n${endpoints(draft)}`,
    `## Authentication\n\n${authentication(draft)}`,
    '## Events\n\n- Events: none',
    `## Errors\n\n${errors(draft)}`,
    `## Limits\n\n${bounds}`,
    `## Versioning\n\n${random.chance(0.3) ? versions(draft) : '- Scheme: none'}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The part’s rules that have something to rule. */
function rules(draft: Draft, bounds: string): string {
  const fields = draft.resources.flatMap((one) => one.fields);
  const requests = draft.endpoints.some((one) => one.settings.get('Request') !== 'none');
  const kinds = new Set([...draft.kinds, ...fields.flatMap(({ typed }) => [typed.kind, typed.of?.kind])]);
  const has = (kind: string): boolean =>
    kinds.has(kind) || (draft.audit !== null && (kind === 'timestamp' || kind === 'string'));
  const needed: Readonly<Record<string, boolean>> = {
    Timestamps: has('timestamp'),
    Dates: has('date'),
    Durations: has('duration'),
    Decimals: has('decimal'),
    Text: has('string'),
    'Missing values in answers':
      draft.missing || fields.some((field) => field.typed.nullable) || /`page\.(?:next|previous)`/.test(bounds),
    'Null in requests': requests,
    'Empty text in requests': requests && has('string'),
    'Unknown fields': requests,
  };
  return [...draft.rules]
    .filter(([key]) => needed[key])
    .map(([key, value]) => `- ${key}: ${value}`)
    .join('\n');
}

const COLUMNS = ['Field', 'Type', 'Format', 'Allowed values', 'Given by', 'Presence', 'Unique'];

/** The resource of the entries of an audit, if there is one. No answer shows it: the rows are compared as they are stored. */
function auditText({ audit }: Draft): string[] {
  return audit ? [`### ${audit.entries}\n\n${table([COLUMNS, ...audit.rows])}\n\n- Shown: never`] : [];
}

function resourceText({ name, fields, derived, visible, bullets }: Resource): string {
  const rows = fields.map((field) => [
    field.name,
    field.type,
    field.format,
    field.allowed,
    field.given.join('; ').replaceAll('|', '\\|'),
    field.typed.nullable ? 'optional' : 'always',
    field.unique,
  ]);
  const lines = [`Visible: ${visible}`, ...bullets].map((line) => `- ${line}`);
  const computed = derived.map((one) => `- Derived ${one.name}: ${one.type}, \`${one.text}\``);
  return `### ${name}\n\n${table([COLUMNS, ...rows])}\n\n${[...computed, ...lines].join('\n')}`;
}

function states(draft: Draft): string {
  const machines = draft.resources.flatMap(({ name, machines: own }) => own.map((machine) => ({ name, machine })));
  if (machines.length === 0) return '- States: none';
  return machines
    .map(({ name, machine }) => {
      const rows = machine.transitions.map((one) => [one.name, one.from.join(', '), one.to, one.when, one.otherwise]);
      const final = machine.final.join(', ') || 'none';
      const head = `### ${name}.${machine.field}\n\n- Initial: ${machine.initial}\n- Final: ${final}`;
      const reactions = [...machine.reactions].map(
        ([transition, steps]) => `\n\n#### After ${transition}\n\n${numbered(steps)}`,
      );
      return `${head}\n\n${table([['Transition', 'From', 'To', 'When', 'Otherwise'], ...rows])}${reactions.join('')}`;
    })
    .join('\n\n');
}

/** Numbered steps; a line that begins with spaces is a step of the one before it. */
function numbered(list: readonly string[]): string {
  const counts: number[] = [];
  return list
    .map((step) => {
      const depth = /^(?: {3})*/.exec(step)![0].length / 3;
      counts.length = depth + 1;
      counts[depth] = (counts[depth] ?? 0) + 1;
      return `${'   '.repeat(depth)}${counts[depth]}. ${step.trimStart()}`;
    })
    .join('\n');
}

function endpoints(draft: Draft): string {
  const common = commonSettings(draft);
  const bullets = (settings: ReadonlyMap<string, string>): string =>
    [...settings].map(([key, value]) => `- ${key}: ${value}\n`).join('');
  const steps = numbered;
  const columns = ['Parameter', 'In', 'Type', 'Allowed values', 'Presence', 'Otherwise', 'Keeps rows where'];
  const unders = draft.unders.map((one) => `### Under \`${one.path}\`\n\n${steps(one.steps)}`);
  const own = draft.endpoints.map((one) => {
    const settings = new Map([...one.settings].filter(([key, value]) => common.get(key) !== value));
    const parameters = one.parameters.length
      ? `${table([columns, ...one.parameters.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))])}\n\n`
      : '';
    const said = settings.size ? `${bullets(settings)}\n` : '';
    return `### \`${one.method} ${one.path}\`\n\n${parameters}${said}${steps(one.steps)}`;
  });
  return [bullets(common), ...unders, ...own].join('\n\n');
}

/** Of each setting the value that most endpoints have: the part says it for all of them. */
function commonSettings(draft: Draft): Map<string, string> {
  const common = new Map<string, string>();
  const keys = new Set(draft.endpoints.flatMap((one) => [...one.settings.keys()]));
  for (const key of keys) {
    const values = draft.endpoints.flatMap((one) => one.settings.get(key) ?? []);
    const count = (value: string): number => values.filter((one) => one === value).length;
    const [most] = [...new Set(values)].sort((a, b) => count(b) - count(a));
    if (key === 'Sort') continue;
    const plain = key === 'Request' || key === 'Conditional requests';
    if (!plain || values.includes('none')) common.set(key, plain ? 'none' : most!);
  }
  return common;
}

function authentication(draft: Draft): string {
  if (draft.caller === null) return '- Scheme: none\n- Browser origins: none';
  const used = draft.scopes.filter((scope) => draft.usedScopes.has(scope));
  const scopes = used.length
    ? `\n\n${table([['Scope', 'Lets the caller'], ...used.map((one) => [one, 'do things'])])}`
    : '';
  const header = `Authorization: ${draft.random.pick(['Bearer', 'Key', 'Token'])} {key}`;
  const open = draft.endpoints.some((one) => one.settings.get('Access') === 'anyone');
  return [
    ...(open ? ['- Unaccepted credentials where none are needed: refused\n'] : []),
    '### Key\n',
    '- Scheme: API key',
    `- Header: \`${header}\``,
    `- Credentials: issued and revoked by the operator, each for one ${draft.caller}, kept as a hash`,
    `- Caller: ${draft.caller}${stillCalling(draft)}`,
    ...(used.length ? [] : ['- Scopes: none']),
    `- Browser origins: none${scopes}`,
  ].join('\n');
}

/** The condition by which some rows are no callers any more, sometimes. */
function stillCalling({ caller, later, resources }: Draft): string {
  const fields = resources.find(({ name }) => name === caller)!.fields;
  const tests = fields.flatMap(({ name, typed, allowed }) => {
    if (typed.nullable) return [`${name} == null`, `${name} != null`];
    if (typed.kind === 'boolean') return [name, `!${name}`];
    const most = /^-?\d+ to (\d+)$/.exec(allowed)?.[1];
    return typed.kind === 'integer' && most && Number(most) < 100 ? [`${name} != ${most}`, `${name} < ${most}`] : [];
  });
  return tests.length > 0 && later.chance(0.4) ? ` while \`${later.pick(tests)}\`` : '';
}

function errors(draft: Draft): string {
  const { random } = draft;
  const rows = [...draft.codes].map(([code, by]) => {
    const when = [...by].map((one) => `a ${one} says so`).join(', ');
    return [code, String(random.pick([400, 403, 404, 409, 422])), when, `It is ${code}`];
  });
  if (random.chance(0.3)) rows.push(['bad', '400', 'invalid request, malformed request', 'That was bad']);
  const text = rows.length ? `\n\n${table([['Code', 'Status', 'When', 'Title'], ...rows])}` : '';
  return `- Payload: RFC 9457\n- Conditions: Ninefold common 1${text}`;
}

function limits(draft: Draft): string {
  const { random } = draft;
  const paged = draft.endpoints.some((one) => one.steps.some((step) => step.endsWith(', in pages.')));
  const whole = draft.endpoints.some((one) => one.steps.some((step) => step.endsWith(', all.')));
  const beyond = (): string => `more is ${random.pick(['refused', 'left out'])}`;
  const rows = [['Request size', random.pick(['4 KiB', '64 KiB', '120 B']), 'every endpoint']];
  const most = random.int(2, 6);
  if (paged)
    rows.push(['Page size', `${random.int(1, most)} by default, ${most} at most, ${beyond()}`, 'every list in pages']);
  const bullets: string[] = [];
  if (random.chance(0.25)) {
    rows.push([
      'Rate',
      `${random.int(5, 40)} requests per minute`,
      draft.caller ? 'each caller' : 'each address, before authentication',
    ]);
    const open = draft.endpoints.some((one) => one.settings.get('Access') === 'anyone');
    if (draft.caller && open)
      rows.push([
        'Rate',
        random.pick(['any number of requests', `${random.int(5, 40)} requests per minute`]),
        'each address without a caller',
      ]);
    if (draft.caller && random.chance(0.5))
      rows.push(['Rate', `${random.int(20, 60)} requests per hour`, 'each address, before authentication']);
    const headers = 'RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers)';
    bullets.push(`- Rate headers: ${random.pick(['none', 'Retry-After', headers, `${headers}, Retry-After`])}`);
  }
  const rated = rows.some(([limit]) => limit === 'Rate');
  const nothing = [...(rated ? [] : ['rate limits']), 'time-outs', ...(paged ? [] : ['pagination bounds', 'defaults'])];
  const sentence = `${nothing.join(' and ')}: none.`;
  if (paged) {
    bullets.push(`- Pages: ${pagesOf(random)}`);
  }
  if (whole) rows.push(['Whole list', `${random.int(2, 8)} at most, ${beyond()}`, 'every list of all']);
  return `${sentence[0]!.toUpperCase()}${sentence.slice(1)}\n\n${table([['Limit', 'Value', 'Applies to'], ...rows])}\n\n${bullets.join('\n')}`;
}

/** A form of pages. */
function pagesOf(random: Draft['random']): string {
  const parameters = `parameters \`${random.pick(['limit', 'most'])}\` and \`${random.pick(['cursor', 'after'])}\``;
  const by = random.pick(['cursor', 'cursor', 'offset', 'number', 'identity']);
  const more: Readonly<Record<string, readonly string[]>> = {
    cursor: ['more', 'total', 'size'],
    identity: ['next', 'more', 'total', 'size'],
    offset: ['next', 'previous', 'more', 'total', 'size', 'offset'],
    number: ['next', 'previous', 'more', 'total', 'size', 'number', 'pages'],
  };
  const told = ['items', ...(by === 'cursor' ? ['next'] : []), ...random.some(more[by]!, random.int(0, 4))];
  const relations = by === 'cursor' || by === 'identity' ? ['first', 'next'] : ['first', 'prev', 'next', 'last'];
  if (random.chance(0.3)) told.push(...random.some(relations, random.int(1, 3)).map((relation) => `links.${relation}`));
  const members = random.some(told, told.length).map((one) => `${one.replace('.', '_')} \`page.${one}\``);
  const alone = by !== 'cursor' && random.chance(0.3);
  const linked = random.some(relations, random.int(1, relations.length)).join(', ');
  const link = random.chance(0.4) ? `header Link (RFC 8288) with ${linked}; ` : '';
  return `by ${by}, ${parameters}; ${link}payload ${alone ? 'the items alone' : members.join(', ')}`;
}

function versions(draft: Draft): string {
  const { random } = draft;
  const plain = draft.resources.flatMap((one) =>
    one.fields
      .filter((field) => field !== one.identity && one.shown.includes(field.name))
      .map((field) => ({ of: `${one.name}.${field.name}`, field })),
  );
  const differences = random.some(plain, random.int(0, 3)).map(({ of, field }) => {
    const absent = field.typed.nullable && random.chance(0.4);
    return absent ? `${of} absent` : `${of} is \`${draft.name('was')}\``;
  });
  const rows = [['2026-01-01', 'deprecated', '2026-10-01', '2027-10-01', differences.join('; ') || 'none']];
  if (random.chance(0.4)) rows.push(['2025-01-01', 'retired', '2026-01-01', '2026-10-01', 'none']);
  const policy = random.pick([
    '',
    ', with headers Deprecation (RFC 9745) and Sunset (RFC 8594)',
    ', with header Sunset (RFC 8594)',
  ]);
  return [
    '- Scheme: a date in header `Doc-Version`',
    '- Current version: 2026-10-01',
    `- Without a version: ${random.pick(['current version', 'refused'])}`,
    `- Deprecation policy: a deprecated version answers for 6 months${policy}\n`,
    table([['Version', 'State', 'Deprecated', 'Sunset', 'Differs from the next version in'], ...rows]),
  ].join('\n');
}
