import type { Json } from '../../export/json.ts';
import { eachOnce, includesId, isSameId, lineOf, type StatementId, statementId } from '../../plan/lines.ts';
import { named } from '../../plan/named.ts';
import { allNested } from '../../plan/nested-steps.ts';
import { isList } from '../../plan/slots.ts';
import type { BodyPlan, EndpointPlan, InsideStep, MachinePlan, Plan } from '../../plan/step.ts';
import { wordsIn } from '../../plan/words.ts';
import { ownMember } from '../../text/own-members.ts';
import type { Difference } from '../judge/compare.ts';
import type { Prediction } from '../oracle/oracle.ts';
import { latestOf, type Trace } from '../oracle/trace.ts';
import { stepOf } from '../statements/tried.ts';
import { answerGiven, type MemberPlace, type Place, placeIn } from './places.ts';

/** The statements that an answer with the right status breaks by its body, the likeliest first. */
export function ofBody(plan: Plan, prediction: Prediction, differences: readonly Difference[]): StatementId[] {
  const { endpoint, trace } = prediction;
  const [chosen] = latestOf(trace, 'version');
  const version = chosen?.kind === 'version' ? chosen.version : '';
  const body = answerGiven(prediction)?.body ?? null;
  const bodies = differences.filter(({ at }) => at === 'body' || at.startsWith('body '));
  const placed = bodies.map((difference) => {
    const pointer = difference.at.slice('body '.length);
    return { difference, place: placeIn(plan, body, pointer, version) };
  });
  // If rows are in another order, all their members differ: the statement of the list is to blame.
  const moved = endpoint !== null && inOtherOrder(prediction, bodies);
  const first = placed.find(({ place }) => place.is === 'item') ?? placed[0];
  if (!first || !endpoint) return [];
  const { difference, place } = first;
  if (difference.at === 'body' && body?.kind === 'page') {
    // The payload has another shape: the answer is a page where a plain list is required, or the reverse.
    const facts = [...ofList(plan, endpoint, trace, true), statementId.endpoint(endpoint.name, 'pages')];
    return difference.expected?.startsWith('[') ? facts.reverse() : facts;
  }
  if (place.is === 'item' || moved) return ofList(plan, endpoint, trace, moved);
  if (place.is === 'page') return [statementId.endpoint(endpoint.name, 'pages')];
  if (place.is === 'answer') return [];
  const hasOtherRow = isOtherRow(plan, place, difference);
  if (hasOtherRow && body?.kind === 'page')
    return [
      statementId.endpoint(endpoint.name, 'pages'),
      ...ofList(plan, endpoint, trace, true),
      ...ofList(plan, endpoint, trace, false),
    ];
  const extra = placed.filter((one) => isExtra(one.difference, one.place)).map((one) => lastOf(one.difference.at));
  const { columns, derived } = named(plan.resources, place.resource);
  // If another field of the resource is present instead, the list of shown fields is wrong. If the additional name is
  // no field, the missing field has a wrong name.
  const isOther = [...columns, ...derived].some(({ name }) => extra.includes(name));
  const renamed = difference.actual === null && extra.length > 0 && !isOther;
  const found = ofMember(plan, prediction, difference, place, version, renamed);
  const form = formOf(place);
  const isForm = difference.actual === null && (isOther || showsNull(prediction, difference, bodies));
  const likely = isForm && includesId(found, form) ? eachOnce([form, ...found]) : found;
  // The outer form decides how a row within another row is shown.
  const outer = outerForm(plan, body, difference, version);
  return outer === null ? likely : likely.flatMap((one) => (isSameId(one, form) ? [one, outer] : [one]));
}

/** The form that decides how a row within it is shown, where a difference is in such a row; otherwise null. */
function outerForm(plan: Plan, body: BodyPlan | null, { at }: Difference, version: string): StatementId | null {
  const parent = at.slice('body '.length, at.lastIndexOf('/'));
  const place = placeIn(plan, body, parent, version);
  return place.is === 'member' ? formOf(place) : null;
}

