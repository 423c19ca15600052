import { useState } from 'preact/hooks';
import type { Done, FieldsRequest, ResourceSummary, RowAnswer, RowWritten } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { post } from '../app/api.ts';
import { useApp, useTask } from '../app/app.ts';
import { Confirm } from '../parts/dialog.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Failure } from '../parts/page-parts.tsx';
import { Fields, type Texts, textsOf } from './fields.tsx';

interface Props {
  readonly resource: ResourceSummary;
  readonly answer: RowAnswer;
  readonly path: string;
  readonly changed: () => void;
}

/** The buttons that change or remove a row. */
export function Actions({ resource, answer, path, changed }: Props) {
  const [open, setOpen] = useState<'change' | 'remove' | null>(null);
  const columns = resource.columns.filter((one) => one.operator && one.name !== resource.identity);
  const close = (): void => setOpen(null);
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
      {open === 'remove' && <Remove resource={resource} path={path} close={close} />}
    </>
  );
}

function Change({ resource, answer, path, changed, close }: Props & { readonly close: () => void }) {
  const columns = resource.columns.filter((one) => one.operator && one.name !== resource.identity);
  const [before] = useState(() => textsOf(columns, answer.row));
  const [texts, setTexts] = useState<Texts>(before);
  const change = async (): Promise<void> => {
    const fields = Object.fromEntries(Object.entries(texts).filter(([name, text]) => text !== (before[name] ?? null)));
    const body: FieldsRequest = { fields };
    await post<RowWritten>(`${path}/change`, body);
    changed();
    close();
  };
  return (
    <FormDialog title={`Change ${resource.name}`} action="Save" close={close} send={change}>
      <Fields columns={columns} texts={texts} change={setTexts} adds={false} />
    </FormDialog>
  );
}

function Remove({
  resource,
  path,
  close,
}: {
  readonly resource: ResourceSummary;
  readonly path: string;
  readonly close: () => void;
}) {
  const { router } = useApp();
  const task = useTask();
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
      <p>You can’t undo the removal. The service also applies the document’s statements on removals.</p>
      {task.error && <Failure error={task.error} />}
    </Confirm>
  );
}
