import type { Compiled } from '../../src/compiler/compile.ts';
import type { Effective } from '../../src/compiler/document/effective.ts';
import { Resolved } from '../../src/compiler/document/resolve.ts';
import { isOfCallers } from '../../src/plan/limits.ts';
import { allNested } from '../../src/plan/nested-steps.ts';
import type { EndpointPlan, Plan, ResourcePlan, SchemePlan } from '../../src/plan/step.ts';
import { Random } from '../../src/verify/requests/random.ts';
import type { TestKeys } from '../tokens.ts';
import { type Draft, draftOf, otherCase, resourceOf, type Sources, sent, speak, stepOf } from './draft.ts';
import { mutationsOf } from './mutations.ts';
import type { Said, Side, Turn } from './side.ts';
import { fit, type Making, odd } from './values.ts';

/** A credential that requests can bear. */
interface Credential {
  readonly header: string;
  readonly value: string;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A rate beyond this isn't exhausted: hearing nothing for so long would be all that a test does. */
const MOST_AT_ONCE = 10_000;

/** How long nothing is said now and then: what happens by itself happens meanwhile. */
const WAITS = [15 * MINUTE, HOUR, 4 * HOUR, DAY, 2 * DAY, 8 * DAY, 31 * DAY, 100 * DAY, 366 * DAY];

/**
 * Makes up a conversation with a service, from what its document states alone: the operator's rows and keys, requests
 * that it asks for, requests that are wrong in one way or another, and time that passes. The same seed says the same.
 */
export class Conversation implements Sources {
  readonly plan: Plan;
  readonly making: Making;
  readonly turns: Array<{ readonly turn: Turn; readonly said: Said }> = [];
  private readonly random: Random;
  private readonly side: Side;
  private readonly keys: TestKeys;
  private readonly effective: ReadonlyMap<string, Effective>;
  private readonly rows = new Map<string, Array<Record<string, unknown>>>();
  private readonly paths = new Map<string, Array<ReadonlyMap<string, string>>>();
  private readonly credentials: Credential[] = [];
  private readonly tags: string[] = [];
  private readonly cursors: string[] = [];
  private count = 0;
  private refused = 0;

  constructor(compiled: Compiled, side: Side, keys: TestKeys, seed: number) {
    this.plan = compiled.plan!;
    this.side = side;
    this.keys = keys;
    this.random = Random.of(seed, 0);
    const resolved = new Resolved(compiled.model, { findings: [], marks: [] });
    this.effective = new Map(resolved.effective.map((one) => [one.endpoint.name, one]));
    const { random, plan } = this;
    this.making = {
      random,
      wire: plan.wire,
      get now() {
        return side.now;
      },
    };
  }

  /** Says all of it. `rounds` is how many times every endpoint is asked for what it takes, before and between the rest. */
  async hold(rounds: number, most = Number.POSITIVE_INFINITY): Promise<void> {
    await this.prepare();
    await this.open();
    for (let i = 0; i < rounds; i++) await this.round();
    await this.burst();
    await this.mutate(most);
    for (const milliseconds of WAITS) {
      await this.say({ say: 'wait', milliseconds });
      await this.round();
    }
    await this.operate();
    await this.trouble();
  }

  private async say(turn: Turn): Promise<Said> {
    const said = await this.side.say(turn);
    this.turns.push({ turn, said });
    return said;
  }

  // What the sources of drafts are.

  known(resource: string, field: string): string | null {
    const rows = this.rows.get(resource) ?? [];
    if (rows.length === 0) return null;
    const value = (this.random.chance(0.5) ? rows.at(-1)! : this.random.pick(rows))[field];
    return value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value);
  }

  fieldOf(endpoint: string, parameter: string): { resource: string; field: string } | null {
    const stated = this.effective.get(endpoint)?.parameters.find((one) => one.name.text === parameter);
    const type = stated?.type?.value;
    return type?.kind === 'field' ? { resource: type.resource.text, field: type.field.text } : null;
  }

  path(endpoint: EndpointPlan): ReadonlyMap<string, string> | null {
    // What is there above it is most of the way: the rest is told by a row.
    const names = namesIn(endpoint).split(' ');
    for (let count = names.length; count > 0; count--) {
      const known = this.paths.get(names.slice(0, count).join(' ')) ?? [];
      if (known.length && (count < names.length || this.random.chance(0.7))) return this.random.pick(known.slice(-6));
    }
    return null;
  }

