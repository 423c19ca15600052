import type { VersionContract } from '../contract/contract.ts';
import type { ContractType, MemberContract, ObjectContract } from '../contract/types.ts';
import { typeText } from '../contract/words.ts';
import { statementId } from '../plan/lines.ts';
import { changed, value } from './compare.ts';
import { BREAKS, type Difference, difference, type Here, KEEPS, stated, statedAt, type Verdict } from './difference.ts';
import type { FieldChanges } from './field-changes.ts';
import { type Variance, variance } from './variance.ts';

/** The direction of a value: sent in a request, received in an answer, or `neither`. */
type Direction = 'request' | 'answer' | 'neither';

/** The object that contains an added or removed member, as messages name it. */
interface Holder {
  /** `the body`, `the answer`, or the name of a shown form. */
  readonly name: string;
  /** Whether it is a shown form, which several payloads can contain. */
  readonly form: boolean;
  /** Whether all members are optional because the body is a merge patch, in either document. */
  readonly patch: readonly [old: boolean, next: boolean];
}

export const holder = (name: string, old = false, next = false): Holder => ({ name, form: false, patch: [old, next] });

export const form = (name: string): Holder => ({ name, form: true, patch: [false, false] });

/** The verdict on a wider or narrower type, by the direction of its values. */
function verdictOf({ more, fewer }: Variance, way: Direction): Verdict {
  if (way === 'neither') return KEEPS.unmet;
  if (way === 'request') return fewer ? BREAKS.refused : KEEPS.accepted;
  return more ? BREAKS.unknown : KEEPS.known;
}

/** The verdict on changed events of a stream: a removed event is missed. */
const streamVerdict = ({ more, fewer }: Variance): Verdict =>
  fewer ? BREAKS.untold : more ? BREAKS.unknown : KEEPS.known;

/** Compares the types of one version. Resolves references to shapes, and compares each shape once. */
export class Values {
  private readonly shapes: readonly [
    old: ReadonlyMap<string, ObjectContract>,
    next: ReadonlyMap<string, ObjectContract>,
  ];
  private readonly fields: FieldChanges;
  /** Events that both streams send. The comparison of events reports added and removed ones. */
  private readonly streamed: ReadonlySet<string>;
  private readonly known = new Map<string, readonly Difference[]>();

  constructor(old: VersionContract, next: VersionContract, fields: FieldChanges) {
    const of = ({ shapes }: VersionContract) => new Map(shapes.map((one) => [one.name, one.type]));
    this.shapes = [of(old), of(next)];
    this.fields = fields;
    const others = streamedIn(next);
    this.streamed = new Set(streamedIn(old).filter((one) => others.includes(one)));
  }

  /**
   * Compares two types. `what` is the prefix of messages that have no field as their subject, such as `parameter least:
   * `. `stated`: the document states the type here and not by a field, so that no other change explains it.
   */
  types(
    old: ContractType,
    next: ContractType,
    way: Direction,
    here: Here,
    what = '',
    held = holder('the answer'),
    field: string | null = null,
    stated = false,
  ): Difference[] {
    const change = stated ? { of: null, old, next } : this.fields.explained(old, next, field);
    const at = change.of === null ? here : { ...here, of: change.of };
    const own = [
      ...written(old, next, way, here),
      ...typeDifference(
        this.withoutEvents(change.old),
        this.withoutEvents(change.next),
        way,
        at,
        change.of === null ? what : '',
      ),
    ];
    return [...own, ...this.inside(old, next, way, here, what, held)];
  }

  /** The type without events whose addition or removal is reported elsewhere. */
  private withoutEvents(type: ContractType): ContractType {
    return type.kind === 'stream' ? { ...type, events: type.events.filter((one) => this.streamed.has(one)) } : type;
  }