/** Whether an item of a list is another row than the expected one, judged by its identity. */
function isOtherRow(
  { resources }: Plan,
  { field, resource }: MemberPlace,
  { at, expected, actual }: Difference,
): boolean {
  return (
    expected !== null && actual !== null && /\/\d+\/[^/]+$/.test(at) && field === named(resources, resource).identity
  );
}

const lastOf = (at: string): string => at.slice(at.lastIndexOf('/') + 1);

/** The key of the statement that lists the shown fields of a row. */
const formOf = ({ resource, view }: Pick<MemberPlace, 'resource' | 'view'>): StatementId =>
  view === resource ? statementId.resource(resource, 'shown') : statementId.view(resource, view);

/**
 * Whether a member whose required value is null is missing, while another required null in the same object is present:
 * then the service shows absent fields.
 */
function showsNull({ expected }: Prediction, difference: Difference, all: readonly Difference[]): boolean {
  if (difference.expected !== 'null') return false;
  const parent = difference.at.slice(0, difference.at.lastIndexOf('/'));
  const names = parent.slice('body '.length).split('/').slice(1);
  const row = names.reduce<Json | undefined>((at, name) => {
    if (Array.isArray(at)) return at[Number(name)];
    return typeof at === 'object' && at !== null ? ownMember(at as Readonly<Record<string, Json>>, name) : undefined;
  }, expected.body);
  const differing = new Set(all.map(({ at }) => at));
  return Object.entries(row ?? {}).some(([name, value]) => value === null && !differing.has(`${parent}/${name}`));
}

/** A member that the form of the row does not have. */
const isExtra = ({ expected }: Difference, place: Place): boolean =>
  expected === null && place.is === 'member' && place.field === null;

