import type { Derived, Draft, Field, Resource, Typed } from './draft.ts';
import { callerNames, Expressions, membersOf, type Named } from './expressions.ts';

/** Fields that are computed: of the row, of what it points at, and of the rows that point at it. */
export function computed(draft: Draft, resource: Resource): void {
  const { random } = draft;
  const names = [...membersOf(draft, '', resource.name), ...callerNames(draft, draft.anyone)];
  const caller = draft.caller !== null;
  const count = random.int(0, 2);
  for (let i = 0; i < count; i++) {
    const inside = new Expressions(draft, { kind: 'rows', names, sent: [], sighted: true, caller });
    const name = draft.name('also');
    const add = (kind: Typed['kind'], text: string, nullable = false): void => {
      const asks = /\b(?:caller|scopes|now|also\d+)\b/.test(text.replaceAll(`${name}x`, ''));
      resource.derived.push({ name, typed: { kind, nullable }, type: kind, text, asks } satisfies Derived);
    };
    const pointing = draft.resources.flatMap((one) =>
      one.fields.filter((field) => field.typed.resource === resource.name).map((field) => ({ one, field })),
    );
    const texts = resource.fields.filter(({ typed }) => typed.kind === 'string' && !typed.uuid && !typed.nullable);
    if (pointing.length && random.chance(0.6)) {
      const { one, field } = random.pick(pointing);
      const held = `${name}x.${field.name}`;
      const holds = field.typed.nullable ? `${held} != null && this in ${held}` : `this in ${held}`;
      const refers = field.typed.kind === 'rows' ? holds : `${held} == this`;
      const rows = `${one.name}.filter(${name}x, ${refers})`;
      if (random.chance(0.5)) add('integer', `${rows}.size()`);
      else add('boolean', `${one.name}.exists(${name}x, ${refers})`);
    } else if (texts.length && random.chance(0.5)) {
      add('string', `${random.pick(texts).name} + "-" + ${random.pick(texts).name}`);
    } else add('boolean', inside.test(1));
  }
  const many = resource.fields.find((field) => field.typed.kind === 'rows');
  if (!many || !draft.later.chance(0.6)) return;
  const text = many.typed.nullable ? `${many.name} == null ? 0 : ${many.name}.size()` : `${many.name}.size()`;
  const typed: Typed = { kind: 'integer', nullable: false };
  resource.derived.push({ name: draft.name('also'), typed, type: 'integer', text, asks: false });
}

/** `Visible` of a resource. A row that is hidden from itself is no caller, so that some callers are, and not all. */
function visibility(draft: Draft, { name }: Resource, own: readonly Named[]): string {
  const test = (names: readonly Named[], caller: boolean): string =>
    new Expressions(draft, { kind: 'rows', names, sent: [], sighted: false, caller }).test();
  if (name === draft.caller && draft.random.chance(0.3)) return test(own, false);
  const seen = test([...own, ...callerNames(draft, draft.anyone)], true);
  return name === draft.caller ? `this == caller || (${seen})` : seen;
}

/** What a resource says once all fields are known: rules, who sees its rows, and how they are shown. */
export function finish(draft: Draft, resource: Resource): void {
  const { random } = draft;
  const { fields, bullets, name } = resource;
  const own = membersOf(draft, '', name);
  if (resource.hides) {
    resource.visible = `\`${visibility(draft, resource, own)}\``;
  }
  bullets.push(
    ...removals(
      draft,
      fields.filter((one) => one.typed.kind === 'row' || one.typed.kind === 'rows'),
    ),
  );
  const plain = fields.filter(
    (field) =>
      field.unique === 'no' && !['list', 'rows'].includes(field.typed.kind) && !field.given[0]!.startsWith('sequence'),
  );
  if (plain.length >= 2 && random.chance(0.3) && resource.created) {
    const pair = random.some(plain, 2).map((field) => field.name);
    const names = own.filter(
      (one) => fields.some((field) => field.name === one.text) && one.typed.kind !== 'timestamp',
    );
    const test = new Expressions(draft, { kind: 'row', names, sent: [], sighted: false, caller: false }).test(1);
    const condition = random.chance(0.5) ? ` while \`${test}\`` : '';
    bullets.push(`Unique: ${pair.join(' and ')}${condition}, else ${draft.code('rule', 'taken')}`);
  }
  if (resource.created && random.chance(0.3)) bullets.push(holds(draft, own));
  if (resource.created && random.chance(0.3)) bullets.push(...overlaps(draft, fields, bullets));
  const shown = random.some([...fields, ...resource.derived], random.int(Math.min(2, fields.length), fields.length));
  for (const one of resource.derived) if (!shown.includes(one)) shown.push(one);
  if (!shown.includes(resource.identity) && random.chance(0.9)) shown.unshift(resource.identity);
  resource.shown.push(...shown.map((field) => field.name));
  bullets.push(`Shown: ${shown.map((field) => form(draft, resource, field)).join(', ')}`);
}

