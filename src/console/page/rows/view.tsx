import { useEffect, useRef, useState } from 'preact/hooks';
import type {
  Activity,
  Column,
  ColumnType,
  FieldsRequest,
  ResourceSummary,
  RowShown,
  RowsAnswer,
  RowWritten,
} from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { post } from '../app/api.ts';
import { useApp, useLive } from '../app/app.ts';
import { type Pages, usePages } from '../list/pages.ts';
import { List, type ListColumn } from '../list/window.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { Empty, Head } from '../parts/page-parts.tsx';
import { LineLink } from '../parts/refusal.tsx';
import { Table } from '../parts/table.tsx';
import { grouped } from '../parts/words.ts';
import { Fields, type Texts } from './fields.tsx';
import { Filters, filtersOf } from './filters.tsx';
import { StateTag, Value } from './value.tsx';

/** Every resource, with how many rows it has. */
export function ResourcesView() {
  const { service } = useApp();
  const { last } = useLive();
  const count = ({ name }: ResourceSummary): number | null => {
    const rows = last?.rows[name];
    return rows ? Object.values(rows).reduce((sum, number) => sum + number, 0) : null;
  };
  return (
    <>
      <Head title="Rows" below="What is stored, by resource." />
      {service.resources.length === 0 ? (
        <Empty title="The document has no resources">Write a table of fields under “Resources and their fields”.</Empty>
      ) : (
        <Table caption="Resources" headings={['Resource', { right: 'Rows' }, 'Fields', 'Document']}>
          {service.resources.map((one) => {
            const rows = count(one);
            return (
              <tr key={one.name} class="pick">
                <th scope="row">
                  <a href={addresses.rows(one.name)}>{one.name}</a>
                </th>
                <td class="right">{rows === null ? '–' : grouped(rows)}</td>
                <td class="muted prose">{one.columns.map((column) => column.name).join(', ')}</td>
                <td class="tight">
                  <LineLink line={one.line} />
                </td>
              </tr>
            );
          })}
        </Table>
      )}
    </>
  );
}

/** The rows of the resource that the address names. */
export function RowsView() {
  const { service, place } = useApp();
  const name = place.parts[1] ?? '';
  const resource = service.resources.find((one) => one.name === name);
  if (resource) return <Rows key={name} resource={resource} />;
  return (
    <>
      <Head title={name} above={<a href={addresses.rows()}>Rows</a>} />
      <Empty title={`There is no resource “${name}”`}>
        The document may have changed. The resources are under Rows.
      </Empty>
    </>
  );
}

function Rows({ resource }: { readonly resource: ResourceSummary }) {
  const { place, router } = useApp();
  const [adding, setAdding] = useState(false);
  const filters = filtersOf(place.query);
  const sort = place.query.get('sort') ?? '';
  const query = new URLSearchParams();
  if (sort) query.set('sort', sort);
  if (filters.length) query.set('filter', JSON.stringify(filters));
  const path = `/rows/${encodeURIComponent(resource.name)}${query.size ? `?${query}` : ''}`;
  const pages = usePages<RowsAnswer, RowShown>(path, ({ total, rows }) => ({ total, rows }));
  const changed = useFollowed(resource, pages);
  const operator = resource.columns.some((one) => one.operator);
  return (
    <>
      <Head title={resource.name} above={<a href={addresses.rows()}>Rows</a>}>
        {changed && (
          <button type="button" class="button" onClick={changed}>
            Show changes
          </button>
        )}
        {operator && (
          <button type="button" class="button" onClick={() => setAdding(true)}>
            Add {resource.name}
          </button>
        )}
      </Head>
      <Filters resource={resource} filters={filters} />
      <List
        caption={`Rows of ${resource.name}`}
        noun="row"
        list={path}
        pages={pages}
        columns={columnsOf(resource, sort, (next) => router.query({ sort: next }, true))}
        keyOf={(row) => row.id}
        empty={
          filters.length ? (
            <Empty title="No row matches the filters">Remove a filter, or change its value.</Empty>
          ) : (
            <Empty title={`There is no ${resource.name} yet`}>
              {operator
                ? 'Add a row here, or send a request that creates one.'
                : 'Requests create these rows. Try one under Endpoints.'}
            </Empty>
          )
        }
      />
      {adding && <AddRow resource={resource} close={() => setAdding(false)} />}
    </>
  );
}

