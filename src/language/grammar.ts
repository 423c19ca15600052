import { type Located, type Name, takeName, takeNames } from '../syntax/names.ts';
import type { Phrase, Role } from '../syntax/phrase.ts';
import type { Token } from '../syntax/tokens.ts';
import { takeDuration, takeMonths, takeShortDuration } from '../syntax/units.ts';
import { showDuration, showMonths } from '../text/units.ts';
import { combined, inlineCode, joined } from './written.ts';

/**
 * The grammar of a value: how a phrase is read, and how a value is written. Both come from one description, so that
 * printed text reads as the same value. A phrase that is not understood reports the words and values that are allowed
 * there.
 */
export interface Grammar<T> {
  /** Reads the value; undefined when the phrase has reported what is missing or wrong. */
  readonly read: (phrase: Phrase) => T | undefined;
  /**
   * Reads the value if the phrase continues with the first words of the grammar; takes nothing otherwise. Absent from a
   * grammar that begins with a name or a number: such a grammar can only be the last of several alternatives.
   */
  readonly attempt?: (phrase: Phrase) => T | undefined | typeof ELSEWHERE;
  /** The text that reads as the value. */
  readonly print: (value: T) => string;
  /** Whether the grammar can write a value: tells the alternatives apart when one is printed. */
  readonly writes: (value: unknown) => boolean;
  /** Texts that the grammar reads. Each part that the value can have occurs in at least one of them. */
  readonly samples: readonly string[];
}

/** A grammar of any value. */
export interface AnyGrammar {
  readonly read: (phrase: Phrase) => unknown;
  readonly attempt?: (phrase: Phrase) => unknown;
  readonly print: (value: never) => string;
  readonly writes: (value: unknown) => boolean;
  readonly samples: readonly string[];
}

/** The value that a grammar reads. */
export type ValueOf<G> = G extends Grammar<infer T> ? T : never;

/** The result of `attempt` if the phrase does not continue with the first words of the grammar. */
const ELSEWHERE = Symbol('elsewhere');

/** Fixed words with one value; `others` are other words for the same value. */
export function constant<const T extends string | number | boolean | null>(
  text: string,
  value: T,
  ...others: readonly string[]
): Grammar<T> {
  const taken = (phrase: Phrase): boolean => others.some((other) => phrase.take(other)) || phrase.take(text);
  return {
    read: (phrase) => (taken(phrase) || phrase.fail() ? value : undefined),
    attempt: (phrase) => (taken(phrase) ? value : ELSEWHERE),
    print: () => text,
    writes: (given) => given === value,
    samples: [text],
  };
}

/** Fixed words that are their own value. */
export const words = <const W extends string>(text: W): Grammar<W> => constant(text, text);

const fixed = (text: string): Grammar<unknown> => constant(text, null) as unknown as Grammar<unknown>;

/** A value that has no text of its own, such as the kind of what follows. */
export const implied = <const T extends string | number | boolean | null>(value: T): Grammar<T> => ({
  read: () => value,
  print: () => '',
  writes: (given) => given === value,
  samples: [''],
});

/** One of several fixed words, by their values. */
export function choice<const T extends string>(texts: Readonly<Record<T, string>>): Grammar<T> {
  const values = new Map(Object.entries<string>(texts).map(([value, text]) => [text, value as T]));
  const options = [...values.keys()];
  return {
    read: (phrase) => values.get(phrase.choose(options) ?? ''),
    print: (value) => texts[value],
    writes: (given) => typeof given === 'string' && Object.hasOwn(texts, given),
    samples: options,
  };
}

/** One of several fixed words that are their own values. */
export const oneOf = <const W extends string>(...options: readonly W[]): Grammar<W> =>
  choice(Object.fromEntries(options.map((option) => [option, option])) as unknown as Record<W, string>);

/**
 * A name. `role`: whether the name is declared here or used. `what`: a noun for the named thing in messages, such as “a
 * resource”.
 */
export const name = (what: string, sample: string, role: 'use' | 'declaration' | 'value' = 'use'): Grammar<Name> => ({
  read: (phrase) => takeName(phrase, role, what) ?? undefined,
  print: ({ text }) => text,
  writes: isNamed,
  samples: [sample],
});

