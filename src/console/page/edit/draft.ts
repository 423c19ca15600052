/** A text that is not saved, and the file that it is an edit of. */
export interface Draft {
  /** The name of the document: another service may have the same address later. */
  readonly name: string;
  readonly text: string;
  /** The text and the entity tag of the file as it was opened. */
  readonly from: string;
  readonly etag: string;
}

const KEY = 'ninefold-draft';

/** The draft of a document in this window, which survives that the page is loaded again; null if there is none. */
export function storedDraft(name: string): Draft | null {
  try {
    const draft: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    return isDraft(draft) && draft.name === name ? draft : null;
  } catch {
    return null;
  }
}

/** Whether this window has a draft of any document. */
export function hasDraft(): boolean {
  try {
    return sessionStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}

/** Stores a draft, of which the browser then warns whoever leaves the page; null removes it. */
export function storeDraft(draft: Draft | null): void {
  if (draft) window.addEventListener('beforeunload', warn);
  else window.removeEventListener('beforeunload', warn);
  try {
    if (draft) sessionStorage.setItem(KEY, JSON.stringify(draft));
    else sessionStorage.removeItem(KEY);
  } catch {
    // The storage is full or switched off. The text is still in the editor, and leaving it warns.
  }
}

const warn = (event: BeforeUnloadEvent): void => event.preventDefault();

function isDraft(value: unknown): value is Draft {
  if (typeof value !== 'object' || value === null) return false;
  const { name, text, from, etag } = value as Readonly<Record<string, unknown>>;
  return [name, text, from, etag].every((one) => typeof one === 'string');
}
