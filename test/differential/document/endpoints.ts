import { type Draft, type Endpoint, type Field, type Resource, type Typed, transitionsOf } from './draft.ts';
import { callerNames, Expressions, membersOf, type Named } from './expressions.ts';
import { Nested } from './nested.ts';
import { orderOf, sortOf } from './orders.ts';

/** What the steps of an endpoint may name so far. */
interface Known {
  readonly names: Named[];
  readonly sent: string[];
}

/** Makes up endpoints of every kind for each resource. */
export class Endpoints {
  private readonly draft: Draft;
  private readonly tags = new Map<Resource, 'row' | 'answer'>();

  constructor(draft: Draft) {
    this.draft = draft;
  }

  make(groups: boolean): void {
    const { random, resources } = this.draft;
    for (const resource of resources.filter((one) => one.name !== 'Tie')) {
      if (resource.created) this.creation(resource);
      this.single(resource);
      if (random.chance(0.85)) this.listing(resource);
      if (random.chance(0.4)) this.figures(resource);
    }
    if (this.draft.tie) this.tying(this.draft.tie);
    if (groups) for (const resource of resources) if (random.chance(0.5)) this.grouping(resource);
    statePreconditions(this.draft);
  }

  /** Which entity tag a GET of one row has: that of the row, where it shows nothing else, or that of its answer. */
  private tagOf(resource: Resource): 'row' | 'answer' {
    const known = this.tags.get(resource);
    if (known) return known;
    const own = resource.derived.length === 0 && resource.fields.every(({ typed }) => !isRow(typed));
    const tag = own && this.random.chance(0.7) ? 'row' : 'answer';
    this.tags.set(resource, tag);
    return tag;
  }

  private get random() {
    return this.draft.random;
  }

  private expressions(known: Known): Expressions {
    return new Expressions(this.draft, { kind: 'step', ...known, sighted: true, caller: this.draft.caller !== null });
  }

  private add(method: string, path: string, known: Known): Endpoint {
    const { random, draft } = this;
    const settings = new Map<string, string>([
      ['Payloads', 'JSON (RFC 8259)'],
      ['Request', 'none'],
      ['Unread bodies', random.pick(['refused', 'refused', 'ignored'])],
      ['Unknown parameters', random.pick(['refused', 'refused', 'ignored'])],
      ['Conditional requests', 'none'],
      ['Idempotency', 'none'],
    ]);
    if (method === 'GET') settings.set('HEAD', random.pick(['not served', 'as GET']));
    const first = !draft.endpoints.some((one) => one.settings.get('Access') === 'anyone');
    const anyone = draft.caller !== null && draft.anyone && method === 'GET' && (first || random.chance(0.3));
    if (anyone) settings.set('Access', 'anyone');
    else if (draft.caller) settings.set('Access', (random.chance(0.6) && draft.access()) || `any ${draft.caller}`);
    known.names.push(...callerNames(draft, anyone));
    const endpoint: Endpoint = { method, path, settings, parameters: [], steps: [] };
    draft.endpoints.push(endpoint);
    return endpoint;
  }

  private known(): Known {
    return { names: [], sent: [] };
  }

  private row(resource: Resource, name: string): Named[] {
    const typed: Typed = { kind: 'row', nullable: false, resource: resource.name };
    return [{ text: name, typed }, ...membersOf(this.draft, name, resource.name)];
  }

  /** A Require, sometimes. */
  private demand(endpoint: Endpoint, known: Known, chance = 0.3): void {
    if (!this.random.chance(chance)) return;
    const test = this.expressions(known).test();
    endpoint.steps.push(`Require \`${test}\`, else ${this.draft.code('step', 'refused')}.`);
  }

  /** Steps that hold others, sometimes. */
  private nest(endpoint: Endpoint, known: Known): void {
    if (this.random.chance(0.3))
      endpoint.steps.push(...new Nested(this.draft).steps(known, this.draft.caller !== null));
  }

