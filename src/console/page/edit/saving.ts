import { useEffect, useRef, useState } from 'preact/hooks';
import type { EditAnswer, SavedAnswer, ServingOutcome } from '../../protocol.ts';
import { ApiError, post } from '../app/api.ts';
import { useTask } from '../app/app.ts';
import { type Draft, storeDraft, storedDraft } from './draft.ts';
import type { TextEditor } from './text-editor.ts';

/** The file on disk as the editor knows it. */
interface KnownFile {
  /** The text of the file, as it was read or saved last. */
  readonly text: string;
  readonly etag: string;
}

/** The ways out of a change by somebody else. */
interface Resolutions {
  /** Puts the file's text in the editor. */
  take(): void;
  /** Saves the editor's text in place of what somebody else has written. */
  keep(): void;
  /** Puts a text in the editor that has the changes of both, if `mine` has not been edited since they were combined. */
  combine(text: string, mine: string): void;
}

/** The file of an editor, and what can be done with it. */
export interface Saving extends Resolutions {
  readonly base: KnownFile;
  /** The file as somebody else has changed it, while the text of the editor is another one; null if nobody has. */
  readonly theirs: EditAnswer | null;
  /** Whether the text that was saved last is served; null before, and when it is edited again. */
  readonly outcome: ServingOutcome | null;
  readonly isRunning: boolean;
  readonly error: ApiError | null;
  /** The text to begin with: a draft, or the file. */
  readonly begun: string;
  /** The origin of a text that nobody has typed since the page was loaded; null if there is none, and after a save. */
  readonly origin: 'draft' | 'combined' | null;
  save(): void;
  /** Serves what was saved, with changes of rows that the operator wants. */
  confirm(changes: readonly string[]): void;
  /** Puts the file's text in the place of a draft. */
  discard(): void;
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
  const [begun] = useState(draft?.text ?? file.text);
  const [outcome, setOutcome] = useState<ServingOutcome | null>(null);
  const [origin, setOrigin] = useState<Saving['origin']>(draft ? 'draft' : null);
  const task = useTask();
  const { base, theirs, follow } = useKnownFile(file, draft, editor, task.running);
  const touched = (text: string): void => {
    storeDraft(text === base.text ? null : { name: file.name, text, from: base.text, etag: base.etag });
    if (text === base.text) setOrigin(null);
    else setOutcome((before) => (before?.kind === 'served' ? null : before));
  };
  // The first time, the editor may not be there yet, and has the text to begin with.
  useEffect(() => touched(editor.current?.text ?? begun), [base]);
  const saveOver = (etag: string): void => {
    const text = editor.current?.text ?? base.text;
    setOutcome(null);
    void task.run(async () => {
      try {
        const saved = await sent('/edit/save', { text, confirmed: [], answers }, etag);
        follow({ text, etag: saved.etag });
        setOutcome(saved.outcome);
      } catch (error) {
        // A change by somebody else is shown once the file has been read again.
        if (!(error instanceof ApiError) || error.problem.kind !== 'changed') throw error;
      } finally {
        again();
      }
    });
  };
  const resolutions = (other: EditAnswer): Resolutions => ({
    take: () => {
      editor.current?.replace(other.text);
      follow(other);
    },
    keep: () => {
      passThrough(editor.current, other.text);
      follow(other);
      saveOver(other.etag);
    },
    combine: (text, mine) => {
      if (editor.current?.text !== mine) return;
      passThrough(editor.current, other.text, text);
      follow(other);
      setOrigin('combined');
    },
  });
  return {
    base,
    theirs,
    outcome,
    isRunning: task.running,
    error: task.error,
    begun,
    origin,
    touched,
    save: () => saveOver(base.etag),
    confirm: (confirmed) =>
      void task.run(async () => {
        setOutcome((await sent('/edit/serve', { confirmed, answers }, base.etag)).outcome);
      }),
    ...(theirs ? resolutions(theirs) : UNCHANGED),
    discard: () => editor.current?.replace(base.text),
  };
}

/** Resolutions where nothing has changed. */
const UNCHANGED: Resolutions = { take: () => {}, keep: () => {}, combine: () => {} };

interface Knowledge {
  readonly base: KnownFile;
  readonly theirs: EditAnswer | null;
  readonly follow: (known: KnownFile) => void;
}

/** The file as an editor knows it, and as somebody else has changed it. */
function useKnownFile(
  file: EditAnswer,
  draft: Draft | null,
  editor: { readonly current: TextEditor | null },
  isRunning: boolean,
): Knowledge {
  const [base, setBase] = useState<KnownFile>(draft ? { text: draft.from, etag: draft.etag } : file);
  const [theirs, setTheirs] = useState<EditAnswer | null>(null);
  const newest = useRef(file);
  newest.current = file;
  // The last answer that was compared. An answer that came before the end of a save is older than the file.
  const compared = useRef<EditAnswer>(null);
  const follow = (known: KnownFile): void => {
    compared.current = newest.current;
    setBase(known);
    setTheirs(null);
  };
  useEffect(() => {
    // A request under way changes the file itself.
    if (isRunning || compared.current === file) return;
    compared.current = file;
    if (file.etag === base.etag) setTheirs(null);
    else if (isFollowed(editor.current, base, file)) follow(file);
    else setTheirs(file);
  }, [file, isRunning]);
  return { base, theirs, follow };
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

/** Puts another text in the history of an editor before the text that it gets, so that undoing brings it back. */
function passThrough(editor: TextEditor | null, other: string, text = editor?.text ?? other): void {
  editor?.replace(other);
  editor?.replace(text);
}
