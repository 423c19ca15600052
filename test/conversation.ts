import assert from 'node:assert/strict';
import { withFastHashes } from '../src/cli/testing/hashing.ts';
import { contractOf } from '../src/contract/contract-of.ts';
import type { SchemePlan } from '../src/plan/callers.ts';
import type { Plan } from '../src/plan/step.ts';
import { Operator } from '../src/runtime/operator.ts';
import { Service } from '../src/runtime/service.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';
import type { Store } from '../src/store/store.ts';
import { ContractJudge } from '../src/verify/contract/answers.ts';
import type { ContractFault } from '../src/verify/contract/values.ts';
import { faultText } from './contract/fault-text.ts';
import { until } from './harness.ts';
import { Reader } from './reader.ts';
import { Receiver } from './receiver.ts';
import { TestKeys } from './tokens.ts';

const ADA = '0195c2a0-0000-7000-8000-000000000001';
/** The headers that a case shows where an answer has them. */
const SHOWN = [
  'location',
  'etag',
  'allow',
  'www-authenticate',
  'retry-after',
  'deprecation',
  'sunset',
  'cache-control',
  'content-language',
  'link',
  'last-modified',
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-allow-methods',
  'access-control-allow-headers',
  'access-control-expose-headers',
  'access-control-max-age',
  'set-cookie',
];

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
 * `{1}` is the identity in the first answer’s body, and `{ada}` the customer that stands ready where the document has
 * customers. Lines that start with `!` are the operator’s commands: `add`, `list`, `change` and `remove` rows, `key` to
 * send requests as another row from then on, `token` as what a token with such claims says, `told` with
 * the last credential that an answer told or set as a cookie (`header` says in which
 * header, `scheme` by which scheme), `receive` events at a receiver of its own (or `listen` at one, `{receiver 1}`), whose payloads `received` shows
 * once nothing is on its way (and, with a number, so many have come), and `events`; `! wait 50` lets milliseconds pass,
 * `follow` opens a stream, with a header where one follows (`again` comes back to where it was, or to where it had `begun`), of which `heard` shows so many messages, `leave` ends it,
 * `{tag 2}` is the second entity tag that an answer had, which a block with the word `tags` shows by that number,
 * and `{in 300}` is the instant so many milliseconds from now. Identities and instants are shown as `…`, an instant without milliseconds as `… to the second`,
 * and the seconds of a `RateLimit` from 10 on in full tens, since they pass.
 */
export class Conversation {
  private readonly service = new Service({
    host: '127.0.0.1',
    port: 0,
    admin: null,
    url: 'https://api.example.com',
    secrets: (scheme) => this.keys.secret(scheme),
    allowPrivate: true,
    // What is described, and not how: the exports have tests of their own.
    describe: async () => (format, version, leftOut) => {
      const [name = '', number = ''] = format.toLowerCase().split(' ');
      const without = leftOut && { uncalled: [...leftOut.uncalled], concealed: [...leftOut.concealed] };
      return JSON.stringify({ [name]: `${number}.0`, version, ...without });
    },
    log: () => {},
  });
  private readonly plan: Plan;
  private readonly keys: TestKeys;
  private readonly ids: string[] = [];
  /** The entity tags that answers had, each once. */
  private readonly tags: string[] = [];
  private operator!: Operator;
  private key = '';
  /** The last credential that an answer has told. */
  private told = '';
  /** The header in which the key is sent, `{key}` standing for it. */
  private header: readonly [string, string] = ['authorization', 'Bearer {key}'];
  private scheme: string | null = null;
  private shown: readonly string[] = SHOWN;
  private readonly receivers: Receiver[] = [];
  private received = 0;
  private reader: Reader | null = null;
  /** The id with which the first stream began. */
  private begun = '';
  private readonly declared: ContractJudge;
  /** The faults of answers and payloads so far, by the contract. */
  private readonly undeclared: string[] = [];

