import type { Column, Json, RowShown } from '../../protocol.ts';
import { RowPicker } from '../parts/row-picker.tsx';

/** Texts that people write, by the names of fields; null for absent. */
export type Texts = Readonly<Record<string, string | null>>;

interface Props {
  readonly columns: readonly Column[];
  readonly texts: Texts;
  readonly change: (texts: Texts) => void;
  /** Whether a new row is written, which needs some fields. */
  readonly adds: boolean;
}

/** A form for the fields that the operator may give. */
export function Fields({ columns, texts, change, adds }: Props) {
  return (
    <>
      {columns.map((column) => {
        const hint = hintOf(column, adds);
        return (
          <div class="field" key={column.name}>
            <label for={`field-${column.name}`}>
              {column.name}
              {!(adds && column.required) && column.optional && <span class="muted"> optional</span>}
            </label>
            <FieldInput
              column={column}
              text={texts[column.name] ?? null}
              required={adds && column.required}
              change={(text) => change({ ...texts, [column.name]: text })}
            />
            {hint && <p class="hint">{hint}</p>}
          </div>
        );
      })}
    </>
  );
}

interface InputProps {
  readonly column: Column;
  readonly text: string | null;
  readonly required: boolean;
  readonly change: (text: string | null) => void;
}

function FieldInput({ column, text, required, change }: InputProps) {
  const { name, oneOf, type, optional, refersTo } = column;
  const choices = oneOf ?? (type === 'boolean' ? ['true', 'false'] : null);
  const set = (value: string): void => change(value === '' && (optional || type !== 'text') ? null : value);
  if (choices)
    return (
      <select
        id={`field-${name}`}
        value={text ?? ''}
        required={required}
        onChange={(event) => set(event.currentTarget.value)}
      >
        <option value="">–</option>
        {choices.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    );
  if (refersTo !== null && type !== 'list' && type !== 'set')
    return (
      <RowPicker
        id={`field-${name}`}
        label={null}
        resource={refersTo}
        value={text ?? ''}
        change={set}
        required={required}
      />
    );
  const common = {
    id: `field-${name}`,
    class: 'input',
    autocomplete: 'off',
    value: text ?? '',
    required,
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => set(event.currentTarget.value),
  };
  return type === 'password' ? <input type="password" {...common} /> : <input type="text" {...common} />;
}

function hintOf({ type, refersTo, allowed, oneOf }: Column, adds: boolean): string {
  if (type === 'list' || type === 'set' || type === 'map')
    return refersTo === null ? `${allowed}, as JSON` : `a ${type} of ${refersTo} identities, as JSON`;
  if (type === 'password' && !adds) return `${allowed}; empty keeps the password`;
  // A picker and a choice show their values.
  return refersTo !== null || oneOf !== null || type === 'boolean' ? '' : allowed;
}

/** A value as it is written into a form. */
function textOf(value: Json | undefined): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The texts of a row that a form begins with. */
export function textsOf(columns: readonly Column[], row: RowShown): Texts {
  return Object.fromEntries(columns.map(({ name }) => [name, textOf(row.values[name])]));
}
