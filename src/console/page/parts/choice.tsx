interface Props {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly choices: readonly string[];
  /** The label of the choice without a filter. */
  readonly all: string;
  readonly change: (value: string | null) => void;
}

/** A filter of a list by one value, or none. */
export function Choice({ id, label, value, choices, all, change }: Props) {
  const offered = value === '' || choices.includes(value) ? choices : [...choices, value];
  return (
    <div class="choice">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => change(event.currentTarget.value || null)}>
        <option value="">{all}</option>
        {offered.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </div>
  );
}
