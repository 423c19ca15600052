import { useEffect, useRef, useState } from 'preact/hooks';
import { pathSegment } from '../../../text/path-segment.ts';
import type {
  Activity,
  Column,
  ColumnType,
  FieldsRequest,
  Labels,
  ResourceSummary,
  RowShown,
  RowsAnswer,
  RowWritten,
} from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { get, post } from '../app/api.ts';
import { useApp, useLive, useTask } from '../app/app.ts';
import { markColumn } from '../list/marks.tsx';
import { type Pages, usePages } from '../list/pages.ts';
import { List, type ListColumn } from '../list/window.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { Empty, Failure, Head } from '../parts/page-parts.tsx';
import { LineLink } from '../parts/refusal.tsx';
import { Table } from '../parts/table.tsx';
import { grouped, shortIdentity, shortInstant } from '../parts/words.ts';
import { ColumnsDialog, useChosenColumns } from './chosen-columns.tsx';
import { Download } from './download.tsx';
import { Fields, type Texts } from './fields.tsx';
import { FileSize } from './file.tsx';
import { Filters, filtersOf } from './filters.tsx';
import { Selection } from './selection.tsx';
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
      <Head title="Rows" below="The stored rows of each resource." />
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
  const [open, setOpen] = useState<'add' | 'columns' | null>(null);
  const [selected, select] = useState<ReadonlySet<string>>(new Set());
  const chosen = useChosenColumns(resource);
  const filters = filtersOf(place.query);
  const sort = place.query.get('sort') ?? '';
  const search = place.query.get('search') ?? '';
  const path = listPath(resource, { sort, search, filter: filters.length ? JSON.stringify(filters) : '' });
  const pages = usePages<RowsAnswer, ListedRow>(path, ({ total, rows, labels }) => ({
    total,
    rows: rows.map((row) => ({ ...row, labels })),
  }));
  const changed = useFollowed(resource, pages);
  const total = pages.total ?? 0;
  const { marking, all } = useSelectAll(path, total, select);
  // A selection belongs to the list in which it was made.
  useEffect(() => select(new Set()), [path]);
  const close = (): void => setOpen(null);
  return (
    <>
      <Head title={resource.name} above={<a href={addresses.rows()}>Rows</a>}>
        <button type="button" class="button" onClick={() => setOpen('columns')}>
          Columns
        </button>
        <Download path={path} resource={resource.name} columns={chosen.columns} />
        {canAdd(resource) && (
          <button type="button" class="button" onClick={() => setOpen('add')}>
            Add {resource.name}
          </button>
        )}
      </Head>
      <Search key={search} text={search} search={(text) => router.query({ search: text || null })} />
      <Filters resource={resource} filters={filters} labels={pages.at(0)?.labels ?? {}} />
      {marking.error && <Failure error={marking.error} />}
      <List
        caption={`Rows of ${resource.name}`}
        noun="row"
        list={path}
        pages={pages}
        columns={[
          // Nobody changes the entries of an audit trail.
          ...(resource.entriesOf === null ? [markColumn<ListedRow>({ selected, select }, ({ id }) => id, all)] : []),
          ...columnsOf(resource, chosen.columns, sort || (resource.sort ?? ''), (next) =>
            router.query({ sort: next }, true),
          ),
        ]}
        keyOf={(row) => row.id}
        empty={<NoRows resource={resource} chosen={filters.length > 0 || search !== ''} />}
        head={
          <>
            <Age read={pages.read} changed={changed} again={pages.again} />
            <Selection resource={resource} selected={selected} select={select} changed={pages.again} />
          </>
        }
      />
      {open === 'add' && <AddRow resource={resource} close={close} />}
      {open === 'columns' && <ColumnsDialog resource={resource} chosen={chosen} close={close} />}
    </>
  );
}

interface AgeProps {
  readonly read: Date;
  /** Shows the changes that were noticed; null without any. */
  readonly changed: (() => void) | null;
  readonly again: () => void;
}

/**
 * The time of which the list shows the rows, and a button that loads it again: the page notices only changes of the
 * numbers of rows, and those of a large table late.
 */
function Age({ read, changed, again }: AgeProps) {
  const at = read.toISOString();
  return (
    <p class="age">
      as of{' '}
      <time dateTime={at} title={at}>
        {shortInstant(at).slice(-8)}
      </time>{' '}
      <button type="button" class="button small" onClick={changed ?? again}>
        {changed ? 'Show changes' : 'Reload'}
      </button>
    </p>
  );
}

/** The most rows that are selected at once. */
const MOST_AT_ONCE = 200;

