import type { SchemeContract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import { credentialField } from '../../plan/callers.ts';
import { Operator } from '../../runtime/operator.ts';
import { OperatorError } from '../../runtime/operator-error.ts';
import { Router } from '../../runtime/request/router.ts';
import type { RequestBody } from '../body.ts';
import { type ConsoleService, engineOf, statingOf } from '../console-service.ts';
import { ConsoleError } from '../problem.ts';
import type { TryAnswer } from '../protocol.ts';
import { refusedBy } from '../refusal-statements.ts';
import type { Route } from '../route.ts';
import { sendOut } from '../sender.ts';

type Headers = ReadonlyArray<readonly [string, string]>;

/** A key for a single request. */
interface OneKey {
  readonly scheme: SchemeContract;
  readonly id: string;
  readonly key: string;
}

/** The route that sends a request to the service, as any caller could. */
export function tryViews(served: ConsoleService): Route[] {
  return [{ method: 'POST', path: '/try', answer: ({ body }) => tried(served, body) }];
}

async function tried(served: ConsoleService, body: RequestBody): Promise<TryAnswer> {
  const [method, path] = [body.text('method'), body.text('path')];
  if (!path.startsWith('/')) throw new ConsoleError('wrong use', 'The path begins with “/”.');
  const caller = body.optionalObject('caller');
  const stated = body.pairs('headers');
  const content = body.optionalText('body');
  const issued = caller && (await issue(served, caller));
  let revoked = issued === null;
  try {
    const headers = [
      ...hostOf(served),
      ...credentials(issued),
      ...originOf(served, issued),
      ...stated,
      ...lengthOf(content),
    ];
    const response = await sendOut({ method, address: served.address(), path, headers, body: content });
    if (issued) revoked = await revoke(served, issued);
    const endpoint = endpointOf(served, method, path);
    return {
      sent: { line: `${method} ${path} HTTP/1.1`, headers: shown(headers, issued) },
      ...response,
      endpoint: endpoint?.name ?? null,
      refusal: refusedBy(statingOf(served), endpoint, response),
      revoked,
    };
  } finally {
    if (issued && !revoked) await revoke(served, issued);
  }
}

/** Issues a key for a single request, as the operator may under the document. */
async function issue(served: ConsoleService, caller: RequestBody): Promise<OneKey> {
  const name = caller.text('scheme');
  const scheme = statingOf(served).contract.schemes.find((one) => one.name === name);
  if (!scheme) throw new OperatorError(`The document has no scheme “${name}”.`, true);
  const operator = new Operator(engineOf(served));
  return { scheme, ...(await operator.issueKey(scheme.caller, caller.text('id'), caller.texts('scopes'), name)) };
}

/** Revokes the key. Returns false on failure, which the page then shows. */
async function revoke(served: ConsoleService, { id }: OneKey): Promise<boolean> {
  return new Operator(engineOf(served)).revokeKey(id).then(
    () => true,
    () => false,
  );
}

/** The header `Host`, from the public address of the service. */
function hostOf(served: ConsoleService): Headers {
  return [['Host', new URL(engineOf(served).url ?? served.address()).host]];
}

const credentials = (issued: OneKey | null): Headers => (issued ? [credentialField(issued.scheme, issued.key)] : []);

/** The header `Origin` of the service's own pages, beside a cookie. */
const originOf = (served: ConsoleService, issued: OneKey | null): Headers =>
  issued?.scheme.cookie ? [['Origin', new URL(engineOf(served).url ?? served.address()).origin]] : [];

const lengthOf = (body: string | null): Headers =>
  body === null ? [] : [['Content-Length', String(Buffer.byteLength(body))]];

/** The sent headers without the key. */
const shown = (headers: Headers, issued: OneKey | null): Headers =>
  headers.map(([name, value]) => [name, issued ? value.replaceAll(issued.key, '…') : value]);

/** The endpoint of a request in the contract of the current version. */
function endpointOf(served: ConsoleService, method: string, path: string): EndpointContract | null {
  const engine = engineOf(served);
  const router = new Router();
  for (const one of engine.endpoints) router.add(one.plan.method, one.plan.path, one);
  const [asked = ''] = path.split('?');
  const bare = engine.versions.split(asked, (one) => router.methods(one).length > 0).path;
  const found = router.find(method === 'HEAD' ? 'GET' : method, bare)?.endpoint;
  const { contract } = statingOf(served);
  return contract.versions[0]?.endpoints.find((one) => one.name === found?.plan.name) ?? null;
}