  private constructor(plan: Plan) {
    // The tests of passwords hash at the costs of documents.
    this.plan = withFastHashes(plan);
    this.declared = new ContractJudge(contractOf(plan), 'all declared');
    this.keys = new TestKeys(plan);
  }

  static async start(plan: Plan, store: Store = new SqliteStore(':memory:', plan)): Promise<Conversation> {
    const conversation = new Conversation(plan);
    await conversation.open(store);
    return conversation;
  }

  private async open(store: Store): Promise<void> {
    await this.service.start(this.plan, store);
    this.operator = new Operator(this.service.engine!);
    const [scheme] = this.plan.schemes;
    const customer = this.plan.resources.find((one) => one.name === 'Customer')?.columns.map((column) => column.name);
    if (scheme?.resource !== 'Customer' || customer?.join(' ') !== 'id name email') return;
    await this.operator.add(
      'Customer',
      new Map([
        ['id', ADA],
        ['name', 'Ada'],
        ['email', 'ada@example.com'],
      ]),
    );
    this.key = (await this.operator.issueKey('Customer', ADA, scheme.scopes, scheme.name)).key;
  }

  /**
   * Sends what the `>` lines say, in turn, and gives the text with the answers that came; `shown` names headers to
   * show beside the usual ones.
   */
  async hold(text: string, shown: readonly string[]): Promise<string> {
    this.shown = [...SHOWN, ...shown];
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
    assert.deepEqual(this.undeclared, []);
    return out;
  }

  private holdDeclared(what: string, faults: readonly ContractFault[]): void {
    this.undeclared.push(...faults.map((fault) => `${what}: ${faultText(fault)}`));
  }

