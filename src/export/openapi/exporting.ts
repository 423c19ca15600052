import type { Contract, ProseContract, VersionContract } from '../../contract/contract.ts';
import type { ContractType } from '../../contract/types.ts';
import { addTo } from '../../text/lists.ts';
import type { Exchange } from '../exchange.ts';
import type { JsonObject } from '../json.ts';
import { componentName, Names } from '../json-schema.ts';
import { NotExpressed } from '../not-expressed.ts';
import { FAULTY_ERROR, PLAIN_ERROR, Schemas, type Use } from '../schema.ts';
import { type CallerFacts, callerFactsOf } from './caller-facts.ts';
import { groupsOf, resourceIn } from './groups.ts';
import { withoutHtml } from './text.ts';

export type OpenApiFormat = '3.1' | '3.2';

/** The context of one OpenAPI document while it is generated. */
export class Exporting {
  readonly contract: Contract;
  readonly version: VersionContract;
  readonly format: OpenApiFormat;
  readonly notes = new NotExpressed();
  /** The tags of operations, in the order of their first use. */
  readonly tags = new Set<string>();
  readonly schemas: Schemas;
  readonly operations: ReadonlyMap<string, string>;
  /** The resource that each endpoint is about; null where it is about none. */
  readonly groups: ReadonlyMap<string, string | null>;
  readonly callerFacts: CallerFacts;
  /** Whether the document also has the steps and rules of the service, and the list of facts that it cannot express. */
  readonly internals: boolean;
  private readonly references: ReadonlyMap<string, string>;
  /** Recorded exchanges, by endpoint, status and code. */
  private readonly exchanges: ReadonlyMap<string, Exchange>;
  /** The recorded values of headers, by their names in lower case. */
  private readonly headersSent = new Map<string, string[]>();
  /** The names of referenced components. */
  private readonly used = new Set<string>();
  private readonly names = new Names();

  constructor(
    contract: Contract,
    version: VersionContract,
    format: OpenApiFormat,
    idOf: (name: string) => string,
    exchanges: readonly Exchange[] = [],
    internals = false,
  ) {
    this.internals = internals;
    this.exchanges = new Map(
      exchanges.map((one) => [exchangeKey(one.endpoint, one.answer.status, one.answer.code), one] as const),
    );
    for (const { answer } of exchanges)
      for (const [name, value] of answer.headers) addTo(this.headersSent, name, value);
    this.contract = contract;
    this.version = version;
    this.format = format;
    const components = new Names();
    const shapes: Array<readonly [string, string]> = version.shapes.map(({ name }) => [name, componentName(name)]);
    const errors = [[PLAIN_ERROR, 'Error'] as const, [FAULTY_ERROR, 'ErrorWithFaults'] as const];
    this.references = new Map([...errors, ...shapes].map(([shape, name]) => [shape, components.once(name)]));
    this.schemas = new Schemas(contract.wire, this.notes, (shape) => this.reference(shape));
    this.groups = groupsOf(version, contract.schemes);
    this.callerFacts = callerFactsOf(this);
    this.operations = new Map(version.endpoints.map(({ name }) => [name, this.names.once(idOf(name))]));
  }

  /** A unique operation id for an operation without an endpoint of its own. */
  operationName(name: string): string {
    return this.names.once(name);
  }

  /** The recorded exchange with a status and code; undefined if there is none. */
  exchange(endpoint: string, status: number, code: string | null): Exchange | undefined {
    return this.exchanges.get(exchangeKey(endpoint, status, code));
  }

  /** The first recorded value of a header, of those that it can have here if these are known. */
  headerSent(name: string, values: readonly string[]): string | undefined {
    const sent = this.headersSent.get(name.toLowerCase()) ?? [];
    return sent.find((one) => values.length === 0 || values.includes(one));
  }

  /** The resource of the rows that a type shows; null if it shows none. */
  rowIn(type: ContractType): string | null {
    return resourceIn(this.version, type);
  }

  /** Prose of the document about the service, a resource or an endpoint; undefined if there is none. */
  prose(about: ProseContract['about'], name = ''): string | undefined {
    const found = this.contract.prose.find((one) => one.about === about && one.name === name);
    return found && withoutHtml(found.text);
  }

  /** Registers a tag, and returns it. */
  tag(name: string): string {
    this.tags.add(name);
    return name;
  }

  reference(shape: string): JsonObject {
    this.used.add(shape);
    return { $ref: `#/components/schemas/${this.references.get(shape) ?? componentName(shape)}` };
  }

  /** The referenced schemas, including those that only other shapes refer to. */
  components(): JsonObject {
    const out = new Map<string, JsonObject>();
    const { shapes } = this.version;
    for (let before = -1; before < this.used.size; ) {
      before = this.used.size;
      for (const [shape, name] of this.references) {
        if (!this.used.has(shape) || out.has(name)) continue;
        const type = shapes.find((one) => one.name === shape)?.type ?? this.errorType(shape);
        if (type) out.set(name, this.schemas.object(type, sending(shape)));
      }
    }
    const order = [...this.references.values()];
    return Object.fromEntries([...out].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)));
  }

  private errorType(shape: string) {
    const { payload } = this.contract.errors;
    return shape === PLAIN_ERROR ? payload?.type : payload?.withFaults;
  }
}

const exchangeKey = (endpoint: string, status: number, code: string | null): string => `${endpoint} ${status} ${code}`;

/** The use of a type in values that the service sends. */
export const sending = (at: string): Use => ({ way: 'out', patch: false, text: false, at });
