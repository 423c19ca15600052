import type { Column } from '../../protocol.ts';

interface Props {
  readonly column: Column;
  readonly sort: string;
  readonly change: (sort: string) => void;
}

/** The head of a column: a button that orders rows by it, and the other way round. */
export function Sort({ column: { name, ordered }, sort, change }: Props) {
  if (!ordered) return <>{name}</>;
  const up = sort === name;
  const down = sort === `-${name}`;
  return (
    <button type="button" class="sort" onClick={() => change(up ? `-${name}` : down ? '' : name)}>
      <span class="cut">{name}</span>
      {(up || down) && (
        <svg viewBox="0 0 8 8" width="8" height="8" aria-hidden="true">
          <path d={up ? 'M4 1 7.5 6.5h-7z' : 'M4 7 .5 1.5h7z'} fill="currentColor" />
        </svg>
      )}
    </button>
  );
}