  private async ask([first = '', ...rest]: readonly string[]): Promise<string> {
    const [method = '', path = ''] = first.split(' ');
    const headers: Record<string, string> = { [this.header[0]]: this.header[1].replace('{key}', this.key) };
    let body: string | null = null;
    for (const line of rest) {
      const header = body === null ? /^([A-Za-z-]+): (.*)$/.exec(line) : null;
      if (header) headers[header[1]!.toLowerCase()] = header[2]!;
      else body = body === null ? line : `${body}\n${line}`;
    }
    if (body !== null) headers['content-type'] ??= 'application/json';
    // The lines of a form of several parts end as those of HTTP do.
    if (headers['content-type']?.startsWith('multipart/')) body = body?.replaceAll('\n', '\r\n') ?? null;
    for (const [name, value] of Object.entries(headers)) if (value === 'none') delete headers[name];
    const target = this.filled(path);
    const sent = Object.entries(headers).map(([name, value]) => [name, this.filled(value)] as const);
    const response = await fetch(`http://127.0.0.1:${this.service.port}${target}`, {
      redirect: 'manual',
      method,
      headers: Object.fromEntries(sent),
      body: body === null ? null : this.filled(body),
    });
    const answer = await response.text();
    const came = { status: response.status, headers: [...response.headers], body: Buffer.from(answer) };
    this.holdDeclared(first, this.declared.faults({ method, target, headers: sent }, came));
    const cookie = /^[^=]+=([^;]+);/.exec(response.headers.get('set-cookie') ?? '');
    const [, credential, secret] = /"(?:key|token)":"([^"]+)"|"secret":"([\w-]{43})"/.exec(answer) ?? [];
    this.told = credential ?? secret ?? cookie?.[1] ?? this.told;
    this.ids.push(/"id":"([^"]+)"/.exec(answer)?.[1] ?? '');
    const shown = this.shown.flatMap((name) => {
      const value = response.headers.get(name);
      if (value === null) return [];
      const told = name === 'etag' ? this.tagOf(value) : hidden(value);
      return [`< ${name}: ${name === 'retry-after' ? '…' : told}\n`];
    });
    return `< ${response.status}\n${shown.join('')}${answer && `< ${hidden(answer)}\n`}`;
  }

  private tagOf(tag: string): string {
    if (!this.tags.includes(tag)) this.tags.push(tag);
    return this.shown.includes('tags') ? `{tag ${this.tags.indexOf(tag) + 1}}` : hidden(tag);
  }

  private async command(words: string): Promise<string> {
    const [name = '', ...rest] = (words.startsWith('header') ? words : this.filled(words)).split(' ');
    try {
      const told = await this.run(name, rest);
      return told.map((line) => `< ${hidden(line)}\n`).join('');
    } catch (error) {
      return `< refused: ${hidden((error as Error).message)}\n`;
    }
  }

  private async run(name: string, [of = '', id = '', ...rest]: readonly string[]): Promise<string[]> {
    const { operator } = this;
    const fields = (words: readonly string[]) =>
      new Map(words.filter(Boolean).map((word) => word.split('=') as [string, string]));
    switch (name) {
      case 'add':
        return [JSON.stringify(await operator.add(of, fields([id, ...rest])))];
      case 'change':
        return [JSON.stringify(await operator.edit(of, id, fields(rest)))];
      case 'list':
        return (await operator.list(of)).map((row) => JSON.stringify(row));
      case 'remove':
        await operator.remove(of, id);
        return ['removed'];
      case 'key':
        this.key = (await operator.issueKey(of, id, rest, this.scheme)).key;
        return [];
      case 'token':
        this.key = await this.keys.sign(this.tokenScheme(), JSON.parse([of, id, ...rest].join(' ').trim() || '{}'));
        return [];
      case 'told':
        this.key = this.told;
        return [];
      case 'header':
        this.header = [of.toLowerCase(), [id, ...rest].join(' ')];
        return [];
      case 'scheme':
        this.scheme = [of, id, ...rest].join(' ').trim();
        return [];
      case 'receive':
        await operator.receivers.add(await this.listen(), ...chosen([of, id, ...rest].filter(Boolean)), true);
        return ['registered'];
      case 'listen':
        await this.listen();
        return [];
      case 'received':
        return await this.arrived(Number(of));
      case 'follow':
        this.reader?.leave();
        return await this.follow(of, null, [id, ...rest].join(' '));
      case 'again':
        this.reader?.leave();
        return await this.follow(of, id === 'begun' ? this.begun : id || this.reader!.lastId);
      case 'heard':
        return this.heard(Number(of));
      case 'ended':
        await until(() => this.reader!.ended, 'the end of the stream');
        return ['ended'];
      case 'events':
        return (await operator.listDeliveries()).map((one) => String(one.type));
      case 'wait':
        await new Promise((resolve) => setTimeout(resolve, Number(of)));
        return [];
      default:
        throw new Error(`There is no command “${name}” in a case`);
    }
  }

  /** Asks for a stream; gives what it began with. */
  private async follow(path: string, from: string | null, header = ''): Promise<string[]> {
    const headers = {
      ...(this.key && this.header[0] === 'cookie'
        ? { cookie: this.header[1].replace('{key}', this.key) }
        : this.key && { authorization: `Bearer ${this.key}` }),
      ...(from && { 'last-event-id': from }),
      ...(header && { [header.split(': ')[0]!.toLowerCase()]: header.split(': ')[1]! }),
    };
    this.reader = await Reader.open(`http://127.0.0.1:${this.service.port}${path}`, headers);
    const { reader } = this;
    if (this.plan.stream?.retry != null) await until(() => reader.ended || reader.retry !== null, 'the first block');
    this.begun ||= reader.lastId;
    const { status, type, refusal, retry } = reader;
    return [`${status} ${type}${retry === null ? '' : `, retry ${retry}`}`, ...(refusal ? [refusal] : [])];
  }

  /** Messages of the stream, each with the name of its event. */
  private async heard(count: number): Promise<string[]> {
    return (await this.reader!.heard(count)).map(({ type, data }) => {
      const message: unknown = JSON.parse(data);
      const isEnvelope = this.plan.stream?.data === 'envelope';
      this.holdPayload(type, isEnvelope ? (message as { data: unknown }).data : message);
      return `${type} ${data}`;
    });
  }

  /** Holds a payload to the contract: in whichever version it has been sent. */
  private holdPayload(event: string, data: unknown): void {
    const versions = [this.plan.versions?.current ?? '', ...(this.plan.versions?.older ?? []).map(({ name }) => name)];
    const faults = versions.map((version) => this.declared.payloadFaults(event, version, data));
    const least = faults.reduce((one, other) => (other.length < one.length ? other : one));
    this.holdDeclared(event, least);
  }

  /** Sets up a receiver; gives where it listens. */
  private async listen(): Promise<string> {
    const receiver = await new Receiver().up();
    this.receivers.push(receiver);
    return receiver.url;
  }

  /** What has come since it was last asked, in the order in which it was recorded, once nothing is on its way. */
  private async arrived(count: number): Promise<string[]> {
    const over = async () => (await this.operator.listDeliveries()).every(({ state }) => state === 'delivered');
    const got = () => this.receivers.flatMap((receiver) => receiver.got);
    const from = this.received;
    await until(async () => got().length >= from + count && (await over()), 'every event delivered');
    const all = got().sort((a, b) => (a.id < b.id ? -1 : 1));
    this.received = all.length;
    return all.slice(from).map(({ type, data }) => {
      this.holdPayload(type, data);
      return `${type} ${JSON.stringify(data)}`;
    });
  }

  private tokenScheme(): SchemePlan {
    const schemes = this.plan.schemes.filter((scheme) => scheme.tokens?.keys === 'operator');
    return schemes.find((scheme) => this.scheme === null || scheme.name === this.scheme)!;
  }

  private filled(text: string): string {
    return text
      .replaceAll('{ada}', ADA)
      .replace(/\{receiver (\d+)\}/g, (_, number: string) => this.receivers[Number(number) - 1]!.url)
      .replaceAll('{key}', this.key)
      .replaceAll('{told}', this.told)
      .replace(/\{tag (\d+)\}/g, (_, number: string) => this.tags[Number(number) - 1] ?? '')
      .replace(/\{in (\d+)\}/g, (_, ms: string) => new Date(Date.now() + Number(ms)).toISOString())
      .replace(/\{(\d+)\}/g, (_, number: string) => this.ids[Number(number) - 1] ?? '');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.reader?.leave();
    await this.service.stop();
    for (const receiver of this.receivers) await receiver.down();
  }
}

