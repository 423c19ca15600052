type Header = readonly [name: string, value: string];

interface Props {
  readonly headers: readonly Header[];
  readonly change: (headers: readonly Header[]) => void;
}

/** The headers of a request, one in a row. */
export function Headers({ headers, change }: Props) {
  const put = (at: number, header: Header | null): void =>
    change(headers.flatMap((one, i) => (i === at ? (header ? [header] : []) : [one])));
  return (
    <fieldset class="field">
      <legend>Headers</legend>
      {headers.map(([name, value], i) => (
        <div class="header-row" key={i}>
          <input
            class="input mono"
            aria-label={`Name of header ${i + 1}`}
            value={name}
            spellcheck={false}
            onInput={(event) => put(i, [event.currentTarget.value, value])}
          />
          <input
            class="input mono"
            aria-label={`Value of ${name || `header ${i + 1}`}`}
            value={value}
            spellcheck={false}
            onInput={(event) => put(i, [name, event.currentTarget.value])}
          />
          <button
            type="button"
            class="button small"
            aria-label={`Leave out ${name || `header ${i + 1}`}`}
            onClick={() => put(i, null)}
          >
            ×
          </button>
        </div>
      ))}
      <div>
        <button type="button" class="button small" onClick={() => change([...headers, ['', '']])}>
          Add a header
        </button>
      </div>
    </fieldset>
  );
}
