/** Something that is drawn: boxes, and arrows between them. */
export interface Drawing {
  readonly heading: string;
  /** The same in words, for whoever doesn’t see it. */
  readonly words: string;
  readonly nodes: readonly DrawnNode[];
  readonly arrows: readonly Arrow[];
}

export interface DrawnNode {
  readonly id: string;
  readonly kind: 'start' | 'state' | 'final' | 'resource';
  readonly name: string;
  /** What stands below the name. */
  readonly lines: readonly string[];
}

/** An arrow; those between the same two nodes are drawn as one, with the labels of all. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly labels: readonly string[];
  /** True where it happens by itself, or may be missing. */
  readonly dashed: boolean;
}

/** Arrows between the same two nodes, of which none or all are dashed, as one. */
export function merged(arrows: readonly Arrow[]): Arrow[] {
  const out = new Map<string, Arrow>();
  for (const arrow of arrows) {
    const key = JSON.stringify([arrow.from, arrow.to, arrow.dashed]);
    const known = out.get(key);
    out.set(key, known ? { ...known, labels: [...known.labels, ...arrow.labels] } : arrow);
  }
  return [...out.values()];
}
