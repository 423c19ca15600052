import { isOfValue, type WordDifference } from '../../language/versioning.ts';
import { type FieldWords, isMerged } from '../../plan/words.ts';
import { allowing } from '../../syntax/diagnostic.ts';
import { language } from '../../syntax/messages.ts';
import { listed } from '../../text/suggest.ts';
import type { Resolved } from '../document/resolve.ts';
import type { Model } from '../statements/model.ts';
import type { Field } from '../statements/resources.ts';
import type { Version } from '../statements/versioning.ts';
import { versioningDiagnostics as d } from './messages.ts';
import { requestsOf, seenAnywhere } from './seen.ts';

/** The words of one field that the differences of a version, and of all newer ones, state. */
interface StatedWords {
  readonly words: Map<string, string>;
  /** The values that requests mean by words; null for a word that no body may have. */
  readonly sent: Map<string, string | null>;
  /** Whether the version lacks the field. */
  absent: boolean;
}

/** The values of an enumeration, states included; none for any other field. */
const valuesOf = (field: Field | null): readonly string[] =>
  field?.type?.value.kind === 'string' && field.allowed?.value.kind === 'one of'
    ? field.allowed.value.values.map(({ text }) => text)
    : [];

/** The words for the values of fields in each version, newest first, with the differences of all newer versions. */
export function wordsByVersion({ versioning, resources }: Model): Array<readonly FieldWords[]> {
  const fields = new Map<string, StatedWords>();
  return versioning.versions.map((version) => {
    note(version, fields);
    return [...fields].flatMap(([path, stated]) => {
      const [resource = '', ...name] = path.split('.');
      const found = resources.list.find((one) => one.name.text === resource);
      const field = found?.fields.find((one) => one.name.text === name.join('.')) ?? null;
      return stated.absent ? [] : (fieldWords(path, valuesOf(field), stated) ?? []);
    });
  });
}

/** Whether an older version has other words for the values of a field. */
export const hasWords = ({ versioning }: Model, resource: string, field: string): boolean =>
  versioning.versions.some(({ differences }) =>
    differences?.value.some((one) => isOfValue(one) && pathOf(one) === `${resource}.${field}`),
  );

/** Adds the differences of a version to those of the newer ones. */
function note(version: Version, fields: Map<string, StatedWords>): void {
  for (const one of version.differences?.value ?? []) {
    const path = pathOf(one);
    const known = fields.get(path) ?? { words: new Map(), sent: new Map(), absent: false };
    fields.set(path, known);
    if (!isOfValue(one)) {
      known.absent = one.was === null;
      continue;
    }
    known.words.set(one.value.text, one.word.text);
    if (one.sent) known.sent.set(one.word.text, one.sent === 'not accepted' ? null : one.sent.text);
  }
}

const pathOf = ({ resource, field }: Pick<WordDifference, 'resource' | 'field'>): string =>
  `${resource.text}.${field.text}`;

/** The words for all values of a field; null where each value is its own word. */
function fieldWords(field: string, values: readonly string[], { words, sent }: StatedWords): FieldWords | null {
  const groups = Map.groupBy(values, (value) => words.get(value) ?? value);
  if ([...groups].every(([word, [value, ...others]]) => word === value && others.length === 0)) return null;
  return {
    field,
    words: [...groups].map(([word, all]) => {
      const [only = null] = all;
      return { word, values: all, sent: all.length === 1 ? only : (sent.get(word) ?? null) };
    }),
  };
}

