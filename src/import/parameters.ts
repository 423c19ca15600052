import type { Parameter } from '../compiler/statements/endpoints.ts';
import { PARAMETER, type ParameterPlace } from '../language/endpoints.ts';
import { isFieldName as isHeaderName, READ_ALREADY } from '../language/header-fields.ts';
import { codeToken } from '../syntax/tokens.ts';
import type { Node } from './node.ts';
import type { Input } from './operations.ts';
import type { EndpointPath } from './paths.ts';
import type { Places } from './places.ts';
import type { Reason } from './reasons.ts';
import { here, hereIf, isFieldName, type Member, named } from './resources.ts';
import { isSayable } from './sayable.ts';
import { schemaValue, stateSources, type Value } from './value.ts';

const AT = { from: 0, to: 0 };

/** Makes the parameters of one endpoint. */
export class Parameters {
  readonly all: Parameter[] = [];
  private readonly taken = new Set<string>();
  private readonly endpoint: string;
  private readonly path: EndpointPath;
  private readonly places: Places;

  constructor(endpoint: string, path: EndpointPath, places: Places) {
    this.endpoint = endpoint;
    this.path = path;
    this.places = places;
  }

  /** Adds a parameter in the path, the query or a header. */
  add(input: Input): void {
    const { node, place, name, schema } = input;
    const written = place === 'path' ? this.path.names.get(name) : name;
    const problem = written === undefined ? 'place' : problemOf(place, written);
    if (problem) node.leave(problem);
    else this.row(written ?? name, place as ParameterPlace, input, schema && schemaValue(schema));
  }

  /** Adds a member of a form, in which a list repeats its name; `isRepeated`: whether the file writes lists so. */
  addFormMember({ name, node, required }: Member, isRepeated: boolean): void {
    const { type } = schemaValue(node);
    const isList = type?.kind === 'list' && !('of' in type.of);
    const isSayable = type === null || !('of' in type) || (isList && isRepeated);
    if (!isSayable) node.leave('form');
    this.addMember({ name, node, required }, isSayable);
  }

  /** Adds a member of the body. */
  addMember({ name, node, required }: Member, hasType = true): void {
    const problem = problemOf('body', name);
    const read = schemaValue(node);
    const value: Value = hasType ? read : { ...read, type: null, allowed: null };
    if (problem) node.leave(problem);
    if (!problem && value.object) node.leave('nested');
    const input = { node, schema: node, isRequired: required.length > 0 && !value.nullable, hasCommas: true };
    for (const one of required) if (!problem) one.state();
    if (!problem) this.row(name, 'body', input, value);
  }

  private row(
    name: string,
    place: ParameterPlace,
    { node, schema, isRequired, hasCommas }: Pick<Input, 'node' | 'schema' | 'isRequired' | 'hasCommas'>,
    value: Value | null,
  ): void {
    // Steps call the parameters of the path and the query by their names alone.
    const key = place === 'header' || place === 'body' ? `${place} ${name.toLowerCase()}` : name.toLowerCase();
    if (this.taken.has(key)) {
      node.leave('duplicateName');
      return;
    }
    this.taken.add(key);
    if (!value?.type && place !== 'body' && schema) schema.leave(value?.object ? 'object' : 'list');
    if (value?.nullable && place !== 'body') schema?.leave('twoTypes');
    const isHeld = value?.type ? 'of' in value.type : false;
    const isWritten = place !== 'body' && isHeld;
    const isList = value?.type?.kind === 'list' && !('of' in value.type.of);
    const isUnsayable = isWritten && !(isList && hasCommas);
    if (isUnsayable) node.leave('separated');
    const type = isUnsayable ? null : (value?.type ?? null);
    const stated = type === null ? null : { kind: 'plain' as const, type, separated: isWritten };
    // A format of text has no column in the table of parameters.
    const formats = (value?.sources.type ?? []).filter(({ pointer }) => pointer.endsWith('/format'));
    if (value?.format) for (const one of formats) one.leave('parameterFormat');
    if (value)
      stateSources(value, {
        type: type !== null,
        allowed: !isUnsayable && value.allowed !== null,
        presence: place === 'body',
      });
    const fallback = place === 'path' || isUnsayable ? null : defaultOf(schema, value);
    const presence = place === 'path' || isRequired ? 'always' : fallback ? 'else' : 'optional';
    if (presence === 'else') schema?.resolved()?.stateMembers('default');
    if (node.get('required') && place !== 'body') node.stateMembers('required');
    if (place !== 'body') node.stateMembers('in', 'name');
    this.places.set(node.pointer, 'endpoints', this.endpoint, 'Parameter', `${name} in ${place}`);
    this.all.push({
      name: named(name),
      in: here(place),
      type: hereIf(stated),
      allowed: hereIf(isUnsayable ? null : (value?.allowed ?? null)),
      presence: here(presence),
      fallback: presence === 'else' ? fallback : null,
      otherwise: null,
      keeps: null,
      span: AT,
    });
  }
}

/** Why no parameter has a name at a place; null where one may. */
function problemOf(place: string, name: string): Reason | null {
  if (place === 'formData') return 'media';
  if (!PLACES.includes(place)) return 'place';
  if (!isSayable(PARAMETER.Parameter.value, named(name))) return 'fieldName';
  if (place === 'header') return READ_ALREADY.includes(name.toLowerCase()) || !isHeaderName(name) ? 'header' : null;
  return isFieldName(name) && !name.includes('.') ? null : 'fieldName';
}

const PLACES: readonly string[] = ['path', 'query', 'header', 'body'] satisfies readonly ParameterPlace[];

/** The value of a parameter that is not sent, as an expression; null where the file states none that one can be. */
function defaultOf(schema: Node | null, stated: Value | null): Parameter['fallback'] {
  const value = schema?.resolved()?.get('default')?.value;
  if (value === undefined || stated === null || !isValueOf(value, stated)) return null;
  const text = JSON.stringify(value);
  const token = codeToken(text);
  return isSayable(PARAMETER.Presence.value, token) ? token : null;
}

/** Whether a default value is one that the parameter allows. */
function isValueOf(value: unknown, { type, format, allowed }: Value): boolean {
  if (type?.kind === 'boolean') return typeof value === 'boolean';
  if (type?.kind === 'integer') {
    const isInside = allowed?.kind !== 'range' || (allowed.min <= Number(value) && Number(value) <= allowed.max);
    return Number.isSafeInteger(value) && isInside;
  }
  if (type?.kind !== 'string' || typeof value !== 'string' || format !== null) return false;
  if (allowed?.kind === 'one of') return allowed.values.some(({ text }) => text === value);
  if (allowed?.kind === 'length') return value.length >= allowed.min && value.length <= allowed.max;
  return allowed === null;
}
