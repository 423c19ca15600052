import type { AccessContract } from '../../../contract/endpoint.ts';
import type { ServiceAnswer, TryCaller } from '../../protocol.ts';
import { useApp } from '../app/app.ts';
import { Checks } from '../parts/checks.tsx';
import { RowPicker } from '../parts/row-picker.tsx';

interface Props {
  readonly caller: TryCaller | null;
  readonly access: AccessContract;
  readonly change: (caller: TryCaller | null) => void;
}

/** The initial caller of the form: the first scheme that the endpoint accepts, without a row. */
export function callerFor({ kind, scope, schemes }: AccessContract, service: ServiceAnswer): TryCaller | null {
  if (kind === 'anyone') return null;
  const fit = service.schemes.find((one) => one.issuedBy.includes('operator') && schemes.includes(one.name));
  return fit ? { scheme: fit.name, id: '', scopes: scope === null ? [] : [scope] } : null;
}

/** The form fields for the caller of a request: none, or a row with scopes. */
export function CallerFields({ caller, access, change }: Props) {
  const { service } = useApp();
  const schemes = service.schemes.filter((one) => one.issuedBy.includes('operator'));
  const scheme = schemes.find((one) => one.name === caller?.scheme);
  const choose = (name: string): void => {
    const chosen = schemes.find((one) => one.name === name);
    const scopes = chosen?.scopes.filter((one) => one.name === access.scope).map((one) => one.name) ?? [];
    change(chosen ? { scheme: chosen.name, id: caller?.id ?? '', scopes } : null);
  };
  if (schemes.length === 0) return null;
  return (
    <>
      <div class="field">
        <label for="try-caller">Caller</label>
        <select id="try-caller" value={caller?.scheme ?? ''} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">nobody: without credentials</option>
          {schemes.map((one) => (
            <option key={one.name} value={one.name}>
              {one.caller}, by {one.name}
            </option>
          ))}
        </select>
      </div>
      {caller && scheme && (
        <>
          <RowPicker
            id="try-holder"
            label={`${scheme.caller} that calls`}
            resource={scheme.caller}
            value={caller.id}
            change={(id) => change({ ...caller, id })}
          />
          {scheme.scopes.length > 0 && (
            <Checks
              legend="Scopes"
              names={scheme.scopes.map((one) => one.name)}
              chosen={caller.scopes}
              change={(scopes) => change({ ...caller, scopes })}
            />
          )}
          <p class="muted small">The console issues a key for this request and revokes it afterwards.</p>
        </>
      )}
    </>
  );
}