  /** The operator enters rows, some of them wrong; issues keys, with all scopes, single ones and none; and registers receivers. */
  private async prepare(): Promise<void> {
    const { plan } = this;
    for (let i = 0; i < 3; i++)
      for (const resource of plan.resources)
        if (operated(resource).length) await this.add(resource, this.fieldsFor(resource, i === 0));
    for (const resource of plan.resources) {
      for (const column of operated(resource)) {
        const fields = this.fieldsFor(resource);
        const without = new Map([...fields].filter(([name]) => name !== column.name));
        await this.add(resource, without);
        for (const value of odd(this.making, column.rule))
          if (typeof value !== 'object' || value === null)
            await this.add(
              resource,
              new Map([...this.fieldsFor(resource), [column.name, value === null ? null : String(value)]]),
            );
        const known = this.known(resource.name, column.name);
        if (known !== null)
          await this.add(resource, new Map([...this.fieldsFor(resource), [column.name, otherCase(known)]]));
        if (known !== null) await this.add(resource, new Map([...this.fieldsFor(resource), [column.name, known]]));
      }
      await this.say({ say: 'list', resource: resource.name });
      await this.refresh();
    }
    for (const scheme of plan.schemes) await this.credentialsOf(scheme);
    const events = plan.resources.flatMap((one) =>
      one.events.flatMap((event) => (event.to.includes('webhook') ? [event.name] : [])),
    );
    if (plan.webhook && events.length)
      for (const version of [
        null,
        ...(plan.versions?.older ?? []).filter((one) => !one.retired).map((one) => one.name),
      ])
        await this.say({ say: 'receiver', events, version });
  }

  /** Somebody listens to each stream from here on. */
  private async open(): Promise<void> {
    for (const endpoint of this.plan.endpoints)
      if (endpoint.after?.body?.kind === 'stream') await this.say({ say: 'open', request: sent(this.draft(endpoint)) });
  }

  private async add(resource: ResourcePlan, fields: ReadonlyMap<string, string | null>): Promise<void> {
    await this.say({ say: 'add', resource: resource.name, fields });
    await this.refresh(resource.name);
  }

  private fieldsFor(resource: ResourcePlan, all = false): Map<string, string | null> {
    const out = new Map<string, string | null>();
    for (const column of operated(resource)) {
      if (column.nullable && !all && this.random.chance(0.3)) continue;
      const known = column.reference && this.known(column.reference, resourceOf(this.plan, column.reference).identity);
      // The first row may do whatever a flag allows.
      const value = all && column.rule.kind === 'boolean' ? true : (known ?? fit(this.making, column.rule));
      out.set(column.name, typeof value === 'string' ? value : JSON.stringify(value));
    }
    return out;
  }

  private async credentialsOf(scheme: SchemePlan): Promise<void> {
    const { identity } = resourceOf(this.plan, scheme.resource);
    const holders = (this.rows.get(scheme.resource) ?? []).slice(0, 3);
    const wants = [scheme.scopes, ...scheme.scopes.map((scope) => [scope]), []];
    for (const [i, holder] of holders.entries())
      for (const scopes of i === 0 ? wants : [scheme.scopes]) {
        const word = scheme.scheme === null ? '' : `${scheme.scheme} `;
        if (scheme.tokens?.keys === 'operator') {
          const { claim, field } = scheme.tokens;
          const value = holder[field];
          const scoped = scheme.tokens.scopes && {
            [scheme.tokens.scopes.claim]: scheme.tokens.scopes.form === 'list' ? scopes : scopes.join(' '),
          };
          const token = await this.keys.sign(scheme, { exp: 400 * 86_400, [claim]: value, ...scoped });
          this.credentials.push({ header: scheme.header, value: word + token });
        } else if (scheme.issuedBy.includes('operator')) {
          const id = String(holder[identity]);
          const said = await this.say({ say: 'key', resource: scheme.resource, id, scopes, scheme: scheme.name });
          const key = said.headers.find(([name]) => name === 'key')?.[1];
          if (key) this.credentials.push({ header: scheme.header, value: word + key });
        }
      }
  }

  /** A request that every endpoint asks for, one after the other: by the first caller mostly. */
  private async round(): Promise<void> {
    for (const endpoint of this.plan.endpoints) {
      const steps = [...allNested(endpoint.inside)];
      const removes = steps.some((step) => step.do === 'remove' || step.do === 'remove every');
      const creates = steps.some((step) => step.do === 'create' || step.do === 'ensure');
      // What is removed is missed by all that comes after it.
      if (removes && this.random.chance(0.7)) continue;
      let [taken, tries] = [0, creates ? 8 : removes ? 1 : 2];
      for (; tries > 0 && taken < 3; tries--) {
        const { status } = await this.request(this.draft(endpoint));
        if (status !== null && status < 300) taken++;
      }
    }
  }

  /** A request with all that it needs to be taken, as far as that can be told. */
  private draft(endpoint: EndpointPlan): Draft {
    const { random, plan } = this;
    const older = plan.versions?.older.filter((one) => !one.retired) ?? [];
    const version = plan.versions?.without === 'refused' ? plan.versions.current : null;
    const spoken = older.length && random.chance(0.2) ? random.pick(older).name : version;
    const draft = draftOf(endpoint, this, spoken);
    if (spoken !== null) speak(draft, plan.versions!, spoken);
    const credential = this.credentials.length
      ? random.chance(0.6)
        ? this.credentials[0]!
        : random.pick(this.credentials)
      : null;
    if (credential && stepOf(endpoint, 'authenticate')) draft.headers.push([credential.header, credential.value]);
    const key = stepOf(endpoint, 'claim key');
    if (key) draft.headers.push([key.header, `k${this.count++}`]);
    if (endpoint.inside.some((step) => step.do === 'match'))
      draft.headers.push(['If-Match', random.chance(0.6) ? '*' : (this.tags.at(-1) ?? '"1"')]);
    else if (this.tags.length && random.chance(0.1)) draft.headers.push(['If-None-Match', random.pick(this.tags)]);
    const page = stepOf(endpoint, 'read page')?.page;
    if (page && this.cursors.length && random.chance(0.3)) draft.query.push([page.place, this.cursors.at(-1)!]);
    return draft;
  }

