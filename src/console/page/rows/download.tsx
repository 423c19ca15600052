import { useEffect, useState } from 'preact/hooks';
import { cellText, csvRecord, withoutFormula } from '../../../http/csv.ts';
import type { Column, IdentitiesAnswer, IdentitiesRequest, Json, RowShown, RowsOfIdentities } from '../../protocol.ts';
import { get, post } from '../app/api.ts';
import { useTask } from '../app/app.ts';
import { Failure } from '../parts/page-parts.tsx';
import { grouped } from '../parts/words.ts';

/** The rows of one request. */
const PAGE = 200;

interface Props {
  /** The list of rows at the console’s interface, with its filters and its order. */
  readonly path: string;
  readonly resource: string;
  readonly columns: readonly Column[];
}

/** Two buttons, which save the rows of a list as CSV or JSON: all that the filters keep, in the shown columns and order. */
export function Download({ path, resource, columns }: Props) {
  const task = useTask();
  const [read, setRead] = useState(0);
  const [cut, setCut] = useState<{ readonly listed: number; readonly total: number } | null>(null);
  // The sentence is about the list that was saved.
  useEffect(() => setCut(null), [path]);
  const save = (form: 'csv' | 'json'): void =>
    void task.run(async () => {
      setCut(null);
      const { rows, listed, total } = await allRows(path, setRead);
      if (total > listed) setCut({ listed, total });
      const text = form === 'csv' ? csvOf(columns, rows) : jsonOf(columns, rows);
      saveAs(`${resource}.${form}`, form === 'csv' ? 'text/csv;charset=utf-8' : 'application/json', text);
    });
  return (
    <>
      <button type="button" class="button" disabled={task.running} onClick={() => save('csv')}>
        {task.running ? `${grouped(read)} rows …` : 'CSV'}
      </button>
      <button type="button" class="button" disabled={task.running} onClick={() => save('json')}>
        JSON
      </button>
      {cut !== null && (
        <p class="notice warn" role="status">
          The file has the first {grouped(cut.listed)} of {grouped(cut.total)} rows. Filters make the list shorter.
        </p>
      )}
      {task.error && <Failure error={task.error} />}
    </>
  );
}

/** Reads the rows of a list, each once: the list is read first, and rows that are added meanwhile do not move others. */
async function allRows(
  path: string,
  told: (read: number) => void,
): Promise<{ readonly rows: readonly RowShown[]; readonly listed: number; readonly total: number }> {
  const list = path.replace('/rows/', '/identities/');
  const { ids, total } = await get<IdentitiesAnswer>(list);
  const out: RowShown[] = [];
  for (let at = 0; at < ids.length; at += PAGE) {
    const body: IdentitiesRequest = { ids: ids.slice(at, at + PAGE) };
    const { rows } = await post<RowsOfIdentities>(list.replace(/\?.*/, ''), body);
    out.push(...rows);
    told(out.length);
  }
  return { rows: out, listed: ids.length, total };
}

/** A record for each row; a text that a spreadsheet would compute begins with an apostrophe. */
function csvOf(columns: readonly Column[], rows: readonly RowShown[]): string {
  const cell = (value: Json | undefined): string | null => {
    const text = cellText(JSON.stringify(value ?? null));
    return text !== null && typeof value === 'string' ? withoutFormula(text) : text;
  };
  const head = csvRecord(columns.map(({ name }) => name));
  return head + rows.map(({ values }) => csvRecord(columns.map(({ name }) => cell(values[name])))).join('');
}

function jsonOf(columns: readonly Column[], rows: readonly RowShown[]): string {
  const chosen = rows.map(({ values }) => Object.fromEntries(columns.map(({ name }) => [name, values[name] ?? null])));
  return `${JSON.stringify(chosen, null, 2)}\n`;
}

function saveAs(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // A browser may read the file after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
