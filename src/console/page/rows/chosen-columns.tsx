import { useState } from 'preact/hooks';
import type { Column, ResourceSummary } from '../../protocol.ts';
import { FormDialog } from '../parts/dialog.tsx';

/** The columns of a list, in their order, and how to choose others. */
interface ChosenColumns {
  readonly columns: readonly Column[];
  readonly choose: (names: readonly string[] | null) => void;
}

/** The columns that were chosen in this browser; those of a list that nobody has changed are all, the first ones first. */
export function useChosenColumns(resource: ResourceSummary): ChosenColumns {
  const key = `ninefold columns ${resource.name}`;
  const [names, setNames] = useState<readonly string[] | null>(() => remembered(key));
  const all = inUsualOrder(resource);
  // A column that the document no longer has is left out; without any that it has, all are shown.
  const chosen = (names ?? []).flatMap((name) => all.find((one) => one.name === name) ?? []);
  const choose = (next: readonly string[] | null): void => {
    setNames(next);
    // A browser that keeps nothing for this address forgets the choice with the page.
    try {
      if (next) localStorage.setItem(key, JSON.stringify(next));
      else localStorage.removeItem(key);
    } catch {}
  };
  return { columns: chosen.length > 0 ? chosen : all, choose };
}

/** The identity, what people call a row, its states, and the rest as the document has it. */
function inUsualOrder({ identity, label, stateFields, columns }: ResourceSummary): readonly Column[] {
  const rank = ({ name }: Column): number =>
    name === identity ? 0 : name === label ? 1 : stateFields.some((one) => one.name === name) ? 2 : 3;
  return [...columns].sort((a, b) => rank(a) - rank(b));
}

function remembered(key: string): readonly string[] | null {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return Array.isArray(read) ? read.filter((one) => typeof one === 'string') : null;
  } catch {
    return null;
  }
}

interface Props {
  readonly resource: ResourceSummary;
  readonly chosen: ChosenColumns;
  readonly close: () => void;
}

/** A dialog in which columns are shown, hidden, and put in another order. */
export function ColumnsDialog({ resource, chosen, close }: Props) {
  const all = inUsualOrder(resource).map(({ name }) => name);
  const begun = chosen.columns.map(({ name }) => name);
  const [order, setOrder] = useState<readonly string[]>([...begun, ...all.filter((name) => !begun.includes(name))]);
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set(begun));
  const put = (name: string, on: boolean): void => {
    const next = new Set(shown);
    if (on) next.add(name);
    else next.delete(name);
    setShown(next);
  };
  const move = (at: number, by: number): void => {
    const next = [...order];
    const [one] = next.splice(at, 1);
    next.splice(at + by, 0, one!);
    setOrder(next);
  };
  const showAll = (): void => {
    setOrder(all);
    setShown(new Set(all));
  };
  const save = async (): Promise<void> => {
    const names = order.filter((name) => shown.has(name));
    chosen.choose(names.length > 0 && names.join() !== all.join() ? names : null);
    close();
  };
  return (
    <FormDialog title={`Columns of ${resource.name}`} action="Show these" close={close} send={save}>
      <ol class="columns-chosen">
        {order.map((name, at) => (
          <li key={name}>
            <label class="check">
              <input
                type="checkbox"
                checked={shown.has(name)}
                onChange={(event) => put(name, event.currentTarget.checked)}
              />
              <code>{name}</code>
            </label>
            <span>
              <MoveButton name={name} to="up" disabled={at === 0} move={() => move(at, -1)} />
              <MoveButton name={name} to="down" disabled={at === order.length - 1} move={() => move(at, 1)} />
            </span>
          </li>
        ))}
      </ol>
      <button type="button" class="button" onClick={showAll}>
        All columns
      </button>
    </FormDialog>
  );
}

interface MoveProps {
  readonly name: string;
  readonly to: 'up' | 'down';
  readonly disabled: boolean;
  readonly move: () => void;
}

/** A button that keeps the focus when its column has moved as far as it can: a disabled button would lose it. */
function MoveButton({ name, to, disabled, move }: MoveProps) {
  const pressed = (event: { readonly currentTarget: HTMLButtonElement }): void => {
    if (disabled) return;
    const button = event.currentTarget;
    move();
    // The browser takes the focus from an element that moves.
    requestAnimationFrame(() => button.focus());
  };
  return (
    <button
      type="button"
      class="button small"
      aria-label={`Move ${name} ${to}`}
      aria-disabled={disabled}
      onClick={pressed}
    >
      {to === 'up' ? '↑' : '↓'}
    </button>
  );
}