  /** Compares the members of objects, shown forms, and lists of them. */
  private inside(
    old: ContractType,
    next: ContractType,
    way: Direction,
    here: Here,
    what: string,
    held: Holder,
  ): Difference[] {
    if ('of' in old && 'of' in next) return this.inside(old.of, next.of, way, here, what, held);
    const [was, is] = [this.objectOf(old, 0), this.objectOf(next, 1)];
    if (!was || !is) return [];
    const differences = this.objects(was, is, way, here, next.kind === 'shape' ? form(next.name) : held, what);
    if (old.kind !== 'shape' || next.kind !== 'shape' || old.name === next.name) return differences;
    // A change to another shown form is one difference, regardless of its members. The name of a form is in no answer.
    const worst = differences.find((one) => one.verdict.breaking) ?? differences[0];
    const text = `${what}the form in which it is shown ${changed(old.name, next.name)}`;
    return [difference(here, text, worst?.verdict ?? KEEPS.words)];
  }

  private objectOf(type: ContractType, side: 0 | 1): ObjectContract | null {
    if (type.kind === 'object') return type;
    return type.kind === 'shape' ? (this.shapes[side].get(type.name) ?? null) : null;
  }

  /** Compares the members of two objects. Members of the same field are compared even if renamed. */
  objects(
    old: ObjectContract,
    next: ObjectContract,
    way: Direction,
    here: Here,
    held: Holder,
    what = '',
  ): Difference[] {
    const key = `${way} ${held.name} ${here.of} ${JSON.stringify([old, next])}`;
    const known = this.known.get(key);
    if (known) return known.map((one) => elsewhere(one, here));
    // A shown form may contain itself.
    this.known.set(key, []);
    const out = this.membersOf(old, next, way, here, held, what);
    this.known.set(key, out);
    return out;
  }

  private membersOf(
    old: ObjectContract,
    next: ObjectContract,
    way: Direction,
    here: Here,
    held: Holder,
    what: string,
  ): Difference[] {
    const before = new Map(old.members.map((one) => [keyOf(one), one]));
    const after = new Map(next.members.map((one) => [keyOf(one), one]));
    const removed = [...before].flatMap(([name, one]) =>
      after.has(name) ? [] : this.removedMember(one, old, way, here, held, what),
    );
    const added = [...after].flatMap(([name, one]) =>
      before.has(name) ? [] : this.addedMember(one, way, here, held, what),
    );
    const stayed = [...before].flatMap(([name, was]) => {
      const is = after.get(name);
      return is ? this.member(was, is, way, here, held, what) : [];
    });
    const unknown = value<ObjectContract['unknown']>(`an unknown member of ${held.name}`, (_was, is) =>
      is === 'refused' ? BREAKS.refused : KEEPS.accepted,
    );
    const order = reordered([...before.keys()], [...after.keys()])
      ? [
          difference(
            held.form ? { ...here, of: held.name } : here,
            `${what}the order of ${held.form ? 'its' : `${held.name}’s`} members is another`,
            KEEPS.order,
          ),
        ]
      : [];
    // The treatment of unknown members concerns the whole body, regardless of its members.
    const others = what === '' ? unknown(old.unknown, next.unknown, here) : [];
    return [...removed, ...added, ...stayed, ...others, ...order];
  }

  private removedMember(
    one: MemberContract,
    of: ObjectContract,
    way: Direction,
    here: Here,
    held: Holder,
    what: string,
  ): Difference[] {
    const request = of.unknown === 'refused' ? BREAKS.refused : BREAKS.otherwise;
    const verdict = way === 'neither' ? KEEPS.unmet : way === 'request' ? request : BREAKS.missing;
    return [presenceDifference(one, here, held, what, 'gone', verdict)];
  }

  private addedMember(one: MemberContract, way: Direction, here: Here, held: Holder, what: string): Difference[] {
    const owed = one.presence === 'always' && one.otherwise === null;
    const request = owed ? BREAKS.refused : KEEPS.accepted;
    const verdict = way === 'neither' ? KEEPS.unmet : way === 'request' ? request : KEEPS.unused;
    return [presenceDifference(one, here, held, what, owed && way === 'request' ? 'owed' : 'new', verdict)];
  }

