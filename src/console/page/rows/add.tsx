import { useState } from 'preact/hooks';
import type { FieldsRequest, ResourceSummary, RowWritten } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { post } from '../app/api.ts';
import { useApp } from '../app/app.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Fields, type Texts } from './fields.tsx';

/** Adds a row under the rules of the document. */
export function AddRow({ resource, close }: { readonly resource: ResourceSummary; readonly close: () => void }) {
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
