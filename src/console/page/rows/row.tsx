import { useEffect, useRef, useState } from 'preact/hooks';
import { pathSegment } from '../../../text/path-segment.ts';
import type {
  Column,
  Done,
  FieldsRequest,
  HistoryEntry,
  ReferredBy as ReferredByField,
  ResourceSummary,
  RowAnswer,
  RowWritten,
} from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { post } from '../app/api.ts';
import { useAnswer, useApp, useLive, useTask } from '../app/app.ts';
import { Copy } from '../parts/copy.tsx';
import { Confirm, FormDialog } from '../parts/dialog.tsx';
import { Empty, Failure, Head, Loaded, Section } from '../parts/page-parts.tsx';
import { counted, shortInstant } from '../parts/words.ts';
import { Fields, type Texts, textsOf } from './fields.tsx';
import { FileValue } from './file.tsx';
import { Moves } from './moves.tsx';
import { StateTag, Value } from './value.tsx';

/** The page of one row: its values, its possible transitions, the rows that refer to it, and its history. */
export function RowView() {
  const { service, place } = useApp();
  const [, name = '', id = ''] = place.parts;
  const resource = service.resources.find((one) => one.name === name);
  if (resource) return <Row key={`${name} ${id}`} resource={resource} id={id} />;
  return (
    <>
      <Head title={id} above={<a href={addresses.rows()}>Rows</a>} />
      <Empty title={`There is no resource “${name}”`}>
        The document may have changed. The resources are under Rows.
      </Empty>
    </>
  );
}

function Row({ resource, id }: { readonly resource: ResourceSummary; readonly id: string }) {
  const { name } = resource;
  const path = `/rows/${pathSegment(name)}/${pathSegment(id)}`;
  const answer = useAnswer<RowAnswer>(path);
  useFollowed(name, answer.again);
  const { data } = answer;
  return (
    <>
      <Head
        title={data?.label ?? id}
        above={
          <>
            <a href={addresses.rows()}>Rows</a> / <a href={addresses.rows(name)}>{name}</a>
          </>
        }
      >
        {data && <Actions resource={resource} answer={data} path={path} changed={answer.again} />}
      </Head>
      <Loaded answer={answer} what={`this ${name}`}>
        {(row) => (
          <div class="columns row-view">
            <Section id="values" title="Values">
              <Values resource={resource} answer={row} />
            </Section>
            <div class="row-side">
              {row.moves.length > 0 && <Moves answer={row} path={path} changed={answer.again} />}
              <ReferredBy answer={row} />
            </div>
            <History answer={row} />
          </div>
        )}
      </Loaded>
    </>
  );
}

/** Reloads the row when the number of rows of its resource, of deliveries or of requests changes. */
function useFollowed(name: string, again: () => void): void {
  const { last } = useLive();
  const stamp = last && JSON.stringify([last.rows[name], last.deliveries, last.requests.map((one) => one.statuses)]);
  const seen = useRef<string | null>(null);
  useEffect(() => {
    if (seen.current !== null && stamp !== null && stamp !== seen.current) again();
    if (stamp !== null) seen.current = stamp;
  }, [stamp]);
}

function Values({ resource, answer }: { readonly resource: ResourceSummary; readonly answer: RowAnswer }) {
  const { derived } = answer;
  const isOfFile = ({ name }: Column): boolean => resource.files.some((file) => name.startsWith(`${file.name}.`));
  return (
    <dl class="facts">
      {resource.files.map((file) => (
        <div key={`file ${file.name}`}>
          <dt>{file.name}</dt>
          <dd>
            <FileValue resource={resource} file={file} row={answer.row} />
          </dd>
        </div>
      ))}
      {resource.columns
        .filter((column) => !isOfFile(column))
        .map((column) => (
          <div key={column.name}>
            <dt>{column.name}</dt>
            <dd>
              {column.type === 'password' || column.type === 'secret' ? (
                <span class="absent">never shown</span>
              ) : (
                <Field resource={resource} column={column} answer={answer} />
              )}
            </dd>
          </div>
        ))}
      {Object.entries(derived).map(([member, value]) => (
        <div key={`derived ${member}`}>
          <dt>
            {member} <span class="muted">(computed)</span>
          </dt>
          <dd>{typeof value === 'string' ? value : <code>{JSON.stringify(value)}</code>}</dd>
        </div>
      ))}
    </dl>
  );
}

interface FieldProps {
  readonly resource: ResourceSummary;
  readonly column: Column;
  readonly answer: RowAnswer;
}

function Field({ resource, column, answer: { row, labels } }: FieldProps) {
  const value = row.values[column.name];
  const state = resource.stateFields.find(({ name }) => name === column.name);
  if (state) return <StateTag state={String(value ?? '')} field={state} />;
  if (column.secret && typeof value === 'string') return <Masked name={column.name} secret={value} />;
  return (
    <>
      <Value value={value} column={column} labels={labels} whole />{' '}
      {column.name === resource.identity && <Copy text={row.id} what="the identity" />}
    </>
  );
}

/** A secret that is shown when somebody asks for it. */
function Masked({ name, secret }: { readonly name: string; readonly secret: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      {open ? <code>{secret}</code> : <span class="absent">hidden</span>}{' '}
      <button type="button" class="button small" aria-pressed={open} onClick={() => setOpen(!open)}>
        {open ? 'Hide' : 'Show'}
        <span class="unseen"> {name}</span>
      </button>
    </>
  );
}

