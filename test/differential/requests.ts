import type { Effective } from '../../src/compiler/document/effective.ts';
import type { Parameter } from '../../src/compiler/statements/endpoints.ts';
import type { Requested } from '../../src/language/endpoints.ts';
import type { Allowed, FieldType } from '../../src/language/values.ts';
import type { Random } from '../../src/verify/requests/random.ts';
import { bodyParameters } from './body.ts';
import type { Request } from './http.ts';
import { type Interpreter, showWritten } from './interpreter.ts';
import { sample, spoilt } from './sample.ts';
import type { Answer } from './show.ts';
import { type Kind, kindOf, kindOfParameter, targetOf } from './validate.ts';
import { Ref, type Val } from './value.ts';

/** What was sent before, and what came of it. */
export interface Past {
  readonly request: Request;
  readonly answer: Answer;
}

/** Makes requests that mostly hit something: right ids, values near their bounds, the next page, the same again. */
export class Requests {
  private readonly random: Random;
  private readonly interpreter: Interpreter;
  private readonly endpoints: readonly Effective[];
  private readonly keys: readonly string[];
  private readonly past: Past[] = [];

  constructor(random: Random, interpreter: Interpreter, endpoints: readonly Effective[], keys: readonly string[]) {
    this.random = random;
    this.interpreter = interpreter;
    this.endpoints = endpoints;
    this.keys = keys;
  }

  /** Takes note of an answer, for the requests to come. */
  note(request: Request, answer: Answer): void {
    this.past.push({ request, answer });
  }

  /** A request; of several that come to nothing, mostly one that comes to something. */
  next(at: number): Request {
    for (let tries = 0; ; tries++) {
      const request = this.one(at);
      if (tries >= 4 || this.random.chance(0.3) || this.comesToSomething(request)) return request;
    }
  }

  private comesToSomething(request: Request): boolean {
    try {
      return this.interpreter.peek(request) < 400;
    } catch {
      // What breaks the interpreter is to be seen.
      return true;
    }
  }

