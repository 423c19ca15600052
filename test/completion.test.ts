import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completions, cut, faultsOf, isOffered, type Place, placesOf, subjects } from './completion/places.ts';
import { share } from './share.ts';

const PLACES = subjects().flatMap(placesOf);

/** A place as a person finds it. */
const shown = ({ subject: { name, text, compiled }, from, to, kind }: Place): string =>
  `${name}:${compiled.lines.position(from).line} ${kind} “${text.slice(from, to)}”`;

test('the word at each place is among the completions, with the rest of the line and without', () => {
  const { cases, which } = share(PLACES, 6, 640);
  const kinds = new Map<string, number>();
  const left = cases.flatMap((place) => {
    const { subject, from, kind } = place;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    return [subject.text, cut(subject.text, from)].flatMap((text, i) => {
      const items = completions(subject.name, text, from);
      return isOffered(place, items) ? [] : `${shown(place)}${i === 1 ? ', cut' : ''}`;
    });
  });
  const counts = [...kinds].map(([kind, count]) => `${kind} ${count}`);
  console.log(`places ${cases.length} (${which}): ${counts.join(', ')}; not offered ${left.length}`);
  // Of ten thousand places, some are not understood yet: 4 of 984, with the rest of the line and without.
  assert.ok(left.length <= 1 + (2 * cases.length) / 100, left.join('\n'));
});

test('the word at a place is among the completions when its first letter is written', () => {
  const { cases } = share(PLACES, 2, 1920);
  const left = cases.flatMap((place) => {
    const { subject, from } = place;
    const text = cut(subject.text, from + 1);
    return isOffered(place, completions(subject.name, text, from + 1)) ? [] : shown(place);
  });
  assert.deepEqual(left, []);
});

test('check reports no error at the place of a completion', () => {
  const { cases, which } = share(PLACES, 2, 1920);
  let offers = 0;
  const places = new Set<Place>();
  const refused = cases.flatMap((place) =>
    completions(place.subject.name, place.subject.text, place.from).flatMap((item) => {
      offers++;
      const [fault] = faultsOf(place, item);
      if (fault === undefined) return [];
      places.add(place);
      return `${shown(place)} → “${item.label}”: ${fault}`;
    }),
  );
  console.log(`places ${cases.length} (${which}): completions ${offers}, refused ${refused.length}`);
  // The conditions of errors are offered whatever the code of the row is: one of 82 places.
  assert.ok(places.size <= 1 + cases.length / 40, refused.join('\n'));
});
