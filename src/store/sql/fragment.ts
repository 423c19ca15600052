/** A piece of SQL: texts, and between each two of them the place of a value that is bound. */
export class Sql {
  readonly texts: readonly string[];
  readonly values: readonly unknown[];

  constructor(texts: readonly string[], values: readonly unknown[] = []) {
    this.texts = texts;
    this.values = values;
  }

  /** The text, with what a database writes in each place, counted from 1. */
  text(place: (number: number) => string): string {
    return this.texts.map((text, i) => (i === 0 ? text : place(i) + text)).join('');
  }
}

/** Text that is SQL already: quoted names, and expressions that have been written. */
export const raw = (text: string): Sql => new Sql([text]);

/** SQL of a template: what is SQL becomes part of it, and anything else is bound as a value. */
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

/** Pieces with a text between them. */
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

/** Whether one of some conditions holds: as a tree of two branches each, since databases bound how deep conditions are. */
export function anyOf(conditions: readonly Sql[]): Sql {
  if (conditions.length <= 2) return joined(conditions, ' OR ');
  const half = conditions.length >> 1;
  return sql`(${anyOf(conditions.slice(0, half))}) OR (${anyOf(conditions.slice(half))})`;
}
