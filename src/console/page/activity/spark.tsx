interface Props {
  readonly title: string;
  readonly now: string;
  /** Null where there is nothing to draw. */
  readonly values: readonly (number | null)[];
  /** A second line below the first. */
  readonly second?: readonly (number | null)[];
  readonly note: string;
}

const WIDE = 300;
const HIGH = 56;
/** So many seconds are drawn: the newest at the right. */
export const SHOWN = 120;

/** A small chart with a title, the current value and the recent values. */
export function Spark({ title, now, values, second, note }: Props) {
  const most = Math.max(...[...values, ...(second ?? [])].map((one) => one ?? 0), 0);
  return (
    <figure class="spark card">
      <figcaption>
        <span class="label">{title}</span>
        <span class="spark-now number">{now}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDE} ${HIGH}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: now ${now}. ${note}`}
      >
        <path class="spark-base" d={`M0 ${HIGH - 0.5}H${WIDE}`} />
        {second && <path class="spark-second" d={wayOf(second, most)} />}
        <path class="spark-area" d={areaOf(values, most)} />
        <path class="spark-line" d={wayOf(values, most)} />
      </svg>
      <p class="muted small">{note}</p>
    </figure>
  );
}

const x = (i: number, length: number): number => WIDE - ((length - 1 - i) / (SHOWN - 1)) * WIDE;
const y = (value: number, most: number): number => HIGH - 2 - (most === 0 ? 0 : (value / most) * (HIGH - 6));

/** The line through values; where one is missing it is interrupted. */
function wayOf(values: readonly (number | null)[], most: number): string {
  let open = false;
  return values
    .map((value, i) => {
      if (value === null) {
        open = false;
        return '';
      }
      const step = `${open ? 'L' : 'M'}${x(i, values.length).toFixed(1)} ${y(value, most).toFixed(1)}`;
      open = true;
      return step;
    })
    .join('');
}

function areaOf(values: readonly (number | null)[], most: number): string {
  if (values.length < 2 || values.some((one) => one === null)) return '';
  return `${wayOf(values, most)}V${HIGH}H${x(0, values.length).toFixed(1)}Z`;
}
