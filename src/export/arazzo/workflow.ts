import type { ResourceContract, StatesContract } from '../../contract/contract.ts';
import type { EndpointContract, ParameterContract } from '../../contract/endpoint.ts';
import { successesOf, successStatuses } from '../../contract/successes.ts';
import { isSafe, neededWords } from '../../plan/callers.ts';
import { wordFor, wordsIn } from '../../plan/words.ts';
import { isObject } from '../../text/own-members.ts';
import { type Json, type JsonObject, present } from '../json.ts';
import { Names } from '../json-schema.ts';
import { NotExpressed } from '../not-expressed.ts';
import type { Exporting } from '../openapi/exporting.ts';
import { isAlike, shownFields } from '../openapi/links.ts';
import { markdown } from '../openapi/text.ts';
import { Schemas } from '../schema.ts';
import type { Call, LifeCycle } from './life-cycles.ts';

/** Converts one life cycle of a row to a workflow: one step per call, with outputs that later steps use. */
export function workflowOf(
  x: Exporting,
  id: string,
  resource: ResourceContract,
  states: StatesContract,
  life: LifeCycle,
): JsonObject {
  return new Workflow(x, resource, states, life).workflow(id);
}

/** Builds the steps of a workflow. */
class Workflow {
  private readonly x: Exporting;
  private readonly resource: ResourceContract;
  private readonly states: StatesContract;
  private readonly life: LifeCycle;
  private readonly inputs: Record<string, JsonObject> = {};
  private readonly steps: JsonObject[] = [];
  private readonly names = new Names();
  private readonly schemas: Schemas;
  /** The runtime expression of the row's last known entity tag; null if it is unknown. */
  private tag: string | null = null;

  constructor(x: Exporting, resource: ResourceContract, states: StatesContract, life: LifeCycle) {
    this.x = x;
    this.resource = resource;
    this.states = states;
    this.life = life;
    // The OpenAPI export lists the facts about inputs that JSON Schema cannot express, so the list here is discarded.
    this.schemas = new Schemas(x.contract.wire, new NotExpressed(), (shape) => x.reference(shape));
  }

  workflow(workflowId: string): JsonObject {
    const { made, moves } = this.life;
    for (const call of made ? [made, ...moves] : moves) this.call(call);
    const identity = made && this.identity(made.endpoint);
    return present({
      workflowId,
      summary: markdown(
        `${this.resource.name}: ${[made ? 'made' : this.word(this.states.initial), ...moves.map((one) => this.word(one.to))].join(', ')}`,
      ),
      description: markdown(this.words()),
      inputs: { type: 'object', properties: this.inputs, required: Object.keys(this.inputs) },
      steps: this.steps,
      outputs: identity ? { [outputName(identity)]: `$steps.create.outputs.${outputName(identity)}` } : undefined,
    });
  }

  /** The word of a state in the version. */
  private word<S extends string | null>(state: S): string | S {
    const words = wordsIn(this.x.version, `${this.resource.name}.${this.states.field}`);
    return words && state !== null ? wordFor(words, state) : state;
  }

  private words(): string {
    const { made, moves, end } = this.life;
    const begin = made
      ? `${made.endpoint.name} makes a row of ${this.resource.name}.`
      : `A row of ${this.resource.name} is there, ${this.word(this.states.initial)}: no caller makes one.`;
    const each = moves.map(
      (one) => `${one.transition} leads to ${this.word(one.to)}${one.if.length ? ` if ${one.if.join(' and ')}` : ''}.`,
    );
    const final = this.states.final.includes(end) ? ` ${this.word(end)} is final.` : '';
    return `${[begin, ...each].join(' ')}${final}`;
  }

  private call({ endpoint, transition, to, if: conditions }: Call): void {
    const matches = endpoint.parameters.some((one) => one.role === 'precondition' && one.required);
    if (matches && this.tag === null) this.read();
    const stepId = this.names.once(transition === null ? 'create' : plainName(transition));
    this.step(stepId, endpoint, to, conditions);
  }

  /** Adds a GET that returns the entity tag that the next call requires. */
  private read(): void {
    const made = this.life.made?.endpoint;
    const found = this.x.version.endpoints.find((one) => {
      const path = one.parameters.filter(({ in: place }) => place === 'path');
      const reached = path.every((each) =>
        made ? this.shownFor(each) !== undefined || isAlike(made, one, each) : each.finds !== null,
      );
      return one.method === 'GET' && hasTag(one) && one.page === null && reached && this.identity(one) !== null;
    });
    if (found) this.step(this.names.once('read'), found, null, []);
  }