  private async request(draft: Draft): Promise<Said> {
    const said = await this.say({ say: 'request', request: sent(draft) });
    const good = said.status !== null && said.status < 300;
    if (good && draft.path.size) {
      const known = this.paths.get(namesIn(draft.endpoint)) ?? [];
      this.paths.set(namesIn(draft.endpoint), [...known, draft.path]);
    }
    // Beyond a rate there is nothing more to hear until its window is over.
    if (said.status === 429 && this.refused++ > 1) await this.say({ say: 'wait', milliseconds: HOUR / 60 });
    for (const [name, value] of said.headers) if (name.toLowerCase() === 'etag') this.tags.push(value);
    this.listen(said);
    if (good && draft.endpoint.writes) await this.refresh();
    return said;
  }

  /** What an answer tells that later requests may use: cursors, and tokens. */
  private listen(said: Said): void {
    const found = said.body?.match(/"[A-Za-z0-9_.-]{40,}"/g) ?? [];
    for (const quoted of found) {
      const text = quoted.slice(1, -1);
      if (/^(?:eyJ|nf_)/.test(text))
        for (const scheme of this.plan.schemes)
          this.credentials.push({
            header: scheme.header,
            value: scheme.scheme === null ? text : `${scheme.scheme} ${text}`,
          });
      else this.cursors.push(text);
    }
  }

  /** Every endpoint with every mutation, each of a request of its own. */
  private async mutate(most: number): Promise<void> {
    for (const endpoint of this.plan.endpoints) {
      const all = mutationsOf(this.draft(endpoint), this.plan, this.making);
      for (const mutation of most < all.length ? this.random.some(all, most) : all) {
        const draft = this.draft(endpoint);
        mutation.change(draft);
        await this.request(draft);
        if (this.random.chance(0.1)) await this.request(this.draft(this.random.pick(this.plan.endpoints)));
      }
      for (const credential of this.credentials.slice(0, 12)) {
        const draft = this.draft(endpoint);
        draft.headers = [
          ...draft.headers.filter(([name]) => name !== credential.header),
          [credential.header, credential.value],
        ];
        await this.request(draft);
      }
    }
  }

  /** More than the rate of a caller, and of an address, at once. */
  private async burst(): Promise<void> {
    const plain = this.plan.endpoints.filter((one) => !one.writes && !one.path.includes('{'));
    const open = this.plan.endpoints.filter((one) => stepOf(one, 'authenticate')?.optional ?? true);
    for (const { count, per } of this.plan.rates) {
      const known = plain.filter((one) => !open.includes(one));
      const most = {
        // Where a caller may be nobody, a made-up one often is.
        caller: [...known, ...plain],
        nobody: [...plain.filter((one) => open.includes(one)), ...open],
        address: plain,
        row: [...known, ...plain],
        rowless: [...known, ...plain],
      };
      const endpoint = most[per][0];
      if (!endpoint || typeof count !== 'number') continue;
      if (count <= MOST_AT_ONCE) {
        const draft = this.draft(endpoint);
        // An address is counted whoever asks, and nobody is refused soonest.
        if (!isOfCallers(per)) draft.headers = [];
        await this.say({ say: 'burst', request: sent(draft), times: count + 1 });
        await this.say({ say: 'wait', milliseconds: HOUR });
      }
    }
  }

  /** The operator changes and removes rows. */
  private async operate(): Promise<void> {
    for (const resource of this.plan.resources) {
      await this.refresh(resource.name);
      const rows = this.random.some(this.rows.get(resource.name) ?? [], 8);
      for (const row of rows) {
        const id = String(row[resource.identity]);
        const fields = this.fieldsFor(resource);
        fields.delete(resource.identity);
        if (fields.size) await this.say({ say: 'change', resource: resource.name, id, fields });
        await this.say({ say: 'remove', resource: resource.name, id });
      }
    }
    for (const resource of this.plan.resources) await this.say({ say: 'list', resource: resource.name });
  }

  /** The store fails in one way and another, and the service stops. */
  private async trouble(): Promise<void> {
    for (const what of ['busy', 'full', 'failed', 'stopping'] as const) {
      await this.say({ say: 'trouble', what });
      for (const endpoint of this.plan.endpoints)
        await this.say({ say: 'request', request: sent(this.draft(endpoint)) });
    }
  }

  private async refresh(only: string | null = null): Promise<void> {
    for (const { name } of this.plan.resources)
      if (only === null || only === name) this.rows.set(name, await this.side.rows(name));
  }
}

/** The fields that the operator gives. */
const operated = (resource: ResourcePlan) => resource.columns.filter((column) => column.from.operator);

const namesIn = (endpoint: EndpointPlan): string =>
  [...endpoint.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name).join(' ');