  private member(
    old: MemberContract,
    next: MemberContract,
    way: Direction,
    here: Here,
    held: Holder,
    what: string,
  ): Difference[] {
    const at = stated(under(here, held, next), old, next);
    const prefix = next.field === null ? `${what}${memberText(held, next.name)}: ` : '';
    const absent = value<MemberContract['otherwise']>(`${prefix}${ABSENT}`, (was, is) =>
      replacementVerdict(was, is, [old.presence, next.presence]),
    );
    const name = value<string>(`${prefix}the name`, way === 'request' ? BREAKS.refused : BREAKS.missing);
    // A changed expression explains a changed type.
    const shown = value<MemberContract['expression']>(
      `${prefix}the value shown`,
      way === 'neither' ? KEEPS.unmet : BREAKS.otherwise,
    )(old.expression, next.expression, at);
    return [
      ...name(old.name, next.name, at),
      ...(this.fields.isDerivedAnew(next) ? [] : presence(old, next, way, at, held, prefix)),
      // In a merge patch, absent members have no default.
      ...(held.patch[0] === held.patch[1] ? absent(old.otherwise, next.otherwise, at) : []),
      ...shown,
      ...value<MemberContract['refused']>(`${prefix}the code that refuses it`, BREAKS.unknown)(
        old.refused,
        next.refused,
        at,
      ),
      // The comparison of resources reports it for fields.
      ...(next.field === null
        ? value<string | null>(`${prefix}the resource whose row it names`, BREAKS.refused)(
            old.refersTo,
            next.refersTo,
            at,
          )
        : []),
      ...(shown.length ? [] : this.types(old.type, next.type, way, at, prefix, held, next.field, isStated(next, way))),
    ];
  }
}

const streamedIn = ({ events }: VersionContract): string[] =>
  events.flatMap(({ name, notifiedBy }) => (notifiedBy.includes('stream') ? [name] : []));

/** The subject of differences of a member: its field, or else the shown form that contains the member. */
function under(here: Here, held: Holder, { field }: MemberContract): Here {
  if (field !== null) return { ...here, of: field };
  return held.form ? { ...here, of: held.name } : here;
}

/** Whether a member of a request has a type of its own, instead of that of a field or an identity. */
const isStated = ({ field, refersTo }: MemberContract, way: Direction): boolean =>
  way === 'request' && field === null && refersTo === null;

/** The name of a default value in messages. */
export const ABSENT = 'its default';

/** The verdict on a changed default value. */
export function replacementVerdict(
  old: object | null,
  next: object | null,
  [before, after]: readonly [old: MemberContract['presence'], next: MemberContract['presence']],
): Verdict {
  // A required value became optional; an optional value without a default was absent.
  if (old === null) return before === 'always' ? KEEPS.accepted : BREAKS.otherwise;
  return next === null && after === 'always' ? BREAKS.refused : BREAKS.otherwise;
}

/** The difference of two types, without the members of objects. */
export function typeDifference(
  old: ContractType,
  next: ContractType,
  way: Direction,
  here: Here,
  what: string,
): Difference[] {
  const how = variance(old, next);
  if (!how.more && !how.fewer) return [];
  const verdict = old.kind === 'stream' ? streamVerdict(how) : verdictOf(how, way);
  return [difference(here, what + changeText(old, next, how), verdict)];
}

function changeText(old: ContractType, next: ContractType, { more, fewer }: Variance): string {
  const [a, b] = [typeText(old), typeText(next)];
  const [was, is] = [valuesOf(old), valuesOf(next)];
  if (was && is) {
    const added = is.filter((one) => !was.includes(one));
    const removed = was.filter((one) => !is.includes(one));
    const texts = [
      added.length && `a new value: ${added.join(', ')}`,
      removed.length && `a value is gone: ${removed.join(', ')}`,
    ];
    return texts.filter(Boolean).join('; ');
  }
  if (old.kind !== next.kind) return `the type ${changed(a, b)}`;
  const how = more ? (fewer ? 'other' : 'more') : 'fewer';
  return `${how} values are allowed${a === b ? '' : `: ${b}, and was ${a}`}`;
}

function valuesOf(type: ContractType): readonly string[] | null {
  if (type.kind === 'stream') return type.events;
  return type.kind === 'text' ? type.oneOf : null;
}

const UNREADABLE = BREAKS.unreadable;

type Decimal = Extract<ContractType, { kind: 'decimal' }>;

const rounded = ({ rounding }: Decimal): string => (rounding === 'refused' ? rounding : `rounded ${rounding}`);

/** The verdict on changed rounding: a number with more digits is refused, or stored differently. */
function roundingVerdict({ rounding: was }: Decimal, { rounding: is }: Decimal): Verdict {
  if (is === 'refused') return BREAKS.refused;
  return was === 'refused' ? KEEPS.accepted : BREAKS.otherwise;
}