  /** Endpoints that tie two rows together and untie them. */
  private tying({ one, two, tie }: NonNullable<Draft['tie']>): void {
    const { random, draft } = this;
    const own = one.name.toLowerCase();
    const path = `${one.path}/{${own}}/ties/{right}`;
    const [left, right, made] = [draft.name('left'), draft.name('right'), draft.name('tie')];
    const code = draft.code('step', 'not_found');
    const found = (name: string, of: Resource, parameter: string): string =>
      `Find \`${name}\`: ${of.name} where \`${of.identity.name} == path.${parameter}\`, else ${code}.`;
    for (const method of ['PUT', 'DELETE']) {
      const known = this.known();
      const endpoint = this.add(method, path, known);
      for (const [name, of] of [
        [own, one],
        ['right', two],
      ] as const)
        endpoint.parameters.push([
          name,
          'path',
          `${of.name}.${of.identity.name}`,
          'any',
          'always',
          random.chance(0.6) ? code : '',
          '',
        ]);
      endpoint.steps.push(found(left, one, own), found(right, two, 'right'));
      if (method === 'PUT') {
        endpoint.steps.push(`Ensure \`${made}\`: Tie with left \`${left}\`, right \`${right}\`.`);
        known.names.push(...this.row(one, left), ...this.row(tie, made));
        this.nest(endpoint, known);
        endpoint.steps.push(random.chance(0.5) ? `Answer 200 with \`${made}\`.` : `Answer 200 with \`${left}\`.`);
      } else {
        const both = random.chance(0.5) ? ` && right == ${right}` : ` && (right == ${right} || id > 3)`;
        endpoint.steps.push(`Remove every Tie where \`left == ${left}${both}\`.`, 'Answer 204.');
      }
    }
  }

  private request(
    endpoint: Endpoint,
    resource: Resource,
    fields: readonly Field[],
    optional: boolean,
    known: Known,
  ): void {
    endpoint.settings.set(
      'Request',
      `${resource.name} with ${fields.map((one) => one.name).join(', ')}${optional ? ', each optional' : ''}`,
    );
    endpoint.settings.delete('Unread bodies');
    for (const { name, typed } of fields) {
      if (typed.kind !== 'rows')
        known.names.push({ text: `request.${name}`, typed: { ...typed, nullable: optional || typed.nullable } });
      if (optional || typed.nullable) known.sent.push(`request.${name}`);
    }
  }

  private idempotent(endpoint: Endpoint): void {
    const { random } = this;
    if (!this.draft.caller || !random.chance(0.3)) return;
    const below = random.pick([500, 400, 300]);
    const kept = random.pick(['24 hours', '1 minute', '2 days']);
    const presence = kept === '2 days' ? 'optional' : 'required';
    const marked = below === 400 ? ', replays marked `X-Again: yes, it is`' : '';
    endpoint.settings.set(
      'Idempotency',
      `header \`Idempotency-Key\`, ${presence}, for each caller, kept ${kept}, answers below ${below}${marked}`,
    );
  }

  private creation(resource: Resource): void {
    const { random, draft } = this;
    const known = this.known();
    const endpoint = this.add('POST', resource.path, known);
    const requested = requestable(resource);
    if (requested.length) this.request(endpoint, resource, requested, false, known);
    this.idempotent(endpoint);
    this.demand(endpoint, known);
    const made = draft.name('made');
    const assigned = resource.fields.filter(
      (field) => field.given.includes('steps') && (!field.typed.nullable || random.chance(0.5)),
    );
    const from = requested.length ? ' from `request`' : '';
    endpoint.steps.push(`Create \`${made}\`: ${resource.name}${from}${this.assignments(assigned, known)}.`);
    known.names.push(...this.row(resource, made));
    if (resource.machines.length > 0 && random.chance(0.2)) this.moveStep(endpoint, resource, made);
    this.nest(endpoint, known);
    this.demand(endpoint, known, 0.1);
    this.answer(endpoint, resource, made, known, 201);
  }

