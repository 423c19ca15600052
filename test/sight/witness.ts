import { effectiveEndpoints } from '../../src/compiler/document/effective.ts';
import type { Sides, Turn, Witness } from '../differential/conversation.ts';
import { type Scope, sees as seesRow } from '../differential/evaluate.ts';
import { header, match, type Request } from '../differential/http.ts';
import type { Interpreter } from '../differential/interpreter.ts';
import { type Showing, showRow } from '../differential/show.ts';
import { Ref, type Val } from '../differential/value.ts';
import { speeches } from '../differential/versions.ts';
import { scopeOf } from '../differential/writes.ts';
import { type Heard, STREAM } from './heard.ts';

/** A value by which a row is known: no shorter text could be told from others. */
const SHORTEST = 6;

/** A reader of the stream: who reads, and what it has been sent. */
interface Reader {
  readonly key: string | null;
  readonly messages: string[];
  seen: number;
}

/**
 * Looks at everything that callers are sent for values of rows that they may not see, and at what the stream tells of a
 * row for what the interpreter says that its reader sees of it.
 */
export class SightWitness implements Witness {
  /** What was looked at, by the way in which a row could have reached a caller. */
  readonly ways = new Map<string, number>();
  readonly leaks: string[] = [];
  /** How many values of hidden rows were looked for. */
  looked = 0;
  private readonly heard: Heard;
  private readonly readers: Reader[] = [];
  private readonly kept = new Set<string>();
  private visibleBefore = new Set<string>();
  private revisions = new Map<string, number>();
  private sent = '';

  constructor(heard: Heard) {
    this.heard = heard;
  }

  async begin(sides: Sides, keys: readonly string[], at: number): Promise<void> {
    for (const key of keys.length ? keys : [null]) {
      const headers = this.headersFor(sides, key);
      const messages = await sides.compiled.follow(STREAM, headers, at);
      if (messages) this.readers.push({ key, messages, seen: 0 });
    }
  }

  before(sides: Sides, turn: Turn): void {
    this.sent = turn.say === 'request' ? JSON.stringify(turn.request) : '';
    const { interpreter } = sides;
    this.revisions = new Map(everyRow(interpreter).map((ref) => [nameOf(ref), interpreter.rows.get(ref).revision]));
    if (turn.say !== 'request') return;
    const scope = this.scopeOf(interpreter, keyOf(interpreter, turn.request), turn.request.at);
    this.visibleBefore = new Set(
      everyRow(interpreter)
        .filter((ref) => sees(scope, ref))
        .map(nameOf),
    );
  }

  async after(sides: Sides, turn: Turn, answer: string | null): Promise<void> {
    if (turn.say === 'request' && answer !== null) this.lookAtAnswer(sides, turn.request, answer);
    if (turn.say === 'key') return;
    await sides.compiled.drained();
    const at = turn.say === 'request' ? turn.request.at : turn.at;
    for (const reader of this.readers) this.lookAtStream(sides, reader, at);
  }

  private lookAtAnswer(sides: Sides, request: Request, answer: string): void {
    const { interpreter } = sides;
    const key = keyOf(interpreter, request);
    const scope = this.scopeOf(interpreter, key, request.at);
    for (const way of this.waysOf(interpreter, request, key, answer)) this.count(way);
    // What a request has written itself, it is shown; and what is kept for a key is given again, whatever has happened since.
    const own = (ref: Ref): boolean =>
      this.visibleBefore.has(nameOf(ref)) || this.revisions.get(nameOf(ref)) !== interpreter.rows.get(ref).revision;
    if (this.isReplay(request, key)) return;
    this.lookFor(sides, scope, own, answer, `${request.method} ${request.path}`);
  }

  private lookAtStream(sides: Sides, reader: Reader, at: number): void {
    const { interpreter, translation } = sides;
    const scope = this.scopeOf(interpreter, reader.key, at);
    const messages = reader.messages.slice(reader.seen);
    reader.seen = reader.messages.length;
    const told = messages.flatMap((text) => {
      const [, type = '', json = ''] = /event: (.*)\ndata: (.*)\n/.exec(text) ?? [];
      return type ? [{ type, json: translation.fromEngine(json, '') }] : [];
    });
    for (const [i, { type, json }] of told.entries()) {
      this.count('event in a stream');
      this.lookFor(sides, scope, () => false, json, type);
      const { timestamp, data } = JSON.parse(json) as { timestamp: string; data: Record<string, unknown> };
      const ref = this.subject(interpreter, type, data);
      const again = told
        .slice(i + 1)
        .some((one) => ref && this.subject(interpreter, one.type, JSON.parse(one.json).data)?.key === ref.key);
      if (!scope || !ref || again || Date.parse(timestamp) !== at) continue;
      const showing: Showing = {
        model: interpreter.model,
        rows: interpreter.rows,
        apiVersion: speeches(interpreter.model)[0]!,
        scope,
      };
      const expected = showRow(showing, ref, this.heard.views.get(ref.resource)!);
      const found = JSON.stringify(data);
      const same = JSON.stringify(JSON.parse(translation.fromEngine(expected, ''))) === found;
      if (!sees(scope, ref)) this.leaks.push(`${type} is told to one who may not see the row: ${json}`);
      else if (!same) this.leaks.push(`${type} tells ${found} where its reader sees ${expected}`);
      else this.count('payload as its reader sees the row');
    }
  }

