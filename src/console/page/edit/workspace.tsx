import { useEffect, useRef, useState } from 'preact/hooks';
import type { EditAnswer } from '../../protocol.ts';
import type { ApiError } from '../app/api.ts';
import { useAnswer, useApp, useLive } from '../app/app.ts';
import { Failure, Head, Loaded } from '../parts/page-parts.tsx';
import { fileName } from '../parts/words.ts';
import { Conflict } from './conflict.tsx';
import { Findings, useFindings } from './findings.tsx';
import { completionsAt, explanationAt } from './questions.ts';
import { type Saving, useSaving } from './saving.ts';
import { Served } from './served.tsx';
import { TextEditor } from './text-editor.ts';
import { Trial } from './trial.tsx';

/** How long a text has to rest before it is checked, in milliseconds. */
const RESTS_MS = 200;

/** The document in an editor. */
export function Workspace() {
  const { service } = useApp();
  const { last } = useLive();
  const answer = useAnswer<EditAnswer>('/edit');
  const { again } = answer;
  // The file may change without being served.
  const changed = last?.changedOnDisk;
  useEffect(() => {
    if (changed !== undefined) again();
  }, [changed]);
  useEffect(() => {
    window.addEventListener('focus', again);
    return () => window.removeEventListener('focus', again);
  }, []);
  // The page itself shows that the service does not answer.
  const unread = answer.error?.problem.kind === 'refused' ? answer.error : null;
  if (answer.data) return <Editing file={answer.data} unread={unread} again={again} />;
  return (
    <>
      <Head title="Edit" />
      <Loaded answer={answer} what={service.document}>
        {() => null}
      </Loaded>
    </>
  );
}

interface EditingProps {
  /** The file as it was read last, which somebody else may have changed. */
  readonly file: EditAnswer;
  /** The reason why the file cannot be read any more. */
  readonly unread: ApiError | null;
  readonly again: () => void;
}

/** An editor of the file. */
function Editing({ file, unread, again }: EditingProps) {
  const { place } = useApp();
  const [options, setOptions] = useState('');
  const answers = options.split('\n').filter((one) => one.trim() !== '');
  const editor = useRef<TextEditor>(null);
  const saving = useSaving(file, again, editor, answers);
  const { base, theirs, isRunning, outcome } = saving;
  // Options belong to one migration: later, one of them might accept another loss.
  useEffect(() => {
    if (outcome?.kind === 'served') setOptions('');
  }, [outcome]);
  const [text, setText] = useState(saving.begun);
  const [line, setLine] = useState(0);
  const findings = useFindings(text);
  useEffect(() => editor.current?.show(findings.list), [findings.list]);
  const isDirty = text !== base.text;
  // After a save, the file may not have been read again yet.
  const isServed = file.etag === base.etag ? file.isServed : outcome?.kind === 'served';
  const maySave = file.readOnly === null && theirs === null && !isRunning;
  const name = fileName(file.name);
  return (
    <>
      <Head title="Edit" below={<State name={name} isServed={isServed} isDirty={isDirty} isRunning={isRunning} />}>
        <button type="button" class="button primary" disabled={!maySave || !isDirty} onClick={saving.save}>
          {isRunning ? 'Saving …' : 'Save'}
        </button>
      </Head>
      {file.readOnly !== null && <p class="notice warn">{file.readOnly} The text can’t be saved here.</p>}
      {saving.error && saving.error.message !== unread?.message && <Failure error={saving.error} />}
      {unread && <Unread error={unread} />}
      {theirs && (
        <Conflict
          before={base.text}
          theirs={theirs.text}
          mine={text}
          take={saving.take}
          keep={saving.keep}
          combine={saving.combine}
        />
      )}
      {!theirs && isDirty && <Origin of={saving.origin} discard={saving.discard} />}
      <Served outcome={outcome} isRunning={isRunning} confirm={saving.confirm} />
      <div class="document">
        <aside class="document-side" aria-label="Findings">
          <Findings text={text} line={line} findings={findings} editor={editor} />
        </aside>
        <div class="document-text">
          <TextField
            name={name}
            text={text}
            line={Number(place.query.get('line'))}
            readOnly={file.readOnly !== null}
            field={editor}
            touched={saving.touched}
            rested={setText}
            moved={setLine}
            save={() => maySave && editor.current?.text !== base.text && saving.save()}
          />
          <p class="muted small">
            <kbd>Ctrl-S</kbd> saves · <kbd>F8</kbd> goes to the next finding · <kbd>Ctrl-.</kbd> goes to its fixes ·{' '}
            <kbd>Ctrl-Space</kbd> completes · <kbd>Ctrl-F</kbd> finds · <kbd>Escape</kbd>, then <kbd>Tab</kbd>, leaves
            the editor
          </p>
          <Trial text={text} answers={answers} options={options} setOptions={setOptions} />
        </div>
      </div>
    </>
  );
}

