/** The number of samples: possible values of an unknown value, for which functions are computed. */
export const SAMPLES = 80;

/**
 * Values that an implementation draws, and that the oracle knows once an answer shows them. Random text has a kind for
 * each length and alphabet.
 */
export type DrawKind = 'uuid' | 'secret' | 'credential' | 'tag' | 'cursor' | `random_${string}`;

/** The kind of random text of a length from an alphabet, in the characters of a word. */
export const randomKind = (alphabet: string, length: number): DrawKind =>
  `random_${length}_${Buffer.from(alphabet).toString('hex')}`;

/** With at least so many possible texts, random text is taken to be another one each time. */
const MANY_TEXTS = 2 ** 40;

/** Whether random text of a kind may well be the same twice; null for another kind. */
export function isShortRandom(kind: DrawKind): boolean | null {
  const drawn = randomOfKind(kind);
  return drawn && drawn.alphabet.length ** drawn.length < MANY_TEXTS;
}

/** The length and the alphabet of a kind of random text; null for another kind. */
export function randomOfKind(kind: DrawKind): { readonly alphabet: string; readonly length: number } | null {
  const [, length, hex = ''] = /^random_(\d+)_([0-9a-f]+)$/.exec(kind) ?? [];
  return length === undefined ? null : { alphabet: Buffer.from(hex, 'hex').toString(), length: Number(length) };
}

const HEX = '0123456789abcdef';
/** The first characters fill whole texts: those that are neither letter nor digit are among them. */
const BASE64 = '+/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const TOKEN = `._~-${BASE64}`;
const VISIBLE = `${TOKEN}!#$%&'()*,:;=?@[]^{|}`;
const UUID_DIGITS = 32;
/** The base64 of 32 bytes, without its padding. */
const SECRET_LENGTH = 43;
const SHORTEST = 8;
const LONGEST = 60;

/** The number of samples that are texts of one character. */
export const UNIFORM = HEX.length;
/** From this sample on, a UUID contains the time of its draw, as version 7 does (RFC 9562, section 5.7). */
export const TIMED = 40;

/**
 * Possible values of a drawn value: equal for the same meaning, others for another. `now`: the time of the draw, in
 * milliseconds since the epoch.
 */
export function samplesOf(kind: DrawKind, meaning: string, now: number): readonly string[] {
  const random = randomOf(`${kind} ${meaning}`);
  if (kind === 'uuid') {
    const time = `${now.toString(16).padStart(12, '0')}7`;
    return spread(HEX, UUID_DIGITS, random).map((digits, i) =>
      inGroups(i < TIMED ? digits : time + digits.slice(time.length)),
    );
  }
  const drawn = randomOfKind(kind);
  if (drawn) return spread(drawn.alphabet, drawn.length, random);
  if (kind === 'secret') return spread(BASE64, SECRET_LENGTH, random).map((text) => `whsec_${text}=`);
  const alphabet = kind === 'tag' ? VISIBLE : TOKEN;
  const texts = spread(alphabet, LONGEST, random).map((text, i) =>
    text.slice(0, SHORTEST + ((i * 7) % (LONGEST - SHORTEST))),
  );
  return kind === 'tag' ? texts.map((text) => `"${text}"`) : texts;
}

/**
 * Texts of a length. At each place, each character of the alphabet occurs in some text, if the alphabet is no larger
 * than the number of samples; each of the first characters of the alphabet fills a whole text.
 */
function spread(alphabet: string, length: number, random: () => number): string[] {
  const places = Array.from({ length }, () => {
    let out = '';
    while (out.length < SAMPLES - UNIFORM) out += shuffled(alphabet, random);
    return out;
  });
  return Array.from({ length: SAMPLES }, (_, i) =>
    i < UNIFORM
      ? alphabet.charAt(i % alphabet.length).repeat(length)
      : places.map((one) => one.charAt(i - UNIFORM)).join(''),
  );
}

function shuffled(text: string, random: () => number): string {
  const all = text.split('');
  for (let i = all.length - 1; i > 0; i--) {
    const at = Math.floor(random() * (i + 1));
    [all[i], all[at]] = [all[at] ?? '', all[i] ?? ''];
  }
  return all.join('');
}

const inGroups = (digits: string): string =>
  [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join('-');

/** A seeded generator of numbers from 0 to 1 (mulberry32). */
function randomOf(seed: string): () => number {
  let state = 0x811c9dc5;
  for (let i = 0; i < seed.length; i++) state = Math.imul(state ^ seed.charCodeAt(i), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** If the samples have at most this many different texts, a function is assumed to return no others. */
const MOST_OUTCOMES = 8;
const NUMBER = '-?[0-9]+(?:\\.[0-9]+)?';
const ANY = '[^]';

/** Sets of characters, the smaller ones first. */
const CLASSES: readonly string[] = [
  '[0-9]',
  '[a-f]',
  '[A-F]',
  '[0-9a-f]',
  '[0-9A-F]',
  '[a-z]',
  '[A-Z]',
  '[0-9a-z]',
  '[0-9A-Z]',
  '[0-9a-z+/]',
  '[0-9a-z+/=]',
  '[0-9A-Z+/]',
  '[0-9A-Z+/=]',
  '[0-9A-Za-z]',
  '[0-9A-Za-z+/]',
  '[0-9A-Za-z+/=]',
  '[0-9A-Za-z+/=._~-]',
];

/** A regular expression that the texts match, and others that are made in the same way. */
export function patternOf(texts: readonly string[]): string {
  const distinct = [...new Set(texts)];
  if (distinct.length <= MOST_OUTCOMES) return distinct.map(escaped).join('|');
  if (distinct.every((text) => new RegExp(`^${NUMBER}$`).test(text) && !/^-?0\d/.test(text))) return NUMBER;
  const [first = ''] = distinct;
  if (distinct.every((text) => text.length === first.length)) {
    const places = Array.from({ length: first.length }, (_, i) => [...new Set(distinct.map((text) => text[i] ?? ''))]);
    // With a large alphabet, the samples do not contain every character at every place, so that all places share one
    // class.
    const large = places.filter((one) => one.length > HEX.length).flat();
    return inRuns(places.map((one) => classOf(one.length > HEX.length ? large : one)));
  }
  const prefix = commonPrefix(distinct);
  const rest = distinct.map((text) => text.slice(prefix.length));
  const suffix = reversed(commonPrefix(rest.map(reversed)));
  const middle = rest.map((text) => text.slice(0, text.length - suffix.length));
  return `${escaped(prefix)}${classOf(middle.flatMap((text) => text.split('')))}*${escaped(suffix)}`;
}

function classOf(characters: readonly string[]): string {
  const [first = '', ...others] = new Set(characters);
  if (others.length === 0) return escaped(first);
  const all = [first, ...others].join('');
  return CLASSES.find((one) => new RegExp(`^${one}+$`).test(all)) ?? ANY;
}

/** A regular expression in which repeated parts are written once, with their number. */
function inRuns(places: readonly string[]): string {
  let out = '';
  for (let i = 0; i < places.length; ) {
    const end = places.findIndex((one, at) => at > i && one !== places[i]);
    const count = (end < 0 ? places.length : end) - i;
    out += count > 1 ? `${places[i]}{${count}}` : places[i];
    i += count;
  }
  return out;
}

function commonPrefix(texts: readonly string[]): string {
  const [first = ''] = texts;
  let length = first.length;
  for (const text of texts) while (!text.startsWith(first.slice(0, length))) length -= 1;
  return first.slice(0, length);
}

const reversed = (text: string): string => text.split('').reverse().join('');

export const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
