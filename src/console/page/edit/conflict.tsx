import { lineChanges } from '../../../text/line-changes.ts';

interface Props {
  readonly theirs: string;
  readonly mine: string;
  readonly take: () => void;
  readonly keep: () => void;
}

/** The most lines that are shown. */
const SHOWN = 200;

/** A file that somebody else has changed, beside the text of the editor. */
export function Conflict({ theirs, mine, take, keep }: Props) {
  const changes = lineChanges(theirs, mine);
  return (
    <section class="notice warn" role="alert" aria-label="The file has changed">
      <p>
        <strong>The file has changed since you opened it.</strong> Nothing of your text was written, and nothing of it
        is lost. Lines of the file that your text does not have begin with −, and lines of yours with +.
      </p>
      <pre class="differences" tabIndex={0} role="group" aria-label="Differences">
        {changes.slice(0, SHOWN).map(({ sign, number, text }, i) => (
          <span key={i} class={sign === '+' ? 'ok' : 'bad'}>
            {sign === '+' ? '+' : '−'} {number} {text}
            {'\n'}
          </span>
        ))}
        {changes.length > SHOWN && `and ${changes.length - SHOWN} more`}
      </pre>
      <div class="actions">
        <button type="button" class="button" onClick={take}>
          Take the file’s text
        </button>
        <button type="button" class="button danger" onClick={keep}>
          Save mine in its place
        </button>
      </div>
      <p class="muted">Either way, undoing (Ctrl-Z) in the editor brings the other text back.</p>
    </section>
  );
}
