import { useState } from 'preact/hooks';
import type { Move, MoveRequest, RowAnswer, RowWritten } from '../../protocol.ts';
import { post } from '../app/api.ts';
import { useTask } from '../app/app.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Failure, Section } from '../parts/page-parts.tsx';
import { LineLink } from '../parts/refusal.tsx';
import { shortInstant } from '../parts/words.ts';

interface Props {
  readonly answer: RowAnswer;
  readonly path: string;
  readonly changed: () => void;
}

/** Every transition of the resource: the legal ones can be made, the others say why not. */
export function Moves({ answer, path, changed }: Props) {
  const [chosen, setChosen] = useState<Move | null>(null);
  const task = useTask();
  const close = (): void => {
    setChosen(null);
    task.clear();
  };
  const make = (move: Move): void =>
    void task.run(async () => {
      const body: MoveRequest = { transition: move.transition };
      await post<RowWritten>(`${path}/move`, body);
      setChosen(null);
      changed();
    });
  const moves = [...answer.moves].sort((a, b) => Number(b.legal) - Number(a.legal));
  return (
    <Section id="moves" title="Moves">
      <ul class="moves">
        {moves.map((move) => (
          <MoveItem key={move.transition} move={move} choose={() => setChosen(move)} />
        ))}
      </ul>
      {chosen && (
        <Confirm
          title={`Move by ${chosen.transition}?`}
          action={`Move to ${chosen.to}`}
          close={close}
          running={task.running}
          confirm={() => make(chosen)}
        >
          <p>
            This {answer.resource} becomes <strong>{chosen.to}</strong>. The steps and events that the document states
            for {chosen.transition} follow.
          </p>
          {task.error && <Failure error={task.error} />}
        </Confirm>
      )}
    </Section>
  );
}

function MoveItem({ move, choose }: { readonly move: Move; readonly choose: () => void }) {
  const { transition, from, to, legal, why, guard, due, timed, code, line } = move;
  const id = `move-${transition}`;
  return (
    <li class={legal ? 'legal' : ''}>
      <div class="move-head">
        <span class="move-way">
          <strong>{transition}</strong>
          <span class="muted">
            {from.join(', ')} → {to}
          </span>
        </span>
        {!timed && (
          <button
            type="button"
            class="button small"
            // It stays reachable, so that its reason can be read.
            aria-disabled={!legal}
            aria-describedby={id}
            aria-label={`Move by ${transition}`}
            onClick={() => legal && choose()}
          >
            Move
          </button>
        )}
      </div>
      <div class="move-why" id={id}>
        {why && <p>{reasonOf(why, code)}</p>}
        {timed && legal && due && (
          <p>
            By itself at <time dateTime={due}>{shortInstant(due)}</time>.
          </p>
        )}
        {(guard || code || line) && (
          <p class="muted">
            {guard && (
              <>
                When <code>{guard.replaceAll('this.', '')}</code>
              </>
            )}
            {code && (
              <>
                {guard ? ', else ' : 'Otherwise '}
                <code>{code}</code>
              </>
            )}{' '}
            <LineLink line={line} />
          </p>
        )}
      </div>
    </li>
  );
}

/** The reason why a move is not allowed, without the code of the refusal, which is shown below it. */
function reasonOf(why: string, code: string | null): string {
  return code !== null && why.startsWith(`${code}: `) ? why.slice(code.length + 2) : why;
}