/** Selects the rows of a list at once, or the first ones of a long list. */
function useSelectAll(path: string, total: number, select: (ids: ReadonlySet<string>) => void) {
  const marking = useTask();
  const selectAll = (): void =>
    void marking.run(async () => {
      const { rows } = await get<RowsAnswer>(`${path}${path.includes('?') ? '&' : '?'}limit=${MOST_AT_ONCE}`);
      select(new Set(rows.map(({ id }) => id)));
    });
  return { marking, all: { count: Math.min(total, MOST_AT_ONCE), whole: total <= MOST_AT_ONCE, selectAll } };
}

/** The path of a list at the console's interface, with what of it was chosen. */
function listPath({ name }: ResourceSummary, chosen: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(chosen).filter(([, value]) => value !== ''));
  return `/rows/${pathSegment(name)}${query.size ? `?${query}` : ''}`;
}

function NoRows({ resource, chosen }: { readonly resource: ResourceSummary; readonly chosen: boolean }) {
  if (chosen) return <Empty title="No row matches">Remove a filter, or search for something else.</Empty>;
  return (
    <Empty title={`There is no ${resource.name}`}>
      {canAdd(resource)
        ? 'Add a row here, or send a request that creates one.'
        : 'The document lets the operator give no field of these rows, so the console cannot add one.'}
    </Empty>
  );
}

/** Whether the operator gives some field of a new row. */
const canAdd = ({ columns }: ResourceSummary): boolean => columns.some(({ operator }) => operator);

/** A row of a list, with the labels of the rows to which it refers. */
type ListedRow = RowShown & { readonly labels: Labels };

/** A search over all fields, which begins when the form is sent. The key `/` leads to it. */
function Search({ text, search }: { readonly text: string; readonly search: (text: string) => void }) {
  const [written, setWritten] = useState(text);
  const submit = (event: Event): void => {
    event.preventDefault();
    search(written.trim());
  };
  return (
    <form class="search" role="search" onSubmit={submit}>
      <input
        class="input"
        type="search"
        id="search-rows"
        data-key="/"
        aria-label="Search rows"
        placeholder="Search all fields"
        maxLength={200}
        value={written}
        onInput={(event) => setWritten(event.currentTarget.value)}
      />
      <button type="submit" class="button">
        Search
      </button>
    </form>
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
function useFollowed(resource: ResourceSummary, pages: Pages<ListedRow>): (() => void) | null {
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
  uuid: 'w3',
  timestamp: 'w3',
  date: 'w2',
  integer: 'w2',
  decimal: 'w2',
  boolean: 'w1',
};

function columnsOf(
  { name, identity, stateFields, files }: ResourceSummary,
  columns: readonly Column[],
  sort: string,
  change: (sort: string) => void,
): readonly ListColumn<ListedRow>[] {
  const of = (column: Column): ListColumn<ListedRow> => {
    const state = stateFields.find((one) => one.name === column.name);
    return {
      key: column.name,
      title: <Sort column={column} sort={sort} change={change} />,
      width: state ? 'w2' : (WIDTHS[column.type] ?? 'w3'),
      right: column.type === 'integer' || column.type === 'decimal',
      leads: column.name === identity && column === columns[0],
      sorted: sort === column.name ? 'ascending' : sort === `-${column.name}` ? 'descending' : undefined,
      cell: (row) => {
        const value = row.values[column.name];
        const file = files.find((one) => column.name === `${one.name}.size`);
        if (file && typeof value === 'number')
          return <FileSize resource={name} id={row.id} field={file.name} size={value} />;
        if (column.name === identity) return <RowLink resource={name} id={row.id} />;
        return state ? (
          <StateTag state={String(value ?? '')} field={state} />
        ) : column.secret || column.type === 'password' ? (
          <span class="absent">hidden</span>
        ) : (
          <Value value={value} column={column} labels={row.labels} />
        );
      },
    };
  };
  // Some column leads to the row: the identity, or else the first.
  const hasIdentity = columns.some((one) => one.name === identity);
  const lead: ListColumn<ListedRow> = {
    key: ' row',
    title: 'Row',
    width: 'w3',
    leads: true,
    cell: (row) => <RowLink resource={name} id={row.id} />,
  };
  return [...(hasIdentity ? [] : [lead]), ...columns.map(of)];
}

function RowLink({ resource, id }: { readonly resource: string; readonly id: string }) {
  return (
    <a class="mono" href={addresses.row(resource, id)} title={id}>
      {shortIdentity(id)}
    </a>
  );
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
    const { row } = await post<RowWritten>(`/rows/${pathSegment(resource.name)}`, body);
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
