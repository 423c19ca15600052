import type { Compiled as Document } from '../../src/compiler/compile.ts';
import { effectiveEndpoints } from '../../src/compiler/document/effective.ts';
import { identityOf } from '../../src/compiler/document/resolve.ts';
import type { Resource } from '../../src/compiler/statements/resources.ts';
import type { Random } from '../../src/verify/requests/random.ts';
import { Compiled, type OpenStore } from './engine.ts';
import type { Request } from './http.ts';
import { Interpreter } from './interpreter.ts';
import { type Command, operate } from './operate.ts';
import { Requests } from './requests.ts';
import { sample } from './sample.ts';
import type { Answer } from './show.ts';
import { Translation } from './translation.ts';
import { kindOf, targetOf } from './validate.ts';

/** What is said to both sides, in the interpreter’s terms. */
export type Turn =
  | { readonly say: 'request'; readonly request: Request }
  | { readonly say: 'command'; readonly command: Command; readonly at: number }
  | {
      readonly say: 'key';
      readonly key: string;
      readonly resource: string;
      readonly id: string;
      readonly scopes: readonly string[];
      readonly at: number;
    };

/** Where the two sides have said different things. */
export interface Difference {
  readonly interpreter: string;
  readonly engine: string;
}

/** Sees what is said to both sides of a conversation, and what the engine answers, in the interpreter’s terms. */
export interface Witness {
  /** Before anything but rows and keys is there. */
  begin(sides: Sides, keys: readonly string[], at: number): Promise<void>;
  before(sides: Sides, turn: Turn): void;
  after(sides: Sides, turn: Turn, answer: string | null): Promise<void>;
}

/** The interpreter and the engine of one document, side by side. */
export class Sides {
  readonly interpreter: Interpreter;
  readonly compiled: Compiled;
  readonly translation: Translation;
  /** The engine’s latest answer, in the interpreter’s terms. */
  answered: string | null = null;
  readonly statuses = new Map<number, number>();
  private readonly tells: boolean;

  private constructor(document: Document, compiled: Compiled) {
    this.interpreter = new Interpreter(document.model);
    this.compiled = compiled;
    const pages = document.model.limits.pages?.value;
    this.tells = document.model.errors.payload?.value.kind === 'RFC 9457';
    this.translation = new Translation(pages?.payload?.find((one) => one.value === 'next')?.name ?? null);
  }

  static async start(document: Document, open: OpenStore): Promise<Sides> {
    return new Sides(document, await Compiled.start(document.plan!, open));
  }

  /** Says something to both sides. Null where they agree. */
  async say(turn: Turn, note: (answer: Answer) => void = () => {}): Promise<Difference | null> {
    try {
      return await this.saying(turn, note);
    } catch (error) {
      const said = `It breaks:\n${(error as Error).stack}`;
      return { interpreter: said, engine: said };
    }
  }

  private async saying(turn: Turn, note: (answer: Answer) => void): Promise<Difference | null> {
    switch (turn.say) {
      case 'request':
        return this.ask(turn.request, note);
      case 'command': {
        const ours = operate(this.interpreter, turn.command, turn.at);
        const theirs = await this.compiled.operate(this.forEngine(turn.command), turn.at);
        const found = this.translation.fromEngine(theirs, ours);
        // Of two things that are wrong, a reference to no row and a rule, nothing says which the operator is told.
        const isSame = found === ours || (ours === 'refused' && found.startsWith('refused: '));
        return isSame ? this.compareRows(turn.at) : { interpreter: ours, engine: found };
      }
      case 'key': {
        const { key, resource, id, scopes, at } = turn;
        const ref = this.interpreter.rows
          .all(resource)
          .find((one) => String(this.interpreter.rows.identity(one)) === id);
        if (!ref) return null;
        this.interpreter.keys.set(key, { ref, scopes });
        const made = await this.compiled.issueKey(resource, this.translation.forEngine(id), scopes, at);
        this.translation.bind(key, made);
        return null;
      }
    }
  }

  async stop(): Promise<void> {
    await this.compiled.stop();
  }

