import type { Expr } from '../../../expression/tree/expression.ts';
import type { Search } from '../../../expression/tree/search.ts';
import { rowOf } from '../../../expression/tree/types.ts';
import type { Matching } from '../../../language/steps.ts';
import { fieldType } from '../../document/field-types.ts';
import type { Resource } from '../../statements/resources.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';
import type { Checking } from './checking.ts';
import { allowedLength } from './lengths.ts';

/** The most characters of a query, which bounds the words that a store looks up. */
const MOST_OF_QUERY = 200;

/** Checks the query of a List, and finds the fields in which it looks for words; null while they are not settled. */
export function checkMatching(c: Checking, matching: Matching, resource: Resource): Search | null {
  const query = c.type(matching.query, null, 'The query');
  if (query && !isQuery(c, query)) {
    c.findings.push(d.report.searchQuery(matching.query, { query: matching.query.text }));
    return null;
  }
  const { search, name } = resource;
  if (!search) {
    const field = resource.fields.find(({ type, format }) => type?.value.kind === 'string' && format?.value === 'none');
    const params = { resource: name.text, field: field?.name.text ?? 'title' };
    c.findings.push(d.report.searchFields(name, params, [c.endpoint]));
    return null;
  }
  const row: Expr = { op: 'name', name: 'this', type: rowOf(name.text) };
  const fields = search.value.fields.flatMap(({ field, weight }) => {
    const found = c.r.fieldNamed(resource, field.text);
    const type = found && fieldType(found, name.text);
    const read: Expr | null = type ? { op: 'get', of: row, member: field.text, type } : null;
    return read ? [{ field: read, weight: weight ?? 1 }] : [];
  });
  if (!query || fields.length < search.value.fields.length) return null;
  const { words, lastIsPrefix, emptyMatches } = matching;
  const { language, accents } = search.value;
  return { query, ...(language !== 'none' && { language }), accents, words, lastIsPrefix, emptyMatches, fields };
}

/** Whether an expression is a parameter with text of a bounded length. */
function isQuery(c: Checking, query: Expr): boolean {
  if (query.op !== 'get' || query.of.op !== 'name' || query.type.kind !== 'string') return false;
  const place = query.of.name === 'request' ? 'body' : query.of.name;
  const parameter = c.one.parameters.find((one) => one.in?.value === place && one.name.text === query.member);
  // A parameter without allowed values has a question of its own.
  return parameter !== undefined && (!parameter.allowed || allowedLength(parameter.allowed.value) <= MOST_OF_QUERY);
}
