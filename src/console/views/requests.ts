import type { Contract } from '../../contract/contract.ts';
import { type ConsoleService, statingOf } from '../console-service.ts';
import type { RequestShown, RequestsAnswer } from '../protocol.ts';
import type { RecentRequest } from '../recent-requests.ts';
import { refusedBy, type StatedDocument } from '../refusal-statements.ts';
import type { Route } from '../route.ts';
import { windowOf } from '../window.ts';

/** The last requests, with what refused them. */
export function requestViews(served: ConsoleService): Route[] {
  return [
    {
      method: 'GET',
      path: '/requests',
      answer: ({ query }): RequestsAnswer => {
        const { offset, limit } = windowOf(query);
        const found = served.recent.newest().filter(isWanted(query));
        const stating = statingOf(served);
        const requests = found.slice(offset, offset + limit).map((one) => shown(stating, one));
        return { total: found.length, offset, requests };
      },
    },
  ];
}

/** Whether a request has what a query names. */
function isWanted(query: URLSearchParams): (one: RecentRequest) => boolean {
  const [endpoint, status, code, caller, id] = ['endpoint', 'status', 'code', 'caller', 'id'].map(
    (name) => query.get(name) ?? '',
  );
  return (one) =>
    (one.endpoint ?? 'none').toLowerCase().includes(endpoint!.toLowerCase()) &&
    (status === '' || String(one.status).startsWith(status!)) &&
    (code === '' || one.code === code) &&
    (caller === '' || (one.caller ?? '').includes(caller!)) &&
    (id === '' || one.id === id);
}

function shown(stating: StatedDocument, one: RecentRequest): RequestShown {
  const { contract } = stating;
  const endpoint = endpointOf(contract, one.endpoint);
  const refusal =
    one.status < 400
      ? null
      : refusedBy(stating, endpoint, { status: one.status, body: JSON.stringify(one.code ?? '') });
  const { caller } = one;
  const at = caller?.indexOf('/') ?? 0;
  return {
    id: one.id,
    at: new Date(one.at).toISOString(),
    method: one.method,
    endpoint: one.endpoint,
    status: one.status,
    code: one.code,
    caller: caller === null ? null : { resource: caller.slice(0, at), id: caller.slice(at + 1) },
    milliseconds: one.milliseconds,
    bytes: one.bytes,
    because: refusal?.because ?? null,
    lines: refusal?.lines ?? [],
  };
}

/** The endpoint of a name in the current version. */
const endpointOf = ({ versions: [current] }: Contract, name: string | null) =>
  current?.endpoints.find((one) => one.name === name) ?? null;
