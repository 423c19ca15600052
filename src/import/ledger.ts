import { ownMember } from '../text/own-members.ts';
import { DOCUMENTED, REASONS, type Reason } from './reasons.ts';

/** A fact of the file that the document does not have, and why. */
export interface Unsaid {
  readonly pointer: string;
  readonly reason: string;
}

/** Keeps which facts of the file the document states, and which it cannot state. */
export class Ledger {
  private readonly stated = new Set<string>();
  private readonly unsaid = new Map<string, string>();
  /** The places above one that is stated or listed. */
  private readonly above = new Set<string>();

  /** The fact at a place is stated. */
  state(pointer: string): void {
    this.stated.add(pointer);
    this.touch(pointer);
  }

  /** The facts at and below a place cannot be stated, as far as they are not stated elsewhere. */
  leave(pointer: string, reason: Reason | { readonly text: string }): void {
    if (!this.unsaid.has(pointer)) this.unsaid.set(pointer, typeof reason === 'string' ? REASONS[reason] : reason.text);
    this.touch(pointer);
  }

  isStated(pointer: string): boolean {
    return this.stated.has(pointer);
  }

  private touch(pointer: string): void {
    for (let at = pointer.lastIndexOf('/'); at > 0; at = pointer.lastIndexOf('/', at - 1)) {
      const parent = pointer.slice(0, at);
      if (this.above.has(parent)) return;
      this.above.add(parent);
    }
  }

  /** Every fact of the file that is not stated: those with a reason of their own, and all others by their place. */
  everyUnsaid(root: unknown): Unsaid[] {
    const out: Unsaid[] = [];
    const below = (value: unknown, pointer: string, isStated: boolean): void => {
      if (typeof value === 'object' && value !== null)
        for (const [key, member] of Object.entries(value)) go(member, `${pointer}/${token(key)}`, isStated);
    };
    const go = (value: unknown, pointer: string, isWithin: boolean): void => {
      const own = this.unsaid.get(pointer);
      const isStated = isWithin || this.stated.has(pointer);
      if (own !== undefined) out.push({ pointer, reason: own });
      else if (this.above.has(pointer)) below(value, pointer, isStated);
      else if (!isStated) out.push({ pointer, reason: REASONS[reasonByPlace(pointer)] });
    };
    below(root, '#', false);
    return out;
  }
}

/** One step of a JSON Pointer (RFC 6901), which a comment of HTML can hold: its fragment form, as far as it has to be. */
export const token = (key: string): string => commentText(key.replaceAll('~', '~0').replaceAll('/', '~1'));

/** A text that a comment of HTML can hold, on one line: some characters are percent-encoded. */
export const commentText = (text: string): string =>
  text.replace(/[%<>\s\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u00AD\u200B\u2060\uFEFF]/gu, percentEncoded);

const percentEncoded = (character: string): string =>
  /\p{Cs}/u.test(character) ? '%EF%BF%BD' : encodeURIComponent(character);

/** The reason why a fact without a reason of its own is not stated, by the member that it is in. */
function reasonByPlace(pointer: string): Reason {
  let isName = false;
  let found: Reason = 'noPlace';
  // The innermost member decides: the description of a schema is documentation, wherever the schema is.
  for (const step of pointer.slice(2).split('/')) {
    if (step.startsWith('x-') && !isName) return 'extension';
    if (!isName) found = ownMember(DOCUMENTED, step) ?? found;
    isName = !isName && NAMED.has(step);
  }
  return found;
}

/** Members whose own members have names of the API's choice. */
const NAMED: ReadonlySet<string> = new Set(
  '$defs content definitions encoding headers mapping parameters paths pathItems patternProperties properties requestBodies schemas scopes securityDefinitions securitySchemes variables webhooks'.split(
    ' ',
  ),
);