/** Names with commas between them, without repetitions. */
export const names = (what: string, sample: string): Grammar<readonly Name[]> => ({
  read: (phrase) => {
    const all = takeNames(phrase, what);
    return all.length ? all : undefined;
  },
  print: (all) => all.map(({ text }) => text).join(', '),
  writes: Array.isArray,
  samples: [sample],
});

interface Coded<T> {
  readonly role: Role;
  /** The content of the span, in words such as “an expression in inline code”. */
  readonly what: string;
  readonly sample: string;
  /** Parses the text of the span, or reports its error. */
  readonly take: (token: Token, phrase: Phrase) => T | undefined;
  readonly show: (value: T) => string;
  readonly writes: (given: unknown) => boolean;
}

/** One span of inline code with a form of its own. */
export function coded<T>({ role, what, sample, take, show, writes }: Coded<T>): Grammar<T> {
  const read = (phrase: Phrase): T | undefined => {
    const token = phrase.code(role, what);
    return token ? take(token, phrase) : undefined;
  };
  return {
    read,
    attempt: (phrase) => (phrase.peek()?.kind === 'code' ? read(phrase) : ELSEWHERE),
    print: (value) => inlineCode(show(value)),
    writes,
    samples: [inlineCode(sample)],
  };
}

/** One span of inline code; `what` describes its content, in words such as “an expression in inline code”. */
export const code = (role: Role, what: string, sample: string): Grammar<Token> =>
  coded({ role, what, sample, take: (token) => token, show: ({ text }) => text, writes: isNamed });

/** One span of inline code whose text is the value; `check` reports what is wrong with it. */
export const quoted = (what: string, sample: string, check?: (token: Token, phrase: Phrase) => void): Grammar<string> =>
  coded({
    role: 'value',
    what,
    sample,
    take: (token, phrase) => {
      check?.(token, phrase);
      return token.text;
    },
    show: String,
    writes: isText,
  });

/** A whole number from 1. */
export const count = (what: string, sample: string): Grammar<number> => ({
  read: (phrase) => phrase.positive(`${what}, from 1`) ?? undefined,
  print: String,
  writes: isNumber,
  samples: [sample],
});

/** A whole number. */
export const integer = (what: string, sample: string): Grammar<number> => ({
  read: (phrase) => phrase.integer(what) ?? undefined,
  print: String,
  writes: isNumber,
  samples: [sample],
});

/** A length of time in milliseconds, of whole seconds; `otherwise` names words that are allowed in its place. */
export const duration = (sample: string, otherwise = ''): Grammar<number> => ({
  read: (phrase) => takeDuration(phrase, otherwise) ?? undefined,
  print: showDuration,
  writes: isNumber,
  samples: [sample],
});

/** A length of the calendar in months. */
export const months = (sample: string): Grammar<number> => ({
  read: (phrase) => takeMonths(phrase) ?? undefined,
  print: showMonths,
  writes: isNumber,
  samples: [sample],
});

/** A length of time in milliseconds, which may be a part of a second. */
export const shortDuration = (sample: string): Grammar<number> => ({
  read: (phrase) => takeShortDuration(phrase) ?? undefined,
  print: showDuration,
  writes: isNumber,
  samples: [sample],
});

/** The value, and its place in the document. */
export const placed = <T>(grammar: Grammar<T>): Grammar<Located<T>> => ({
  read: (phrase) => {
    const from = phrase.peek()?.from ?? phrase.text.to;
    const value = grammar.read(phrase);
    return value === undefined ? undefined : { value, from, to: phrase.reached };
  },
  print: ({ value }) => grammar.print(value),
  writes: (given) => typeof given === 'object' && given !== null && 'value' in given && grammar.writes(given.value),
  samples: grammar.samples,
});

/**
 * A part of a sequence: a grammar by the name of its member, a grammar for several members, or fixed words without a
 * member.
 */
type Part = Readonly<Record<string, AnyGrammar>> | AnyGrammar | string;
type Members<P> = P extends readonly [infer First, ...infer Rest]
  ? (First extends string
      ? unknown
      : First extends AnyGrammar
        ? ValueOf<First>
        : { readonly [K in keyof First]: ValueOf<First[K]> }) &
      Members<Rest>
  : unknown;
