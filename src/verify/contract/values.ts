import type { ErrorsContract, VersionContract } from '../../contract/contract.ts';
import type { ContractType, Lines, MemberContract, ObjectContract } from '../../contract/types.ts';
import { typeText } from '../../contract/words.ts';
import { pointer } from '../../http/nested-json.ts';
import { isObject } from '../../text/own-members.ts';
import { accepts } from '../requests/kinds.ts';

/** The largest number of reported faults of one value: a large body may have very many. */
const MOST_FAULTS = 100;

type Kind<K extends ContractType['kind']> = Extract<ContractType, { readonly kind: K }>;

/** Adds the faults of a value at a JSON Pointer. `lines`: the lines of the member with the value. */
type Check = (value: unknown, at: string, lines: Lines, found: ContractFault[]) => void;

/** The type of problem details that may be left out (RFC 9457, section 4.2.1). */
const BLANK = 'about:blank';

/** Judges values of JSON by the types of a contract. Types are compiled once, when a value of them first comes. */
export class ValueJudge {
  private readonly errors: ErrorsContract;
  private readonly shapes: ReadonlyMap<string, ObjectContract>;
  private readonly known = new Map<ContractType, Check>();
  private readonly shapeChecks = new Map<string, Check>();

  constructor(errors: ErrorsContract, { shapes }: Pick<VersionContract, 'shapes'>) {
    this.errors = errors;
    this.shapes = new Map(shapes.map(({ name, type }) => [name, type]));
  }

  /** The faults of a value of a type. `nullable`: whether null is allowed. */
  faults(type: ContractType, nullable: boolean, value: unknown, lines: Lines = []): ContractFault[] {
    const found: ContractFault[] = [];
    this.check(type, nullable)(value, '', lines, found);
    return found;
  }

  private check(type: ContractType, nullable: boolean): Check {
    const known = this.known.get(type);
    const present = known ?? this.compile(type);
    if (!known) this.known.set(type, present);
    return (value, at, lines, found) => {
      if (value === null && nullable) return;
      // For null where only another type is allowed, the message names that type.
      if (value === null && type.kind !== 'null') add(found, at, `${typeText(type)}, never null`, 'null', lines);
      else present(value, at, lines, found);
    };
  }

  private compile(type: ContractType): Check {
    switch (type.kind) {
      case 'null':
        return scalar(type, (value) => value === null);
      case 'list':
      case 'set':
        return this.listCheck(type);
      case 'map':
        return this.mapCheck(type);
      case 'object':
        return this.objectCheck(type);
      case 'shape':
        return (value, at, lines, found) => this.shape(type.name)(value, at, lines, found);
      case 'error':
        return this.errorCheck(type.faults);
      case 'description':
        return scalar(type, descriptionTest(type));
      case 'stream':
        return scalar(type, () => false);
      case 'bytes':
        return scalar(type, (value) => typeof value === 'string');
      case 'rows':
        return this.listCheck({ kind: 'list', of: type.of, nullable: false, min: null, max: null });
      case 'csv':
        return csvCheck(type);
      default:
        return scalar(type, accepts(type));
    }
  }

  private shape(name: string): Check {
    const known = this.shapeChecks.get(name);
    if (known) return known;
    const type = this.shapes.get(name);
    const made: Check = type
      ? this.objectCheck(type)
      : (value, at, lines, found) => add(found, at, `the form ${name}, which it does not describe`, value, lines);
    this.shapeChecks.set(name, made);
    return made;
  }

  private listCheck(type: Kind<'list' | 'set'>): Check {
    const item = this.check(type.of, type.nullable);
    return (value, at, lines, found) => {
      const isList = Array.isArray(value) && isWithin(value.length, type);
      const isSet =
        type.kind !== 'set' || !isList || new Set(value.map((one) => JSON.stringify(one))).size === value.length;
      if (!isList || !isSet) return add(found, at, typeText(type), value, lines);
      for (const [i, one] of value.entries()) item(one, `${at}/${i}`, lines, found);
    };
  }

  private mapCheck(type: Kind<'map'>): Check {
    const key = type.keys && this.check(type.keys, false);
    const entry = this.check(type.of, type.nullable);
    return (value, at, lines, found) => {
      if (!isObject(value) || !isWithin(Object.keys(value).length, type))
        return add(found, at, typeText(type), value, lines);
      for (const [name, one] of Object.entries(value)) {
        key?.(name, at + pointer(name), lines, found);
        entry(one, at + pointer(name), lines, found);
      }
    };
  }

