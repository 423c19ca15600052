/** A piece of SQL: texts, with a bound value between each two of them. */
export class Sql {
  readonly texts: readonly string[];
  readonly values: readonly unknown[];

  constructor(texts: readonly string[], values: readonly unknown[] = []) {
    this.texts = texts;
    this.values = values;
  }

  /** The text of the SQL, with the result of `place` for each value, numbered from 1. */
  text(place: (number: number) => string): string {
    return this.texts.map((text, i) => (i === 0 ? text : place(i) + text)).join('');
  }
}

/** SQL without values, such as quoted names and compiled expressions. */
export const raw = (text: string): Sql => new Sql([text]);

/** A template of SQL: pieces of SQL are inserted, and all other values are bound. */
export function sql(texts: TemplateStringsArray, ...parts: readonly unknown[]): Sql {
  const out = [texts[0] ?? ''];
  const values: unknown[] = [];
  for (const [i, part] of parts.entries()) {
    const [first = '', ...more] = part instanceof Sql ? part.texts : ['', ''];
    for (const value of part instanceof Sql ? part.values : [part]) values.push(value);
    out.push(`${out.pop()}${first}`);
    for (const text of more) out.push(text);
    out.push(`${out.pop()}${texts[i + 1]}`);
  }
  return new Sql(out, values);
}

/** Joins pieces of SQL by a text. */
export function joined(pieces: readonly Sql[], between: string): Sql {
  const texts = [''];
  const values: unknown[] = [];
  for (const [i, piece] of pieces.entries()) {
    const [first = '', ...more] = piece.texts;
    texts.push(`${texts.pop()}${i === 0 ? '' : between}${first}`);
    for (const text of more) texts.push(text);
    for (const value of piece.values) values.push(value);
  }
  return new Sql(texts, values);
}

/** The disjunction of conditions, as a balanced binary tree, since databases limit the depth of conditions. */
export function anyOf(conditions: readonly Sql[]): Sql {
  if (conditions.length <= 2) return joined(conditions, ' OR ');
  const half = conditions.length >> 1;
  return sql`(${anyOf(conditions.slice(0, half))}) OR (${anyOf(conditions.slice(half))})`;
}