/** Checks the words of each version, newest first: each for a value of an enumeration that callers meet. */
export function checkWords(r: Resolved): void {
  const { versions } = r.model.versioning;
  const planned = wordsByVersion(r.model);
  const fields = new Map<string, StatedWords>();
  const [asked, searched] = [new Set<string>(), new Set<string>()];
  for (const [i, version] of versions.entries()) {
    const own = (version.differences?.value ?? []).filter(isOfValue);
    const seen = new Set<string>();
    const before = new Map([...fields].map(([path, { words }]) => [path, new Map(words)]));
    note(version, fields);
    for (const one of own) {
      const path = pathOf(one);
      const key = JSON.stringify([path, one.value.text]);
      if (seen.has(key))
        r.notes.findings.push(
          language.report.twice(one.value, { what: `The word for “${one.value.text}” of ${path}` }),
        );
      seen.add(key);
      if (!checkWord(r, version, one, before.get(path), fields.get(path), searched)) continue;
      const words = planned[i]?.find(({ field }) => field === path);
      checkSent(r, version, one, own, words);
      const word = words?.words.find((each) => each.word === one.word.text);
      const shared = JSON.stringify([path, one.word.text]);
      if (!word || !isMerged(word) || fields.get(path)?.sent.has(word.word) || asked.has(shared)) continue;
      if (!isRequested(r, one)) continue;
      asked.add(shared);
      const params = { field: path, version: version.name, word: word.word, values: listed(word.values) };
      r.notes.findings.push(d.report.wordSent(one.word, { ...params, first: word.values[0] ?? '' }));
    }
  }
}

/** Checks that a difference gives a value of an enumeration another word; returns whether it does. */
function checkWord(
  r: Resolved,
  version: Version,
  one: WordDifference,
  newer: ReadonlyMap<string, string> | undefined,
  stated: StatedWords | undefined,
  searched: Set<string>,
): boolean {
  const { findings } = r.notes;
  const resource = r.resource(one.resource);
  if (!resource) return false;
  const field = pathOf(one);
  const derived = resource.derived.map(({ name }) => name.text);
  const found = derived.includes(one.field.text) ? null : r.field(resource, one.field, derived);
  if (!found && !derived.includes(one.field.text)) return false;
  const values = valuesOf(found);
  const value = one.value.text;
  if (values.length === 0) {
    findings.push(d.report.wordless(one.field, { field }));
    return false;
  }
  if (!values.includes(value)) {
    const params = { found: value, field, values: listed(values) };
    findings.push(
      allowing(
        d.report.wordOfNothing(one.value, params),
        values.map((each) => `\`${each}\``),
      ),
    );
    return false;
  }
  if (stated?.absent) findings.push(d.report.wordAbsent(one.field, { field, version: version.name }));
  if (!WORD.test(one.word.text)) findings.push(d.report.wordForm(one.word, { word: one.word.text }));
  if (one.word.text === (newer?.get(value) ?? value))
    findings.push(d.report.sameWord(one.word, { field, value, word: one.word.text }));
  if (!seenAnywhere(r, resource, one.field.text)) findings.push(d.report.unseen(one.field, { field }));
  const isSearched = resource.search?.value.fields.some((each) => each.field.text === one.field.text);
  if (isSearched && !searched.has(field))
    findings.push(d.report.wordSearched(one.field, { field, resource: resource.name.text }));
  searched.add(field);
  return true;
}

/** Checks what a word means in a request: one of its values, where it has several and a request can send it. */
function checkSent(
  r: Resolved,
  version: Version,
  one: WordDifference,
  all: readonly WordDifference[],
  words: FieldWords | undefined,
): void {
  if (!one.sent) return;
  const { findings } = r.notes;
  const at = one.sent === 'not accepted' ? one.word : one.sent;
  const word = one.word.text;
  const params = { field: pathOf(one), word, version: version.name };
  const values = words?.words.find((each) => each.word === word)?.values ?? [];
  const first = all.find((each) => each.sent && pathOf(each) === pathOf(one) && each.word.text === word);
  if (first !== one) findings.push(language.report.twice(at, { what: `What a request means by “${word}”` }));
  if (values.length < 2) findings.push(d.report.wordAlone(at, params));
  else if (!isRequested(r, one)) findings.push(d.report.wordUnsent(at, params));
  else if (one.sent !== 'not accepted' && !values.includes(one.sent.text)) {
    const more = { found: one.sent.text, values: listed(values) };
    findings.push(
      allowing(
        d.report.wordSentOther(at, { ...params, ...more }),
        values.map((each) => `\`${each}\``),
      ),
    );
  }
}

/** Whether the body of a request gives the field. */
const isRequested = (r: Resolved, { resource, field }: WordDifference): boolean =>
  requestsOf(r, resource.text).some(({ fields }) => fields.some(({ text }) => text === field.text));

/** One or several words with single spaces between them, as allowed values are written. */
const WORD = /^[^\s,;|\p{Cc}]+(?: [^\s,;|\p{Cc}]+)*$/u;
