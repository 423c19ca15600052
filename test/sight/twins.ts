import { compile } from '../../src/compiler/compile.ts';
import { Compiled, inMemory } from '../differential/engine.ts';

/** One request: by whom, what, and the name that its answer's identity goes by. */
export interface Asking {
  readonly by: string;
  readonly ask: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly as?: string;
  /** True where it writes rows that the stranger may not see: of two worlds, it is done in one alone. */
  readonly hidden?: true;
}

/** Two worlds of one document that differ in rows which a stranger may not see, and in nothing else. */
export interface Twins {
  readonly text: string;
  readonly header: string;
  readonly resource: string;
  readonly callers: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly scopes: readonly string[];
  readonly identity: string;
  readonly stream: string | null;
  readonly stranger: string;
  readonly askings: readonly Asking[];
}

const START = Date.UTC(2026, 10, 20, 12);
const UNKNOWN = '0195c2a0-0000-7000-8000-00000000ffff';
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** What the stranger is answered and sent, in the world that has the hidden rows, or in the one that lacks them. */
export async function heardBy(twins: Twins, withHidden: boolean): Promise<string[]> {
  const { plan } = compile('twins.md', twins.text);
  const compiled = await Compiled.start(plan!, inMemory);
  const keys = new Map<string, string>();
  let at = START;
  for (const [name, fields] of twins.callers) {
    const id = await compiled.operate({ do: 'add', resource: twins.resource, fields: new Map(fields) }, ++at);
    keys.set(name, await compiled.issueKey(twins.resource, id, twins.scopes, ++at));
  }
  const credentials = (by: string): [string, string] => [
    twins.header.split(': ')[0]!,
    twins.header.split(': ')[1]!.replace('{key}', keys.get(by)!),
  ];
  const stream = twins.stream && (await compiled.follow(twins.stream, [credentials(twins.stranger)], ++at));
  const ids = new Map<string, string>();
  const out: string[] = [];
  for (const asking of twins.askings) {
    at += 1000;
    if (asking.hidden && !withHidden) continue;
    const { status, headers, body } = await compiled.handle(requestOf(asking, credentials(asking.by), ids, at));
    if (asking.as) ids.set(asking.as, String(JSON.parse(body!)[twins.identity]));
    await compiled.drained();
    if (asking.hidden && status >= 400) throw new Error(`${asking.ask} is answered ${status} ${body}`);
    if (asking.by === twins.stranger) out.push(`${asking.ask}: ${status} ${JSON.stringify(headers)} ${body}`);
  }
  await compiled.stop();
  return [...out, ...(stream ?? [])].map(plainly);
}

function requestOf(asking: Asking, own: [string, string], ids: ReadonlyMap<string, string>, at: number) {
  const filled = (text: string): string => text.replace(/\{(\w+)\}/g, (_, name: string) => ids.get(name) ?? UNKNOWN);
  const [method = '', target = ''] = filled(asking.ask).split(' ');
  const [path = '', query = null] = target.split('?');
  const body = asking.body === undefined ? null : filled(JSON.stringify(asking.body));
  const sent = Object.entries(asking.headers ?? {});
  const headers: Array<[string, string]> = body
    ? [own, ...sent, ['Content-Type', 'application/json'], ['Content-Length', `${Buffer.byteLength(body)}`]]
    : [own, ...sent];
  return { method, path, query, headers, body, at };
}

/** Identities differ from world to world: each goes by the place where it stands first. Places in the stream are sealed, and an address is shared. */
function plainly(text: string): string {
  const found = [...new Set(text.match(UUID) ?? [])];
  return text
    .replace(UUID, (one) => `id ${found.indexOf(one)}`)
    .replace(/"(?:next|after)":"[^"]+"/g, '"next":"…"')
    .replace(/^id: .*$/gm, 'id')
    .replace(/address\\";r=\d+;t=\d+/g, 'address');
}
