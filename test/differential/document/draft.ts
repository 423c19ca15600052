import type { Random } from '../../../src/verify/requests/random.ts';
import type { Audit } from './audits.ts';

/** The kinds of values. */
export type Kind =
  | 'string'
  | 'integer'
  | 'boolean'
  | 'timestamp'
  | 'date'
  | 'duration'
  | 'decimal'
  | 'list'
  | 'row'
  | 'rows';

/** The type of a value while a document is made up. */
export interface Typed {
  readonly kind: Kind;
  readonly nullable: boolean;
  /** The values of an enumeration. */
  readonly oneOf?: readonly string[] | undefined;
  readonly uuid?: boolean | undefined;
  /** An integer that may be so large that computing with it goes beyond what integers are. */
  readonly large?: boolean | undefined;
  /** What a list holds. */
  readonly of?: Typed | undefined;
  /** The resource of a row, or of the rows that a stored list or set of references points at. */
  readonly resource?: string | undefined;
}

/** A field as the table of a document will say it. */
export interface Field {
  readonly name: string;
  readonly typed: Typed;
  readonly type: string;
  readonly format: string;
  readonly allowed: string;
  given: string[];
  readonly unique: string;
}

/** A field that is computed whenever it is read. */
export interface Derived {
  readonly name: string;
  readonly typed: Typed;
  readonly type: string;
  readonly text: string;
  /** True if it depends on who calls, or on the time. */
  readonly asks: boolean;
}

/** A transition as a table will say it. */
export interface Transition {
  readonly name: string;
  readonly from: readonly string[];
  readonly to: string;
  readonly when: string;
  readonly otherwise: string;
  readonly timed: boolean;
}

export interface Machine {
  readonly field: string;
  readonly initial: string;
  readonly final: readonly string[];
  readonly transitions: readonly Transition[];
  /** The steps that follow from a transition. */
  readonly reactions: Map<string, string[]>;
}

export interface Resource {
  readonly name: string;
  readonly path: string;
  readonly fields: Field[];
  readonly identity: Field;
  /** The fields with states. */
  readonly machines: Machine[];
  visible: string;
  /** True if some callers may not see some of its rows. */
  readonly hides: boolean;
  readonly derived: Derived[];
  /** Other forms in which rows are shown. */
  readonly views: string[];
  readonly bullets: string[];
  /** The fields that are shown. */
  readonly shown: string[];
  /** True where endpoints create its rows; the operator adds the others. */
  readonly created: boolean;
  /** A derived list of rows, and the field of theirs that stands for each. */
  tied?: { readonly field: string; readonly as: string };
}

/** The transitions of all fields of a resource. */
export const transitionsOf = ({ machines }: Resource): Transition[] =>
  machines.flatMap(({ transitions }) => transitions);

/** What stands under a heading of an endpoint, or of a path. */
export interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly settings: Map<string, string>;
  readonly parameters: string[][];
  readonly steps: string[];
}

/** A document in the making: what its parts have come to need of each other. */
export class Draft {
  readonly random: Random;
  /** Draws for statements that came later to the language, so that the rest of each document stays as it was. */
  readonly later: Random;
  /** Draws for audits, so that documents without one stay as they were. */
  readonly audits: Random;
  audit: Audit | null = null;
  /** Draws for second fields with states, so that documents without one stay as they were. */
  readonly second: Random;
  readonly resources: Resource[] = [];
  readonly endpoints: Endpoint[] = [];
  readonly unders: Array<{ readonly path: string; readonly steps: string[] }> = [];
  /** Error codes, with what raises them. */
  readonly codes = new Map<string, Set<'step' | 'rule'>>();
  readonly scopes: readonly string[];
  /** The kinds of values that parameters and answers hold, beside those of fields. */
  readonly kinds = new Set<string>();
  /** True where an answer may hold nothing in the place of something. */
  missing = false;
  /** True where aggregates may count rows that the caller may not see. */
  counts = false;
  readonly usedScopes = new Set<string>();
  /** The resource whose rows call; null where nobody is asked who they are. */
  tie: { one: Resource; two: Resource; tie: Resource } | null = null;
  caller: string | null = null;
  /** Whether some endpoints may be called by anyone. */
  readonly anyone: boolean;
  readonly rules: ReadonlyMap<string, string>;
  private names = 0;

  constructor(random: Random) {
    this.random = random;
    this.later = random.copy();
    this.second = random.copy();
    this.audits = random.copy();
    this.anyone = random.chance(0.3);
    this.scopes = random.some(['read', 'write', 'things:all', 'admin'], random.int(0, 3));
    this.rules = new Map([
      ['Timestamps', `RFC 3339, UTC, ${random.pick(['milliseconds', 'seconds'])}`],
      ['Dates', 'RFC 3339'],
      ['Durations', `ISO 8601, ${random.pick(['whole seconds', 'milliseconds'])}`],
      [
        'Decimals',
        `${random.pick(['strings', 'numbers'])}, ${random.pick(['more digits refused', 'rounded half even', 'rounded half up', 'rounded down'])}`,
      ],
      ['Text', random.pick(['trimmed', 'as sent'])],
      ['Missing values in answers', random.pick(['left out', 'null'])],
      ['Null in requests', 'clears'],
      ['Empty text in requests', random.pick(['kept', 'null'])],
      ['Unknown fields', random.pick(['refused', 'ignored'])],
    ]);
  }

  /** A name that nothing else in the document has. */
  name(prefix: string): string {
    return `${prefix}${this.names++}`;
  }

  /** A code of the table of errors: one that is there already, or a new one. */
  code(by: 'step' | 'rule', prefix: string): string {
    const known = [...this.codes.keys()];
    const code = known.length > 3 && this.random.chance(0.2) ? this.random.pick(known) : this.name(`${prefix}_`);
    this.codes.set(code, (this.codes.get(code) ?? new Set()).add(by));
    return code;
  }

  /** True if some resource has a field of that name: then, bare, it may be one. */
  isField(name: string): boolean {
    return this.resources.some((one) => one.fields.some((field) => field.name === name));
  }

  resource(name: string): Resource {
    return this.resources.find((one) => one.name === name)!;
  }

  /** One scope, or several of which one is enough or all are needed. */
  access(): string | null {
    const scope = this.scope();
    if (scope === null || !this.later.chance(0.3)) return scope;
    const more = this.later.some(
      this.scopes.filter((one) => one !== scope),
      this.later.int(1, 2),
    );
    for (const one of more) this.usedScopes.add(one);
    return [scope, ...more].join(this.later.chance(0.5) ? ' or ' : ' and ');
  }

  /** Uses a scope, if the document has any. */
  scope(): string | null {
    if (this.scopes.length === 0 || this.caller === null) return null;
    const scope = this.random.pick(this.scopes);
    this.usedScopes.add(scope);
    return scope;
  }
}