  private one(at: number): Request {
    const { random } = this;
    if (random.chance(0.08) && this.past.length) return { ...random.pick(this.past).request, at };
    const walked = random.chance(0.25) ? this.nextPage(at) : null;
    if (walked) return walked;
    const one = random.pick(this.endpoints);
    const { model } = this.interpreter;
    const path = one.endpoint.path.replace(/\{([^}]+)\}/g, (_, name: string) => {
      const parameter = one.parameters.find((each) => each.name.text === name)!;
      return encodeURIComponent(this.written(this.ofParameter(parameter, at), 'x'));
    });
    const asked = one.settings.request!.value;
    const takes = asked !== 'none' || bodyParameters(one).length > 0;
    const body = takes ? this.body(one, asked, at) : this.stray();
    const { method: own } = one.endpoint;
    const head = own === 'GET' && random.chance(0.05);
    const method = random.chance(0.02) ? random.pick(['PUT', 'GET', 'OPTIONS', 'DELETE']) : head ? 'HEAD' : own;
    const headers = [...this.bodyHeaders(body, asked), ...this.otherHeaders(one)];
    const query = this.query(one, at);
    void model;
    return { method, path: random.chance(0.01) ? `${path}/` : path, query, headers, body, at };
  }

  /** The page after one that was answered. */
  private nextPage(at: number): Request | null {
    const pages = this.interpreter.model.limits.pages?.value;
    const member = pages?.payload?.find((one) => one.value === 'next')?.name;
    const found = this.past.findLast(({ answer }) => answer.body?.includes(`"${member}":"cursor-`));
    if (!pages || !found) return null;
    const cursor = (JSON.parse(found.answer.body!) as Record<string, string>)[member!]!;
    const query = new URLSearchParams(found.request.query ?? '');
    query.set(pages.place, this.random.chance(0.05) ? `${cursor}x` : cursor);
    if (this.random.chance(0.1)) query.set('more', '1');
    return { ...found.request, query: String(query), at };
  }

  /** A value for a parameter: one that a row has, or one made up. */
  private ofParameter(parameter: Parameter, now: number): unknown {
    const { random } = this;
    const kind = kindOfParameter(this.interpreter.model, parameter);
    if (random.chance(0.05)) return spoilt(random, kind);
    const type = parameter.type!.value;
    if (type.kind === 'field' && random.chance(0.85)) {
      const known = this.known(type.resource.text, type.field.text);
      if (known !== undefined) return known;
    }
    return sample(random, kind, now);
  }

  /** The value that some row has in a field, as it is shown. */
  private known(resource: string, field: string): unknown {
    const { rows } = this.interpreter;
    const all = rows.all(resource);
    if (all.length === 0) return undefined;
    // The latest rows are where most happens.
    const ref = this.random.chance(0.5) ? all.at(-1)! : this.random.pick(all);
    return this.plain(rows.get(ref).values.get(field) ?? null) ?? undefined;
  }

  private plain(value: Val): unknown {
    const shown = showWritten(this.interpreter, value instanceof Ref ? this.interpreter.rows.identity(value) : value);
    return shown === null ? null : JSON.parse(shown);
  }

  /** A value as it stands in a path or a query. */
  private written(value: unknown, instead: string): string {
    const list = Array.isArray(value) ? value.join(',') : null;
    const text = list ?? (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
    return text.isWellFormed() && text !== '' ? text : instead;
  }

  private query(one: Effective, at: number): string | null {
    const { random } = this;
    const query: Array<[string, string]> = [];
    for (const parameter of one.parameters.filter((each) => each.in!.value === 'query')) {
      if (random.chance(parameter.presence!.value === 'always' ? 0.08 : 0.5)) continue;
      const value = this.written(this.ofParameter(parameter, at), '');
      query.push([parameter.name.text, value]);
      if (random.chance(0.02)) query.push([parameter.name.text, value]);
    }
    const pages = this.interpreter.model.limits.pages?.value;
    if (pages && one.steps.some((step) => step.verb === 'List')) {
      if (random.chance(0.6)) query.push([pages.limit, String(random.pick([1, 1, 1, 2, 2, 3, 5, 0, 1000, '01', 'x']))]);
      if (pages.by !== 'cursor' && random.chance(0.5)) query.push([pages.place, this.place(one, pages.by)]);
      else if (random.chance(0.03)) query.push([pages.place, 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA']);
    }
    if (random.chance(0.03)) query.push(['more', 'x']);
    return query.length ? String(new URLSearchParams(query)) : random.chance(0.02) ? '' : null;
  }

  /** Where a page may begin, other than at a cursor. */
  private place(one: Effective, by: string): string {
    const { random } = this;
    if (by !== 'identity' || random.chance(0.1)) return String(random.pick([0, 1, 1, 2, 2, 3, 4, 50, -1, '02', 'x']));
    const listed = one.steps.find((step) => step.verb === 'List');
    if (listed?.verb !== 'List') return 'x';
    const all = this.interpreter.rows.all(listed.resource.text);
    return all.length ? this.written(this.interpreter.rows.identity(random.pick(all)), 'x') : 'x';
  }

  private stray(): string | null {
    return this.random.chance(0.03) ? this.random.pick(['{}', '', 'x']) : null;
  }

  private body(one: Effective, asked: Requested | 'none', at: number): string | null {
    const { random, interpreter } = this;
    if (random.chance(0.02)) return random.pick(['', '{', '[]', '"x"', 'null', '{"a":1,}', null]);
    const fields = asked === 'none' ? {} : this.fields(asked, at);
    let body: Record<string, unknown> = fields;
    if (asked !== 'none' && asked.member) {
      const many = Array.from({ length: random.int(0, 3) }, () => this.fields(asked, at));
      body = { [asked.member.text]: asked.list ? many : fields };
    }
    for (const parameter of bodyParameters(one)) {
      if (random.chance(parameter.presence!.value === 'always' ? 0.05 : 0.4)) continue;
      const kind = kindOfParameter(interpreter.model, parameter);
      body[parameter.name.text] = random.chance(0.05) ? spoilt(random, kind) : this.ofParameter(parameter, at);
    }
    if (random.chance(0.02)) body.more = 1;
    const text = JSON.stringify(body);
    return random.chance(0.05) ? text.replace(/:(\d+)([,}])/, ':$1.0$2') : text;
  }

  private fields(asked: Requested, at: number): Record<string, unknown> {
    const { random, interpreter } = this;
    const resource = interpreter.model.resources.list.find((each) => each.name.text === asked.resource.text)!;
    const body: Record<string, unknown> = {};
    for (const { text: field } of asked.fields) {
      const stated = resource.fields.find((each) => each.name.text === field)!;
      const leave = asked.optional ? 0.4 : stated.presence!.value === 'optional' ? 0.3 : 0.03;
      const otherwise = stated.givenBy!.value.some((giving) => giving.from === 'request' && giving.otherwise);
      if (random.chance(otherwise ? 0.3 : leave)) continue;
      body[field] = this.member(kindOf(interpreter.model, resource.name.text, field), stated, resource.name.text, at);
    }
    return body;
  }

  private member(
    kind: Kind,
    stated: {
      readonly name: { readonly text: string };
      readonly type: { readonly value: unknown } | null;
      readonly presence: { readonly value: string } | null;
    },
    resource: string,
    at: number,
  ): unknown {
    const { random } = this;
    if (random.chance(0.05)) return spoilt(random, kind);
    if (stated.presence!.value === 'optional' && random.chance(0.1)) return null;
    const type = stated.type!.value as { kind: string; resource?: { text: string } };
    if (type.kind === 'reference' && random.chance(0.93)) {
      const { rows } = this.interpreter;
      const all = rows.all(type.resource!.text);
      if (all.length) return this.plain(random.pick(all));
    }
    const items = targetOf(stated.type!.value as FieldType);
    if (items !== null && random.chance(0.93)) {
      const { rows } = this.interpreter;
      const { min, max } = kind.allowed as Extract<Allowed, { kind: 'items' }>;
      const some = random.some(rows.all(items), random.int(min, Math.min(max, 3)));
      const twice = random.chance(0.1) ? some.slice(0, 1) : [];
      return [...some, ...twice].map((one) => this.plain(one));
    }
    if (random.chance(0.2)) {
      const known = this.known(resource, stated.name.text);
      if (known !== undefined) return known;
    }
    return sample(random, kind, at, this.interpreter.model.resources.rules.decimals?.value.as);
  }

  private bodyHeaders(body: string | null, asked: Requested | 'none'): Array<[string, string]> {
    const { random } = this;
    if (body === null) return [];
    const type = random.chance(0.02)
      ? random.pick(['text/plain', 'application/merge-patch+json'])
      : asked !== 'none' && asked.optional && random.chance(0.3)
        ? 'application/merge-patch+json'
        : 'application/json';
    const headers: Array<[string, string]> = [];
    if (asked === 'none' || !random.chance(0.01)) headers.push(['Content-Length', String(Buffer.byteLength(body))]);
    if (!random.chance(0.01)) headers.push(['Content-Type', type]);
    if (random.chance(0.01)) headers.push(['Content-Encoding', random.pick(['gzip', 'identity'])]);
    return headers;
  }

  private otherHeaders(one: Effective): Array<[string, string]> {
    const { random } = this;
    const { model } = this.interpreter;
    const headers: Array<[string, string]> = [];
    const scheme = model.authentication.schemes[0]?.header?.value;
    if (scheme && !random.chance(0.02)) {
      const key = random.chance(0.03) ? 'nobody' : random.pick([...this.keys, ...(this.keys.length ? [] : ['none'])]);
      headers.push([scheme.name, scheme.scheme === null ? key : this.credential(scheme.scheme, key)]);
    }
    const { versioning } = model;
    if (versioning.header && random.chance(0.8)) {
      const spoken = versioning.versions.filter((each) => each.state !== 'retired' || random.chance(0.1));
      const names = [versioning.current!.value, ...spoken.map((each) => each.name)];
      headers.push([versioning.header.value, random.chance(0.03) ? '1999-01-01' : random.pick(names)]);
    }
    const key = one.settings.idempotency?.value;
    if (key && key !== 'none' && !random.chance(0.03)) {
      const text = random.chance(0.8) ? `k${this.past.length}` : random.pick(['k1', 'k2', '"k3"', '', 'a,b']);
      headers.push([key.header, random.chance(0.3) && !text.includes('"') ? `"${text}"` : text]);
    }
    const required = one.settings.preconditions?.value === 'required';
    if ((required || one.steps.some((step) => step.verb === 'Match')) && !random.chance(0.05))
      headers.push(['If-Match', this.tag()]);
    const tagged = one.settings.conditional?.value === 'strong ETag' || one.endpoint.method !== 'GET';
    if (tagged && random.chance(one.settings.preconditions ? 0.5 : 0.4)) {
      const [name, value] = this.condition();
      if (!headers.some(([other]) => other === name)) headers.push([name, value]);
    }
    if (random.chance(0.06)) headers.push(['Accept', random.pick(['*/*', 'text/html', 'application/*'])]);
    return headers;
  }

  private credential(scheme: string, key: string): string {
    const { random } = this;
    const word = random.chance(0.02) ? 'Other' : random.chance(0.05) ? scheme.toLowerCase() : scheme;
    return random.chance(0.01) ? word : `${word} ${key}`;
  }

  /** A condition on an answer, mostly that it is another than one before. */
  private condition(): [string, string] {
    const { random } = this;
    const seen = this.past.flatMap(({ answer }) => answer.headers.filter(([name]) => name === 'ETag'));
    const tag = seen.length ? (random.chance(0.7) ? seen.at(-1)! : random.pick(seen))[1] : '"none"';
    const value = random.pick([tag, tag, tag, `W/${tag}`, `"x", ${tag}`, '*', 'x', '"x"']);
    return [random.chance(0.7) ? 'If-None-Match' : 'If-Match', value];
  }

  /** A tag that a row may have, or a list with one. */
  private tag(): string {
    const { random } = this;
    const seen = this.past.flatMap(({ answer }) => answer.headers.filter(([name]) => name === 'ETag'));
    const tag = seen.length && random.chance(0.5) ? seen.at(-1)![1] : `"${random.int(1, 3)}"`;
    return random.pick([tag, tag, tag, tag, '*', `W/${tag}`, `"x", ${tag}`, 'x']);
  }
}
