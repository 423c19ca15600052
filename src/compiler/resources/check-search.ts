import { mostCharacters } from '../../store/longest-text.ts';
import type { Resolved } from '../document/resolve.ts';
import type { Resource } from '../statements/resources.ts';
import { isHashed } from './check-passwords.ts';
import { resourcesDiagnostics as d } from './messages.ts';
import { ruleOf } from './plan.ts';

/**
 * The most characters that the searched fields of a row may have together, so that their distinct words fit into one
 * tsvector of PostgreSQL (1 MB).
 */
const MOST_SEARCHED = 100_000;

/** The most points of one occurrence of a word. */
const MOST_WEIGHT = 1000;

/** Checks the fields that a search reads, and that their weights are stated where an order depends on them. */
export function checkSearch(r: Resolved, resource: Resource): void {
  const { search } = resource;
  if (!search) return;
  const { findings } = r.notes;
  const name = resource.name.text;
  const { fields } = search.value;
  let characters = 0;
  for (const { field: at, weight } of fields) {
    const field = r.field(resource, at);
    if (!field?.type || !field.format) continue;
    const isText = field.type.value.kind === 'string' && field.format.value !== 'uuid' && !isHashed(field);
    if (!isText) findings.push(d.report.searchField(at, { field: `${name}.${at.text}` }));
    const rule = isText ? ruleOf(r, field) : undefined;
    if (rule) characters += mostCharacters(rule);
    if (weight !== null && (weight < 1 || weight > MOST_WEIGHT))
      findings.push(d.report.searchWeight(at, { field: `${name}.${at.text}` }));
  }
  if (characters > MOST_SEARCHED)
    findings.push(
      d.report.searchLong(search, {
        resource: name,
        has: Number.isFinite(characters) ? `up to ${characters.toLocaleString('en')} characters` : 'any length',
      }),
    );
  r.afterAll(() => checkUse(r, resource));
}

/** Reports a search that no List uses, and weights that an order by the best match needs or does not need. */
function checkUse(r: Resolved, resource: Resource): void {
  const { search, name } = resource;
  if (!search || r.isSuggested(name.text)) return;
  const { findings } = r.notes;
  const searches = r.once(searchingSteps).filter((step) => step.resource.text === name.text);
  if (searches.length === 0) {
    findings.push(d.report.searchUnused(search, { resource: name.text }));
    return;
  }
  const { fields } = search.value;
  const isRanked = searches.some(({ order }) => order?.direction === 'best');
  const without = fields.filter(({ weight }) => weight === null).map(({ field }) => field.text);
  const weighs = isRanked && fields.length > 1;
  if (weighs && without.length > 0)
    findings.push(
      d.report.searchWeights(search, {
        resource: name.text,
        fields: without.join(', '),
        write: fields.map(({ field, weight }) => `${field.text} weight ${weight ?? 1}`).join(', '),
      }),
    );
  if (weighs) return;
  for (const { field, weight } of fields)
    if (weight !== null) findings.push(d.report.searchWeightUnused(field, { resource: name.text, field: field.text }));
}

/** The lists of the document that search for words, or order rows as if they did. */
function searchingSteps(r: Resolved) {
  return r.effective.flatMap(({ every }) =>
    every.flatMap((step) =>
      step.verb === 'List' && (step.matching !== null || step.order?.direction === 'best') ? [step] : [],
    ),
  );
}