  private objectCheck({ members }: ObjectContract): Check {
    const known = new Map<string, { readonly member: MemberContract; readonly check: Check }>(
      members.map((member) => [member.name, { member, check: this.check(member.type, member.nullable) }]),
    );
    const required = members.filter(({ presence }) => presence === 'always');
    return (value, at, lines, found) => {
      if (!isObject(value)) return add(found, at, 'an object', value, lines);
      for (const [name, one] of Object.entries(value)) {
        const declared = known.get(name);
        const to = at + pointer(name);
        if (!declared) add(found, to, 'no such member', one, lines);
        else declared.check(one, to, declared.member.lines.length ? declared.member.lines : lines, found);
      }
      for (const { name, type, lines: own } of required)
        if (!Object.hasOwn(value, name))
          add(found, at + pointer(name), `${typeText(type)}, always present`, undefined, own.length ? own : lines);
    };
  }

  private errorCheck(faults: boolean): Check {
    const { payload } = this.errors;
    if (!payload) return (value, at, lines, found) => add(found, at, 'no payload of errors', value, lines);
    const check = this.objectCheck(faults ? payload.withFaults : payload.type);
    if (payload.kind !== 'RFC 9457' || payload.problemType !== null) return check;
    return (value, at, lines, found) => {
      const isBlank = isObject(value) && value.type === BLANK;
      const own = isBlank ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'type')) : value;
      check(own, at, lines, found);
    };
  }
}

function add(found: ContractFault[], at: string, declared: string, actual: unknown, lines: Lines): void {
  if (found.length >= MOST_FAULTS) return;
  const shown = actual === 'null' ? actual : excerpt(actual);
  found.push({ at: `body ${at}`.trimEnd(), declared, actual: shown, lines });
}

const scalar =
  (type: ContractType, test: (value: unknown) => boolean): Check =>
  (value, at, lines, found) => {
    if (!test(value)) add(found, at, typeText(type), value, lines);
  };

const isWithin = (value: number, { min, max }: { readonly min: number | null; readonly max: number | null }): boolean =>
  (min === null || value >= min) && (max === null || value <= max);

/** OpenAPI and AsyncAPI state their version in the member `openapi` or `asyncapi`. */
/** Checks the records of CSV: their number of cells, the titles, and that cells are empty only where they may be. */
function csvCheck(type: Kind<'csv'>): Check {
  const { columns, header } = type;
  const titles = columns.map(({ name }) => name);
  return (value, at, lines, found) => {
    const records = Array.isArray(value) ? value.filter((one): one is unknown[] => Array.isArray(one)) : [];
    if (header === 'present' && JSON.stringify(records[0]) !== JSON.stringify(titles))
      add(found, `${at}/0`, `the titles ${titles.join(', ')}`, records[0], lines);
    for (const [i, record] of records.entries())
      if (record.length !== columns.length) add(found, `${at}/${i}`, `${columns.length} cells`, record, lines);
      else if (header === 'absent' || i > 0)
        for (const [n, { type: of, nullable, name }] of columns.entries())
          if (record[n] === '' && !nullable && of.kind !== 'text')
            add(found, `${at}/${i}/${n}`, `${typeText(of)} in the column ${name}`, record[n], lines);
  };
}

function descriptionTest({ format }: Kind<'description'>): (value: unknown) => boolean {
  const [member = '', number = ''] = format.toLowerCase().split(' ');
  return (value) => {
    const told = isObject(value) ? value[member] : undefined;
    return typeof told === 'string' && told.startsWith(`${number}.`);
  };
}

/** Something in an answer or a message that the contract does not declare. */
export interface ContractFault {
  /** `status`, `header NAME`, or `body` with a JSON Pointer (RFC 6901). */
  readonly at: string;
  /** The declaration of the contract, in words. */
  readonly declared: string;
  /** The actual value. */
  readonly actual: string;
  /** The lines of the document that the contract names for it. */
  readonly lines: Lines;
}

/** The longest quotation of a value in a fault, in characters. */
const EXCERPT = 300;

/** A value of JSON as text, cut where it is long. */
export function excerpt(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text;
}
