import { useState } from 'preact/hooks';
import type { IssueKeyRequest, KeyIssued } from '../../protocol.ts';
import { post } from '../app/api.ts';
import { useApp } from '../app/app.ts';
import { Checks } from '../parts/checks.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { RowPicker } from '../parts/row-picker.tsx';

interface Props {
  readonly close: () => void;
  readonly done: (key: KeyIssued) => void;
}

/** Issues a key for a row, with the scopes that it may use. */
export function IssueKey({ close, done }: Props) {
  const { service } = useApp();
  const schemes = service.schemes.filter((one) => one.issuedBy.includes('operator'));
  const [name, setName] = useState(schemes[0]?.name ?? '');
  const [holder, setHolder] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>([]);
  const scheme = schemes.find((one) => one.name === name);
  if (!scheme) return null;
  const offered = scheme.scopes.map((one) => one.name);
  const issue = async (): Promise<void> => {
    const body: IssueKeyRequest = { scheme: name, holder, scopes };
    done(await post<KeyIssued>('/keys', body));
  };
  return (
    <FormDialog title="Issue a key" action="Issue" close={close} send={issue}>
      {schemes.length > 1 && (
        <div class="field">
          <label for="key-scheme">Scheme</label>
          <select id="key-scheme" value={name} onChange={(event) => setName(event.currentTarget.value)}>
            {schemes.map((one) => (
              <option key={one.name} value={one.name}>
                {one.name}
              </option>
            ))}
          </select>
        </div>
      )}
      <RowPicker
        id="key-holder"
        label={`${scheme.caller} that holds it`}
        resource={scheme.caller}
        value={holder}
        change={setHolder}
      />
      {offered.length > 0 && <Checks legend="Scopes" names={offered} chosen={scopes} change={setScopes} />}
    </FormDialog>
  );
}