function ofMember(
  plan: Plan,
  { endpoint, trace }: Prediction,
  difference: Difference,
  { resource, view, field, isInside }: MemberPlace,
  version: string,
  renamed: boolean,
): StatementId[] {
  const { views, columns, derived } = named(plan.resources, resource);
  const form = formOf({ resource, view });
  const { expected, actual } = difference;
  const older = plan.versions?.older.find((one) => one.name === version);
  const path = `${resource}.${field}`;
  const isOther = field !== null && older !== undefined && Object.hasOwn(older.names, path);
  const ofVersion = older && (isOther || field === null) ? [statementId.version(version)] : [];
  if (field === null) return [...ofVersion, form];
  const own = statementId.field(resource, field);
  const missing = statementId.part('resources', 'missing');
  const isNull = (expected === 'null' && actual === null) || (expected === null && actual === 'null');
  if (isNull && !renamed) return [missing, own, form];
  const column = columns.find((one) => one.name === field);
  // A missing item of a list that is present is a fault of the field's value, not of its presence.
  if (actual === null && !isInside) {
    if (ofVersion.length > 0 || renamed) return [...ofVersion, own, form];
    // A field that cannot be absent is always shown, so its source is not to blame for its absence.
    const mayLack = plan.wire.missing !== 'null' && (column?.nullable ?? derived.length > 0);
    if (!mayLack) return [form, own];
  }
  const request = ofRequest(endpoint, trace, own, field);
  const isSent = trace.some((one) => isSameId(one.statement, own) && one.what === 'accepted');
  if (isSent && column?.rule.kind === 'decimal' && isRounding(plan, difference))
    return [statementId.part('resources', 'decimals'), own];
  if (request.length > 0 && !renamed) return [...request, form, own];
  const sources = sourcesOf(plan, endpoint, trace, difference, resource, field);
  if (actual === null) return isInside ? [...sources, form] : [form, ...sources];
  if (expected === null) return [...ofVersion, ...sources, form];
  const isObject = (text: string): boolean => /^[{[]/.test(text);
  const shown = named(views, view).members.find((one) => one.field === field);
  if (isObject(expected) !== isObject(actual) && shown?.value.type.kind !== 'list') return [form, own];
  // A reference is shown by a member of the row behind it: one of another kind is another member.
  if ((column?.reference || column?.references) && kindOf(expected) !== kindOf(actual)) return [form, ...sources];
  const wire = ofWire(plan, difference);
  if (wordsIn(older, path)) return [statementId.version(version), ...sources];
  return [...(wire === null ? [] : [statementId.part('resources', wire)]), ...sources];
}

/** The kind of a JSON value: an identity, another text, or no text. */
const kindOf = (text: string): string =>
  /^"[0-9a-f-]{36}"$/.test(text) ? 'uuid' : text.startsWith('"') ? 'text' : 'other';

/**
 * The statements that give a field its value in this request: a transition, or steps; otherwise the row of the field.
 */
function sourcesOf(
  plan: Plan,
  endpoint: EndpointPlan | null,
  trace: readonly Trace[],
  difference: Difference,
  resource: string,
  field: string,
): StatementId[] {
  const own = statementId.field(resource, field);
  const machine = named(plan.resources, resource).machines.find((one) => one.field === field);
  if (machine) return [...ofState(machine, endpoint, trace, difference, resource), own];
  const done = new Set(trace.flatMap(({ statement }) => (statement.kind === 'step' ? [statement.line] : [])));
  const steps = [...allNested(endpoint?.inside ?? [])].filter((step) => done.has(step.line ?? 0));
  const gives = (step: InsideStep): boolean =>
    'with' in step &&
    'resource' in step &&
    step.do !== 'group' &&
    step.resource === resource &&
    step.with.some((one) => one.field === field);
  const giving = steps.filter(gives).map((step) => statementId.step(step));
  // The default of a field that the request left out is stated at the field.
  const isLeftOut = trace.some(({ statement, what }) => isSameId(statement, own) && what === 'otherwise');
  return isLeftOut ? [own, ...giving] : [...giving, own];
}

/**
 * The list of the request’s fields, where it decides: a member that was sent has no effect, since a list without it
 * ignores it; or a member that was not sent does not keep its value, since it is no longer optional.
 */
function ofRequest(
  endpoint: EndpointPlan | null,
  trace: readonly Trace[],
  own: StatementId,
  field: string,
): StatementId[] {
  const validate = endpoint ? stepOf(endpoint, 'validate body') : undefined;
  if (!endpoint || !validate?.payload?.fields.includes(field)) return [];
  const noted = (what: string): boolean => trace.some((one) => isSameId(one.statement, own) && one.what === what);
  const isLost = validate.unknown === 'ignored' && noted('accepted');
  const isCleared = validate.payload.optional && noted('left out');
  return isLost || isCleared ? [statementId.endpoint(endpoint.name, 'request')] : [];
}

/** The statements that decide the state of a row: the expected transition, or the statements that prevented it. */
function ofState(
  { field, transitions }: MachinePlan,
  endpoint: EndpointPlan | null,
  trace: readonly Trace[],
  { expected, actual }: Difference,
  resource: string,
): StatementId[] {
  const [to, came] = [expected, actual].map((text) => (text === null ? null : (JSON.parse(text) as Json)));
  const tried = trace.map(({ statement }) => statement);
  const made = transitions.filter((one) =>
    trace.some(
      ({ statement, what }) =>
        isSameId(statement, statementId.transition(resource, one.name)) && (what.startsWith('from ') || what === 'due'),
    ),
  );
  const leading = made.filter((one) => one.to === to).map(({ name }) => statementId.transition(resource, name));
  const ifs = [...allNested(endpoint?.inside ?? [])].flatMap((step) =>
    step.do === 'if' ? [statementId.step(step)] : [],
  );
  const taken = ifs.filter((id) => includesId(tried, id));
  const left = made.some((one) => one.to === to && one.from.includes(String(came)));
  if (leading.length > 0) return left ? [...taken, ...leading] : [...leading, ...taken];
  const initial = statementId.states(resource, field, 'initial');
  const begun = includesId(tried, initial) ? [initial] : [];
  const timed = transitions.filter((one) => one.timed && one.from.includes(String(to)) && one.to === came);
  return [...timed.map(({ name }) => statementId.transition(resource, name)), ...taken, ...begun];
}

/** Whether a list has the expected items in another order. */
function inOtherOrder({ expected }: Prediction, differences: readonly Difference[]): boolean {
  const values = (side: 'expected' | 'actual'): string[] => differences.map((one) => one[side] ?? '').sort();
  const [ours, theirs] = [values('expected'), values('actual')];
  return expected.status < 400 && ours.length > 1 && ours.every((one, i) => one !== '' && one === theirs[i]);
}

/** The statements that decide the rows of a list, and their order. */
function ofList(plan: Plan, { name, inside }: EndpointPlan, trace: readonly Trace[], moved: boolean): StatementId[] {
  const lists = [...allNested(inside)].filter((step) => isList(step) || step.do === 'group');
  const steps = lists.map(({ line }) => statementId.step({ line }));
  const sort = statementId.endpoint(name, 'sort');
  if (moved) return lineOf(plan.lines, sort) !== undefined ? [sort, ...steps] : steps;
  const filters = trace.flatMap(({ statement, what }) => (/^kept (?:in|out)$/.test(what) ? [statement] : []));
  const sights = lists.flatMap(({ resource }) =>
    named(plan.resources, resource).visible === null ? [] : [statementId.resource(resource, 'visible')],
  );
  const isCut = trace.some(
    ({ what, statement }) => what === 'next' && statement.kind === 'endpoint' && statement.fact === 'pages',
  );
  const size = isCut ? [statementId.endpoint(name, 'Page size')] : [];
  // The bound of a list decides how many rows a list has that reaches it.
  const whole = statementId.endpoint(name, 'Whole list');
  const bound = trace.some(({ statement }) => isSameId(statement, whole)) ? [whole] : [];
  // A list without a condition of its own leaves out only rows that the caller may not see.
  const isOpen = lists.every((step) => step.where === null);
  return [...bound, ...filters, ...size, ...(isOpen ? [...sights, ...steps] : [...steps, ...sights])];
}

/** A fact of the part Resources about the form of values in requests and answers. */
type WireFact = 'timestamps' | 'durations' | 'decimals' | 'text' | 'emptyText';

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** The fact in which two values differ that are equal besides their form. */
function ofWire({ wire }: Plan, { expected, actual }: Difference): WireFact | null {
  const [ours, theirs] = [expected, actual].map((text) => (text === null ? null : parsed(text)));
  if (typeof ours === 'string' && typeof theirs === 'string') {
    const [own, other] = [TIMESTAMP.exec(ours), TIMESTAMP.exec(theirs)];
    if (own && other && (own[1] === undefined) !== (other[1] === undefined)) return 'timestamps';
    if (own && other && own[1]?.length !== other[1]?.length) return 'timestamps';
    if (/^-?P/.test(ours) && /^-?P/.test(theirs) && /\.\d+S/.test(ours) !== /\.\d+S/.test(theirs)) return 'durations';
    if (ours.trim() === theirs.trim()) return 'text';
  }
  if ((ours === '' || theirs === '') && (ours === null || theirs === null)) return wire.emptyText ? 'emptyText' : null;
  if (wire.timestamps === 'Unix seconds' && areOneInstant(ours, theirs)) return 'timestamps';
  const isNumber = typeof ours === 'number' || typeof theirs === 'number';
  if (isNumber && typeof ours !== typeof theirs && Number(ours) === Number(theirs)) return 'decimals';
  return null;
}

/** Whether two values are the same instant, as seconds since 1970 and in another form. */
function areOneInstant(ours: unknown, theirs: unknown): boolean {
  if (typeof ours !== 'number' || ours === theirs) return false;
  const other = typeof theirs === 'string' ? Date.parse(theirs) / 1000 : Number(theirs) / 1000;
  return Math.floor(other) === ours;
}

/** Whether two decimals differ by one in their last digit, as the results of different rounding do. */
export function isRounding({ wire }: Plan, { expected, actual }: Difference): boolean {
  if (!wire.decimals || wire.decimals.rounding === 'refused') return false;
  const [ours, theirs] = [expected, actual].map((text) => /^"?(-?\d+)(?:\.(\d+))?"?$/.exec(text ?? ''));
  if (!ours || !theirs) return false;
  const digits = Math.max(ours[2]?.length ?? 0, theirs[2]?.length ?? 0);
  const units = ([, whole = '', rest = '']: RegExpExecArray): bigint => BigInt(whole + rest.padEnd(digits, '0'));
  const by = units(ours) - units(theirs);
  return by === 1n || by === -1n;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
