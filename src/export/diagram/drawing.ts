/** A diagram: boxes, and arrows between them. */
export interface Drawing {
  readonly heading: string;
  /** The text alternative of the drawing. */
  readonly words: string;
  readonly nodes: readonly DrawnNode[];
  readonly arrows: readonly Arrow[];
}

export interface DrawnNode {
  readonly id: string;
  readonly kind: 'start' | 'state' | 'final' | 'resource';
  readonly name: string;
  /** Lines below the name. */
  readonly lines: readonly string[];
}

/** An arrow. Arrows between the same nodes are drawn as one, with the labels of all. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly labels: readonly string[];
  /** True for a timed transition, and for an optional reference. */
  readonly dashed: boolean;
}

/** Merges arrows between the same nodes, if all or none of them are dashed. */
export function merged(arrows: readonly Arrow[]): Arrow[] {
  const out = new Map<string, Arrow>();
  for (const arrow of arrows) {
    const key = JSON.stringify([arrow.from, arrow.to, arrow.dashed]);
    const known = out.get(key);
    out.set(key, known ? { ...known, labels: [...known.labels, ...arrow.labels] } : arrow);
  }
  return [...out.values()];
}