  private async ask(request: Request, note: (answer: Answer) => void): Promise<Difference | null> {
    const ours = this.interpreter.handle(request);
    note(ours);
    this.statuses.set(ours.status, (this.statuses.get(ours.status) ?? 0) + 1);
    const say = (text: string): string => this.translation.forEngine(text);
    const body = request.body === null ? null : say(request.body);
    const length = (name: string, value: string): string =>
      name === 'Content-Length' ? String(Buffer.byteLength(body ?? '')) : say(value);
    const theirs = await this.compiled.handle({
      ...request,
      path: say(request.path),
      query: request.query === null ? null : say(request.query),
      headers: request.headers.map(([name, value]) => [name, length(name, value)]),
      body,
    });
    const told = this.tells;
    const expected = written(ours, told);
    const found = this.translation.fromEngine(written(theirs, told), expected);
    this.answered = found;
    const { unstated } = this.compiled;
    if (unstated.length) return { interpreter: 'An answer of the contract.', engine: unstated.join('\n') };
    if (found !== expected) {
      const failed = theirs.status === 500 ? `\n\n${String((this.compiled.failures.at(-1) as Error)?.stack)}` : '';
      return { interpreter: expected, engine: `${found}${failed}` };
    }
    return request.method === 'GET' || ours.status >= 300 ? null : this.compareRows(request.at);
  }

  /** What is stored is the same, whether it is shown or not. */
  private async compareRows(now: number): Promise<Difference | null> {
    const ours = this.interpreter.state(now);
    const theirs = this.translation.fromEngine(await this.compiled.state(now), ours);
    return ours === theirs ? null : { interpreter: ours, engine: theirs };
  }

  private forEngine(command: Command): Command {
    const say = (text: string): string => this.translation.forEngine(text);
    if (command.do === 'remove') return { ...command, id: say(command.id) };
    const fields = new Map([...command.fields].map(([name, text]) => [name, text === null ? null : say(text)]));
    return command.do === 'add' ? { ...command, fields } : { ...command, id: say(command.id), fields };
  }
}

/**
 * An answer as text. The interpreter knows nothing of browsers, nor of errors told in a form of the document’s own: of
 * those, status and headers are compared. Headers stand in no order, but for those of one name, and Allow’s methods in none either. */
function written({ status, headers, body }: Answer, tells: boolean): string {
  const bare = status >= 400 && !tells;
  const kept = headers.filter(([name]) => !name.startsWith('Access-Control-') && !(bare && name === 'Content-Type'));
  const lines = kept.map(([name, value]) =>
    name === 'Allow' ? `Allow: ${value.split(', ').sort().join(', ')}` : `${name}: ${value}`,
  );
  return [status, ...lines.sort(), '', (bare ? null : body) ?? ''].join('\n');
}

/** When every conversation begins. */
const START = Date.UTC(2026, 10, 20, 12);
const STEPS = [1, 1, 7, 500, 1000, 1000, 60_000, 3_600_000, 43_200_000, 86_400_000];

/** Makes up a conversation about a document, saying each turn to both sides, until they differ or it is over. */
export async function converse(
  document: Document,
  random: Random,
  requests: number,
  open: OpenStore,
  witness: Witness | null = null,
): Promise<{ turns: Turn[]; difference: Difference | null; statuses: ReadonlyMap<number, number> }> {
  const sides = await Sides.start(document, open);
  const turns: Turn[] = [];
  let difference: Difference | null = null;
  let at = START;
  const say = async (turn: Turn, note?: (answer: Answer) => void): Promise<void> => {
    if (difference) return;
    turns.push(turn);
    witness?.before(sides, turn);
    difference = await sides.say(turn, note);
    if (!difference) await witness?.after(sides, turn, turn.say === 'request' ? sides.answered : null);
  };
  try {
    for (const turn of preparation(sides.interpreter, random)) await say({ ...turn, at: ++at } as Turn);
    const keys: string[] = [];
    for (const turn of keysFor(document, sides.interpreter, random)) {
      keys.push(turn.key);
      await say({ ...turn, at: ++at });
    }
    await witness?.begin(sides, keys, ++at);
    // What a witness has asked for is counted by no rate any more.
    if (witness) at += 7_200_000;
    const next = new Requests(random, sides.interpreter, effectiveEndpoints(document.model), keys);
    for (let i = 0; i < requests && !difference; i++) {
      at += random.pick(STEPS);
      const command = random.chance(0.04) ? commandOn(sides.interpreter, random) : null;
      if (command) await say({ say: 'command', command, at });
      at += 1;
      const request = next.next(at);
      await say({ say: 'request', request }, (answer) => next.note(request, answer));
    }
  } finally {
    await sides.stop();
  }
  return { turns, difference, statuses: sides.statuses };
}

