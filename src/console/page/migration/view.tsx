import { useEffect } from 'preact/hooks';
import type {
  CallerChange,
  MigrationAnswer,
  Preview,
  PreviewOutcome,
  RowChange,
  RowHindrance,
} from '../../protocol.ts';
import { post } from '../app/api.ts';
import { useAnswer, useApp, useLive, useTask } from '../app/app.ts';
import { Question } from '../document/beside.tsx';
import { Empty, Failure, Head, Loaded, Section } from '../parts/page-parts.tsx';
import { counted, fileName, shortTime } from '../parts/words.ts';

/** The interval between requests for the state of a running preview. */
const PAUSE_MS = 400;

/** The document on disk against the one that is served: tried on a copy before anything changes. */
export function MigrationView() {
  const { service } = useApp();
  const name = fileName(service.document);
  const { last } = useLive();
  const answer = useAnswer<MigrationAnswer>('/migration');
  const task = useTask();
  const running = answer.data?.preview?.state === 'running';
  const { again } = answer;
  const changed = last?.changedOnDisk;
  useEffect(() => {
    if (changed !== undefined) again();
  }, [changed]);
  useEffect(() => {
    if (!running) return;
    const timer = setTimeout(again, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [running, answer.data]);
  const preview = (): void =>
    void task.run(async () => {
      await post<MigrationAnswer>('/migration/preview', {});
      again();
    });
  return (
    <>
      <Head title="Migration" below={`${name} on disk, compared with the served document.`}>
        {answer.data?.disk === 'changed' && (
          <button type="button" class="button primary" disabled={running || task.running} onClick={preview}>
            {running ? 'Previewing …' : answer.data.preview ? 'Preview again' : 'Preview'}
          </button>
        )}
      </Head>
      {task.error && <Failure error={task.error} />}
      <Loaded answer={answer} what="the state of the file">
        {({ disk, preview: shown }) => (
          <>
            <Disk disk={disk} previewed={shown !== null} />
            {shown && <PreviewShown preview={shown} />}
          </>
        )}
      </Loaded>
    </>
  );
}

function Disk({ disk, previewed }: { readonly disk: MigrationAnswer['disk']; readonly previewed: boolean }) {
  const { service } = useApp();
  const name = fileName(service.document);
  if (disk === 'missing')
    return (
      <p class="notice bad" role="alert">
        {name} can’t be read on disk. The service goes on with the document that it has.
      </p>
    );
  if (disk === 'same')
    return (
      <Empty title="The file on disk is the document that is served">
        Edit {name}. Then preview here what the change does to rows and to callers, before it is served.
      </Empty>
    );
  if (previewed) return null;
  return (
    <Empty title={`${name} has changed on disk`}>
      Preview the change. The preview runs on a copy of the rows and does not change the service.
    </Empty>
  );
}

/** A preview: its steps while it runs, then its outcome. `isAsked`: whether changes that lose values are asked for later. */
export function PreviewShown({ preview, isAsked = false }: { readonly preview: Preview; readonly isAsked?: boolean }) {
  return (
    <>
      <Progress preview={preview} />
      {preview.outcome && <Outcome outcome={preview.outcome} isAsked={isAsked} />}
    </>
  );
}

function Progress({ preview }: { readonly preview: Preview }) {
  if (preview.state === 'done') return null;
  return (
    <div class="notice" role="status">
      <p>The preview runs on a copy of the rows.</p>
      <ol class="steps">
        {preview.steps.map((step, i) => (
          <li key={i}>{step}</li>
        ))}
      </ol>
      <progress aria-label="Preview" />
    </div>
  );
}

type Compiled = Extract<PreviewOutcome, { readonly kind: 'compiled' }>;

/** The result of a preview. */
function Outcome({ outcome, isAsked }: { readonly outcome: PreviewOutcome; readonly isAsked: boolean }) {
  if (outcome.kind === 'refused') return <p class="notice bad">{outcome.reason}</p>;
  if (outcome.kind === 'findings')
    return (
      <Section
        id="findings"
        title={isAsked ? 'The text cannot be served' : 'The file on disk cannot be served'}
        note={counted(outcome.findings.length, 'finding')}
      >
        {outcome.findings.map((one, i) => (
          <div key={i} class="found">
            {one.line !== null && <span class="muted small">line {one.line}</span>}
            <Question finding={one} />
          </div>
        ))}
      </Section>
    );
  return (
    <>
      <Verdict outcome={outcome} />
      <Rows outcome={outcome} isAsked={isAsked} />
      <Callers outcome={outcome} />
    </>
  );
}

const VERDICTS: Readonly<Record<Compiled['rows'], readonly [colour: string, words: string]>> = {
  nothing: ['ok', 'Rows stay as they are.'],
  possible: ['ok', 'The migration ran on a copy of the rows.'],
  refused: ['bad', 'The rows don’t fit the document, so the service can’t serve it.'],
};

function Verdict({ outcome: { rows, milliseconds, notes, callers } }: { readonly outcome: Compiled }) {
  const [colour, words] = VERDICTS[rows];
  const breaking = callers.filter((one) => one.breaking).length;
  return (
    <div class={`notice ${colour}`} role="status">
      <p>
        <strong>{words}</strong> The preview took {shortTime(milliseconds)}.{' '}
        {breaking > 0 && `${counted(breaking, 'change')} would break callers.`}
      </p>
      {notes.map((note) => (
        <p key={note} class="muted">
          {note}
        </p>
      ))}
    </div>
  );
}

function Rows({
  outcome: { changes, hindrances },
  isAsked,
}: {
  readonly outcome: Compiled;
  readonly isAsked: boolean;
}) {
  if (changes.length === 0 && hindrances.length === 0) return null;
  return (
    <Section id="rows" title="Rows" note={counted(changes.length, 'change')}>
      <ul class="changes">
        {hindrances.map((one, i) => (
          <Hindrance key={`hindrance ${i}`} one={one} />
        ))}
        {changes.map((one, i) => (
          <Change key={i} one={one} isAsked={isAsked} />
        ))}
      </ul>
    </Section>
  );
}

function Callers({ outcome: { callers } }: { readonly outcome: Compiled }) {
  return (
    <Section id="callers" title="Callers" note={callers.length ? counted(callers.length, 'change') : undefined}>
      {callers.length === 0 ? (
        <p class="muted">No caller notices a change.</p>
      ) : (
        <ul class="changes">
          {callers.map((one, i) => (
            <ForCallers key={i} one={one} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function Hindrance({ one: { change, why, rows, example, text } }: { readonly one: RowHindrance }) {
  const words = `${change}: ${why}, in ${counted(rows, 'row')}${example === null ? '' : ` such as ${example}`}.`;
  return (
    <li>
      <span class="tag bad">obstacle</span>
      <span>{text || words}</span>
    </li>
  );
}

function Change({ one: { text, accept }, isAsked }: { readonly one: RowChange; readonly isAsked: boolean }) {
  return (
    <li>
      <span class={`tag${accept ? ' warn' : ''}`}>{accept ? 'drops' : 'change'}</span>
      <span>
        {text}
        {accept && isAsked && <span class="muted"> The console asks you before the service makes this change.</span>}
        {accept && !isAsked && (
          <span class="muted">
            {' '}
            Values may be lost. The service serves the file only after its operator has accepted “{accept}”.
          </span>
        )}
      </span>
    </li>
  );
}

function ForCallers({ one: { breaking, text } }: { readonly one: CallerChange }) {
  return (
    <li>
      <span class={`tag ${breaking ? 'bad' : 'ok'}`}>{breaking ? 'breaking' : 'compatible'}</span>
      <span>{text}</span>
    </li>
  );
}