type Flat<T> = { readonly [K in keyof T]: T[K] };

/** The member of a part that is several members of the sequence. */
const ALL = '';
const isGrammar = (part: object): part is AnyGrammar => 'read' in part;

/** Parts one after the other: the members of one value, and the fixed words between them. */
export function sequence<const P extends readonly Part[]>(...parts: P): Grammar<Flat<Members<P>>> {
  type Value = Record<string, unknown>;
  const all = parts.map((part): readonly [member: string | null, grammar: Grammar<unknown>] => {
    if (typeof part === 'string') return [null, fixed(part)];
    if (isGrammar(part)) return [ALL, part as Grammar<unknown>];
    return Object.entries(part)[0] as unknown as [string, Grammar<unknown>];
  });
  const put = (out: Value, member: string | null, value: unknown): Value =>
    member === null ? out : Object.assign(out, member === ALL ? value : { [member]: value });
  const of = (value: Value, member: string | null): unknown =>
    member === null ? null : member === ALL ? value : value[member];
  const rest = (phrase: Phrase, out: Value, from: number): Value | undefined => {
    for (const [member, grammar] of all.slice(from)) {
      const value = grammar.read(phrase);
      if (value === undefined) return undefined;
      put(out, member, value);
    }
    return out;
  };
  const [first] = all;
  const attempt = first?.[1].attempt;
  const grammar: Grammar<Value> = {
    read: (phrase) => rest(phrase, {}, 0),
    ...(attempt && {
      attempt: (phrase) => {
        const value = attempt(phrase);
        if (value === ELSEWHERE || value === undefined) return value as typeof ELSEWHERE | undefined;
        return rest(phrase, put({}, first[0], value), 1);
      },
    }),
    print: (value) => joined(all.map(([member, one]) => one.print(of(value, member)))),
    writes: (given) =>
      typeof given === 'object' &&
      given !== null &&
      all.every(([member, one]) => member === null || one.writes(of(given as Value, member))),
    samples: combined(all.map(([, one]) => one.samples)),
  };
  return grammar as unknown as Grammar<Flat<Members<P>>>;
}

/** An optional value; null if the phrase continues with something else. */
export const maybe = <T>(grammar: Grammar<T>): Grammar<T | null> => ({
  read: (phrase) => {
    const value = grammar.attempt!(phrase);
    return value === ELSEWHERE ? null : value;
  },
  print: (value) => (value === null ? '' : grammar.print(value)),
  writes: (given) => given === null || grammar.writes(given),
  samples: ['', ...grammar.samples],
});

/** A value after fixed words; null where the words are absent. */
export const optional = <T>(lead: string, grammar: Grammar<T>): Grammar<T | null> => maybe(led(lead, grammar));

/** The grammar with other samples; it has to read these samples. */
export const shown = <T>(grammar: Grammar<T>, ...samples: readonly string[]): Grammar<T> => ({ ...grammar, samples });

/** Words, and then the value. */
export const led = <T>(lead: string, grammar: Grammar<T>): Grammar<T> => ({
  read: (phrase) => (phrase.expect(lead) ? grammar.read(phrase) : undefined),
  attempt: (phrase) => (phrase.take(lead) ? grammar.read(phrase) : ELSEWHERE),
  print: (value) => joined([lead, grammar.print(value)]),
  writes: grammar.writes,
  samples: grammar.samples.map((sample) => joined([lead, sample])),
});

/** The value, and words after it. */
export const followed = <T>(grammar: Grammar<T>, by: string): Grammar<T> => ({
  read: (phrase) => {
    const value = grammar.read(phrase);
    return value === undefined || !phrase.expect(by) ? undefined : value;
  },
  print: (value) => joined([grammar.print(value), by]),
  writes: grammar.writes,
  samples: grammar.samples.map((sample) => joined([sample, by])),
});

/** `, else code`: the code of the error that refuses, where the statement has one. */
export const elseCode = (sample: string): Grammar<Name | null> =>
  // The sample contains the code because a question follows on almost every statement without one.
  shown(optional(', else', name('an error code', sample)), `, else ${sample}`);

