import type { Contract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import { effectOfKind } from '../../plan/slots.ts';
import type { Known, KnownRow } from './known.ts';
import type { Random } from './random.ts';

/**
 * The probability that a writing endpoint is part of a conversation: one of `SHARES`, or `MAKING` for an endpoint that
 * creates rows, since more of these are needed.
 */
const SHARES = [0.35, 0.6, 0.9] as const;
const MAKING = 0.9;
/** The probability that a request goes to the main endpoint of the conversation. */
const OF_SUBJECT = 0.35;
/** The largest number of callers of a conversation; one of these is drawn. */
const CALLERS = [1, 2, 3, 3] as const;
/** The number of existing rows of a resource that a conversation uses, and of its newest rows since. */
const CAST = 2;
const NEWEST = [1, 2, 3, 6] as const;

/** The callers, rows and endpoints of a conversation. */
interface Parts {
  readonly contract: Contract;
  /** The contract with the one endpoint that the conversation is about; null where the conversation writes nothing. */
  readonly subject: Contract | null;
  /** Existing callers that the conversation does not use. */
  readonly absent: ReadonlySet<string>;
  /**
   * By resource, the identities of existing rows that the conversation does not use. Rows of callers are always used.
   */
  readonly aside: ReadonlyMap<string, ReadonlySet<string>>;
  readonly newest: number;
}

/**
 * The few callers, rows and endpoints to which a conversation (a series of random requests) is limited. If the same few
 * requests concern the same few rows, rows reach the counts and states on which conditions depend. Random omission of
 * endpoints helps too: endpoints that undo changes are then often absent (swarm testing: A. Groce and others, ISSTA
 * 2012).
 */
export class Focus {
  private readonly parts: Parts;
  /** By resource, the identities of the rows that the conversation has used, in order of first use. */
  private readonly met = new Map<string, Set<string>>();

  private constructor(parts: Parts) {
    this.parts = parts;
  }

  /** `weightOf`: the amount that is still untested at an endpoint, by the endpoint's name. */
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

  /** The contract with only the endpoints that the next request may use. */
  endpoints(random: Random): Contract {
    const { contract, subject } = this.parts;
    return subject && random.chance(OF_SUBJECT) ? subject : contract;
  }

  /** The known rows and callers that the conversation uses, including callers that it has created. */
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

/** Draws the name of a writing endpoint; an endpoint with more untested behaviour is likelier. */
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

/** The contract with only some endpoints; a version with none of them keeps all its endpoints. */
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
