import { useState } from 'preact/hooks';
import type { IssueKeyRequest, KeyIssued } from '../../protocol.ts';
import { post } from '../app/api.ts';
import { useApp, useTask } from '../app/app.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/page-parts.tsx';
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
  const task = useTask();
  const scheme = schemes.find((one) => one.name === name);
  if (!scheme) return null;
  const offered = scheme.scopes.map((one) => one.name);
  const issue = (event: Event): void => {
    event.preventDefault();
    void task.run(async () => {
      const body: IssueKeyRequest = { scheme: name, holder, scopes };
      done(await post<KeyIssued>('/keys', body));
    });
  };
  return (
    <Dialog title="Issue a key" close={close}>
      <form class="form" onSubmit={issue}>
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
        {offered.length > 0 && (
          <fieldset class="field">
            <legend>Scopes</legend>
            <div class="checks">
              {offered.map((scope) => (
                <label key={scope} class="check">
                  <input
                    type="checkbox"
                    checked={scopes.includes(scope)}
                    onChange={({ currentTarget: { checked } }) =>
                      setScopes(offered.filter((one) => (one === scope ? checked : scopes.includes(one))))
                    }
                  />
                  <code>{scope}</code>
                </label>
              ))}
            </div>
          </fieldset>
        )}
        {task.error && <Failure error={task.error} />}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={task.running}>
            Issue
          </button>
        </div>
      </form>
    </Dialog>
  );
}
