import { type Expr, fieldsOf } from '../../expression/tree/expression.ts';
import { levelled } from '../../expression/tree/scales.ts';
import { STRING } from '../../expression/tree/types.ts';
import type { DerivedField, Giving, OverlapRule, SearchRule } from '../../language/resources.ts';
import type { Allowed, FieldType, Format } from '../../language/values.ts';
import { type FilePlan, fileColumn } from '../../plan/files.ts';
import { readsOwnRow, sourceOrder } from '../../plan/givings.ts';
import type {
  ColumnPlan,
  GivingPlan,
  OverlapPlan,
  ResourcePlan,
  SearchPlan,
  UniquePlan,
  ValueRule,
} from '../../plan/step.ts';
import { FREE } from '../../plan/value-forms.ts';
import { addTo } from '../../text/lists.ts';
import { auditsOf } from '../document/audits.ts';
import { targetOf } from '../document/field-types.ts';
import { identityOf, keyOf, type Resolved } from '../document/resolve.ts';
import { settled, settledList, withStated } from '../document/settled.ts';
import type { BytesField, Field, Resource } from '../statements/resources.ts';
import { isHashed, isSecret } from './check-passwords.ts';
import { planAudit } from './plan-audit.ts';
import { planViews } from './plan-view.ts';
import { sequenceOf } from './sequences.ts';

/**
 * The column that identifies rows whose key is several references together: a document can’t name a column with a
 * space.
 */
const KEY = ' key';

const KEY_COLUMN: ColumnPlan = {
  name: KEY,
  rule: { kind: 'uuid', ...FREE },
  password: false,
  nullable: false,
  reference: null,
  from: { operator: false, transitions: false, steps: false },
  sequence: null,
  otherwise: null,
};

const KEY_GIVING: GivingPlan = {
  field: KEY,
  moment: 'create',
  value: { op: 'call', fn: 'uuid', args: [], type: { ...STRING, format: 'uuid' } },
};

/** A field of bytes, and the column for the identity of its bytes; undefined while it isn't settled. */
export function planFile({ name, allowed, presence }: BytesField): { file: FilePlan; column: ColumnPlan } | undefined {
  if (!allowed || !presence) return undefined;
  const column = fileColumn(name.text);
  const mediaTypes = allowed.mediaTypes.map(({ text }) => text);
  return {
    file: { field: name.text, column, most: allowed.max, mediaTypes, checked: allowed.firstBytes === 'checked' },
    column: { ...KEY_COLUMN, name: column, nullable: presence.value === 'optional' },
  };
}

/** The states and events of a resource, which other parts of the document state. */
interface StatedElsewhere {
  readonly machines: ResourcePlan['machines'] | undefined;
  readonly events: ResourcePlan['events'] | undefined;
}

/** Turns a checked resource into a table with its rules; undefined while it isn't settled. */
export function planResource(r: Resolved, resource: Resource, elsewhere: StatedElsewhere): ResourcePlan | undefined {
  const name = resource.name.text;
  const { visible } = resource;
  const identity = identityOf(resource)?.name.text;
  const columns = settledList(resource.fields.map((field) => planColumn(r, field)));
  const givings = settledList(resource.fields.flatMap((field) => planGivings(r, field)));
  const files = settledList(resource.bytes.map(planFile));
  if (!files) return undefined;
  const audit = resource.audited ? planAudit(r, resource) : null;
  const entriesOf = r.once(auditsOf).get(name)?.resource.name.text;
  if (audit === undefined) return undefined;
  const own = [...(identity === undefined ? [KEY_COLUMN] : []), ...files.map(({ column }) => column)];
  return settled<ResourcePlan>({
    name,
    columns: columns && [...columns, ...own],
    ...(files.length > 0 && { files: files.map(({ file }) => file) }),
    identity: identity ?? KEY,
    order: keyOf(resource),
    derived: settledList(resource.derived.map((one) => planDerived(r, one))),
    visible: visible && visible.value !== 'everyone' ? r.expr(visible.value) : null,
    uniques: planUniques(r, resource),
    keptBy: r.once(keptRows).get(name) ?? [],
    counted: r.once(countedRows).get(name) ?? [],
    takes: r.once(removedWith).get(name) ?? [],
    clears: r.once(clearedBy).get(name) ?? [],
    holds: settledList(resource.holds.map((rule) => planHolds(r, rule))),
    overlaps: settledList(resource.overlaps.map((rule) => planOverlap(r, rule))),
    givings: givings && inOrder(identity === undefined ? [...givings, KEY_GIVING] : givings),
    machines: elsewhere.machines,
    events: elsewhere.events,
    views: planViews(r, resource),
    ...(resource.search && { search: planSearch(resource.search.value) }),
    ...(audit && { audit }),
    ...(entriesOf !== undefined && { entriesOf }),
  });
}

