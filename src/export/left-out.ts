import type {
  Contract,
  EventContract,
  StatesContract,
  TransitionContract,
  VersionContract,
} from '../contract/contract.ts';
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
  const makers = new Makers({ contract, version }, concealed);
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
        ...heldStates(machinesOf(resource).map((machine) => makers.machine(machine))),
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

/** The kinds of steps that make an event of each kind, and those that do so by what they do to rows of others. */
const MAKING: Readonly<Record<string, { readonly own: readonly string[]; readonly others: readonly string[] }>> = {
  created: { own: ['create', 'ensure'], others: [] },
  removed: { own: ['remove', 'remove every'], others: ['remove', 'remove every'] },
  changed: { own: ['change', 'move', 'move to', 'issue secret'], others: ['remove', 'remove every'] },
};

/** Whether concealed endpoints alone make a transition or an event. */
class Makers {
  private readonly concealed: ReadonlySet<string>;
  /** The steps of concealed endpoints and after the transitions that these alone make, and all others. */
  private readonly hidden: readonly StepContract[];
  private readonly others: readonly StepContract[];
  /** The transitions that concealed endpoints alone make, as `Resource.transition`. */
  private readonly transitions: ReadonlySet<string>;

  constructor({ contract, version }: Described, concealed: ReadonlySet<string>) {
    this.concealed = concealed;
    const transitions = contract.resources.flatMap((resource) =>
      machinesOf(resource).flatMap((machine) =>
        machine.transitions.map((one) => ({ key: `${resource.name}.${one.name}`, one })),
      ),
    );
    this.transitions = new Set(transitions.flatMap(({ key, one }) => (this.isConcealed(one) ? [key] : [])));
    const followsOf = (isHidden: boolean) =>
      transitions.flatMap(({ key, one }) => (this.transitions.has(key) === isHidden ? one.follows : []));
    const stepsOf = (isHidden: boolean) =>
      version.endpoints.filter(({ name }) => concealed.has(name) === isHidden).flatMap(({ steps }) => steps);
    this.hidden = [...stepsOf(true), ...followsOf(true)];
    this.others = [...stepsOf(false), ...(contract.schedules ?? []).flatMap(({ steps }) => steps), ...followsOf(false)];
  }

  private isConcealed({ madeBy, timed }: StatesContract['transitions'][number]): boolean {
    return (
      timed === null &&
      madeBy.length > 0 &&
      madeBy.every(({ kind, name }) => kind === 'endpoint' && this.concealed.has(name))
    );
  }

  /** Whether steps that emit an event are those of a concealed endpoint, or follow what such endpoints alone make. */
  private isConcealedMaker({ kind, name }: TransitionContract['madeBy'][number]): boolean {
    return (kind === 'endpoint' && this.concealed.has(name)) || (kind === 'transition' && this.transitions.has(name));
  }

  /** A field with states, without the transitions that only concealed endpoints make. */
  machine(machine: StatesContract): StatesContract {
    const transitions = machine.transitions
      .filter((one) => !this.isConcealed(one))
      .map((one) => ({
        ...one,
        madeBy: one.madeBy.filter(({ name }) => !this.concealed.has(name)),
      }));
    return { ...machine, transitions };
  }

  /** An event without concealed transitions; null for an event that only concealed endpoints make. */
  withoutConcealed(event: EventContract): EventContract | null {
    const { resource, when, madeBy = [] } = event;
    if (when.kind === 'moves') {
      const transitions = when.transitions.filter((name) => !this.transitions.has(`${resource}.${name}`));
      return transitions.length ? { ...event, when: { ...when, transitions } } : null;
    }
    if (when.kind === 'emitted') return madeBy.every((one) => this.isConcealedMaker(one)) ? null : event;
    const making = MAKING[when.kind];
    if (!making) return event;
    const makes = (step: StepContract): boolean => step.resource === resource && making.own.includes(step.do);
    const mayMake = (step: StepContract): boolean => makes(step) || making.others.includes(step.do);
    return this.hidden.some(makes) && !this.others.some(mayMake) ? null : event;
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
