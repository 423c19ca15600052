import type { CallerChange, PreviewOutcome, RowChange, RowHindrance } from '../../protocol.ts';
import { Question } from '../document/beside.tsx';
import { Section } from '../parts/page-parts.tsx';
import { counted, shortTime } from '../parts/words.ts';

type Compiled = Extract<PreviewOutcome, { readonly kind: 'compiled' }>;

/** The result of a preview. */
export function Outcome({ outcome }: { readonly outcome: PreviewOutcome }) {
  if (outcome.kind === 'refused') return <p class="notice bad">{outcome.reason}</p>;
  if (outcome.kind === 'findings')
    return (
      <Section id="findings" title="It could not be served" note={counted(outcome.findings.length, 'finding')}>
        {outcome.findings.map((one, i) => (
          <div key={i} class="found">
            {one.line !== null && <span class="muted small">line {one.line} of the file</span>}
            <Question finding={one} />
          </div>
        ))}
      </Section>
    );
  return (
    <>
      <Verdict outcome={outcome} />
      <Rows outcome={outcome} />
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
        <strong>{words}</strong> It took {shortTime(milliseconds)}.{' '}
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

function Rows({ outcome: { changes, hindrances } }: { readonly outcome: Compiled }) {
  if (changes.length === 0 && hindrances.length === 0) return null;
  return (
    <Section id="rows" title="Rows" note={counted(changes.length, 'change')}>
      <ul class="changes">
        {hindrances.map((one, i) => (
          <Hindrance key={`hindrance ${i}`} one={one} />
        ))}
        {changes.map((one, i) => (
          <Change key={i} one={one} />
        ))}
      </ul>
    </Section>
  );
}

function Callers({ outcome: { callers } }: { readonly outcome: Compiled }) {
  return (
    <Section id="callers" title="Callers" note={callers.length ? counted(callers.length, 'change') : undefined}>
      {callers.length === 0 ? (
        <p class="muted">Nothing changes for callers.</p>
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

function Change({ one: { text, accept } }: { readonly one: RowChange }) {
  return (
    <li>
      <span class={`tag${accept ? ' warn' : ''}`}>{accept ? 'drops' : 'change'}</span>
      <span>
        {text}
        {accept && (
          <span class="muted">
            {' '}
            To accept it: <code>--accept {accept}</code>
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