  private assignments(fields: readonly Field[], known: Known): string {
    if (fields.length === 0) return '';
    return ` with ${fields.map((field) => `${field.name} \`${this.assigned(field, known)}\``).join(', ')}`;
  }

  private assigned({ typed, allowed }: Field, known: Known): string {
    const { random } = this;
    const fits = known.names.filter(
      (one) =>
        one.typed.kind === typed.kind &&
        one.typed.resource === typed.resource &&
        (!one.typed.nullable || typed.nullable),
    );
    if (typed.kind === 'row' && fits.length) return random.pick(fits).text;
    const bounds = /^(-?\d+) to (-?\d+)$/.exec(allowed);
    if (bounds && random.chance(0.7)) return bounds[random.int(1, 2)]!;
    const value = this.expressions(known).value(typed);
    // A constant has to be one that the field allows. What asks for the time is none, and may be refused as it is written.
    return isWrittenOut(value) ? `now() == now() ? ${value} : ${value}` : value;
  }

  /** The values that a Move gives other fields, sometimes. */
  private givenOnMove(resource: Resource, known: Known): string {
    const { later } = this.draft;
    const given = resource.fields.filter(
      ({ given }) => given.length === 1 && given[0] === 'steps' && later.chance(0.4),
    );
    return this.assignments(given, known);
  }

  private moveStep(endpoint: Endpoint, resource: Resource, row: string): void {
    const transitions = transitionsOf(resource).filter((one) => !one.timed);
    if (transitions.length) endpoint.steps.push(`Move \`${row}\` by ${this.random.pick(transitions).name}.`);
  }

  private answer(endpoint: Endpoint, resource: Resource, row: string, known: Known, status: number): void {
    const { random } = this;
    const headers: string[] = [];
    const tagged = this.tagOf(resource) === 'row' && random.chance(0.4);
    if (tagged) headers.push(`ETag \`etag(${row})\``);
    const identity = `${row}.${resource.identity.name}`;
    const text = resource.identity.typed.kind === 'integer' ? `string(${identity})` : identity;
    if (random.chance(0.3)) headers.push(`Location \`"${resource.path}/" + ${text}\``);
    const tail = headers.length ? ` and header ${headers.join(', ')}` : '';
    const { later } = this.draft;
    if (endpoint.method !== 'GET' && later.chance(0.2)) {
      const early = later.chance(0.5) ? `202 with early: \`${resource.name}.size()\`` : '204';
      endpoint.steps.push(`If \`${resource.name}.size() > ${later.int(0, 4)}\`:\n   1. Answer ${early}.`);
    }
    if (random.chance(0.15)) {
      endpoint.steps.push(`Answer 204${tail.replace(' and', ' with')}.`);
      return;
    }
    if (random.chance(0.75) || (tagged && endpoint.method === 'GET')) {
      const alone = endpoint.method === 'GET' || later.chance(0.7);
      const further = alone ? '' : ` and further_count \`${resource.name}.size()\`, further_same \`${identity}\``;
      endpoint.steps.push(`Answer ${status} with \`${row}\`${further}${tail}.`);
      return;
    }
    endpoint.steps.push(`Answer ${status} with ${this.members(known, row)}${tail}.`);
  }

  /** Members of an answer: rows, values of theirs, figures over rows. */
  private members(known: Known, row: string | null): string {
    const { random, draft } = this;
    const resource = random.pick(draft.resources).name;
    const plain = known.names.filter((one) => one.typed.kind !== 'row' && !one.text.startsWith('path.'));
    const members = new Map<string, string>();
    if (row) members.set('row', row);
    if (random.chance(0.5)) members.set('test', this.expressions(known).test());
    if (random.chance(0.4)) members.set('at', 'now()');
    if (members.has('at')) draft.kinds.add('timestamp');
    if (random.chance(0.4) || members.size === 0) members.set('count', `${resource}.size()`);
    if (plain.length && random.chance(0.6)) {
      const value = random.pick(plain);
      members.set('value', value.text);
      if (value.typed.nullable) draft.missing = true;
    }
    if (draft.caller && random.chance(0.3)) {
      members.set('by', 'caller');
      if (known.names.some((one) => one.text === 'caller' && one.typed.nullable)) draft.missing = true;
    }
    return [...members].map(([name, text]) => `${name}: \`${text}\``).join(', ');
  }

  /** What is done with one row: read, change, replace, move, remove. */
  private single(resource: Resource): void {
    const { random, draft } = this;
    const path = `${resource.path}/{${resource.name.toLowerCase()}}`;
    const row = draft.name('one');
    const found = this.findStep(resource, row);
    const shared = random.chance(0.6);
    const methods = random.some(['GET', 'PATCH', 'PUT', 'DELETE'], random.int(1, 4));
    const start = (method: string, at: string): { endpoint: Endpoint; known: Known } => {
      const known = this.known();
      const endpoint = this.add(method, at, known);
      endpoint.parameters.push([
        resource.name.toLowerCase(),
        'path',
        `${resource.name}.${resource.identity.name}`,
        'any',
        'always',
        random.chance(0.6) ? found.code : '',
        '',
      ]);
      if (!shared) endpoint.steps.push(found.step);
      known.names.push(...this.row(resource, row));
      return { endpoint, known };
    };
    const before = draft.endpoints.length;
    const moves = transitionsOf(resource).some((one) => !one.timed);
    if (!methods.includes('DELETE') && !moves) methods.push('GET');
    if (methods.includes('GET')) this.reading(start('GET', path), resource, row);
    if (methods.includes('PATCH')) this.changing(() => start('PATCH', path), resource, row, true);
    if (methods.includes('PUT')) this.changing(() => start('PUT', path), resource, row, false);
    if (methods.includes('DELETE')) this.removing(start('DELETE', path), row);
    for (const transition of transitionsOf(resource))
      if (!transition.timed) {
        const { endpoint, known } = start('POST', `${path}/${transition.name}`);
        this.demand(endpoint, known, 0.15);
        endpoint.steps.push(`Move \`${row}\` by ${transition.name}${this.givenOnMove(resource, known)}.`);
        this.idempotent(endpoint);
        this.answer(endpoint, resource, row, known, 200);
      }
    for (const field of resource.fields.filter((one) => one.given.includes('steps'))) {
      const { endpoint, known } = start('PUT', `${path}/${field.name}`);
      endpoint.steps.push(`Change \`${row}\`${this.assignments([field], known)}.`);
      this.answer(endpoint, resource, row, known, 200);
    }
    if (shared && draft.endpoints.length > before) draft.unders.push({ path, steps: [found.step] });
  }

  private findStep(resource: Resource, row: string): { step: string; code: string } {
    const { random, draft } = this;
    const code = draft.code('step', 'not_found');
    const where = `${resource.identity.name} == path.${resource.name.toLowerCase()}`;
    // The steps of a path are those of endpoints that anyone may call, too.
    const names = [...membersOf(draft, '', resource.name), ...(draft.anyone ? [] : callerNames(draft))];
    const more = new Expressions(draft, {
      kind: 'rows',
      names,
      sent: [],
      sighted: true,
      caller: draft.caller !== null,
    });
    const all = random.chance(0.2) ? `${where} && ${more.test(1)}` : where;
    return { step: `Find \`${row}\`: ${resource.name} where \`${all}\`, else ${code}.`, code };
  }

  private reading({ endpoint, known }: { endpoint: Endpoint; known: Known }, resource: Resource, row: string): void {
    this.demand(endpoint, known, 0.15);
    this.answer(endpoint, resource, row, known, 200);
    const empty = endpoint.steps.at(-1)!.startsWith('Answer 204');
    if (this.tagOf(resource) === 'answer' && !empty && this.random.chance(0.7))
      endpoint.settings.set('Conditional requests', TAGGED);
  }

  private changing(
    start: () => { endpoint: Endpoint; known: Known },
    resource: Resource,
    row: string,
    patch: boolean,
  ): void {
    const { random } = this;
    const changeable = requestable(resource).filter((field) => field !== resource.identity);
    const assigned = resource.fields.filter((field) => field.given.includes('steps') && random.chance(0.5));
    const touched = resource.fields.some((field) => field.given.some((one) => one.startsWith('on change')));
    if (changeable.length === 0 && assigned.length === 0 && !touched) return;
    const { endpoint, known } = start();
    const from = changeable.length > 0;
    if (from) this.request(endpoint, resource, random.some(changeable, random.int(1, changeable.length)), patch, known);
    this.demand(endpoint, known, 0.2);
    if (random.chance(0.3)) endpoint.steps.push(`Match If-Match to \`etag(${row})\`.`);
    endpoint.steps.push(`Change \`${row}\`${from ? ' from `request`' : ''}${this.assignments(assigned, known)}.`);
    this.nest(endpoint, known);
    this.demand(endpoint, known, 0.1);
    this.answer(endpoint, resource, row, known, 200);
  }

  private removing({ endpoint, known }: { endpoint: Endpoint; known: Known }, row: string): void {
    this.demand(endpoint, known, 0.15);
    if (this.random.chance(0.3)) endpoint.steps.push(`Match If-Match to \`etag(${row})\`.`);
    endpoint.steps.push(`Remove \`${row}\`.`, 'Answer 204.');
  }

  private listing(resource: Resource): void {
    const { random, draft } = this;
    const known = this.known();
    const endpoint = this.add('GET', resource.path, known);
    const filters = random.some(
      resource.fields.filter((field) => !['row', 'list', 'rows'].includes(field.typed.kind)),
      random.int(0, 3),
    );
    for (const field of filters) endpoint.parameters.push(this.filter(resource, field));
    const names = [...membersOf(draft, '', resource.name), ...known.names];
    const inside = new Expressions(draft, {
      kind: 'rows',
      names,
      sent: [],
      sighted: true,
      caller: draft.caller !== null,
    });
    const where = random.chance(0.4) ? ` where \`${inside.test()}\`` : '';
    const listed = draft.name('all');
    this.demand(endpoint, known, 0.1);
    const chosen = random.chance(0.3) ? this.chosenOrder(endpoint, resource, where) : orderOf(random, resource, where);
    const bound = random.chance(0.25) ? 'all' : 'in pages';
    endpoint.steps.push(
      `List \`${listed}\`: ${resource.name}${where}${filters.length ? ', as the parameters say' : ''}, ${chosen}, ${bound}.`,
    );
    const whole =
      bound === 'all' && random.chance(0.5) ? `rows: \`${listed}\`, count: \`${listed}.size()\`` : `\`${listed}\``;
    endpoint.steps.push(`Answer 200 with ${whole}.`);
    if (random.chance(0.4)) endpoint.settings.set('Conditional requests', TAGGED);
  }

  /** Groups of rows: by some fields, and what their references point at, with aggregates of their own. */
  private grouping(resource: Resource): void {
    const { random, draft } = this;
    const known = this.known();
    const endpoint = this.add('GET', `${resource.path}-groups`, known);
    const place = { kind: 'rows', sent: [], sighted: true, caller: draft.caller !== null } as const;
    const own = membersOf(draft, '', resource.name);
    const tests = new Expressions(draft, { ...place, names: [...own, ...known.names] });
    const keys = random
      .some(
        own.filter(({ typed }) => typed.kind !== 'list'),
        random.int(1, 3),
      )
      .map(({ text, typed }): readonly [string, string, boolean] => {
        if (typed.kind === 'row' && draft.resource(typed.resource!).hides) draft.missing = true;
        return typed.kind !== 'row' && typed.kind !== 'boolean' && random.chance(0.3)
          ? [text, tests.test(1), false]
          : [text, text, typed.nullable];
      });
    const row = draft.name('r');
    const inside = (): string =>
      new Expressions(draft, { ...place, names: membersOf(draft, row, resource.name) }).test(1);
    const rows = (): string => (random.chance(0.5) ? `rows.filter(${row}, ${inside()})` : 'rows');
    const numbers = own.filter(({ typed }) => typed.kind === 'integer' && !typed.nullable);
    const values = [`count \`${rows()}.size()\``];
    if (numbers.length > 0) {
      const field = random.pick(numbers).text;
      values.push(`total \`${rows()}.map(${row}, ${row}.${field}).sum()\``);
      values.push(`twice \`${rows()}.map(${row}, ${row}.${field} * 2).sum() + 1\``);
    }
    const macro = random.pick(['exists', 'all', 'exists_one']);
    values.push(`some \`${rows()}.${macro}(${row}, ${inside()})\``);
    if (keys.some(([, , nullable]) => nullable)) draft.missing = true;
    const where = random.chance(0.4) ? ` where \`${tests.test()}\`` : '';
    const groups = draft.name('groups');
    const order = `${random.pick(['latest', 'earliest'])} \`${random.pick(['count', 'k0'])}\` first`;
    const every = resource.hides && random.chance(0.4) ? 'every ' : '';
    const by = keys.map(([, key], i) => `k${i} \`${key}\``).join(', ');
    endpoint.steps.push(
      `Group \`${groups}\`: ${every}${resource.name}${where} by ${by} with ${values.join(', ')}, ${order}, all.`,
    );
    const most = `most: \`${groups}.filter(g, g.count > 1).size()\``;
    endpoint.steps.push(`Answer 200 with ${random.chance(0.5) ? `\`${groups}\`` : `groups: \`${groups}\`, ${most}`}.`);
    if (random.chance(0.3)) endpoint.settings.set('Conditional requests', TAGGED);
  }

  /** An order that the request chooses. */
  private chosenOrder(endpoint: Endpoint, resource: Resource, where: string): string {
    const { random, draft } = this;
    const [sort, way] = [draft.name('sort'), draft.name('way')];
    const { names, text } = sortOf(random, resource, where);
    endpoint.settings.set('Sort', text);
    draft.kinds.add('string');
    const presence = (value: string): string => (random.chance(0.7) ? `else \`"${value}"\`` : 'always');
    endpoint.parameters.push([
      sort,
      'query',
      'string',
      `one of ${names.join(', ')}`,
      presence(random.pick(names)),
      '',
      '',
    ]);
    endpoint.parameters.push([way, 'query', 'string', 'one of asc, desc', presence('desc'), '', '']);
    return `sorted by \`query.${sort}\` \`query.${way}\``;
  }

  /** A parameter that keeps rows by one of their fields. */
  private filter(resource: Resource, field: Field): string[] {
    const { random, draft } = this;
    const name = random.chance(0.6) ? field.name : draft.name('p');
    const { typed } = field;
    const ordered =
      typed.kind === 'integer' ||
      typed.kind === 'timestamp' ||
      (typed.kind === 'string' && !typed.uuid && !typed.oneOf);
    const operator = ordered ? random.pick(['==', '!=', '<', '<=', '>', '>=']) : random.pick(['==', '!=']);
    const tested = typed.nullable && operator !== '==' && operator !== '!=' ? `${field.name} != null && ` : '';
    const contains = typed.kind === 'string' && !typed.uuid && !typed.nullable && random.chance(0.2);
    const keeps = contains
      ? `${field.name}.contains(query.${name})`
      : `${tested}${field.name} ${operator} query.${name}`;
    const presence = random.chance(0.15) ? 'always' : 'optional';
    const otherwise = random.chance(0.2) ? draft.code('step', 'bad_value') : '';
    return [name, 'query', `${resource.name}.${field.name}`, 'any', presence, otherwise, `\`${keeps}\``];
  }

  /** Figures over rows, from parameters of their own types. */
  private figures(resource: Resource): void {
    const { draft, random } = this;
    const known = this.known();
    const endpoint = this.add('GET', `${resource.path}-figures`, known);
    const parameters: ReadonlyArray<readonly [Typed, string, string]> = [
      [{ kind: 'integer', nullable: true }, 'integer', '-5 to 20'],
      [{ kind: 'string', nullable: true }, 'string', 'at most 4 characters'],
      [{ kind: 'boolean', nullable: true }, 'boolean', 'any'],
      [{ kind: 'timestamp', nullable: true }, 'timestamp', 'any'],
      [{ kind: 'string', nullable: true, oneOf: ['up', 'down'] }, 'string', 'one of up, down'],
    ];
    const [typed, type, allowed] = random.pick(parameters);
    const name = draft.name('q');
    draft.kinds.add(typed.kind);
    endpoint.parameters.push([name, 'query', type, allowed, 'optional', '', '']);
    const row = random.chance(0.4) ? draft.name('found') : null;
    const own: Known = { names: [{ text: `query.${name}`, typed }], sent: [`query.${name}`] };
    known.names.push(...own.names);
    const asked = new Expressions(draft, { kind: 'step', ...own, sighted: true, caller: false }).test(0);
    if (row) endpoint.steps.push(new Nested(draft).find(resource, row));
    if (row) draft.missing = true;
    const found = row ? `found: \`${row}\`, ` : '';
    endpoint.steps.push(`Answer 200 with ${found}asked: \`${asked}\`, ${this.members(known, null)}.`);
  }
}

