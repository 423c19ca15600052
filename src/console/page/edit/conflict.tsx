import { useEffect, useMemo, useState } from 'preact/hooks';
import { lineChanges } from '../../../text/line-changes.ts';
import { isConflict, type LineConflict, mergedLines, mergedText } from '../../../text/line-merge.ts';
import { counted } from '../parts/words.ts';

interface Props {
  /** The text of which both are edits. */
  readonly before: string;
  readonly theirs: string;
  readonly mine: string;
  readonly take: () => void;
  readonly keep: () => void;
  /** Puts the changes of both in the editor. */
  readonly combine: (text: string, mine: string) => void;
}

/** The most lines that are shown, and the most that are shown of a text to choose. */
const SHOWN = 200;
const SHOWN_TO_CHOOSE = 20;

/** Beyond so many places that both texts changed, texts are not combined here. */
const MOST_PLACES = 100;

/** A file that somebody else has changed, beside the text of the editor. */
export function Conflict({ before, theirs, mine, take, keep, combine }: Props) {
  const changes = useMemo(() => lineChanges(theirs, mine), [theirs, mine]);
  return (
    <section class="notice warn" role="alert" aria-label="The file has changed">
      <p>
        <strong>The file has changed since you opened it.</strong> Your text was not written to the file, and is not
        lost. Lines that only the file has begin with −, and lines that only your text has with +.
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
      <Combining before={before} theirs={theirs} mine={mine} combine={combine} />
      <div class="actions">
        <button type="button" class="button" onClick={take}>
          Take the file’s text
        </button>
        <button type="button" class="button danger" onClick={keep}>
          Save mine in its place
        </button>
      </div>
      <p class="muted">Undoing (Ctrl-Z) in the editor brings the other texts back.</p>
    </section>
  );
}

/** The texts that may take the place of a conflict. */
const CHOICES = {
  mine: { label: 'Yours', linesOf: ({ mine }: LineConflict) => mine },
  theirs: { label: 'The file’s', linesOf: ({ theirs }: LineConflict) => theirs },
  both: { label: 'Both, yours first', linesOf: ({ mine, theirs }: LineConflict) => [...mine, ...theirs] },
} as const;
type Choice = keyof typeof CHOICES;

/** Combines both texts, with a choice for each place that both changed. */
function Combining({ before, theirs, mine, combine }: Pick<Props, 'before' | 'theirs' | 'mine' | 'combine'>) {
  const parts = useMemo(() => mergedLines(before, mine, theirs), [before, mine, theirs]);
  const conflicts = parts.filter(isConflict);
  const [chosen, setChosen] = useState<ReadonlyMap<LineConflict, Choice>>(new Map());
  // A choice belongs to the lines that were shown.
  useEffect(() => setChosen(new Map()), [parts]);
  if (conflicts.length > MOST_PLACES)
    return <p>Both texts changed {conflicts.length} places. Combine them in another editor.</p>;
  const linesOf = (one: LineConflict): readonly string[] => CHOICES[chosen.get(one) ?? 'both'].linesOf(one);
  return (
    <>
      <p>
        {conflicts.length === 0
          ? 'The two texts changed different lines.'
          : `Both texts changed the same lines in ${counted(conflicts.length, 'place')}. Choose the lines; all other changes are combined.`}
      </p>
      {conflicts.map((one, i) => (
        <Place
          key={i}
          place={one}
          number={i}
          chosen={chosen.get(one)}
          choose={(choice) => setChosen((old) => new Map(old).set(one, choice))}
        />
      ))}
      <p>
        <button
          type="button"
          class="button primary"
          disabled={conflicts.some((one) => !chosen.has(one))}
          onClick={() => combine(mergedText(parts, linesOf), mine)}
        >
          Combine both in the editor
        </button>
      </p>
    </>
  );
}

interface PlaceProps {
  readonly place: LineConflict;
  readonly number: number;
  readonly chosen: Choice | undefined;
  readonly choose: (choice: Choice) => void;
}

/** A place that both texts changed, with the lines of each. */
function Place({ place, number, chosen, choose }: PlaceProps) {
  const { line, before } = place;
  const lines = before.length > 1 ? `Lines ${line} to ${line + before.length - 1}` : `Line ${line}`;
  return (
    <fieldset class="choices">
      <legend>{before.length > 0 ? lines : `Before line ${line}`}</legend>
      {(['mine', 'theirs', 'both'] as const).map((choice) => (
        <label key={choice} class="check">
          <input type="radio" name={`place-${number}`} checked={chosen === choice} onChange={() => choose(choice)} />
          <span>
            {CHOICES[choice].label}
            {choice !== 'both' && <Lines lines={CHOICES[choice].linesOf(place)} />}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length === 0) return <span class="muted">: no lines</span>;
  return (
    <pre class="differences">
      {lines.slice(0, SHOWN_TO_CHOOSE).join('\n')}
      {lines.length > SHOWN_TO_CHOOSE && `\nand ${lines.length - SHOWN_TO_CHOOSE} more`}
    </pre>
  );
}
