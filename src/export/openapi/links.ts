import type { AnswerContract, EndpointContract, ParameterContract } from '../../contract/endpoint.ts';
import type { ContractType } from '../../contract/types.ts';
import type { JsonObject } from '../json.ts';
import type { Exporting } from './exporting.ts';

/** Links from an operation that creates a row to the operations that find this row by the fields in the answer. */
export function linksOf(x: Exporting, made: EndpointContract, answers: readonly AnswerContract[]): JsonObject {
  const creates = made.steps.find((step) => step.do === 'create' && step.resource !== null);
  const [success, ...others] = answers.filter(({ because }) => because.kind === 'success');
  const body = success?.body;
  if (!creates?.resource || !body || others.length > 0) return {};
  const shown = shownFields(x, body.type, creates.resource, '');
  const links = x.version.endpoints.flatMap((to): Array<[string, JsonObject]> => {
    // OpenAPI 3.1 has no operation of QUERY that a link could name.
    const id = to.method === 'QUERY' && x.format === '3.1' ? undefined : x.operations.get(to.name);
    const parameters = filled(made, to, shown);
    return id && parameters ? [[id, { operationId: id, parameters }]] : [];
  });
  return Object.fromEntries(links);
}

/** The JSON Pointers to the fields of a resource in a body. */
export function shownFields(
  x: Exporting,
  type: ContractType,
  resource: string,
  at: string,
): ReadonlyMap<string, string> {
  if (type.kind === 'shape') {
    const shape = x.version.shapes.find((one) => one.name === type.name);
    return shape?.resource === resource ? shownFields(x, shape.type, resource, at) : new Map();
  }
  if (type.kind !== 'object') return new Map();
  return new Map(
    type.members.flatMap(({ name, field, type: inner, presence, nullable }): Array<[string, string]> => {
      const here = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (presence !== 'always' || nullable) return [];
      if (field?.startsWith(`${resource}.`)) return [[field, here]];
      return field === null ? [...shownFields(x, inner, resource, here)] : [];
    }),
  );
}

/**
 * The values of an endpoint's path parameters after a row was created; null if a value is unknown, or if no value comes
 * from the row.
 */
function filled(
  made: EndpointContract,
  to: EndpointContract,
  shown: ReadonlyMap<string, string>,
): Record<string, string> | null {
  const out: Record<string, string> = {};
  let own = false;
  for (const parameter of to.parameters.filter((one) => one.in === 'path')) {
    const { finds, name } = parameter;
    const pointer = finds ? shown.get(`${finds.resource}.${finds.field}`) : undefined;
    if (pointer !== undefined) own = true;
    else if (!isAlike(made, to, parameter)) return null;
    out[name] = pointer === undefined ? `$request.path.${name}` : `$response.body#${pointer}`;
  }
  return own ? out : null;
}

/** Whether two paths are equal before a parameter. */
export function isAlike(made: EndpointContract, to: EndpointContract, { name }: ParameterContract): boolean {
  const before = (path: string): string | null => {
    const at = path.indexOf(`{${name}}`);
    return at < 0 ? null : path.slice(0, at);
  };
  return before(to.path) !== null && before(to.path) === before(made.path);
}
