import { useState } from 'preact/hooks';
import type { FieldsRequest, ResourceSummary, RowWritten } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { post } from '../app/api.ts';
import { useApp, useTask } from '../app/app.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/page-parts.tsx';
import { Fields, type Texts } from './fields.tsx';

/** Adds a row under the rules of the document. */
export function AddRow({ resource, close }: { readonly resource: ResourceSummary; readonly close: () => void }) {
  const { router } = useApp();
  const [texts, setTexts] = useState<Texts>({});
  const task = useTask();
  const columns = resource.columns.filter((one) => one.operator);
  const add = (event: Event): void => {
    event.preventDefault();
    void task.run(async () => {
      const fields = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null));
      const body: FieldsRequest = { fields };
      const { row } = await post<RowWritten>(`/rows/${encodeURIComponent(resource.name)}`, body);
      close();
      router.go(addresses.row(resource.name, row.id));
    });
  };
  return (
    <Dialog title={`Add ${resource.name}`} close={close}>
      <form class="form" onSubmit={add}>
        <Fields columns={columns} texts={texts} change={setTexts} adds />
        {task.error && <Failure error={task.error} />}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={task.running}>
            {task.running ? 'Adding …' : `Add ${resource.name}`}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