const TAGGED = 'RFC 9110, strong ETag of the answer';

const isRow = ({ kind, of }: Typed): boolean => kind === 'row' || kind === 'rows' || (of !== undefined && isRow(of));

const hasTag = ({ settings, steps }: Endpoint): boolean =>
  settings.get('Conditional requests') === TAGGED || steps.some((step) => / ETag `/.test(step));

/** Leaves out each Match whose tag no answer tells, and says what happens to preconditions where none matches them. */
function statePreconditions({ endpoints, random }: Draft): void {
  for (const endpoint of endpoints.filter(({ method }) => method !== 'GET')) {
    const { path, steps, settings } = endpoint;
    const get = endpoints.some((one) => one.method === 'GET' && one.path === path && hasTag(one));
    const at = steps.findIndex((step) => step.startsWith('Match'));
    const row = /etag\((\w+)\)/.exec(steps[at] ?? '')?.[1];
    const told = endpoints.some((one) => one.steps.some((step) => step.includes(`ETag \`etag(${row})\``)));
    if (at >= 0 && !get && !told) steps.splice(at, 1);
    if (get && !steps.some((step) => step.startsWith('Match')) && random.chance(0.7))
      settings.set('Preconditions on writes', random.pick(['evaluated', 'required', 'refused']));
    // Without another draw, so that the other documents stay as they are.
    if (!get && !steps.some((step) => step.startsWith('Match')) && path.length % 3 === 0)
      settings.set('Preconditions without an ETag', 'refused');
  }
}

/** The fields that a request may give. */
function requestable(resource: Resource): Field[] {
  return resource.fields.filter((field) => field.given.some((one) => one.startsWith('request')));
}

/** True for a value of which nothing is named: the same each time. */
const isWrittenOut = (text: string): boolean =>
  !/[a-z]/i.test(text.replace(/"(?:[^"\\]|\\.)*"/g, '').replace(/\b(?:true|false|null)\b/g, '')) && text !== 'null';
