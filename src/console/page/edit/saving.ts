import { useEffect, useRef, useState } from 'preact/hooks';
import type { EditAnswer, SavedAnswer, ServingOutcome } from '../../protocol.ts';
import { ApiError, get, post } from '../app/api.ts';
import { useTask } from '../app/app.ts';
import { storeDraft, storedDraft } from './draft.ts';
import type { TextEditor } from './text-editor.ts';

/** The file on disk as the editor knows it. */
interface KnownFile {
  /** The text of the file, as it was read or saved last. */
  readonly text: string;
  readonly etag: string;
}

/** The file of an editor, and what can be done with it. */
interface Saving {
  readonly base: KnownFile;
  /** The file as somebody else has changed it, while the text of the editor is another one; null if nobody has. */
  readonly theirs: EditAnswer | null;
  /** Whether the text that was saved last is served; null before, and when it is edited again. */
  readonly outcome: ServingOutcome | null;
  readonly isRunning: boolean;
  readonly error: ApiError | null;
  /** The text to begin with: a draft, or the file. */
  readonly begun: string;
  save(): void;
  /** Serves what was saved, with changes of rows that the operator wants. */
  confirm(changes: readonly string[]): void;
  /** Puts the file's text in the editor. */
  take(): void;
  /** Saves the editor's text in place of what somebody else has written. */
  keep(): void;
  /** Stores the text of the editor as a draft. */
  touched(text: string): void;
}

/** An editor and its file. `file` is the newest state of the file, which `again` reads anew. */
export function useSaving(
  file: EditAnswer,
  again: () => void,
  editor: { readonly current: TextEditor | null },
  answers: readonly string[],
): Saving {
  const [draft] = useState(() => storedDraft(file.name));
  const [base, setBase] = useState<KnownFile>(draft ? { text: draft.from, etag: draft.etag } : file);
  const [theirs, setTheirs] = useState<EditAnswer | null>(null);
  const [outcome, setOutcome] = useState<ServingOutcome | null>(null);
  const task = useTask();
  // Entity tags that the editor has seen. An answer with one of them may be older than a save.
  const seen = useRef(new Set([base.etag]));
  const follow = (known: KnownFile): void => {
    seen.current.add(known.etag);
    setBase(known);
    setTheirs(null);
  };
  const touched = (text: string): void => {
    storeDraft(text === base.text ? null : { name: file.name, text, from: base.text, etag: base.etag });
    if (text !== base.text) setOutcome((before) => (before?.kind === 'served' ? null : before));
  };
  useEffect(() => touched(editor.current?.text ?? base.text), [base]);
  useEffect(() => {
    // A request under way changes the file itself.
    if (task.running || seen.current.has(file.etag)) return;
    if (isFollowed(editor.current, base, file)) follow(file);
    else setTheirs(file);
  }, [file, task.running]);
  const saveOver = (etag: string): void => {
    const text = editor.current?.text ?? base.text;
    setOutcome(null);
    void task.run(async () => {
      try {
        const saved = await sent('/edit/save', { text, confirmed: [], answers }, etag);
        follow({ text, etag: saved.etag });
        setOutcome(saved.outcome);
        again();
      } catch (error) {
        if (!(error instanceof ApiError) || error.problem.kind !== 'changed') throw error;
        setTheirs(await get<EditAnswer>('/edit'));
      }
    });
  };
  return {
    base,
    theirs,
    outcome,
    isRunning: task.running,
    error: task.error,
    begun: draft?.text ?? file.text,
    touched,
    save: () => saveOver(base.etag),
    confirm: (confirmed) =>
      void task.run(async () => {
        setOutcome((await sent('/edit/serve', { confirmed, answers }, base.etag)).outcome);
      }),
    take: () => {
      if (!theirs) return;
      editor.current?.replace(theirs.text);
      follow(theirs);
    },
    keep: () => {
      if (!theirs) return;
      passThrough(editor.current, theirs.text);
      follow(theirs);
      saveOver(theirs.etag);
    },
  };
}

/** Changes the file that has the entity tag. */
const sent = (path: string, body: object, etag: string): Promise<SavedAnswer> =>
  post<SavedAnswer>(path, body, { 'If-Match': etag });

/** Puts a changed file in an editor without edits of its own. Returns whether the editor has the text of the file now. */
function isFollowed(editor: TextEditor | null, base: KnownFile, file: EditAnswer): boolean {
  if (!editor) return false;
  if (editor.text === base.text) editor.replace(file.text);
  return editor.text === file.text;
}

/** Puts another text in the history of an editor, so that undoing brings it back. */
function passThrough(editor: TextEditor | null, other: string): void {
  const mine = editor?.text ?? other;
  editor?.replace(other);
  editor?.replace(mine);
}
