import type { Draft, Typed } from './draft.ts';

/** A value that an expression may name. */
export interface Named {
  readonly text: string;
  readonly typed: Typed;
}

/** Where an expression stands, and what it may name there. */
export interface Place {
  readonly kind: 'step' | 'rows' | 'value' | 'row';
  readonly names: readonly Named[];
  /** Members that may not have been sent: what `has()` asks for. */
  readonly sent: readonly string[];
  /** Whether rows that the caller may not see are left out: then what is read through a reference may be absent. */
  readonly sighted: boolean;
  /** False where nothing may depend on what the time is. */
  readonly instants?: boolean;
  /** Whether `caller` and `scopes` are known. */
  readonly caller: boolean;
}

export const literal = (text: string): string => JSON.stringify(text);

/** The values that a row has, by its name; bare where the row’s fields may be named bare. */
export function membersOf(draft: Draft, row: string, resource: string, caller = true): Named[] {
  const dot = row === '' ? '' : `${row}.`;
  const { fields, derived } = draft.resource(resource);
  const known = derived.filter((one) => caller || !one.asks);
  return [...fields, ...known]
    .filter((field) => field.typed.kind !== 'rows')
    .map((field) => ({ text: `${dot}${field.name}`, typed: field.typed }));
}

/** The caller, and what its row holds. */
export function callerNames(draft: Draft, nullable = false): Named[] {
  if (draft.caller === null) return [];
  const typed: Typed = { kind: 'row', nullable, resource: draft.caller };
  return [{ text: 'caller', typed }, ...(nullable ? [] : membersOf(draft, 'caller', draft.caller))];
}

/** Makes up expressions that the checker takes: typed, with null tested before it is used, and never always true. */
export class Expressions {
  private readonly draft: Draft;
  private readonly place: Place;
  /** What has been tested for null: to test it again where that is settled would be an error. */
  private tested: Set<string>;

  constructor(draft: Draft, place: Place, tested: Set<string> | null = null) {
    this.draft = draft;
    this.place = place;
    this.tested = tested ?? new Set();
  }

  private get random() {
    return this.draft.random;
  }

  /** A condition. */
  test(depth = 2): string {
    this.tested = new Set();
    return this.condition(depth);
  }

  /** One condition or another: more often true than not. */
  either(): string {
    this.tested = new Set();
    return `(${this.condition(1)} || ${this.condition(1)})`;
  }

  private condition(depth: number): string {
    const { random } = this;
    if (depth > 0 && random.chance(0.4)) {
      const parts = [this.condition(depth - 1), this.condition(depth - 1)];
      const form = random.pick(['and', 'or', 'not', 'if']);
      if (form === 'not') return `!(${parts[0]})`;
      if (form === 'if') return `(${parts[0]} ? ${parts[1]} : ${this.condition(0)})`;
      return `(${parts.join(form === 'and' ? ' && ' : ' || ')})`;
    }
    if (depth > 0 && this.place.kind !== 'value' && this.place.kind !== 'row' && random.chance(0.2))
      return this.aggregate();
    if (this.place.sent.length && random.chance(0.1)) return `has(${random.pick(this.place.sent)})`;
    if (this.place.caller && random.chance(0.1)) {
      const scope = this.draft.scope();
      if (scope) return `${literal(scope)} in scopes`;
    }
    // Whole lists of stored rows are not compared, with null either.
    const listed = ({ typed }: Named): boolean => typed.kind === 'list' && typed.nullable && this.place.kind !== 'step';
    const free = this.place.names.filter((one) => !this.tested.has(one.text) && !listed(one));
    const named = free.length ? random.pick(free) : null;
    return named ? this.about(named) : `${this.value({ kind: 'integer', nullable: false })} < ${random.int(-3, 3)}`;
  }

  /** A condition on one value, tested for null where it may be that. */
  private about(named: Named): string {
    const { random } = this;
    const { text, typed } = named;
    if (!typed.nullable) return this.comparison(named);
    this.tested.add(text);
    if (random.chance(0.3)) return `${text} ${random.pick(['==', '!='])} null`;
    if (typed.kind === 'row' && this.readsThrough && random.chance(0.5))
      return `(${text} != null && ${this.about(this.through(named))})`;
    if (typed.kind === 'row' || random.chance(0.3)) {
      const other = this.alike(named);
      if (other) return `${text} ${random.pick(['==', '!='])} ${other}`;
    }
    if (typed.kind === 'row') return `${text} == null`;
    const certain = this.comparison({ text, typed: { ...typed, nullable: false } });
    return random.chance(0.5) ? `(${text} != null && ${certain})` : `(${text} == null || ${certain})`;
  }

  private get readsThrough(): boolean {
    return this.place.kind === 'step' || this.place.kind === 'rows';
  }

