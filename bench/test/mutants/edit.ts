/** What takes the place of a stretch of a document. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly by: string;
}

/** One change of a statement: stretches that are replaced together, and how the change is called. */
export interface Edit {
  readonly how: string;
  readonly kind: string;
  readonly stretches: readonly Stretch[];
}

/** Changes of one thing, of which the first `most` that make another document count. */
export interface Choice {
  readonly edits: readonly Edit[];
  readonly most: number;
}

export const edit = (kind: string, how: string, from: number, to: number, by: string): Edit => ({
  kind,
  how,
  stretches: [{ from, to, by }],
});

/** Each of these changes counts. */
export const each = (edits: readonly Edit[]): Choice[] => edits.map((one) => ({ edits: [one], most: 1 }));

/** The document with a change made. */
export function edited(source: string, { stretches }: Edit): string {
  return [...stretches]
    .sort((a, b) => b.from - a.from)
    .reduce((text, { from, to, by }) => text.slice(0, from) + by + text.slice(to), source);
}
