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
    values.push(...(part instanceof Sql ? part.values : [part]));
    out.push(`${out.pop()}${first}`, ...more);
    out.push(`${out.pop()}${texts[i + 1]}`);
  }
  return new Sql(out, values);
}

/** Pieces with a text between them. */
export function joined(pieces: readonly Sql[], between: string): Sql {
  return pieces.reduce((all, one, i) => (i === 0 ? one : sql`${all}${raw(between)}${one}`), raw(''));
}