  /** A member of the row that a value is, or points at; a row that is pointed at may be hidden from the caller. */
  private through({ text, typed }: Named): Named {
    const resource = this.draft.resource(typed.resource!);
    const member = this.random.pick(
      [...resource.fields, ...resource.derived.filter((one) => this.place.caller || !one.asks)].filter(
        (one) => one.typed.kind !== 'list' && one.typed.kind !== 'rows',
      ),
    );
    const pointed = text.includes('.') || this.draft.isField(text);
    const hidden = pointed && this.place.sighted && resource.hides;
    return { text: `${text}.${member.name}`, typed: { ...member.typed, nullable: member.typed.nullable || hidden } };
  }

  /** Another value that can stand beside one. */
  private alike({ text, typed }: Named): string | null {
    const fits = this.place.names.filter(
      (one) =>
        one.typed.kind !== 'list' &&
        one.text !== text &&
        !this.tested.has(one.text) &&
        one.typed.kind === typed.kind &&
        one.typed.resource === typed.resource &&
        Boolean(one.typed.uuid) === Boolean(typed.uuid) &&
        one.typed.oneOf === undefined &&
        typed.oneOf === undefined,
    );
    if (fits.length === 0) return null;
    const other = this.random.pick(fits);
    if (other.typed.nullable) this.tested.add(other.text);
    return other.text;
  }

  private comparison(named: Named): string {
    const { random } = this;
    const { text, typed } = named;
    const operator = random.pick(['==', '!=', '<', '<=', '>', '>=']);
    const alike = random.chance(0.4) ? this.alike(named) : null;
    const equality = random.pick(['==', '!=']);
    if (typed.kind === 'row' && this.readsThrough && random.chance(0.4)) return this.about(this.through(named));
    if (typed.kind === 'row') return alike ? `${text} ${equality} ${alike}` : this.ofRow(named);
    if (alike && this.isCertain(alike))
      return `${text} ${typed.uuid || typed.kind === 'boolean' ? equality : operator} ${alike}`;
    if (alike) return `${text} ${equality} ${alike}`;
    switch (typed.kind) {
      case 'boolean':
        return random.chance(0.5) ? text : `${text} == ${random.chance(0.5)}`;
      case 'integer':
        return `${this.sum(text)} ${operator} ${random.int(-3, 12)}`;
      case 'duration':
        return `${text} ${operator} duration("${random.pick(['1h', '0s', '24h'])}")`;
      case 'date':
        // An index holds no functions, and dates are added by one.
        if (this.place.kind === 'row') return `${text} ${operator} ${text}`;
        return `${text} ${random.pick(['+', '-'])} ${random.pick([1, 40, 800_000, 2_900_000])} ${operator} ${text}`;
      case 'decimal':
        return `${text} ${operator} ${text}`;
      case 'list':
        return this.ofList(named, operator);
      case 'timestamp':
        return this.place.kind === 'row' || this.place.instants === false
          ? `${text} ${operator} ${text} + duration("1h")`
          : this.ofInstant(text, operator);
      default:
        return this.ofText(named, operator);
    }
  }

  private ofList({ text, typed }: Named, operator: string): string {
    const { random } = this;
    const size = `${text}.size() ${operator} ${random.int(0, 3)}`;
    if (typed.of!.kind !== 'string' || typed.of!.oneOf || this.place.kind !== 'step') return size;
    const variable = this.draft.name('i');
    const inside = new Expressions(
      this.draft,
      { ...this.place, sent: [], names: [{ text: variable, typed: typed.of! }] },
      this.tested,
    );
    const macro = random.pick(['exists', 'all', 'exists_one']);
    return random.pick([size, `"a" in ${text}`, `${text}.${macro}(${variable}, ${inside.condition(0)})`]);
  }

  private isCertain(text: string): boolean {
    return !this.place.names.find((one) => one.text === text)!.typed.nullable;
  }

  /** A row is compared with the one that calls, or by its identity. */
  private ofRow({ text, typed }: Named): string {
    const caller = this.place.caller && typed.resource === this.draft.caller && text !== 'caller';
    if (caller) return `${text} ${this.random.pick(['==', '!='])} caller`;
    return `${this.random.int(0, 5)} > ${this.random.int(0, 5)}`;
  }

  private sum(text: string): string {
    const { random } = this;
    const other = random.int(1, 5);
    return random.pick([
      text,
      text,
      text,
      `${text} + ${other}`,
      `${text} * ${other}`,
      `${text} * ${text} * ${text}`,
      `${text} % ${other}`,
      `${text} / ${other}`,
      `-${text}`,
      `${other} - ${text}`,
    ]);
  }