  private step(stepId: string, endpoint: EndpointContract, to: string | null, conditions: readonly string[]): void {
    const shown = this.shownBy(endpoint);
    const state = shown.get(`${this.resource.name}.${this.states.field}`);
    const criteria = [
      successStatuses(endpoint)
        .map((status) => `$statusCode == ${status}`)
        .join(' || '),
      ...(to !== null && state !== undefined
        ? [`$response.body#${state} == '${this.word(to).replaceAll("'", "''")}'`]
        : []),
    ];
    const parameters = this.parameters(stepId, endpoint);
    const outputs = present({
      ...this.outputs(endpoint, shown),
      tag: hasTag(endpoint) ? '$response.header.ETag' : undefined,
    });
    this.steps.push(
      present({
        stepId,
        description: markdown(conditions.length ? `${endpoint.name}, if ${conditions.join(' and ')}` : endpoint.name),
        operationId: this.x.operations.get(endpoint.name) ?? endpoint.name,
        parameters: parameters.length ? parameters : undefined,
        requestBody: this.body(stepId, endpoint),
        successCriteria: criteria.map((condition) => ({ condition })),
        outputs: Object.keys(outputs).length ? outputs : undefined,
      }),
    );
    // A write changes the entity tag. If its answer lacks the new one, the tag is unknown.
    this.tag = hasTag(endpoint) ? `$steps.${stepId}.outputs.tag` : endpoint.writes ? null : this.tag;
  }

  /** The JSON Pointer to the identity of the row in an answer; null if the answer lacks it. */
  private identity(endpoint: EndpointContract): string | null {
    const { identity, name } = this.resource;
    return (identity !== null && this.shownBy(endpoint).get(`${name}.${identity}`)) || null;
  }

  /** The JSON Pointers to fields of the row that all answers of an endpoint show at the same place. */
  private shownBy(endpoint: EndpointContract): ReadonlyMap<string, string> {
    const [first = new Map<string, string>(), ...others] = successesOf(endpoint).map(({ body }) =>
      body ? shownFields(this.x, body.type, this.resource.name, '') : new Map<string, string>(),
    );
    return new Map([...first].filter(([field, at]) => others.every((one) => one.get(field) === at)));
  }

  /** The outputs of the step that creates the row: its identity, and the fields that paths of later calls contain. */
  private outputs(endpoint: EndpointContract, shown: ReadonlyMap<string, string>): JsonObject {
    if (endpoint !== this.life.made?.endpoint) return {};
    const parameters = this.life.moves.flatMap((move) => move.endpoint.parameters.filter((one) => one.in === 'path'));
    const needed = parameters.map((one) => this.shownFor(one));
    const identity = this.identity(endpoint);
    const pointers = [...new Set(shown.values())].filter((pointer) => pointer === identity || needed.includes(pointer));
    return Object.fromEntries(pointers.map((pointer) => [outputName(pointer), `$response.body#${pointer}`]));
  }

  private parameters(stepId: string, endpoint: EndpointContract): JsonObject[] {
    return [
      ...this.credentials(endpoint),
      ...endpoint.parameters.flatMap((one) => {
        const value = this.valueOf(stepId, endpoint, one);
        return value === null ? [] : [{ name: one.name, in: one.in, value }];
      }),
    ];
  }

  /** The header with credentials. Each kind of access has an input of its own. */
  private credentials({ access, method }: EndpointContract): JsonObject[] {
    const scheme = this.x.contract.schemes.find((one) => one.name === access.schemes[0]);
    if (!scheme || access.withoutCredentials) return [];
    this.x.notes.add('workflow credentials');
    const { needs } = access;
    const needed = needs ? `of a ${scheme.caller} with ${neededWords(needs)}` : `of any ${scheme.caller}`;
    const input = this.input(['credentials', ...(needs?.scopes ?? []).map(plainName)].join('_'), {
      type: 'string',
      description: markdown(
        `Credentials (${scheme.name}) ${needed}${scheme.basic ? ': the user name, a colon and the password in base64' : ''}.`,
      ),
    });
    if (scheme.cookie) {
      const origin = isSafe(method) ? [] : [{ name: 'Sec-Fetch-Site', in: 'header', value: 'same-origin' }];
      return [{ name: scheme.cookie.name, in: 'cookie', value: input }, ...origin];
    }
    return [{ name: scheme.header, in: 'header', value: scheme.word === null ? input : `${scheme.word} {${input}}` }];
  }

