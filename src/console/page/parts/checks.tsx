interface Props {
  readonly legend: string;
  readonly names: readonly string[];
  readonly chosen: readonly string[];
  /** Receives the selected names, in the order of `names`. */
  readonly change: (chosen: readonly string[]) => void;
}

/** A group of checkboxes. */
export function Checks({ legend, names, chosen, change }: Props) {
  const put = (name: string, on: boolean): void =>
    change(names.filter((one) => (one === name ? on : chosen.includes(one))));
  return (
    <fieldset class="field">
      <legend>{legend}</legend>
      <div class="checks">
        {names.map((name) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={(event) => put(name, event.currentTarget.checked)}
            />
            <code>{name}</code>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