const Unread = ({ error }: { readonly error: ApiError }) => (
  <p class="notice warn">
    {error.message} Your text stays in the editor, and can be saved when the file can be read again.
  </p>
);

interface OriginProps {
  readonly of: Saving['origin'];
  readonly discard: () => void;
}

/** The origin of a text that is not saved, and that nobody has typed since the page was loaded. */
function Origin({ of, discard }: OriginProps) {
  return (
    <div role="status">
      {of === 'combined' && <p class="notice ok">The editor has the changes of both texts. Nothing is saved yet.</p>}
      {of === 'draft' && (
        <div class="notice">
          <p>The page was loaded again. The editor has the draft that you had written before.</p>
          <p>
            <button type="button" class="button small" onClick={discard}>
              Discard the draft
            </button>
          </p>
        </div>
      )}
    </div>
  );
}

interface StateProps {
  readonly name: string;
  readonly isServed: boolean;
  readonly isDirty: boolean;
  readonly isRunning: boolean;
}

function State({ name, isServed, isDirty, isRunning }: StateProps) {
  const state = isRunning ? 'saving' : isDirty ? 'not saved' : isServed ? 'served as it is' : 'saved, not served';
  return (
    <>
      {name} · <span role="status">{state}</span>
    </>
  );
}

interface FieldProps {
  readonly name: string;
  readonly text: string;
  /** The line to show first, from 1; 0 or not a number for none. */
  readonly line: number;
  readonly readOnly: boolean;
  readonly field: { current: TextEditor | null };
  /** Receives the text after each change. */
  readonly touched: (text: string) => void;
  /** Receives the text when it has not changed for a while. */
  readonly rested: (text: string) => void;
  readonly moved: (line: number) => void;
  readonly save: () => void;
}

/** The editor itself, which is made once. */
function TextField({ name, text, line, readOnly, field, touched, rested, moved, save }: FieldProps) {
  const host = useRef<HTMLDivElement>(null);
  const now = useRef({ touched, save });
  now.current = { touched, save };
  useEffect(() => {
    if (!host.current) return;
    let timer: ReturnType<typeof setTimeout>;
    const made = new TextEditor(host.current, {
      text,
      label: `Text of ${name}`,
      readOnly,
      complete: completionsAt,
      explain: explanationAt,
      changed: (to) => {
        now.current.touched(to);
        clearTimeout(timer);
        timer = setTimeout(() => rested(to), RESTS_MS);
      },
      moved,
      save: () => now.current.save(),
      fix: () => document.querySelector<HTMLElement>('[data-fix]')?.focus(),
    });
    field.current = made;
    if (line > 0) made.goTo({ line: line - 1, character: 0 });
    return () => {
      clearTimeout(timer);
      field.current = null;
      made.end();
    };
  }, []);
  useEffect(() => {
    // Elsewhere in the page, the browser would save the page.
    const pressed = (event: KeyboardEvent): void => {
      const isSave = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 's';
      if (!isSave || event.defaultPrevented) return;
      event.preventDefault();
      now.current.save();
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
  return <div class="editor" ref={host} />;
}