/** The length up to which a list is reloaded automatically when rows change. */
const FOLLOWED = 2000;

/** The numbers of rows in each state, as text that changes with them; `null` without any. */
function stampOf(last: Activity | null, name: string): string {
  const own = Object.entries(last?.rows ?? {}).filter(([key]) => key === name || key.startsWith(`${name}.`));
  return own.length ? JSON.stringify(own) : 'null';
}

/** Follows the live numbers: a short list is shown anew, a long one when people say so. */
function useFollowed(resource: ResourceSummary, pages: Pages<RowShown>): (() => void) | null {
  const { last } = useLive();
  const stamp = stampOf(last, resource.name);
  const seen = useRef(stamp);
  const differs = seen.current !== 'null' && stamp !== seen.current;
  const short = (pages.total ?? 0) <= FOLLOWED;
  const take = (): void => {
    seen.current = stamp;
    pages.again();
  };
  useEffect(() => {
    if (seen.current === 'null') seen.current = stamp;
    else if (differs && short) take();
  }, [stamp]);
  return differs && !short ? take : null;
}

const WIDTHS: Readonly<Partial<Record<ColumnType, string>>> = {
  uuid: 'w5',
  timestamp: 'w3',
  date: 'w2',
  integer: 'w2',
  decimal: 'w2',
  boolean: 'w1',
};

function columnsOf(
  { name, identity, columns, stateFields }: ResourceSummary,
  sort: string,
  change: (sort: string) => void,
): readonly ListColumn<RowShown>[] {
  const first = columns.find((one) => one.name === identity);
  const isState = (column: Column): boolean => stateFields.includes(column.name);
  // States come first, since they are the most interesting columns.
  const others = columns.filter((one) => one !== first).sort((a, b) => Number(isState(b)) - Number(isState(a)));
  const of = (column: Column): ListColumn<RowShown> => ({
    key: column.name,
    title: <Sort column={column} sort={sort} change={change} />,
    width: isState(column) ? 'w2' : (WIDTHS[column.type] ?? (column.refersTo === null ? 'w3' : 'w5')),
    right: column.type === 'integer' || column.type === 'decimal',
    sorted: sort === column.name ? 'ascending' : sort === `-${column.name}` ? 'descending' : undefined,
    cell: (row) =>
      isState(column) ? (
        <StateTag state={String(row.values[column.name] ?? '')} />
      ) : (
        <Value value={row.values[column.name]} column={column} />
      ),
  });
  const link: ListColumn<RowShown> = {
    ...(first ? of(first) : { key: '', title: 'Row', width: 'w5' }),
    cell: (row) => (
      <a class="mono" href={addresses.row(name, row.id)}>
        {row.id}
      </a>
    ),
  };
  return [link, ...others.map(of)];
}

interface SortProps {
  readonly column: Column;
  readonly sort: string;
  readonly change: (sort: string) => void;
}

/** The head of a column: a button that orders rows by it, and the other way round. */
function Sort({ column: { name, ordered }, sort, change }: SortProps) {
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

/** Adds a row under the rules of the document. */
function AddRow({ resource, close }: { readonly resource: ResourceSummary; readonly close: () => void }) {
  const { router } = useApp();
  const [texts, setTexts] = useState<Texts>({});
  const columns = resource.columns.filter((one) => one.operator);
  const add = async (): Promise<void> => {
    const fields = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null));
    const body: FieldsRequest = { fields };
    const { row } = await post<RowWritten>(`/rows/${encodeURIComponent(resource.name)}`, body);
    close();
    router.go(addresses.row(resource.name, row.id));
  };
  const title = `Add ${resource.name}`;
  return (
    <FormDialog title={title} action={title} close={close} send={add}>
      <Fields columns={columns} texts={texts} change={setTexts} adds />
    </FormDialog>
  );
}