  /** The value of a parameter; null if the parameter may be omitted. */
  private valueOf(stepId: string, endpoint: EndpointContract, one: ParameterContract): Json {
    const { role, required, name } = one;
    if (role === 'version') return this.x.version.name;
    if (role === 'precondition') return required ? (this.tag ?? this.own(stepId, endpoint, one)) : null;
    if (one.in === 'path') return this.inPath(stepId, endpoint, one);
    if (!required) return null;
    if (role !== 'idempotency key') return this.own(stepId, endpoint, one);
    return this.input(`${stepId}_${plainName(name)}`, {
      type: 'string',
      description: 'An idempotency key that the client chooses: a new one for each row.',
    });
  }

  /** The value of a path parameter: an output of the step that creates the row, or the value in an earlier path. */
  private inPath(stepId: string, endpoint: EndpointContract, one: ParameterContract): Json {
    const made = this.life.made?.endpoint;
    if (endpoint === made) return this.own('', endpoint, one);
    const pointer = this.shownFor(one);
    if (pointer !== undefined) return `$steps.create.outputs.${outputName(pointer)}`;
    // Without a step that creates the row, all calls share the parameter that finds it. Other parameters differ between
    // calls.
    const shared = made ? isAlike(made, endpoint, one) : one.finds !== null;
    return this.own(shared ? '' : stepId, endpoint, one);
  }

  /**
   * The JSON Pointer to the value for a path parameter in the answer of the step that creates the row; undefined if the
   * answer lacks the field with which the parameter is compared.
   */
  private shownFor({ finds }: ParameterContract): string | undefined {
    const made = this.life.made?.endpoint;
    return finds && made ? this.shownBy(made).get(`${finds.resource}.${finds.field}`) : undefined;
  }

  private own(stepId: string, endpoint: EndpointContract, one: ParameterContract): string {
    const use = { way: 'in', patch: false, text: true, at: `${endpoint.name} ${one.in}.${one.name}` } as const;
    const name = plainName(one.name);
    return this.input(`${stepId || 'path'}_${name}`, this.schemas.of(one.type, use));
  }

  private body(stepId: string, { body, name }: EndpointContract): JsonObject | undefined {
    if (!body) return undefined;
    if (body.bytes) {
      const payload = this.input(`${stepId}_body`, { type: 'string', format: 'binary' });
      return { contentType: body.mediaTypes[0] ?? '', payload };
    }
    const use = { way: 'in', patch: body.patch, text: false, at: `${name} body` } as const;
    const payload = this.input(`${stepId}_body`, this.schemas.object(body.type, use));
    return { contentType: body.mediaTypes[0] ?? 'application/json', payload };
  }

  private input(name: string, schema: JsonObject): string {
    this.x.notes.add('inputs');
    this.inputs[name] ??= plain(schema);
    return `$inputs.${name}`;
  }
}

/** The schema without formats and `x-ninefold-` members, because some runners refuse unknown ones. */
function plain(schema: JsonObject): JsonObject {
  const { format: _format, properties, ...rest } = schema;
  const own = Object.entries(rest).filter(([name]) => !name.startsWith('x-ninefold-'));
  return present({
    ...Object.fromEntries(own.map(([name, one]) => [name, plainIn(one)])),
    // The keys of `properties` are names of fields, which may begin with any prefix.
    properties: isObject(properties)
      ? Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, plainIn(one)]))
      : undefined,
  });
}

function plainIn(value: Json): Json {
  if (Array.isArray(value)) return value.map(plainIn);
  return isObject(value) ? plain(value) : value;
}

const hasTag = (endpoint: EndpointContract): boolean =>
  successesOf(endpoint).every(({ headers }) => headers.some((one) => one.name === 'ETag' && one.presence === 'always'));

const outputName = (pointer: string): string => plainName(pointer.slice(1));

/** A name without hyphens, which some runners parse as a minus in expressions. */
const plainName = (name: string): string => name.replace(/[^A-Za-z0-9_]+/g, '_');
