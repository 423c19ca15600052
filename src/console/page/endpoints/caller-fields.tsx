import type { SchemeContract } from '../../../contract/contract.ts';
import type { AccessContract } from '../../../contract/endpoint.ts';
import type { ServiceAnswer, TryCaller } from '../../protocol.ts';
import { useApp } from '../app/app.ts';
import { Checks } from '../parts/checks.tsx';
import { RowPicker } from '../parts/row-picker.tsx';

/** Whether the service issues credentials of a scheme itself. */
const isIssued = ({ issuedBy }: SchemeContract): boolean => issuedBy.includes('operator') || issuedBy.includes('steps');

/** The initial caller of the form: the first scheme that the endpoint accepts, without a row. */
export function callerFor(access: AccessContract, { schemes }: ServiceAnswer): TryCaller | null {
  if (access.kind === 'anyone') return null;
  const fit = schemes.filter((one) => access.schemes.includes(one.name));
  const scheme = fit.find(isIssued) ?? fit[0];
  return scheme ? callerOf(scheme, '', access) : null;
}

function callerOf(scheme: SchemeContract, id: string, access: AccessContract): TryCaller {
  const own = isIssued(scheme) ? {} : { credential: '' };
  return { scheme: scheme.name, id, scopes: scopesFor(access, scheme), ...own };
}

/** The scopes of a scheme that an endpoint needs: all, or the first where one is enough. */
function scopesFor({ needs }: AccessContract, { scopes }: SchemeContract): string[] {
  const fit = scopes.flatMap(({ name }) => (needs?.scopes.includes(name) ? [name] : []));
  return needs?.all ? fit : fit.slice(0, 1);
}

interface CallerProps {
  readonly caller: TryCaller | null;
  readonly access: AccessContract;
  readonly change: (caller: TryCaller | null) => void;
}

/** The form fields for the caller of a request: none, a row with scopes, or a credential. */
export function CallerFields({ caller, access, change }: CallerProps) {
  const { schemes } = useApp().service;
  const scheme = schemes.find((one) => one.name === caller?.scheme);
  const choose = (name: string): void => {
    const chosen = schemes.find((one) => one.name === name);
    change(chosen ? callerOf(chosen, caller?.id ?? '', access) : null);
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
      {caller &&
        scheme &&
        (isIssued(scheme) ? (
          <Holder caller={caller} scheme={scheme} change={change} />
        ) : (
          <Credential caller={caller} scheme={scheme} change={change} />
        ))}
    </>
  );
}

interface Props {
  readonly caller: TryCaller;
  readonly scheme: SchemeContract;
  readonly change: (caller: TryCaller) => void;
}

/** The row that calls, and the scopes of its credential. */
function Holder({ caller, scheme, change }: Props) {
  return (
    <>
      <RowPicker
        id="try-holder"
        label={`${scheme.caller} that calls`}
        resource={scheme.caller}
        value={caller.id}
        change={(id) => change({ ...caller, id })}
        begins
      />
      {scheme.scopes.length > 0 && (
        <Checks
          legend="Scopes"
          names={scheme.scopes.map((one) => one.name)}
          chosen={caller.scopes}
          change={(scopes) => change({ ...caller, scopes })}
        />
      )}
      <p class="muted small">
        {scheme.token
          ? 'The service issues a token for this request. The token is valid for at most a minute.'
          : 'The service issues a key for this request and revokes it afterwards.'}
      </p>
    </>
  );
}

/** A credential that somebody else has issued. */
function Credential({ caller, scheme, change }: Props) {
  const text = caller.credential ?? '';
  const cut = text.indexOf(':');
  const [user, password] = cut < 0 ? [text, ''] : [text.slice(0, cut), text.slice(cut + 1)];
  const put = (credential: string): void => change({ ...caller, credential });
  if (scheme.basic)
    return (
      <>
        <Input id="try-user" label="User name" value={user} change={(name) => put(`${name}:${password}`)} />
        <Input id="try-password" label="Password" value={password} hidden change={(one) => put(`${user}:${one}`)} />
      </>
    );
  return (
    <>
      <Input id="try-credential" label={scheme.token ? 'Token' : 'Key'} value={text} hidden change={put} />
      <p class="muted small">
        The service does not issue these. The console sends it with this request, and stores it nowhere.
      </p>
    </>
  );
}

interface InputProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly hidden?: boolean;
  readonly change: (text: string) => void;
}

function Input({ id, label, value, hidden = false, change }: InputProps) {
  const common = {
    id,
    class: 'input mono',
    autocomplete: 'off',
    spellcheck: false,
    required: true,
    value,
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => change(event.currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hidden ? <input type="password" {...common} /> : <input type="text" {...common} />}
    </div>
  );
}