const planSearch = ({ fields, language, accents }: SearchRule): SearchPlan => ({
  fields: fields.map(({ field, weight }) => ({ field: field.text, weight: weight ?? 1 })),
  ...(language !== 'none' && { language }),
  accents,
});

/** A computed set has each item once, in the order of the items. */
function planDerived(r: Resolved, { name, type, value }: DerivedField): ResourcePlan['derived'][number] | undefined {
  const computed = r.expr(value);
  if (!computed) return undefined;
  if (type.kind !== 'set') return { name: name.text, value: computed };
  const distinct: Expr = { op: 'call', fn: 'distinct', args: [computed], type: computed.type };
  return { name: name.text, value: { op: 'call', fn: 'sort', args: [distinct], type: computed.type } };
}

function planHolds(r: Resolved, rule: Resource['holds'][number]): ResourcePlan['holds'][number] | undefined {
  const test = r.expr(rule.test);
  return test && { test, code: rule.code?.text ?? null };
}

/** The ends are compared as numbers, with the same number of decimal places. */
function planOverlap(r: Resolved, rule: OverlapRule): OverlapPlan | undefined {
  const ends = settledList([r.expr(rule.start), r.expr(rule.end)]);
  const [start, end] = levelled(ends ?? []);
  return settled<OverlapPlan>({
    start,
    end,
    by: rule.by.map((field) => field.text),
    condition: rule.condition && r.expr(rule.condition),
    code: rule.code?.text ?? null,
  });
}

/** Whether the operator gives the value to rows that the operator adds. */
const isByOperator = (giving: Giving): boolean =>
  giving.from === 'operator' || (giving.from === 'request' && giving.orOperator);

function planColumn(r: Resolved, said: Field): ColumnPlan | undefined {
  const field = withStated(said, 'givenBy', 'type', 'presence');
  if (!field) return undefined;
  const givings = field.givenBy.value;
  const request = givings.find((giving) => giving.from === 'request');
  const type = field.type.value;
  const otherwise = request?.from === 'request' ? request.otherwise : null;
  const sequence = sequenceOf(field);
  const target = targetOf(type)?.text;
  return settled<ColumnPlan>({
    name: field.name.text,
    rule: ruleOf(r, field),
    password: isHashed(field),
    ...(isSecret(field) && { secret: true as const }),
    nullable: field.presence.value === 'optional',
    reference: type.kind === 'reference' ? type.resource.text : null,
    ...(type.kind !== 'reference' && target && { references: target }),
    from: {
      operator: givings.some(isByOperator),
      transitions: givings.some((giving) => giving.from === 'transitions'),
      steps: givings.some((giving) => giving.from === 'steps'),
    },
    otherwise: otherwise && r.expr(otherwise),
    sequence: sequence && { per: sequence.per?.text ?? null },
  });
}

/** The rule for the values of a field; a reference has the rule of its target's identity. Undefined while unsettled. */
export function ruleOf(
  r: Resolved,
  field: Pick<Field, 'type' | 'format' | 'allowed' | 'givenBy'>,
): ValueRule | undefined {
  const type = field.type?.value;
  if (type?.kind === 'reference') return identityRule(r, type.resource.text);
  if (!type || !field.allowed) return undefined;
  const allowed = field.allowed.value;
  if ('of' in type && type.of.kind === 'reference') {
    const items = identityRule(r, type.of.resource.text);
    return items && { kind: type.kind, ...FREE, ...limitsOf(allowed), items };
  }
  const rule = valueRule(type, field.format?.value ?? 'none', allowed);
  const numbered = field.givenBy?.value.some((giving) => giving.from === 'sequence');
  return numbered ? { ...rule, min: 1, max: Number.MAX_SAFE_INTEGER } : rule;
}

/** The rule for the identity of a row of a resource, which references to it hold. */
export function identityRule(r: Resolved, resource: string): ValueRule | undefined {
  const target = r.resourceNamed(resource);
  const identity = target && identityOf(target);
  return identity ? ruleOf(r, identity) : KEY_COLUMN.rule;
}

/** The format of a list, and the bounds after `each`, are those of its items. */
function valueRule(type: Exclude<FieldType, { kind: 'reference' }>, format: Format, allowed: Allowed): ValueRule {
  if ('of' in type) {
    if (type.of.kind === 'reference' || allowed.kind !== 'items' || !allowed.each)
      throw new Error('A list is settled by its items');
    const items = valueRule(type.of, format, allowed.each);
    const keys = allowed.keys && valueRule({ kind: 'string' }, 'none', allowed.keys);
    return { kind: type.kind, ...FREE, ...limitsOf(allowed), items, keys };
  }
  const kind = type.kind === 'string' ? (format === 'uuid' ? 'uuid' : 'text') : type.kind;
  const isOwn = format === 'none' || format === 'uuid' || format === 'password' || format === 'secret';
  const textFormat = isOwn ? null : format;
  return { kind, ...FREE, format: textFormat, ...limitsOf(allowed) };
}

