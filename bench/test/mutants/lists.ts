import type { Compiled } from '../../../src/compiler/compile.ts';
import { type Choice, type Edit, each, edit } from './edit.ts';
import type { Place } from './places.ts';

/** Each item of a list that commas or semicolons join: left out, and in its neighbour’s place. */
export function lists(place: Place, { marks }: Compiled): Choice[] {
  const text = place.source.slice(place.from, place.to);
  if (place.form === 'heading' || /Title|Lets the caller|Purpose|Domain/.test(place.kind)) return [];
  const bare = text.replace(/`[^`]*`/g, (code) => ' '.repeat(code.length));
  const free = (at: number): boolean =>
    marks.some(({ role, from, to }) => role === 'free' && from <= place.from + at && place.from + at < to);
  const joints = [...bare.matchAll(/[,;] (?:and )?| and /g)].filter(({ index }) => !free(index));
  const end = bare.endsWith('.') ? bare.length - 1 : bare.length;
  const items = [0, ...joints.map(({ 0: sign, index }) => index + sign.length)].map((from, i) => ({
    from,
    to: joints[i]?.index ?? end,
  }));
  if (items.length < 2) return [];
  return each(
    items.flatMap((item, i): Edit[] => {
      const next = items[i + 1];
      const before = items[i - 1];
      const dropped = before
        ? edit(place.kind, 'item left out', place.from + before.to, place.from + item.to, '')
        : edit(
            place.kind,
            'item left out',
            place.from + item.from + lead(text),
            place.from + (next?.from ?? item.to),
            '',
          );
      return [dropped];
    }),
  );
}

/** Where the first item of a list begins: behind the words before it. */
const lead = (text: string): number =>
  /^(?:one of |a[n]? [A-Z]\w+ moves by |a[n]? [A-Z]\w+ is changed in |[A-Z]\w+ with |\w+: [A-Z]\w+ with |set of )/.exec(
    text,
  )?.[0].length ?? 0;

/** One more item of its kind at the end of each list of names. */
export function longer(place: Place, items: readonly string[]): Choice[] {
  if (!/Shown|States: From|Endpoints: Request$|Events: When|Hears/.test(place.kind)) return [];
  const text = place.source.slice(place.from, place.to);
  if (/^(?:never|none|everyone)$/.test(text)) return [];
  const optional = text.endsWith(', each optional');
  const at = place.to - (optional ? ', each optional'.length : 0);
  return [
    {
      most: 2,
      edits: items
        .filter((item) => !new RegExp(`\\b${item}\\b`).test(text))
        .map((item) => edit(place.kind, 'item added', at, at, `, ${item}`)),
    },
  ];
}
