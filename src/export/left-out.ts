import type { Contract, EventContract, MakerContract, StatesContract, VersionContract } from '../contract/contract.ts';
import type { EndpointContract, StepContract } from '../contract/endpoint.ts';
import { heldStates, machinesOf } from '../contract/machines.ts';
import type { ContractType } from '../contract/types.ts';
import { type Credentials, concealedFrom, fits, type LeftOut } from '../plan/audience.ts';

/** The part of a contract that an export is made of. */
interface Described {
  readonly contract: Contract;
  readonly version: VersionContract;
}

/** The endpoints that an export for all callers leaves out: those that are for nobody. */
export const forNobody = ({ endpoints }: VersionContract): LeftOut => ({
  uncalled: new Set(),
  concealed: concealedFrom(endpoints, null),
});

/**
 * The endpoints that an export for a caller leaves out. `credentials`: those that the caller may have. The export keeps an
 * endpoint that takes one of them, whatever the conditions of its steps.
 */
export function forCaller({ endpoints }: VersionContract, credentials: readonly Credentials[]): LeftOut {
  const admits = ({ access }: EndpointContract, one: Credentials): boolean =>
    one.scheme === null ? access.withoutCredentials : fits(access, one);
  const uncalled = endpoints.filter((endpoint) => !credentials.some((one) => admits(endpoint, one)));
  return { uncalled: new Set(uncalled.map(({ name }) => name)), concealed: concealedFrom(endpoints, credentials) };
}

/**
 * A contract without some endpoints, and without all that only these endpoints have: forms of rows, schemes, and, for
 * endpoints that are concealed, transitions and events. Webhooks are left out where receivers are rows that none of the
 * other endpoints adds or changes.
 */
export function withoutEndpoints({ contract, version }: Described, { uncalled, concealed }: LeftOut): Described {
  if (uncalled.size === 0 && concealed.size === 0) return { contract, version };
  const isShown = ({ name }: { readonly name: string }): boolean => !uncalled.has(name) && !concealed.has(name);
  const endpoints = version.endpoints.filter(isShown).map((one) => withoutGet(one, isShown));
  const makers = new Makers(contract, concealed);
  const receivers = contract.webhook?.receivers?.resource;
  const adds = (step: StepContract): boolean => ADDING.includes(step.do) && step.resource === receivers;
  const isHeard = receivers === undefined || endpoints.some(({ steps }) => steps.some(adds));
  const events = version.events
    .flatMap((event) => makers.withoutConcealed(event) ?? [])
    .flatMap((event) => {
      const notifiedBy = event.notifiedBy.filter((one) => one !== 'webhook' || isHeard);
      return notifiedBy.length ? [{ ...event, notifiedBy }] : [];
    });
  const shown = new ShownShapes({ ...version, endpoints, events });
  const taken = new Set(endpoints.flatMap(({ access }) => access.schemes));
  return {
    contract: {
      ...contract,
      schemes: contract.schemes.filter(({ name }) => taken.has(name)),
      resources: contract.resources.map((resource) => ({
        ...resource,
        ...heldStates(machinesOf(resource).map((machine) => makers.machine(resource.name, machine))),
      })),
    },
    version: { ...version, endpoints, events, shapes: version.shapes.filter(({ name }) => shown.names.has(name)) },
  };
}

/** An endpoint whose preconditions do not name a GET that is left out. */
function withoutGet(one: EndpointContract, isShown: (of: { readonly name: string }) => boolean): EndpointContract {
  const { preconditions } = one;
  if (!preconditions?.of || isShown({ name: preconditions.of })) return one;
  return { ...one, preconditions: { ...preconditions, of: null } };
}

/** The kinds of steps that add a receiver, or give it another address. */
const ADDING: readonly string[] = ['create', 'ensure', 'change'];

/** The origins of transitions and events that are not concealed, and what follows from them. */
class Makers {
  private readonly concealed: ReadonlySet<string>;
  /** The transitions, as `Resource.transition`, and the handlers that something else than concealed endpoints makes. */
  private readonly shown = { transition: new Set<string>(), handler: new Set<string>() };

  constructor({ resources, handlers = [] }: Contract, concealed: ReadonlySet<string>) {
    this.concealed = concealed;
    const followers = [
      ...resources.flatMap((resource) =>
        machinesOf(resource).flatMap(({ transitions }) =>
          transitions.map(({ name, timed, madeBy }) => ({
            kind: 'transition' as const,
            name: `${resource.name}.${name}`,
            // Time makes a timed transition, and the operator one that nothing else makes.
            madeBy: timed ? [] : madeBy,
          })),
        ),
      ),
      ...handlers.map(({ name, runBy }) => ({ kind: 'handler' as const, name, madeBy: runBy })),
    ];
    for (let size = -1; size < this.size; ) {
      size = this.size;
      for (const { kind, name, madeBy } of followers) if (this.isMade(madeBy)) this.shown[kind].add(name);
    }
  }

  private get size(): number {
    return this.shown.transition.size + this.shown.handler.size;
  }

  /** Whether not only concealed endpoints, and what follows from them, make something. */
  private isMade(madeBy: readonly MakerContract[]): boolean {
    return madeBy.length === 0 || madeBy.some((one) => this.isShown(one));
  }

  private isShown({ kind, name }: MakerContract): boolean {
    if (kind === 'endpoint') return !this.concealed.has(name);
    return kind === 'transition' || kind === 'handler' ? this.shown[kind].has(name) : true;
  }

  /** A field with states, without concealed transitions. */
  machine(resource: string, machine: StatesContract): StatesContract {
    const transitions = machine.transitions
      .filter(({ name }) => this.shown.transition.has(`${resource}.${name}`))
      .map((one) => ({ ...one, madeBy: one.madeBy.filter((maker) => this.isShown(maker)) }));
    return { ...machine, transitions };
  }

  /** An event without concealed transitions; null for a concealed event. */
  withoutConcealed(event: EventContract): EventContract | null {
    const { resource, when, madeBy = [] } = event;
    if (when.kind !== 'moves') return this.isMade(madeBy) ? event : null;
    const transitions = when.transitions.filter((name) => this.shown.transition.has(`${resource}.${name}`));
    return transitions.length ? { ...event, when: { ...when, transitions } } : null;
  }
}

/** The forms of rows that endpoints and events of a version have. */
class ShownShapes {
  readonly names = new Set<string>();
  private readonly version: VersionContract;

  constructor(version: VersionContract) {
    this.version = version;
    for (const { answers, body } of version.endpoints) {
      if (body) this.add(body.type);
      for (const answer of answers) if (answer.body) this.add(answer.body.type);
    }
    for (const { payload } of version.events) this.add(payload);
  }

  private add(type: ContractType): void {
    switch (type.kind) {
      case 'shape': {
        if (this.names.has(type.name)) return;
        this.names.add(type.name);
        const shape = this.version.shapes.find(({ name }) => name === type.name);
        if (shape) this.add(shape.type);
        return;
      }
      case 'list':
      case 'set':
      case 'map':
      case 'rows':
        this.add(type.of);
        return;
      case 'object':
        for (const member of type.members) this.add(member.type);
        return;
      case 'csv':
        for (const column of type.columns) this.add(column.type);
    }
  }
}
