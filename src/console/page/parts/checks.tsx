interface Props {
  readonly legend: string;
  readonly names: readonly string[];
  readonly chosen: readonly string[];
  /** Those that are chosen, in the order of the names. */
  readonly change: (chosen: readonly string[]) => void;
}

/** Some of several names. */
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