/** Compares the format of timestamps, durations and decimals, which the document states once for the service. */
export function written(old: ContractType, next: ContractType, way: Direction, here: Here): Difference[] {
  const at = (fact: string): Here => ({ ...statedAt(here, statementId.part('resources', fact)), of: 'the service' });
  const formDifference = (fact: string, what: string, was: string, is: string, met: Verdict): Difference[] =>
    was === is ? [] : [difference(at(fact), `${what} ${changed(was, is)}`, way === 'neither' ? KEEPS.unmet : met)];
  if ('of' in old && 'of' in next) return written(old.of, next.of, way, here);
  if (old.kind === 'timestamp' && next.kind === 'timestamp')
    return formDifference('timestamps', 'the precision of timestamps', old.precision, next.precision, UNREADABLE);
  if (old.kind === 'duration' && next.kind === 'duration')
    return formDifference('durations', 'the precision of durations', old.precision, next.precision, UNREADABLE);
  if (old.kind === 'decimal' && next.kind === 'decimal')
    return [
      ...formDifference('decimals', 'the form of decimals', old.as, next.as, UNREADABLE),
      ...formDifference(
        'decimals',
        'a decimal with more digits',
        rounded(old),
        rounded(next),
        roundingVerdict(old, next),
      ),
    ];
  return [];
}

/** Compares the presence of a member: optional in a request; omitted or null in an answer. */
function presence(
  old: MemberContract,
  next: MemberContract,
  way: Direction,
  here: Here,
  held: Holder,
  what: string,
): Difference[] {
  const text = (absent: boolean): string => `${what}${absent ? 'it is optional now' : 'it is always present now'}`;
  if (way !== 'request') {
    const [was, is] = [old, next].map((one) => one.presence === 'optional' || one.nullable);
    if (was === is || impliedBy(old) || impliedBy(next)) return [];
    const verdict = way === 'neither' ? KEEPS.unmet : is ? BREAKS.missing : KEEPS.known;
    return [difference(here, text(is === true), verdict)];
  }
  const sent = old.presence !== next.presence;
  const nulls = old.nullable !== next.nullable;
  // A default value or a merge patch, which is reported itself, makes the member optional.
  const otherwise = (old.otherwise === null) !== (next.otherwise === null);
  const patch = held.patch[0] !== held.patch[1];
  const compensated = next.field === null ? otherwise || patch : (otherwise || patch) && !nulls;
  if (compensated || (!sent && !nulls) || impliedBy(old) || impliedBy(next)) return [];
  const fewer = next.presence === 'always' && sent ? true : old.nullable && !next.nullable;
  return [difference(here, text(!fewer), fewer ? BREAKS.refused : KEEPS.accepted)];
}

/** Whether the presence of an object follows from its members, because dotted names define the object. */
const impliedBy = ({ type, field }: MemberContract): boolean => type.kind === 'object' && field === null;

const keyOf = ({ field, name }: MemberContract): string => field ?? ` ${name}`;

const memberText = ({ name, form: shown }: Holder, member: string): string =>
  `${shown ? 'its' : `${name}’s`} member ${member}`;

function presenceDifference(
  one: MemberContract,
  here: Here,
  held: Holder,
  what: string,
  how: 'gone' | 'new' | 'owed',
  verdict: Verdict,
): Difference {
  const after = how === 'owed' ? ', and has to be sent' : '';
  const words = how === 'gone' ? 'is gone' : 'is new';
  const at = under(here, held, one);
  if (one.field === null) return difference(at, `${what}${memberText(held, one.name)} ${words}${after}`, verdict);
  return difference(at, `it ${words} ${how === 'gone' ? 'from' : 'in'} ${held.name}${after}`, verdict);
}

function reordered(old: readonly string[], next: readonly string[]): boolean {
  const was = old.filter((one) => next.includes(one));
  const is = next.filter((one) => old.includes(one));
  return was.some((one, i) => one !== is[i]);
}

/** Copies a difference to another place. */
function elsewhere(one: Difference, { place, lines }: Here): Difference {
  return { ...one, places: place === null ? [] : [{ at: place, lines }] };
}
