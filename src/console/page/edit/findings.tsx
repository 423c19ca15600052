import { useEffect, useState } from 'preact/hooks';
import type { FindingsAnswer, FixesAnswer, TextFinding, TextFix } from '../../protocol.ts';
import { ApiError, post } from '../app/api.ts';
import { useApp } from '../app/app.ts';
import type { TextEditor } from './text-editor.ts';

/** The findings of a text, which may be older than the text. */
interface Checked {
  readonly list: readonly TextFinding[];
  /** The text that has these findings; null before the first check. */
  readonly of: string | null;
  /** The reason why the text was not checked. */
  readonly problem: string | null;
}

/** Checks a text whenever it has changed, one check after the other. */
export function useFindings(text: string): Checked {
  const { ended } = useApp();
  const [checked, setChecked] = useState<Checked>({ list: [], of: null, problem: null });
  const [isChecking, setIsChecking] = useState(false);
  useEffect(() => {
    if (isChecking || checked.of === text) return;
    setIsChecking(true);
    post<FindingsAnswer>('/edit/findings', { text })
      .then(
        ({ findings }) => setChecked({ list: findings, of: text, problem: null }),
        (error: unknown) => {
          if (!(error instanceof ApiError)) throw error;
          if (error.problem.kind === 'no session') ended(error.message);
          setChecked((before) => ({ ...before, of: text, problem: error.message }));
        },
      )
      .finally(() => setIsChecking(false));
  }, [text, isChecking]);
  return checked;
}

interface Props {
  readonly text: string;
  /** The line of the caret, from 0. */
  readonly line: number;
  readonly findings: Checked;
  readonly editor: { readonly current: TextEditor | null };
}

/** How long the caret has to rest before fixes are asked for, in milliseconds. */
const RESTS_MS = 150;

/** The most findings that are listed; the text marks all. */
const LISTED = 60;

/** The findings of the line with the caret, with their fixes, and the list of all. */
export function Findings({ text, line, findings: { list, of, problem }, editor }: Props) {
  const here = list.filter(({ span }) => span.start.line <= line && line <= span.end.line);
  const fixes = useFixes(of === text && here.length > 0 ? text : null, line);
  return (
    <>
      <div aria-live="polite">
        {here.map((one, i) => (
          <Here key={i} finding={one} fixes={fixesOf(one, fixes)} apply={(fix) => editor.current?.apply(fix.edits)} />
        ))}
      </div>
      {problem && <p class="notice bad">{problem}</p>}
      <details open>
        <summary>
          <h2>Findings</h2> <span class={`note${list.length ? ' warn' : ''}`}>{of === null ? '…' : list.length}</span>
        </summary>
        {of !== null && list.every(({ severity }) => severity === 'notice') && (
          <p class="muted">The document can be served as it is{list.length > 0 && ', with the notices below'}.</p>
        )}
        <ol class="question-list">
          {list.slice(0, LISTED).map(({ span, severity, message }, i) => (
            <li key={i}>
              <button type="button" class={severity} onClick={() => editor.current?.goTo(span.start)}>
                <span class="number">{span.start.line + 1}</span>
                <span>{message}</span>
              </button>
            </li>
          ))}
        </ol>
        {list.length > LISTED && <p class="muted">and {list.length - LISTED} more</p>}
      </details>
    </>
  );
}

const fixesOf = ({ code, message }: TextFinding, fixes: readonly TextFix[] | null): readonly TextFix[] =>
  (fixes ?? []).filter(({ mends }) => mends.some((one) => one.code === code && one.message === message));

/** The fixes of a line; null until they are there. A null text has none. */
function useFixes(text: string | null, line: number): readonly TextFix[] | null {
  const [known, setKnown] = useState<{ text: string; line: number; fixes: readonly TextFix[] } | null>(null);
  useEffect(() => {
    if (text === null) return;
    const abort = new AbortController();
    const { signal } = abort;
    const ask = (): void =>
      void post<FixesAnswer>('/edit/fixes', { text, line }, {}, signal).then(
        ({ fixes }) => signal.aborted || setKnown({ text, line, fixes }),
        () => signal.aborted || setKnown({ text, line, fixes: [] }),
      );
    // The caret may only pass by.
    const timer = setTimeout(ask, RESTS_MS);
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [text, line]);
  return known && known.text === text && known.line === line ? known.fixes : null;
}

const LABELS = { error: 'Error', question: 'Open question', notice: 'Notice' } as const;

interface HereProps {
  readonly finding: TextFinding;
  readonly fixes: readonly TextFix[];
  readonly apply: (fix: TextFix) => void;
}

function Here({ finding: { severity, message, why, code }, fixes, apply }: HereProps) {
  return (
    <section class={`beside ${severity}`} aria-label={LABELS[severity]}>
      <p class="beside-title">{message}</p>
      {why && <p class="muted">{why}</p>}
      {fixes.map((fix, i) => (
        <button key={i} type="button" class="button small fix" data-fix onClick={() => apply(fix)}>
          {fix.title}
        </button>
      ))}
      <p class="muted small">
        <code>{code}</code>
      </p>
    </section>
  );
}