/** What becomes of a row when what it points at is removed. */
function removals(draft: Draft, fields: readonly Field[]): string[] {
  const { random } = draft;
  const kinds = new Map<string, string[]>();
  for (const field of fields) {
    const kind =
      field.typed.kind === 'rows'
        ? draft.later.pick(field.allowed.startsWith('1') ? ['Keeps'] : ['Keeps', 'Cleared with', 'Cleared with'])
        : random.pick(['Keeps', 'Keeps', 'Removed with', ...(field.typed.nullable ? ['Cleared with'] : [])]);
    kinds.set(kind, [...(kinds.get(kind) ?? []), field.name]);
  }
  return [...kinds].map(([kind, names]) => {
    const otherwise = kind === 'Keeps' ? `, else ${draft.code('rule', 'kept')}` : '';
    return `${kind}: ${names.join(', ')}${otherwise}`;
  });
}

/** What holds of every row; mostly true, so that there are rows. */
function holds(draft: Draft, own: readonly Named[]): string {
  const names = own.filter((one) => one.typed.kind !== 'timestamp' && draft.isField(one.text));
  const place = { kind: 'rows', names, sent: [], sighted: false, caller: false, instants: false } as const;
  return `Holds: \`${new Expressions(draft, place).either()}\`, else ${draft.code('rule', 'broken')}`;
}

const tellsApart = ({ unique, typed }: Field): boolean => unique !== 'no' && !typed.nullable;

/** Whether a bullet says that no row has one of two values before the other. */
const keepsApart = (said: readonly string[], start: string, end: string): boolean =>
  said.some((bullet) => new RegExp(`\\b(?:${end} <=? ${start}|${start} >=? ${end})\\b`).test(bullet));

/** Rows that share nothing between two of their fields; \`said\` is what else the resource says. */
function overlaps(draft: Draft, fields: readonly Field[], said: readonly string[]): string[] {
  const { random } = draft;
  for (const kind of ['integer', 'timestamp', 'date']) {
    const [start, end] = random.some(
      fields.filter((field) => field.typed.kind === kind),
      2,
    );
    if (!start || !end) continue;
    const by = fields.filter((field) => ['row', 'boolean', 'string'].includes(field.typed.kind));
    const drawn = by.length ? random.pick(by) : null;
    // No two rows have the same value of what is unique and always there.
    const shared = drawn && tellsApart(drawn) ? by.find((field) => !tellsApart(field)) : drawn;
    const apart = shared ? ` by ${shared.name}` : '';
    if (keepsApart(said, start.name, end.name)) return [];
    return [`No overlap: \`${start.name}\` to \`${end.name}\`${apart}, else ${draft.code('rule', 'clash')}`];
  }
  return [];
}

/** How a field is shown: a reference as a field of its target, as a view of it, or as its own form. */
function form(draft: Draft, resource: Resource, field: Field | Derived): string {
  if (resource.tied?.field === field.name) return `${field.name} as ${resource.tied.as}`;
  if (field.typed.kind !== 'row' && field.typed.kind !== 'rows') return field.name;
  const target = draft.resource(field.typed.resource!);
  // The caller may not see the row that it points at.
  if (target.hides) draft.missing = true;
  const { random } = draft;
  const plain = target.fields.filter((one) => !['row', 'list', 'rows'].includes(one.typed.kind));
  // Forms that hold each other would never end: only what comes before is shown whole.
  const before = draft.resources.indexOf(target) < draft.resources.indexOf(resource);
  if (before && random.chance(0.3)) return `${field.name} as ${target.name}`;
  if (before && random.chance(0.3)) {
    const view = draft.name('View');
    const some = random.some(plain, random.int(1, 2)).map((one) => one.name);
    target.bullets.push(`Shown as ${view}: ${some.join(', ')}`);
    return `${field.name} as ${view}`;
  }
  return `${field.name} as ${random.chance(0.6) ? target.identity.name : random.pick(plain).name}`;
}
