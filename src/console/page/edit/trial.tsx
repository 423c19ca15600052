import { useEffect, useState } from 'preact/hooks';
import type { EditPreviewAnswer, Preview } from '../../protocol.ts';
import { get, post } from '../app/api.ts';
import { useTask } from '../app/app.ts';
import { PreviewShown } from '../migration/view.tsx';
import { Failure } from '../parts/page-parts.tsx';

interface Props {
  readonly text: string;
  readonly answers: readonly string[];
  readonly options: string;
  readonly setOptions: (options: string) => void;
}

/** The interval between requests for the state of a running preview. */
const PAUSE_MS = 400;

/** The effects of a text on rows and callers, tried on a copy of the rows. */
export function Trial({ text, answers, options, setOptions }: Props) {
  const [preview, setPreview] = useState<Preview | null>(null);
  const [of, setOf] = useState('');
  const task = useTask();
  const [isReplaced, setIsReplaced] = useState(false);
  const isRunning = preview?.state === 'running';
  useEffect(() => {
    if (preview?.state !== 'running') return;
    const path = `/edit/preview?began=${encodeURIComponent(preview.began)}`;
    const look = async (): Promise<void> => {
      const { preview: now } = await get<EditPreviewAnswer>(path);
      setPreview(now);
      setIsReplaced(now === null);
    };
    const timer = setTimeout(() => void task.run(look), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [preview]);
  const begin = (): void =>
    void task.run(async () => {
      setOf(text);
      setIsReplaced(false);
      setPreview((await post<EditPreviewAnswer>('/edit/preview', { text, answers })).preview);
    });
  return (
    <section class="section" aria-labelledby="trial">
      <div class="section-head">
        <h2 id="trial">Effect on rows and callers</h2>
        <button type="button" class="button" disabled={isRunning} onClick={begin}>
          {isRunning ? 'Previewing …' : 'Preview'}
        </button>
      </div>
      {task.error && <Failure error={task.error} />}
      {isReplaced && (
        <p class="notice warn">Another preview, which was started in another window, has replaced this one.</p>
      )}
      {preview && of !== text && <p class="muted">The text has changed since this preview.</p>}
      {preview && <PreviewShown preview={preview} isAsked />}
      <details>
        <summary>Options of the migration</summary>
        <label class="field">
          <span class="hint">
            One on each line, as <code>ninefold migrate --help</code> describes them:{' '}
            <code>--fill Order.channel=web</code>, <code>--rename Order.note=Order.remark</code>
          </span>
          <textarea rows={3} value={options} onInput={(event) => setOptions(event.currentTarget.value)} />
        </label>
      </details>
    </section>
  );
}
