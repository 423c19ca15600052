import type { Contract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import { effectOfKind } from '../../plan/slots.ts';
import type { Known, KnownRow } from './known.ts';
import type { Random } from './random.ts';

/** How likely each endpoint that writes takes part in a conversation; one that makes rows is needed more often. */
const SHARES = [0.35, 0.6, 0.9] as const;
const MAKING = 0.9;
/** How likely a turn is about the endpoint that its conversation is about. */
const OF_SUBJECT = 0.35;
/** How many callers take part, at most. */
const CALLERS = [1, 2, 3, 3] as const;
/** How many rows of a resource take part that existed before, and how many of those created since: the newest. */
const CAST = 2;
const NEWEST = [1, 2, 3, 6] as const;

/** The participants of a conversation. */
interface Parts {
  readonly contract: Contract;
  /** The contract with the one endpoint that the conversation is about; null where the conversation writes nothing. */
  readonly subject: Contract | null;
  /** Callers that existed before, and do not take part. */
  readonly absent: ReadonlySet<string>;
  /** By resource, the identities of rows that existed before and do not take part. Rows of callers all take part. */
  readonly aside: ReadonlyMap<string, ReadonlySet<string>>;
  readonly newest: number;
}

/**
 * The few callers, rows and endpoints that a conversation keeps to. Counts and states in which conditions decide result
 * from the same few requests about the same few rows; requests that undo them are often left out (swarm testing: A.
 * Groce and others, ISSTA 2012).
 */
export class Focus {
  private readonly parts: Parts;
  /** By resource, the identities of rows in the order in which the conversation met them. */
  private readonly met = new Map<string, Set<string>>();

  private constructor(parts: Parts) {
    this.parts = parts;
  }

  /** `weightOf`: how much there is to find out at an endpoint, by its name. */
  static of(whole: Contract, known: Known, random: Random, weightOf: (endpoint: string) => number): Focus {
    const share = random.pick(SHARES);
    const name = subjectOf(whole, random, weightOf);
    const takesPart = (one: EndpointContract): boolean =>
      !one.writes || one.name === name || random.chance(makes(one) ? MAKING : share);
    const identities = [...new Set(known.credentials.map(callerKey))];
    const taking = random.some(identities, random.pick(CALLERS));
    return new Focus({
      contract: only(whole, takesPart),
      subject: name === null ? null : only(whole, (one) => one.name === name),
      absent: new Set(identities.filter((one) => !taking.includes(one))),
      aside: asideOf(whole, known, random),
      newest: random.pick(NEWEST),
    });
  }

  /** The document with the endpoints that take part in the next turn. */
  endpoints(random: Random): Contract {
    const { contract, subject } = this.parts;
    return subject && random.chance(OF_SUBJECT) ? subject : contract;
  }

  /** The known rows and callers that take part. Callers that were created in the conversation take part. */
  narrow(known: Known): Known {
    return {
      ...known,
      credentials: known.credentials.filter((one) => !this.parts.absent.has(callerKey(one))),
      rows: (resource) => this.taking(resource, known.rows(resource)),
    };
  }

  private taking(resource: string, rows: readonly KnownRow[]): readonly KnownRow[] {
    const aside = this.parts.aside.get(resource);
    if (aside === undefined) return rows;
    const left = rows.filter(({ identity }) => !aside.has(identity));
    const met = this.met.get(resource) ?? new Set();
    for (const { identity } of left) met.add(identity);
    this.met.set(resource, met);
    const order = new Map([...met].map((identity, i) => [identity, i]));
    const age = ({ identity }: KnownRow): number => order.get(identity) ?? 0;
    return left.sort((a, b) => age(b) - age(a)).slice(0, CAST + this.parts.newest);
  }
}

/** The name of one writing endpoint; the more there is to find out at an endpoint, the likelier it is chosen. */
function subjectOf({ versions }: Contract, random: Random, weightOf: (endpoint: string) => number): string | null {
  const writing = (versions[0]?.endpoints ?? []).filter(({ writes }) => writes).map(({ name }) => name);
  const weights = writing.map((one) => 1 + weightOf(one));
  let at = random.next() * weights.reduce((sum, one) => sum + one, 0);
  for (const [i, one] of writing.entries()) {
    at -= weights[i] ?? 0;
    if (at < 0) return one;
  }
  return null;
}

const makes = ({ steps }: EndpointContract): boolean => steps.some((step) => effectOfKind(step.do) === 'creates');

/** The document with some of its endpoints alone; a version that has none of them keeps all. */
const only = (whole: Contract, fits: (endpoint: EndpointContract) => boolean): Contract => ({
  ...whole,
  versions: whole.versions.map((one) => {
    const some = one.endpoints.filter(fits);
    return { ...one, endpoints: some.length > 0 ? some : one.endpoints };
  }),
});

function asideOf({ resources }: Contract, known: Known, random: Random): Parts['aside'] {
  const ofCallers = new Set(known.credentials.map(({ resource }) => resource));
  const others = resources.filter(({ name }) => !ofCallers.has(name));
  return new Map(
    others.map(({ name }) => {
      const all = known.rows(name);
      const cast = new Set(random.some(all, CAST));
      return [name, new Set(all.filter((row) => !cast.has(row)).map(({ identity }) => identity))];
    }),
  );
}

const callerKey = ({ resource, identity }: { readonly resource: string; readonly identity: string }): string =>
  `${resource} ${identity}`;