/** Says a conversation again, to new sides; gives the number of the turn in which they differ, and how. */
export async function replay(
  document: Document,
  turns: readonly Turn[],
  open: OpenStore,
): Promise<{ turn: number; difference: Difference } | null> {
  const sides = await Sides.start(document, open);
  try {
    for (const [turn, one] of turns.entries()) {
      const difference = await sides.say(one);
      if (difference) return { turn, difference };
    }
    return null;
  } finally {
    await sides.stop();
  }
}

const given = (resource: Resource): string[] =>
  resource.fields
    .filter((field) => field.givenBy!.value.some((giving) => giving.from === 'operator'))
    .map((field) => field.name.text);

/** The operator’s rows that stand ready: some of each resource that the operator can add. */
function* preparation(interpreter: Interpreter, random: Random): Generator<{ say: 'command'; command: Command }> {
  for (const resource of interpreter.model.resources.list)
    if (given(resource).length)
      for (let i = 0; i < 4; i++) {
        const command: Command = {
          do: 'add',
          resource: resource.name.text,
          fields: fieldsFor(interpreter, resource, random),
        };
        yield { say: 'command', command };
      }
}

function fieldsFor({ model, rows }: Interpreter, resource: Resource, random: Random): Map<string, string | null> {
  const name = resource.name.text;
  return new Map(
    given(resource).flatMap((field): Array<[string, string | null]> => {
      const stated = resource.fields.find((one) => one.name.text === field)!;
      if (stated.presence!.value === 'optional' && random.chance(0.5)) return [];
      const type = stated.type!.value;
      const others = type.kind === 'reference' ? rows.all(type.resource.text) : [];
      if (others.length && random.chance(0.9)) return [[field, String(rows.identity(random.pick(others)))]];
      const items = targetOf(type);
      const identities = items === null ? [] : random.some(rows.all(items), 2).map((one) => rows.identity(one));
      if (items !== null && random.chance(0.9)) return [[field, JSON.stringify(identities)]];
      const value = sample(random, kindOf(model, name, field), START);
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return [[field, text]];
    }),
  );
}

/** Keys for every caller: one with all scopes, and some with fewer. */
function* keysFor(
  { model }: Document,
  { rows }: Interpreter,
  random: Random,
): Generator<Omit<Extract<Turn, { say: 'key' }>, 'at'>> {
  const [scheme] = model.authentication.schemes;
  if (!scheme) return;
  const resource = scheme.caller!.text;
  const scopes = (scheme.scopes ?? []).map((scope) => scope.name.text);
  let made = 0;
  for (const ref of rows.all(resource)) {
    const id = String(rows.identity(ref));
    yield { say: 'key', key: `key-${made++}-end`, resource, id, scopes };
    if (scopes.length && random.chance(0.5))
      yield { say: 'key', key: `key-${made++}-end`, resource, id, scopes: random.some(scopes, scopes.length - 1) };
  }
}

/** A command of the operator while the service runs. */
function commandOn(interpreter: Interpreter, random: Random): Command | null {
  const { model, rows } = interpreter;
  const resource = random.pick(model.resources.list);
  const name = resource.name.text;
  // Rows without an identity of the document's own are called differently by both sides.
  if (!identityOf(resource)) return null;
  const all = rows.all(name);
  const id = all.length ? String(rows.identity(random.pick(all))) : random.uuid();
  const kind = random.pick(['add', 'change', 'remove'] as const);
  if (kind === 'remove') return random.chance(0.5) ? { do: kind, resource: name, id } : null;
  const fields = fieldsFor(interpreter, resource, random);
  if (fields.size === 0) return null;
  if (kind === 'add') return { do: kind, resource: name, fields };
  const some = new Map(random.some([...fields], random.int(1, 2)));
  return { do: kind, resource: name, id, fields: some };
}