  private ofInstant(text: string, operator: string): string {
    const { random } = this;
    const length = `duration("${random.pick(['1h', '24h', '30m', '500ms', '1h30m', '0s'])}")`;
    return random.pick([
      `${text} ${operator} now()`,
      `${text} + ${length} ${operator} now()`,
      `now() - ${text} ${operator} ${length}`,
      `${text} ${operator} now() - ${length}`,
      `${text} ${random.pick(['+', '-'])} duration("${random.pick(['18000000h', '69000000h', '80000000h'])}") ${operator} now()`,
    ]);
  }

  private ofText({ text, typed }: Named, operator: string): string {
    const { random } = this;
    const equality = random.pick(['==', '!=']);
    if (typed.uuid && this.place.kind === 'row') return `${random.int(0, 3)} < ${random.int(0, 3)}`;
    if (typed.uuid) return `${text} ${equality} "${random.uuid()}"`;
    if (typed.oneOf) {
      if (random.chance(0.5)) return `${text} ${equality} ${literal(random.pick(typed.oneOf))}`;
      return `${text} in [${random.some(typed.oneOf, random.int(1, 2)).map(literal).join(', ')}]`;
    }
    const some = literal(random.pick(['a', 'b', 'A', 'é', '😀', '￮', '%', '_', '"', '', 'x y', '\\']));
    return random.pick([
      `${text} ${operator} ${some}`,
      `${text} ${equality} ${some}`,
      `${text}.${random.pick(['contains', 'startsWith', 'endsWith'])}(${some})`,
      `${text}.size() ${operator} ${random.int(0, 4)}`,
      `size(${text} + ${some}) ${operator} ${random.int(0, 5)}`,
      `${text} in [${some}, "b"]`,
    ]);
  }

  /** A condition over the rows of a resource. */
  private aggregate(): string {
    const { random, draft } = this;
    const resource = random.pick(draft.resources);
    const variable = draft.name('v');
    // Without another draw, so that the documents without `every` stay as they are.
    const every = draft.counts && this.place.sighted && resource.hides && Number(/\d+/.exec(variable)?.[0]) % 2 === 0;
    const rows = every ? `every(${resource.name})` : resource.name;
    const inside = new Expressions(
      draft,
      {
        ...this.place,
        kind: 'rows',
        sent: [],
        names: [...membersOf(draft, variable, resource.name, this.place.caller), ...random.some(this.place.names, 4)],
      },
      this.tested,
    );
    const where = (): string => inside.condition(1);
    const operator = random.pick(['<', '<=', '>', '>=', '==', '!=']);
    const integers = resource.fields.filter((field) => field.typed.kind === 'integer' && !field.typed.nullable);
    const forms = [
      () => `${rows}.exists(${variable}, ${where()})`,
      () => `!${rows}.exists(${variable}, ${where()})`,
      () => `${rows}.filter(${variable}, ${where()}).size() ${operator} ${random.int(0, 3)}`,
      () => `${rows}.size() ${operator} ${random.int(0, 4)}`,
      () => `${rows}.${random.pick(['all', 'exists_one'])}(${variable}, ${where()})`,
    ];
    if (integers.length) {
      const field = random.pick(integers).name;
      forms.push(() => `${rows}.map(${variable}, ${variable}.${field}).sum() ${operator} ${random.int(0, 20)}`);
      forms.push(
        () =>
          `${rows}.filter(${variable}, ${where()}).map(${variable}, ${variable}.${field} * 2).sum() ${operator} ${random.int(0, 20)}`,
      );
    }
    return random.pick(forms)();
  }

  /** A value of a type that is always there, if the place has one or one can be written. */
  value(typed: Typed): string {
    const { random } = this;
    const fits = this.place.names.filter(
      (one) =>
        one.typed.kind === typed.kind &&
        one.typed.resource === typed.resource &&
        Boolean(one.typed.uuid) === Boolean(typed.uuid) &&
        (!one.typed.nullable || typed.nullable) &&
        typed.oneOf === undefined,
    );
    if (fits.length && random.chance(0.4)) return random.pick(fits).text;
    if (typed.nullable && random.chance(0.3)) return 'null';
    switch (typed.kind) {
      case 'integer':
        return random.chance(0.8) ? String(random.int(0, 5)) : `${random.int(0, 3)} + ${random.int(0, 3)}`;
      case 'duration':
        return `duration("${random.pick(['1h', '24h'])}")`;
      case 'boolean':
        return this.place.kind === 'value' || random.chance(0.6) ? String(random.chance(0.5)) : this.test(1);
      case 'timestamp':
        return random.chance(0.7) ? 'now()' : `now() + duration("${random.pick(['1h', '-1h', '24h', '1500ms'])}")`;
      case 'row':
        return 'null';
      default:
        if (typed.uuid) return 'uuid()';
        return literal(typed.oneOf ? random.pick(typed.oneOf) : random.pick(['a', 'ab', 'x y', 'é']));
    }
  }
}