function limitsOf(allowed: Allowed): Partial<ValueRule> {
  if (allowed.kind === 'decimals') return { min: allowed.min, max: allowed.max, scale: allowed.scale };
  if (allowed.kind === 'whole minutes') return { whole: 60_000 };
  if ('min' in allowed) return { min: allowed.min, max: allowed.max };
  if (allowed.kind === 'pattern') return { pattern: allowed.source };
  return allowed.kind === 'one of' ? { oneOf: allowed.values.map((value) => value.text) } : {};
}

function planUniques(r: Resolved, resource: Resource): UniquePlan[] | undefined {
  const single = resource.fields.flatMap((field): UniquePlan[] => {
    const unique = field.unique?.value;
    if (unique?.kind !== 'yes') return [];
    const fields = [field.name.text];
    const ignoringCase = unique.ignoringCase ? fields : [];
    return [{ fields, ignoringCase, condition: null, code: unique.code?.text ?? null }];
  });
  const rules = resource.uniques.map((rule) =>
    settled<UniquePlan>({
      fields: rule.fields.map((field) => field.text),
      ignoringCase: rule.ignoringCase.map((field) => field.text),
      condition: rule.condition && r.expr(rule.condition),
      code: rule.code?.text ?? null,
    }),
  );
  return settledList([...single, ...rules]);
}

/** The references that keep rows from being removed, by the resource that they point at. */
function keptRows(r: Resolved): Map<string, ResourcePlan['keptBy'][number][]> {
  const out = new Map<string, ResourcePlan['keptBy'][number][]>();
  for (const resource of r.model.resources.list)
    for (const rule of resource.keeps)
      for (const name of rule.fields) {
        const target = targetOf(r.fieldNamed(resource, name.text)?.type?.value);
        if (target)
          addTo(out, target.text, { resource: resource.name.text, field: name.text, code: rule.code?.text ?? null });
      }
  return out;
}

/** The sequences that count for each row of a resource by itself. */
function countedRows(r: Resolved): Map<string, string[]> {
  const out = new Map<string, string[]>();
  for (const resource of r.model.resources.list)
    for (const field of resource.fields) {
      const per = sequenceOf(field)?.per?.text;
      if (per === undefined) continue;
      const type = resource.fields.find((one) => one.name.text === per)?.type?.value;
      if (type?.kind !== 'reference') continue;
      const known = out.get(type.resource.text) ?? [];
      out.set(type.resource.text, [...known, `${resource.name.text}.${field.name.text}`]);
    }
  return out;
}

function planGivings(r: Resolved, field: Field): (GivingPlan | undefined)[] {
  const givings = field.givenBy?.value;
  if (!givings) return [undefined];
  return givings.flatMap((giving) =>
    giving.from === 'moment'
      ? [settled<GivingPlan>({ field: field.name.text, moment: giving.moment.text, value: r.expr(giving.value) })]
      : [],
  );
}

/** The values of fields in the order in which they are computed: those that read fields of the row come last. */
function inOrder(givings: readonly GivingPlan[]): readonly GivingPlan[] {
  const own = givings.filter(readsOwnRow);
  const read = (field: string): Set<string> =>
    new Set(own.flatMap((one) => (one.field === field ? [...fieldsOf(one.value, 'this')] : [])));
  const { order } = sourceOrder([...new Set(own.map(({ field }) => field))], read);
  return [
    ...givings.filter((one) => !readsOwnRow(one)),
    ...order.flatMap((field) => own.filter((one) => one.field === field)),
  ];
}

const removedWith = (r: Resolved) => pointing(r, 'removedWith');
const clearedBy = (r: Resolved) => pointing(r, 'cleared');

/**
 * The references whose own rows are removed, or that become absent, when the row that they point at is removed; by the
 * resource that they point at.
 */
function pointing(r: Resolved, rules: 'removedWith' | 'cleared'): Map<string, ResourcePlan['takes'][number][]> {
  const out = new Map<string, ResourcePlan['takes'][number][]>();
  for (const resource of r.model.resources.list)
    for (const name of resource[rules].flatMap((rule) => rule.fields)) {
      const target = targetOf(r.fieldNamed(resource, name.text)?.type?.value);
      if (target) addTo(out, target.text, { resource: resource.name.text, field: name.text });
    }
  return out;
}