/** The events of a receiver, and the version after `in`. */
function chosen(words: readonly string[]): [events: string[], version: string | null] {
  const at = words.indexOf('in');
  return at < 0 ? [[...words], null] : [words.slice(0, at), words[at + 1]!];
}

/** Whether a number is that of seconds since 1970 on the day of the run. */
const isToday = (seconds: number): boolean => Math.abs(seconds * 1000 - Date.now()) < 86_400_000;

/** Identities, instants, cursors and credentials differ from run to run. */
function hidden(text: string): string {
  return text
    .replaceAll(ADA, 'ada')
    .replace(/nf_[A-Za-z0-9]{12}_[\w-]{43}/g, 'a key')
    .replace(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'a token')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, '…')
    .replace(/\d{4}-\d\d-\d\dT[\d:]+\.\d+Z/g, '…')
    .replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, '… to the second')
    .replace(/(?<=[:,[])\d{10}(?=[,}\]])/g, (seconds) => (isToday(Number(seconds)) ? '"… in Unix time"' : seconds))
    .replace(/"secret":"[\w-]{43}"/g, '"secret":"a secret"')
    .replace(/(?<=;t=)\d{2,}/g, (seconds) => String(10 * Math.ceil(Number(seconds) / 10)))
    .replace(/whsec_[A-Za-z0-9+/=]+/g, 'whsec_…')
    .replace(/\b([a-z]{2,8}_)[0-9a-z]{24}\b/g, '$1…')
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'http://…')
    .replace(/"next":"[^"]+"/g, '"next":"…"');
}
