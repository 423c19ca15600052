import { useEffect } from 'preact/hooks';
import type { MigrationAnswer, Preview } from '../../protocol.ts';
import { post } from '../app/api.ts';
import { useAnswer, useApp, useLive, useTask } from '../app/app.ts';
import { Empty, Failure, Head, Loaded } from '../parts/page-parts.tsx';
import { fileName } from '../parts/words.ts';
import { Outcome } from './outcome.tsx';

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
            {shown && <Progress preview={shown} />}
            {shown?.outcome && <Outcome outcome={shown.outcome} />}
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
