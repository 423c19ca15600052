import { bullet, type Entry, question, type Written } from '../syntax/diagnostic.ts';
import type { Located, Name } from '../syntax/names.ts';
import type { Span } from '../syntax/span.ts';
import type { AnyGrammar, ValueOf } from './grammar.ts';

/**
 * A question about a missing statement: it describes a behaviour that a reader can picture, gives the reason, and shows
 * a value to write.
 */
interface Ask<C extends string = string> {
  /** The code of the question in the catalogue of the part. */
  readonly code: C;
  readonly what: string;
  readonly why: string;
  readonly write: string;
}

/**
 * A noun for a missing statement, and a value to write. A question of the part lists these nouns, and names the thing
 * that lacks the statements.
 */
interface Fact {
  readonly what: string;
  readonly write: string;
}

/** A statement with one value: the member of the model with its value, and how the value is written. */
interface Statement {
  readonly member: string;
  readonly value: AnyGrammar;
}
export type Statements = Readonly<Record<string, Statement>>;

/** A statement that is one bullet, with a question of its own, or with its noun in the question of the part. */
interface BulletStatement extends Statement {
  readonly ask?: Ask;
  readonly fact?: Fact;
  /** Where the member is a list of rules: how many bullets are allowed, each a rule of the list. */
  readonly rules?: 'one' | 'several';
  /** The name after the key, which the rule declares. */
  readonly named?: { readonly what: string; readonly sample: string };
}

/**
 * A statement in the cell of a column; `blank` describes the values that are allowed, where the cell must not be blank.
 */
interface ColumnStatement extends Statement {
  readonly blank?: string;
}

/** The columns of a table, by their headings. */
export type ColumnStatements = Readonly<Record<string, ColumnStatement>>;

/** The values that are allowed in each column whose cells must not be blank, in words. */
export const blanksOf = <S extends ColumnStatements>(columns: S): Readonly<Record<Owed<S>, string>> =>
  Object.fromEntries(
    Object.entries(columns).flatMap(([key, { blank }]) => (blank === undefined ? [] : [[key, blank]])),
  ) as Readonly<Record<Owed<S>, string>>;

type Owed<S extends ColumnStatements> = {
  [K in keyof S & string]: S[K] extends { readonly blank: string } ? K : never;
}[keyof S & string];

/** The bullets of one place, by their keys. */
export type BulletStatements = Readonly<Record<string, BulletStatement>>;

/**
 * The bullets of a part whose facts are in a table of the plan: each bullet states a fact of the table, or one of
 * `Others`, which have code of their own.
 */
export type FactStatements<F, Others extends string = never> = Readonly<
  Record<string, BulletStatement & { readonly member: (keyof F & string) | Others }>
>;

/** A rule of a list: the members of its value, its name, and where it is stated. */
export type Rule<S extends { readonly value: unknown }> = ValueOf<S['value']> &
  (S extends { readonly named: unknown } ? { readonly name: Name } : unknown) & { readonly span: Span };

/** The values of the bullets of a place, or of the cells of a row, by their members; null for each value not stated. */
export type Stated<S extends Statements> = {
  readonly [K in keyof S as S[K]['member']]: S[K] extends { readonly rules: unknown }
    ? ReadonlyArray<Rule<S[K]>>
    : Located<ValueOf<S[K]['value']>> | null;
};

/** The members of a place without any statement. */
export const nothing = <S extends BulletStatements>(statements: S): Stated<S> =>
  Object.fromEntries(Object.values(statements).map(({ member }) => [member, null])) as unknown as Stated<S>;

/** Whether two values of a statement are the same: they have the same text. */
export const isSame = ({ value }: Statement, one: unknown, other: unknown): boolean =>
  value.print(one as never) === value.print(other as never);

/** How the value of each bullet of a place, or of each cell of a row, is written. */
type FormsOf<S extends Statements> = { readonly [K in keyof S]: readonly string[] };

export const formsOf = <S extends Statements>(statements: S): FormsOf<S> =>
  mapped(statements, ([key, { value }]) => [key, value.samples]) as FormsOf<S>;

type Code<S extends BulletStatements> = S[keyof S] extends infer One
  ? One extends { readonly ask: Ask<infer C> }
    ? C
    : never
  : never;

/**
 * The questions about missing bullets, as entries for the catalogue of findings. `statements`: the bullets that belong
 * under one heading.
 */
export const questionsOf = <S extends BulletStatements>(statements: S): Readonly<Record<Code<S>, Entry>> =>
  Object.fromEntries(
    Object.entries(statements).flatMap(([key, { ask }]) =>
      ask ? [[ask.code, question(ask.what, ask.why, bullet(key, ask.write))]] : [],
    ),
  ) as unknown as Readonly<Record<Code<S>, Entry>>;

/** The codes of the questions about the bullets of a place that are not stated, in the order of the language. */
export const unstated = <S extends BulletStatements>(
  statements: S,
  stated: Readonly<Record<S[keyof S]['member'], unknown>>,
): Array<Code<S>> =>
  Object.values(statements).flatMap(({ member, ask }) =>
    ask && stated[member as keyof typeof stated] === null ? [ask.code as Code<S>] : [],
  );

/** The nouns of a place's statements in the questions of the part, in the order of the language. */
export const factsOf = <S extends BulletStatements>(
  statements: S,
): Array<StatedFact<keyof S & string, S[keyof S]['member']>> =>
  Object.entries(statements).flatMap(([key, { member, fact }]) =>
    fact ? [{ key: key as keyof S & string, member, what: fact.what, write: bullet(key, fact.write) }] : [],
  );

interface StatedFact<K extends string, M extends string> {
  readonly key: K;
  readonly member: M;
  readonly what: string;
  readonly write: Written;
}

const mapped = <T, U>(of: Readonly<Record<string, T>>, by: (entry: [string, T]) => [string, U]): Record<string, U> =>
  Object.fromEntries(Object.entries(of).map(by));