/** Optional fixed words; true where they are present. */
export const flag = (text: string): Grammar<boolean> => ({
  read: (phrase) => phrase.take(text),
  print: (value) => (value ? text : ''),
  writes: (given) => typeof given === 'boolean',
  samples: ['', text],
});

/** One of several grammars: each but the last begins with words of its own. */
export function either<const G extends readonly AnyGrammar[]>(...all: G): Grammar<ValueOf<G[number]>> {
  type Value = ValueOf<G[number]>;
  const grammars = all as unknown as ReadonlyArray<Grammar<Value>>;
  const last = grammars.at(-1)!;
  const begun = (phrase: Phrase): Value | undefined | typeof ELSEWHERE => {
    for (const grammar of grammars.slice(0, -1)) {
      const value = grammar.attempt!(phrase);
      if (value !== ELSEWHERE) return value;
    }
    return ELSEWHERE;
  };
  const { attempt } = last;
  return {
    read: (phrase) => {
      const value = begun(phrase);
      return value === ELSEWHERE ? last.read(phrase) : value;
    },
    ...(attempt && {
      attempt: (phrase) => {
        const value = begun(phrase);
        return value === ELSEWHERE ? attempt(phrase) : value;
      },
    }),
    print: (value) => (grammars.find((grammar) => grammar.writes(value)) ?? last).print(value),
    writes: (given) => grammars.some((grammar) => grammar.writes(given)),
    samples: grammars.flatMap(({ samples }) => samples),
  };
}

/** The grammar as an alternative that is tried only if `begins` returns true. */
export const where = <T>(begins: (phrase: Phrase) => boolean, grammar: Grammar<T>): Grammar<T> => ({
  ...grammar,
  attempt: (phrase) => (begins(phrase) ? grammar.read(phrase) : ELSEWHERE),
});

/**
 * A value computed from the one that is read; `back` is the inverse. `make` may report a finding, and then returns
 * undefined.
 */
export function made<T, U>(
  grammar: Grammar<T>,
  make: (value: T, phrase: Phrase) => U | undefined,
  back: (value: U) => T,
  writes: (given: unknown) => boolean,
): Grammar<U> {
  const after = (value: T | undefined, phrase: Phrase): U | undefined =>
    value === undefined ? undefined : make(value, phrase);
  const { attempt } = grammar;
  return {
    read: (phrase) => after(grammar.read(phrase), phrase),
    ...(attempt && {
      attempt: (phrase) => {
        const value = attempt(phrase);
        return value === ELSEWHERE ? ELSEWHERE : after(value, phrase);
      },
    }),
    print: (value) => grammar.print(back(value)),
    writes,
    samples: grammar.samples,
  };
}

/** A value that is understood and may be wrong: `check` reports the mistake. */
export const checked = <T>(grammar: Grammar<T>, check: (value: T, phrase: Phrase) => void): Grammar<T> =>
  made(
    grammar,
    (value, phrase) => {
      check(value, phrase);
      return value;
    },
    (value) => value,
    grammar.writes,
  );

/**
 * Values with a comma, or another separator, between them, at least one. The list ends before a separator that `stop`
 * follows.
 */
export const list = <T>(grammar: Grammar<T>, separator = ',', stop?: string): Grammar<readonly T[]> => ({
  read: (phrase) => {
    const all: T[] = [];
    do {
      const one = grammar.read(phrase);
      if (one === undefined) return undefined;
      all.push(one);
    } while (!(stop && phrase.peek(1)?.text === stop) && phrase.take(separator));
    return all;
  },
  print: (all) => all.map(grammar.print).join(/^\w/.test(separator) ? ` ${separator} ` : `${separator} `),
  writes: (given) => Array.isArray(given) && given.every(grammar.writes),
  samples: grammar.samples,
});

export const isNumber = (given: unknown): boolean => typeof given === 'number';
export const isText = (given: unknown): boolean => typeof given === 'string';
export const isNamed = (given: unknown): boolean => typeof given === 'object' && given !== null && 'text' in given;
