import { useState } from 'preact/hooks';
import { pathSegment } from '../../../text/path-segment.ts';
import type { Done, MoveRequest, ResourceSummary, RowWritten } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { ApiError, post } from '../app/api.ts';
import { useTask } from '../app/app.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Failure } from '../parts/page-parts.tsx';
import { counted, shortIdentity } from '../parts/words.ts';

/** A change that each selected row goes through. */
type Act = { readonly do: 'move'; readonly transition: string } | { readonly do: 'remove' };

interface Refused {
  readonly id: string;
  readonly why: string;
}

interface Props {
  readonly resource: ResourceSummary;
  readonly selected: ReadonlySet<string>;
  readonly select: (ids: ReadonlySet<string>) => void;
  /** Called after rows may have changed. */
  readonly changed: () => void;
}

/** Changes the selected rows, each by itself and under the rules, and lists every refusal. */
export function Selection({ resource, selected, select, changed }: Props) {
  const [act, setAct] = useState<Act | null>(null);
  const [refused, setRefused] = useState<readonly Refused[]>([]);
  const task = useTask();
  if (selected.size === 0 && refused.length === 0) return null;
  const make = (chosen: Act): void =>
    void task.run(async () => {
      const failed: Refused[] = [];
      // Refused rows stay selected, to be looked at, and so do those that a failure kept from being tried.
      const left = new Set(selected);
      try {
        for (const id of selected) {
          const refusal = await refusalOf(resource.name, id, chosen);
          if (refusal) failed.push({ id, why: refusal.message });
          // A row that is gone can't be tried again.
          if (refusal?.problem.kind !== 'refused') left.delete(id);
        }
        setAct(null);
      } finally {
        setRefused(failed);
        select(left);
        changed();
      }
    });
  const rows = counted(selected.size, 'row');
  return (
    <section class="selection" aria-label="Selected rows">
      {selected.size > 0 && (
        <div class="selection-acts">
          <strong>{rows} selected</strong>
          {resource.transitions.length > 0 && <span class="muted">Move by</span>}
          {resource.transitions.map((transition) => (
            <button type="button" class="button" key={transition} onClick={() => setAct({ do: 'move', transition })}>
              {transition}
            </button>
          ))}
          <button type="button" class="button danger" onClick={() => setAct({ do: 'remove' })}>
            Remove
          </button>
          <button type="button" class="button" onClick={() => select(new Set())}>
            Select none
          </button>
        </div>
      )}
      {refused.length > 0 && <RefusedRows resource={resource.name} refused={refused} close={() => setRefused([])} />}
      {act && (
        <Confirm
          title={act.do === 'move' ? `Move ${rows} by ${act.transition}?` : `Remove ${rows}?`}
          action={act.do === 'move' ? `Move ${rows}` : `Remove ${rows}`}
          danger={act.do === 'remove'}
          close={() => setAct(null)}
          running={task.running}
          confirm={() => make(act)}
        >
          <p>
            Each row is changed by itself, under the rules of the document. A row that the rules refuse stays as it is.
          </p>
          {task.error && <Failure error={task.error} />}
        </Confirm>
      )}
    </section>
  );
}

interface RefusedProps {
  readonly resource: string;
  readonly refused: readonly Refused[];
  readonly close: () => void;
}

/** The rows that stayed as they were, by the reason: a rule often refuses many for the same one. */
function RefusedRows({ resource, refused, close }: RefusedProps) {
  const reasons = Map.groupBy(refused, ({ why }) => why);
  return (
    <div class="notice bad refused" role="status">
      <p>
        {counted(refused.length, 'row')} stayed as {refused.length === 1 ? 'it was' : 'they were'}:
      </p>
      <button type="button" class="button small" onClick={close}>
        Close
      </button>
      <ul>
        {[...reasons].map(([why, rows]) => (
          <li key={why}>
            {reasons.size > 1 && `${counted(rows.length, 'row')}: `}
            {why}
            <div class="refused-rows">
              {rows.map(({ id }) => (
                <a key={id} class="mono" href={addresses.row(resource, id)} title={id}>
                  {shortIdentity(id)}
                </a>
              ))}
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Changes one row; the problem where a rule refuses it, or the row is gone. Any other failure ends the work. */
async function refusalOf(resource: string, id: string, act: Act): Promise<ApiError | null> {
  const path = `/rows/${pathSegment(resource)}/${pathSegment(id)}`;
  try {
    if (act.do === 'move') {
      const body: MoveRequest = { transition: act.transition };
      await post<RowWritten>(`${path}/move`, body);
    } else await post<Done>(`${path}/remove`, {});
    return null;
  } catch (error) {
    const isOfRow = error instanceof ApiError && ['refused', 'not found'].includes(error.problem.kind);
    if (!isOfRow) throw error;
    return error;
  }
}
