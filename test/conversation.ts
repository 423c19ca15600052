import type { Plan } from '../src/plan/step.ts';
import { Engine } from '../src/serve/engine.ts';
import { Operator } from '../src/serve/operator.ts';
import { Service } from '../src/serve/service.ts';
import { SqliteStore } from '../src/store/sqlite.ts';

const ADA = '0195c2a0-0000-7000-8000-000000000001';
/** The headers that a case shows where an answer has them. */
const SHOWN = ['location', 'etag', 'allow', 'www-authenticate', 'retry-after', 'deprecation', 'sunset'];

/**
 * Requests and answers as a case writes them:
 *
 *     > POST /orders
 *     > Idempotency-Key: a
 *     > {"sku": "ABC-1234"}
 *     < 201
 *     < {"id": "…"}
 *
 * A request is sent with a key of all scopes unless it brings an `Authorization` of its own (`none` sends nothing);
 * `{1}` is the identity in the first answer’s body. Lines that start with `!` are the operator’s commands. Identities
 * and instants are shown as `…`.
 */
export class Conversation {
  private readonly service = new Service({ host: '127.0.0.1', port: 0, admin: null, log: () => {} });
  private readonly plan: Plan;
  private readonly ids: string[] = [];
  private operator!: Operator;
  private key = '';

  private constructor(plan: Plan) {
    this.plan = plan;
  }

  static async start(plan: Plan): Promise<Conversation> {
    const conversation = new Conversation(plan);
    await conversation.open();
    return conversation;
  }

  private async open(): Promise<void> {
    const store = new SqliteStore(':memory:', this.plan);
    await this.service.start(this.plan, store);
    this.operator = new Operator(await Engine.start(this.plan, store));
    const { credentials } = this.plan;
    if (credentials?.resource !== 'Customer') return;
    await this.operator.add(
      'Customer',
      new Map([
        ['id', ADA],
        ['name', 'Ada'],
        ['email', 'ada@example.com'],
      ]),
    );
    this.key = (await this.operator.issueKey('Customer', ADA, credentials.scopes)).key;
  }

  /** Sends what the `>` lines say, in turn, and gives the text with the answers that came. */
  async hold(text: string): Promise<string> {
    let out = '';
    let request: string[] = [];
    const send = async (): Promise<void> => {
      if (request.length) out += `${request.join('\n')}\n${await this.ask(request.map((line) => line.slice(2)))}`;
      request = [];
    };
    for (const line of text.split('\n')) {
      if (/^(?:> [A-Z]+ \/|!)/.test(line)) await send();
      if (line.startsWith('>')) request.push(line);
      if (line.startsWith('!')) out += `${line}\n${await this.command(line.slice(1).trim())}`;
    }
    await send();
    return out;
  }

  private async ask([first = '', ...rest]: readonly string[]): Promise<string> {
    const [method = '', path = ''] = first.split(' ');
    const headers: Record<string, string> = { authorization: `Bearer ${this.key}` };
    let body: string | null = null;
    for (const line of rest) {
      const header = body === null ? /^([A-Za-z-]+): (.*)$/.exec(line) : null;
      if (header) headers[header[1]!.toLowerCase()] = header[2]!;
      else body = body === null ? line : `${body}\n${line}`;
    }
    if (body !== null) headers['content-type'] ??= 'application/json';
    if (headers.authorization === 'none') delete headers.authorization;
    const response = await fetch(`http://127.0.0.1:${this.service.port}${this.filled(path)}`, {
      method,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, this.filled(value)])),
      body: body === null ? null : this.filled(body),
    });
    const answer = await response.text();
    this.ids.push(/"id":"([^"]+)"/.exec(answer)?.[1] ?? '');
    const shown = SHOWN.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null || value === 'application/json' ? [] : [`< ${name}: ${hidden(value)}\n`];
    });
    return `< ${response.status}\n${shown.join('')}${answer && `< ${hidden(answer)}\n`}`;
  }

  private async command(words: string): Promise<string> {
    const [name = '', ...rest] = this.filled(words).split(' ');
    const pairs = rest.slice(1).map((word) => word.split('=') as [string, string]);
    try {
      if (name === 'add') return `< ${hidden(JSON.stringify(await this.operator.add(rest[0]!, new Map(pairs))))}\n`;
      if (name === 'remove') {
        await this.operator.remove(rest[0]!, rest[1]!);
        return '< removed\n';
      }
      if (name === 'receive') {
        await this.operator.addReceiver('http://127.0.0.1:9/', rest, null, true);
        return '< registered\n';
      }
      if (name === 'events') return (await this.operator.listDeliveries()).map((one) => `< ${one.type}\n`).join('');
      throw new Error(`There is no command “${name}” in a case`);
    } catch (error) {
      return `< refused: ${(error as Error).message}\n`;
    }
  }

  private filled(text: string): string {
    return text.replace(/\{(\d+)\}/g, (_, number: string) => this.ids[Number(number) - 1] ?? '');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.stop();
  }
}

/** Identities, instants and cursors differ from run to run. */
function hidden(text: string): string {
  return text
    .replaceAll(ADA, 'ada')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, '…')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…')
    .replace(/"next":"[^"]+"/g, '"next":"…"');
}
