const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const MADE = /(?:cursor|key|tag)-[0-9a-f]+-end/g;
/** A cursor in a link. */
const LINKED = /(?:cursor|after)=([A-Za-z0-9_-]{12,})/g;
const TAG = /^ETag: "([^"]+)"$/gm;

/**
 * Which of the engine’s UUIDs, cursors and keys is which of the interpreter’s. Both make their own; that they stand in the
 * same places is what is compared.
 */
export class Translation {
  private readonly toEngine = new Map<string, string>();
  private readonly toInterpreter = new Map<string, string>();
  /** The member of a page that holds the cursor of the next one. */
  private readonly next: RegExp | null;

  constructor(next: string | null) {
    this.next = next === null ? null : new RegExp(`"${next}":"([^"]+)"`, 'g');
  }

  /** Says that something of the engine’s goes by a name of the interpreter’s. */
  bind(ours: string, theirs: string): void {
    this.toEngine.set(ours, theirs);
    this.toInterpreter.set(theirs, ours);
  }

  /** A text in the engine’s terms. */
  forEngine(text: string): string {
    const known = (token: string): string => this.toEngine.get(token.toLowerCase()) ?? token;
    return text.replace(UUID, known).replace(MADE, known);
  }

  /** What the engine said in the interpreter’s terms; names that are new are paired by where they stand in `like`. */
  fromEngine(text: string, like: string): string {
    this.pair(text.match(UUID), like.match(UUID));
    if (this.next) this.pair(groups(text, this.next), groups(like, this.next));
    this.pair(
      groups(text, LINKED),
      groups(like, LINKED).filter((one) => one.startsWith('cursor-')),
    );
    const tags = groups(like, TAG);
    if (tags[0]?.startsWith('tag-')) this.pair(groups(text, TAG), tags);
    const known = (token: string): string => this.toInterpreter.get(token) ?? token;
    const translated = text
      .replace(UUID, known)
      .replace(LINKED, (all, token: string) => all.replace(token, known(token)))
      .replace(TAG, (all, token: string) => all.replace(token, known(token)));
    return this.next
      ? translated.replace(this.next, (all, token: string) => all.replace(token, known(token)))
      : translated;
  }

  private pair(theirs: readonly string[] | null, ours: readonly string[] | null): void {
    for (const [i, their] of (theirs ?? []).entries()) {
      const our = ours?.[i];
      if (our === undefined || this.toInterpreter.has(their) || this.toEngine.has(our)) continue;
      this.bind(our, their);
    }
  }
}

const groups = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map((match) => match[1]!);