/** The events of the row that are kept, newest first. */
function History({ answer }: { readonly answer: RowAnswer }) {
  const { history, resource, row } = answer;
  const deliveries = addresses.deliveries({ resource, row: row.id });
  return (
    <Section id="history" title="History" note={history.length > 0 && <a href={deliveries}>Deliveries of this row</a>}>
      {history.length === 0 ? (
        <p class="muted">
          No event of this row is among the last 50,000 that the service stores. The document states under “Events”
          which changes record an event.
        </p>
      ) : (
        <ol class="history">
          {history.map((one) => (
            <Entry key={one.event} one={one} />
          ))}
        </ol>
      )}
    </Section>
  );
}

function Entry({ one: { event, type, at, data } }: { readonly one: HistoryEntry }) {
  return (
    <li>
      <span class="history-line">
        <strong>{type}</strong>
        <time dateTime={at} title={at} class="muted number">
          {shortInstant(at)}
        </time>
      </span>
      <span class="history-line muted small">
        <a href={addresses.deliveries({ event })}>{event}</a>
      </span>
      {data !== null && (
        <details>
          <summary>Payload</summary>
          <pre class="block">{JSON.stringify(data, null, 2)}</pre>
        </details>
      )}
    </li>
  );
}

/** Rows that refer to this one, as links to them. */
function ReferredBy({ answer: { referredBy, row } }: { readonly answer: RowAnswer }) {
  if (referredBy.length === 0) return null;
  return (
    <Section id="referred" title="Referred to by">
      <ul class="plain-list">
        {referredBy.map((one) => (
          <Referring key={`${one.resource} ${one.field}`} one={one} id={row.id} />
        ))}
      </ul>
    </Section>
  );
}

function Referring({ one: { resource, field, rows }, id }: { readonly one: ReferredByField; readonly id: string }) {
  return (
    <li>
      {rows === 0 ? (
        <span class="muted">no {resource} row</span>
      ) : (
        <a href={addresses.rows(resource, [{ field, is: 'equal', value: id }])}>{counted(rows, `${resource} row`)}</a>
      )}{' '}
      <span class="muted">
        by <code>{field}</code>
      </span>
    </li>
  );
}

interface ActionsProps {
  readonly resource: ResourceSummary;
  readonly answer: RowAnswer;
  readonly path: string;
  readonly changed: () => void;
}

/** The buttons that change or remove a row. */
function Actions({ resource, answer, path, changed }: ActionsProps) {
  const [open, setOpen] = useState<'change' | 'remove' | null>(null);
  const columns = resource.columns.filter((one) => one.operator && one.name !== resource.identity);
  const close = (): void => setOpen(null);
  if (resource.entriesOf !== null) return null;
  return (
    <>
      {columns.length > 0 && (
        <button type="button" class="button" onClick={() => setOpen('change')}>
          Change
        </button>
      )}
      <button type="button" class="button danger" onClick={() => setOpen('remove')}>
        Remove
      </button>
      {open === 'change' && <Change resource={resource} answer={answer} path={path} changed={changed} close={close} />}
      {open === 'remove' && <Remove resource={resource} answer={answer} path={path} close={close} />}
    </>
  );
}

function Change({ resource, answer, path, changed, close }: ActionsProps & { readonly close: () => void }) {
  const columns = resource.columns.filter((one) => one.operator && one.name !== resource.identity);
  const [before] = useState(() => textsOf(columns, answer.row));
  const [texts, setTexts] = useState<Texts>(before);
  const change = async (): Promise<void> => {
    const fields = Object.fromEntries(Object.entries(texts).filter(([name, text]) => text !== (before[name] ?? null)));
    const body: FieldsRequest = { fields };
    if (Object.keys(fields).length > 0) {
      await post<RowWritten>(`${path}/change`, body);
      changed();
    }
    close();
  };
  return (
    <FormDialog title={`Change ${resource.name}`} action="Save" close={close} send={change}>
      <Fields columns={columns} texts={texts} change={setTexts} adds={false} />
    </FormDialog>
  );
}

function Remove({ resource, answer, path, close }: Omit<ActionsProps, 'changed'> & { readonly close: () => void }) {
  const { router } = useApp();
  const task = useTask();
  const referring = answer.referredBy.filter(({ rows }) => rows > 0);
  const remove = (): void =>
    void task.run(async () => {
      await post<Done>(`${path}/remove`, {});
      close();
      router.go(addresses.rows(resource.name));
    });
  return (
    <Confirm
      title={`Remove this ${resource.name}?`}
      action="Remove"
      danger
      close={close}
      running={task.running}
      confirm={remove}
    >
      <p>You can’t undo the removal.</p>
      {referring.length > 0 && (
        <>
          <p>
            Rows refer to this one. The document states whether they are removed with it, lose the reference, or prevent
            the removal:
          </p>
          <ul class="plain-list">
            {referring.map((one) => (
              <Referring key={`${one.resource} ${one.field}`} one={one} id={answer.row.id} />
            ))}
          </ul>
        </>
      )}
      {task.error && <Failure error={task.error} />}
    </Confirm>
  );
}
