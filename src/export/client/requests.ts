import type { EndpointContract } from '../../contract/endpoint.ts';
import { successesOf, successStatuses } from '../../contract/successes.ts';
import { FORM_TYPE, isJson, MULTIPART_TYPE } from '../../plan/media-types.ts';
import { call, literal } from './layout.ts';
import { mayMatch, stated } from './signatures.ts';
import type { Method } from './tree.ts';
import { access, quote, WIDTH } from './words.ts';
import type { Argument, Writing } from './writing.ts';

export function requestOf(
  w: Writing,
  { endpoint }: Method,
  path: readonly Argument[],
  sent: Argument | null,
  query: Argument | null,
): string[] {
  const { idempotency, access: allowed, method } = endpoint;
  if (path.length > 0) w.features.add('path');
  const statuses = successStatuses(endpoint);
  const status = statuses.length > 1 ? `[${statuses.join(', ')}]` : (statuses[0] ?? 200);
  if (statuses.length > 1) w.features.add('several');
  const members = [`method: ${quote(method)}`, `path: ${template(endpoint.path, endpoint, path)}`];
  if (query) members.push('query');
  if (endpoint.body?.bytes) {
    w.features.add('bytes');
    members.push('bytes: body');
  } else if (sent) members.push('body');
  if (endpoint.body?.mediaTypes[0] === MULTIPART_TYPE) {
    w.features.add('bytes');
    w.features.add('parts');
    members.push('parts: true');
  }
  if (endpoint.body?.mediaTypes[0] === FORM_TYPE) {
    w.features.add('forms');
    members.push('form: true');
  }
  if (method === 'QUERY') w.features.add('query');
  const headers = stated(endpoint, 'header').length > 0;
  if (headers) members.push('headers: options?.headers');
  members.push(`status: ${status}`);
  const body = successesOf(endpoint).find((one) => one.body)?.body;
  if (body?.type.kind === 'bytes') {
    w.features.add('bytesOut');
    members.push(`stream: ${quote(acceptOf(w, body.type.mediaTypes.join(', ')))}`);
  } else if (body?.type.kind === 'csv') {
    w.features.add('bytesOut');
    members.push(`stream: ${quote(acceptOf(w, body.mediaType.replace(/;.*/, '')))}`);
  } else if (body && !isJson(body.mediaType) && body.type.kind !== 'stream') {
    const kind = body.type.kind === 'rows' ? 'rows' : 'text';
    w.features.add(kind);
    members.push(`${kind}: ${quote(acceptOf(w, body.mediaType.replace(/;.*/, '')))}`);
  }
  const schemes = w.schemes.acceptedOptions(allowed.schemes);
  if (schemes !== null) members.push(`schemes: [${schemes.map(quote).join(', ')}]`);
  if (idempotency) members.push(`keyHeader: ${quote(idempotency.header)}`);
  if (idempotency) w.features.add('keys');
  if (idempotency && !idempotency.required) {
    members.push('keyOptional: true');
    w.features.add('optionalKeys');
  }
  if (makesAnew(endpoint)) {
    members.push('once: true');
    w.features.add('once');
  }
  if (mayMatch(endpoint)) {
    w.features.add('tags');
    members.push("match: 'given'");
  }
  const row = rowOf(endpoint);
  if (row !== null && w.matched.has(row.tag)) {
    w.features.add('tags');
    members.push(row.whole && query ? 'row: true' : `row: ${template(row.path, endpoint, path)}`);
    if (row.matched) members.push('match: true');
  }
  return members;
}

/** `Accept` for a type that is not JSON; with the media type of the version if media types select versions. */
export const acceptOf = ({ contract, version }: Writing, mediaType: string): string =>
  contract.versioning?.by.kind === 'media type' ? `${mediaType}, ${version.mediaType}` : mediaType;

/** Whether an endpoint has an idempotent method (RFC 9110), and is not idempotent: each request creates something. */
const makesAnew = ({ method, steps, idempotency }: EndpointContract): boolean =>
  (method === 'PUT' || method === 'DELETE') &&
  !idempotency?.required &&
  steps.some((step) => /^(?:create|issue|handle|call|run)/.test(step.do));

/**
 * The path of the row whose entity tag an endpoint returns or requires; if the tag belongs to the whole answer, the
 * path of the endpoint.
 */
export function rowOf(endpoint: EndpointContract) {
  const { path, preconditions, name, method } = endpoint;
  const end = path.lastIndexOf('}');
  const own = end < 0 ? path : path.slice(0, end + 1);
  const required = preconditions?.ifMatch === 'required' ? preconditions : null;
  const of = required ? required.of : method === 'GET' && preconditions ? name : null;
  if (of !== null) return { path, tag: `the answer of ${of}`, matched: required !== null, whole: true };
  const [shown = null, ...others] = successesOf(endpoint).map(
    ({ headers }) => headers.find((one) => one.name === 'ETag')?.expression ?? null,
  );
  if (!required && others.some((one) => one?.text !== shown?.text)) return null;
  const tag = required?.to ?? shown;
  return tag && { path: own, tag: `${own} ${tag.text}`, matched: required !== null, whole: false };
}

/** A template literal of the path with its parameters. */
function template(path: string, endpoint: EndpointContract, args: readonly Argument[]): string {
  const [argument] = args;
  if (!argument || !path.includes('{')) return quote(path);
  const several = endpoint.path.split('{').length > 2;
  const filled = path.replace(
    /\{([^}]+)\}/g,
    (_all, name: string) => `\${${several ? access(argument.name, name) : argument.name}}`,
  );
  return `path\`${filled}\``;
}

export function sending(before: string, request: readonly string[], depth: number): string[] {
  const line = `${before}(${literal(request, Infinity)}, options);`;
  if (depth + line.length <= WIDTH) return [line];
  return call(before, [literal(request, WIDTH - depth - 3), 'options'], ';', depth);
}
