import type { SchemeContract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import { callOf, type SentBody } from '../../export/client/call.ts';
import { showParts } from '../../http/multipart.ts';
import { credentialField } from '../../plan/callers.ts';
import { FORM_TYPE } from '../../plan/media-types.ts';
import { OperatorCredentials } from '../../runtime/operator-credentials.ts';
import { OperatorError } from '../../runtime/operator-error.ts';
import { Router } from '../../runtime/request/router.ts';
import type { RequestBody } from '../body.ts';
import { type ConsoleService, engineOf, statingOf } from '../console-service.ts';
import { type Hide, hidingOf } from '../hidden-secrets.ts';
import { ConsoleError } from '../problem.ts';
import type { TryAnswer } from '../protocol.ts';
import { refusedBy } from '../refusal-statements.ts';
import type { Route } from '../route.ts';
import { sendOut } from '../sender.ts';

type Headers = ReadonlyArray<readonly [string, string]>;

/** The most bytes of a body of `/try`: files are in it as base64. */
const MOST_BYTES = 8_000_000;

/** A credential for a single request. */
interface OneCredential {
  readonly scheme: SchemeContract;
  readonly credential: string;
  /** Puts `…` in its place, whether in the form of its header or as it was given. */
  readonly hide: Hide;
  /** Ends it; resolves to false where that failed, which the page then shows. */
  readonly end: () => Promise<boolean>;
}

/** The content of a request: its bytes, and the values that a program sends for them. */
interface Content {
  readonly bytes: Buffer;
  readonly sent: SentBody;
}

/** The route that sends a request to the service, as any caller could. */
export function tryViews(served: ConsoleService): Route[] {
  return [
    {
      method: 'POST',
      path: '/try',
      most: MOST_BYTES,
      about: (body) => {
        const caller = body.optionalObject('caller');
        // A path may hold a secret, which no log has: the endpoint is named.
        const endpoint = endpointOf(served, body.text('method'), body.text('path'));
        const who =
          caller && `as ${caller.text('scheme')} ${caller.optionalText('credential') ? '' : caller.text('id')}`;
        return `${endpoint?.name ?? 'no endpoint'} ${who ?? ''}`.trim();
      },
      answer: ({ body }) => tried(served, body),
    },
  ];
}

async function tried(served: ConsoleService, body: RequestBody): Promise<TryAnswer> {
  const [method, path] = [body.text('method'), body.text('path')];
  if (!path.startsWith('/')) throw new ConsoleError('wrong use', 'The path begins with “/”.');
  const caller = body.optionalObject('caller');
  const stated = body.pairs('headers');
  const content = contentOf(body, stated);
  const held = caller && (await credentialOf(served, caller));
  let revoked = held === null;
  try {
    const headers = [
      ...hostOf(served),
      ...credentials(held),
      ...originOf(served, held),
      ...stated,
      ...lengthOf(content),
    ];
    const outgoing = { method, address: served.address(), path, headers, body: content?.bytes ?? null };
    const response = await sendOut(outgoing, held?.hide);
    if (held) revoked = await held.end();
    const endpoint = endpointOf(served, method, path);
    const { contract } = statingOf(served);
    const [version] = contract.versions;
    const sent = { path, headers: stated, body: content?.sent ?? null, scheme: held?.scheme.name ?? null };
    return {
      sent: { line: `${method} ${path} HTTP/1.1`, headers: shown(headers, held) },
      ...response,
      endpoint: endpoint?.name ?? null,
      refusal: refusedBy(statingOf(served), endpoint, response),
      revoked,
      call:
        endpoint && version && method !== 'HEAD'
          ? callOf(contract, version, endpoint, { ...sent, baseUrl: served.address() })
          : null,
    };
  } finally {
    if (held && !revoked) await held.end();
  }
}

/** The content of a request: text, the bytes of a file, or the parts of a form. */
function contentOf(body: RequestBody, headers: Headers): Content | null {
  const file = body.optionalObject('file');
  if (file) {
    const { type, fileName, bytes } = fileOf(file);
    return { bytes, sent: { kind: 'bytes', type, fileName } };
  }
  const parts = body.optionalObjects('parts');
  if (parts) return partsOf(parts);
  const text = body.optionalText('body');
  if (text === null) return null;
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const isForm = type.split(';')[0]?.trim().toLowerCase() === FORM_TYPE;
  const sent = isForm
    ? { kind: 'form' as const, fields: [...new URLSearchParams(text)] }
    : { kind: 'text' as const, text };
  return { bytes: Buffer.from(text), sent };
}

function partsOf(parts: readonly RequestBody[]): Content {
  const read = parts.map((part) => {
    const name = part.text('name');
    const file = part.optionalObject('file');
    return file ? { name, file: fileOf(file) } : { name, text: part.text('text') };
  });
  const members = Map.groupBy(read, ({ name }) => name);
  const values = [...members].map(([name, all]): [string, unknown] => [
    name,
    all.map((one) => {
      if (!('file' in one)) return one.text;
      const { type, fileName: filename, bytes } = one.file;
      return { type, filename, latin1: bytes.toString('latin1') };
    }),
  ]);
  return { bytes: showParts(Object.fromEntries(values), String), sent: { kind: 'parts', parts: read } };
}

function fileOf(file: RequestBody): { readonly type: string; readonly fileName: string; readonly bytes: Buffer } {
  const [type, fileName] = [file.text('type'), file.text('name')];
  // A part states it in a line of its own.
  if (!/^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/.test(type))
    throw new ConsoleError('wrong use', `“${type}” is not a media type.`);
  return { type, fileName, bytes: Buffer.from(file.text('base64'), 'base64') };
}

/** The credential of a caller: issued for this request, or given. */
async function credentialOf(served: ConsoleService, caller: RequestBody): Promise<OneCredential> {
  const name = caller.text('scheme');
  const scheme = statingOf(served).contract.schemes.find((one) => one.name === name);
  if (!scheme) throw new OperatorError(`The document has no scheme “${name}”.`, true);
  const given = caller.optionalText('credential');
  if (given === '') throw new ConsoleError('wrong use', 'The credential is empty.');
  if (given !== null) {
    const credential = scheme.basic ? Buffer.from(given).toString('base64') : given;
    const password = scheme.basic ? given.slice(given.indexOf(':') + 1) : given;
    return { scheme, credential, hide: hidingOf([credential, given, password]), end: async () => true };
  }
  const issued = await new OperatorCredentials(engineOf(served)).issue(name, caller.text('id'), caller.texts('scopes'));
  const end = (): Promise<boolean> =>
    issued.end().then(
      () => true,
      () => false,
    );
  const { credential } = issued;
  return { scheme, credential, hide: hidingOf([credential]), end };
}

/** The header `Host`, from the public address of the service. */
function hostOf(served: ConsoleService): Headers {
  return [['Host', new URL(engineOf(served).url ?? served.address()).host]];
}

const credentials = (held: OneCredential | null): Headers =>
  held ? [credentialField(held.scheme, held.credential)] : [];

/** The header `Origin` of the service's own pages, beside a credential that browsers send by themselves. */
const originOf = (served: ConsoleService, held: OneCredential | null): Headers =>
  held?.scheme.cookie || held?.scheme.basic
    ? [['Origin', new URL(engineOf(served).url ?? served.address()).origin]]
    : [];

const lengthOf = (content: Content | null): Headers =>
  content === null ? [] : [['Content-Length', String(content.bytes.length)]];

/** The sent headers without the credential. */
const shown = (headers: Headers, held: OneCredential | null): Headers =>
  headers.map(([name, value]) => [name, held ? held.hide(value) : value]);

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
