import type { Base, Mutation, Situation } from './candidate.ts';
import type { Content, Draft } from './draft.ts';
import { contentOf, isInstant, isQuantity, type QuantityType, quantityOf, unitOf } from './kinds.ts';
import type { KnownRow } from './known.ts';
import { rowsAbout, type Slot, slotsOf } from './near-mutations.ts';
import { wordMutations } from './queries.ts';
import { written } from './samples.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** So many changes of one kind are enough. */
const MOST = 24;

/** Two neighbouring members or parameters of one type: the start and the end of a span. */
interface Span {
  readonly start: Slot;
  readonly end: Slot;
  readonly type: QuantityType;
}

/** Mutations with valid values whose relation to each other, or to a row, may break a rule. */
export function relatedMutations(situation: Situation, base: Base): Mutation[] {
  const slots = slotsOf(situation, base.draft);
  const rows = rowsAbout(situation, base);
  const spans = spansOf(slots);
  return [
    ...copies(situation, slots, rows),
    ...wordMutations(situation, slots),
    ...spans.flatMap((span) => lengths(situation, span)),
    ...spans.flatMap((span) => neighbours(situation, slots, span, rows)),
  ];
}

function spansOf(slots: readonly Slot[]): Span[] {
  return slots.flatMap((start, i) => {
    const end = slots[i + 1];
    if (!end || !isQuantity(start.type) || end.type.kind !== start.type.kind) return [];
    return [{ start, end, type: start.type }];
  });
}

const mutation = (what: string, change: (draft: Draft) => Draft): Mutation => ({
  aspect: 'related',
  what,
  valid: true,
  change,
});

/** The value of a row in the field of a slot. */
function held({ rows }: Situation, slot: Slot, row: KnownRow): Content | undefined {
  const dot = slot.field?.indexOf('.') ?? -1;
  if (slot.field === null || slot.field.slice(0, dot) !== row.resource) return undefined;
  return rows.value(row, slot.field.slice(dot + 1));
}

/** Mutations that copy the values of a row, all of them or all but one. */
function copies(situation: Situation, slots: readonly Slot[], rows: readonly KnownRow[]): Mutation[] {
  const out: Mutation[] = [];
  for (const row of rows) {
    const own = slots.flatMap((slot) => {
      const value = held(situation, slot, row);
      return value === undefined || value === null ? [] : [{ slot, value }];
    });
    if (own.length === 0 || out.length > MOST) continue;
    const copy = (draft: Draft, without?: Slot): Draft =>
      own.reduce((made, { slot, value }) => (slot === without ? made : slot.write(made, value)), draft);
    out.push(mutation(`has the values of ${row.resource} “${row.identity}”`, (draft) => copy(draft)));
    if (own.length === 1) continue;
    for (const { slot } of own)
      out.push(
        mutation(`has the values of ${row.resource} “${row.identity}”, but for ${slot.name}`, (draft) =>
          copy(draft, slot),
        ),
      );
    const [first] = own;
    if (first)
      out.push(
        mutation(`has the ${first.slot.name} of ${row.resource} “${row.identity}”`, (draft) =>
          first.slot.write(draft, first.value),
        ),
      );
  }
  return out;
}

/** Intervals that end before, at and after their beginning, or a length later that the document names. */
function lengths({ constants, known }: Situation, { start, end, type }: Span): Mutation[] {
  const unit = unitOf(type);
  const spans = isInstant(type) ? ['duration', 'integer'] : [type.kind];
  const named = constants.flatMap(({ kind, value }) =>
    spans.includes(kind) && typeof value === 'number' && value > 0
      ? [kind === 'integer' && spans.length > 1 ? value * unit : value]
      : [],
  );
  const away = new Set([-unit, 0, unit, ...named.flatMap((one) => [one - unit, one, one + unit])]);
  const wide = (days: number): Mutation =>
    mutation(`${start.name} to ${end.name} is ${days} days before and after now`, (draft) => {
      const around = (sign: number): Content | null =>
        contentOf(type, Math.floor((known.now + sign * days * DAY_MS) / unit) * unit);
      return end.write(start.write(draft, around(-1)), around(1));
    });
  const windows = isInstant(type) ? [1, 10, 400].map(wide) : [];
  const steps = [...away].map((length) =>
    mutation(`${end.name} is ${length / unit} steps after ${start.name}`, (draft) => {
      const from = quantityOf(type, start.read(draft));
      const value = from === null ? null : contentOf(type, Math.floor((from + length) / unit) * unit);
      return value === null ? draft : end.write(draft, value);
    }),
  );
  return [...windows, ...steps];
}

/** Spans that lie beside the span of a row, overlap its edges, lie within it and contain it. */
function neighbours(
  situation: Situation,
  slots: readonly Slot[],
  { start, end, type }: Span,
  rows: readonly KnownRow[],
): Mutation[] {
  const unit = unitOf(type);
  const size = type.kind === 'timestamp' ? HOUR_MS : unit;
  const out: Mutation[] = [];
  for (const row of rows) {
    const [a, b] = [quantityOf(type, held(situation, start, row)), quantityOf(type, held(situation, end, row))];
    if (a === null || b === null || b <= a) continue;
    const places: ReadonlyArray<readonly [string, number, number]> = [
      ['ends where', a - size, a],
      ['ends one step after the beginning of', a - size, a + unit],
      ['begins where the end is of', b, b + size],
      ['begins one step before the end of', b - unit, b + size],
      ['spans the same as', a, b],
      ['lies within', a + unit, b - unit],
      ['lies around', a - unit, b + unit],
      ['begins with', a, b + size],
    ];
    for (const [what, from, to] of places) {
      const [first, last] = [contentOf(type, from), contentOf(type, to)];
      if (first === null || last === null) continue;
      const spanned = (draft: Draft): Draft => end.write(start.write(draft, first), last);
      const alike = (draft: Draft): Draft =>
        slots.reduce((made, slot) => {
          const value = slot === start || slot === end ? undefined : held(situation, slot, row);
          return value === undefined || value === null ? made : slot.write(made, value);
        }, draft);
      const told = `${start.name} “${written(first)}” to ${end.name} “${written(last)}” ${what} ${row.resource} “${row.identity}”`;
      out.push(mutation(told, (draft) => spanned(alike(draft))));
      // With all values of the row, a rule about another value might refuse the request first.
      if (slots.length > 2) out.push(mutation(`${told}, and nothing else of it`, spanned));
    }
    if (out.length > MOST) break;
  }
  return out;
}