  /** The row that an event is about, if it is still there and its identity is shown. */
  private subject(interpreter: Interpreter, type: string, data: Record<string, unknown>): Ref | null {
    const resource = interpreter.model.resources.list.find(({ name }) =>
      type.startsWith(`${name.text.toLowerCase()}.`),
    )!;
    const field = resource.fields.find((one) => one.unique?.value.kind === 'identity')?.name.text;
    if (!field || type.endsWith('.heard1')) return null;
    const shown = data[speeches(interpreter.model)[0]!.name(resource.name.text, field) ?? ''];
    return shown === undefined ? null : interpreter.rows.byIdentity(resource.name.text, shown as Val);
  }

  /** Looks in a text for the values of rows that a caller may not see, and that no row has which it may see. */
  private lookFor(sides: Sides, scope: Scope | null, own: (ref: Ref) => boolean, text: string, where: string): void {
    const { interpreter } = sides;
    const caller = scope?.names.get('caller');
    const hidden = new Map<string, string>();
    const open = new Set<string>();
    for (const ref of everyRow(interpreter)) {
      const isCaller = caller instanceof Ref && nameOf(caller) === nameOf(ref);
      const seen = isCaller || own(ref) || sees(scope, ref);
      for (const value of valuesOf(interpreter, ref))
        if (seen) open.add(value);
        else hidden.set(value, ref.resource);
    }
    for (const [value, resource] of hidden) {
      if (open.has(value) || this.sent.includes(value) || this.heard.text.includes(value)) continue;
      this.looked++;
      if (text.includes(JSON.stringify(value).slice(1, -1)))
        this.leaks.push(`${where} tells “${value}” of a hidden ${resource}: ${text}`);
    }
  }

  private waysOf(interpreter: Interpreter, request: Request, key: string | null, answer: string): string[] {
    const status = Number(answer.slice(0, 3));
    const ways = status >= 400 ? [status === 409 ? 'conflict' : `refusal ${status}`] : [];
    if (answer.includes('"reference_unknown"')) ways.push('reference unknown');
    if (/^ETag: /m.test(answer)) ways.push('ETag');
    if (this.isReplay(request, key, true)) ways.push('idempotent replay');
    const found = effectiveEndpoints(interpreter.model).find(
      ({ endpoint }) => endpoint.method === request.method && match(endpoint.path, request.path),
    );
    if (!found || status >= 300) return ways;
    const listed = found.steps.some((step) => step.verb === 'List');
    ways.push(listed ? 'list' : request.method === 'GET' ? 'GET' : 'write');
    const query = new URLSearchParams(request.query ?? '');
    if (found.parameters.some((one) => one.keeps && query.has(one.name.text))) ways.push('filter');
    if (listed && found.steps.some((step) => step.verb === 'List' && step.order !== null)) ways.push('sort');
    if (/\.size\(\)|"total":/.test(answer) || /\.size\(\)/.test(JSON.stringify(found.steps))) ways.push('count');
    return ways;
  }

  /** Whether a request has a key that its caller has sent before. */
  private isReplay(request: Request, key: string | null, note = false): boolean {
    const sent = header(request, 'idempotency-key');
    if (sent === undefined) return false;
    const name = JSON.stringify([request.path, key, sent]);
    const known = this.kept.has(name);
    if (!note) this.kept.add(name);
    return known;
  }

  /** Who asks; null where nobody is let in, who then sees nothing. */
  private scopeOf(interpreter: Interpreter, key: string | null, at: number): Scope | null {
    const known = key === null ? null : interpreter.keys.get(key)!;
    const { authentication } = interpreter.model;
    const open = authentication.none || this.heard.text.includes('- Access: anyone');
    if (known ? !interpreter.rows.has(known.ref) : !open) return null;
    const names = new Map<string, Val>([
      ['caller', known?.ref ?? null],
      ['scopes', known?.scopes ?? []],
    ]);
    return scopeOf({ ...interpreter.doing(at, names), rows: interpreter.rows }, null, true);
  }

  private headersFor({ interpreter, translation }: Sides, key: string | null): Array<readonly [string, string]> {
    const { authentication, versioning } = interpreter.model;
    const headers: Array<readonly [string, string]> = [];
    const template = authentication.schemes[0]?.header?.value;
    if (key !== null && template) headers.push([template.name, `${template.scheme} ${translation.forEngine(key)}`]);
    const current = speeches(interpreter.model)[0]!.version;
    if (versioning.header) headers.push([versioning.header.value, current]);
    return headers;
  }

  private count(way: string): void {
    this.ways.set(way, (this.ways.get(way) ?? 0) + 1);
  }
}

const sees = (scope: Scope | null, ref: Ref): boolean => scope !== null && seesRow(scope, ref);

const nameOf = (ref: Ref): string => `${ref.resource} ${ref.key}`;

const everyRow = ({ model, rows }: Interpreter): Ref[] =>
  model.resources.list.flatMap(({ name }) => rows.all(name.text));

/** The key that a request is sent with; null where it has none, or one that nobody has. */
function keyOf({ keys, model }: Interpreter, request: Request): string | null {
  const template = model.authentication.schemes[0]?.header?.value;
  const sent = template && header(request, template.name.toLowerCase());
  const key = sent?.split(/ +/).at(-1) ?? '';
  return keys.has(key) ? key : null;
}

/** The texts that a row holds, by which it can be known. */
function valuesOf({ rows }: Interpreter, ref: Ref): string[] {
  return [...rows.get(ref).values.values()]
    .flatMap((value) => (Array.isArray(value) ? (value as Val[]) : [value]))
    .filter((value): value is string => typeof value === 'string' && value.length >= SHORTEST);
}
