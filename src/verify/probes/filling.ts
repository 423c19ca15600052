import type { EndpointContract } from '../../contract/endpoint.ts';
import { endpointsWith } from '../../plan/nested-steps.ts';
import { effectOf, isList, resourceOf } from '../../plan/slots.ts';
import { isSuccess } from '../../plan/status.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { isBySame } from '../requests/by-chance.ts';
import { candidatesFor } from '../requests/candidates.ts';
import type { Random } from '../requests/random.ts';
import { renewed } from '../requests/renewed.ts';
import type { Request } from '../target/exchange.ts';
import type { Drive, Option } from './drive.ts';

/** The number of candidates that are considered to read the list, and to add rows to it. */
const LOOKED_AT = 80;
/** The number of lists that are considered, such as the lists below several rows, to find one that can grow. */
const MOST_LISTS = 6;
/** The largest number of preparing requests until there is a list that can grow. */
const MOST_BEFORE = 8;

/** Returns the predicted number of rows of a list at an instant. */
export type Count = (oracle: Oracle, list: Request, now: number) => number;

/** A list, and a request that adds a row to it, if there is any. */
export interface Begun {
  readonly list: Request;
  readonly adding: Option | null;
}

/** Finds requests for one list, and requests that add rows to it. */
export class Filling {
  private readonly drive: Drive;
  private readonly endpoint: EndpointContract;
  private readonly random: Random;
  private readonly count: Count;
  /** The parameters that select a page of the list. */
  private readonly ofPage: readonly string[];

  constructor(drive: Drive, endpoint: EndpointContract, random: Random, count: Count) {
    this.drive = drive;
    this.endpoint = endpoint;
    this.random = random;
    this.count = count;
    this.ofPage = endpoint.page ? [endpoint.page.place, endpoint.page.size.parameter] : [];
  }

  /**
   * Finds a request for all rows of a list, and one that adds a row; rows of other resources may be created first. Null
   * where there is no list; without `adding` where no request adds a row.
   */
  async begin(): Promise<Begun | null> {
    for (let before = 0; ; before++) {
      const lists = (await this.requests()).filter(({ target }) => !target.includes('?'));
      const others = new Map(lists.map((one) => [one.target, one]));
      const begun = await this.growing([...others.values()].slice(0, MOST_LISTS));
      if (begun) return begun;
      if (before < MOST_BEFORE && (await this.drive.goOn())) continue;
      return lists[0] && !this.drive.findings.isBroken ? { list: lists[0], adding: null } : null;
    }
  }

  /** The first list to which some request can add a row; null if there is none. */
  private async growing(lists: readonly Request[]): Promise<Begun | null> {
    if (lists.length === 0) return null;
    const { session } = this.drive;
    const { oracle: own } = session;
    const now = await session.now();
    const counts = lists.map((list) => this.count(own, list, now));
    let found: Begun | null = null;
    const among = this.makingRows();
    await this.drive.atOnce(
      (adding) => {
        const { oracle, prediction } = adding.foreseen;
        if (!isSuccess(prediction.expected.status) || (among && rowsIn(oracle) <= rowsIn(own))) return false;
        const list = lists.find((one, i) => this.count(oracle, one, now) > (counts[i] ?? 0));
        if (list) found = { list, adding };
        return list !== undefined;
      },
      { among, most: LOOKED_AT },
    );
    return found;
  }

  /**
   * The endpoints that create rows of the list’s resource; null where there are none, so that all endpoints are looked
   * at.
   */
  private makingRows(): ReadonlySet<string> | null {
    const { plan } = this.drive.session.subject;
    const listed = plan.endpoints
      .find(({ name }) => name === this.endpoint.name)
      ?.inside.flatMap((step) => (isList(step) || step.do === 'group' ? [step.resource] : []));
    const making = endpointsWith(
      plan,
      (step) => effectOf(step) === 'creates' && (listed?.includes(resourceOf(step) ?? '') ?? false),
    );
    return making.size > 0 ? making : null;
  }

  /** Requests that now return the list, or a part of it that a filter selects. */
  async requests(): Promise<Request[]> {
    const { session } = this.drive;
    const { contract, plan } = session.subject;
    const [version] = contract.versions;
    if (!version) return [];
    const now = await session.now();
    const out: Request[] = [];
    let looked = 0;
    for (const one of candidatesFor(contract, version, this.endpoint, session.known(now), this.random, plan)) {
      if (++looked > LOOKED_AT) break;
      const asked = new URLSearchParams(one.request.target.split('?')[1] ?? '');
      const ofPage = this.ofPage.some((name) => asked.has(name));
      const isList = one.valid && one.request.method === this.endpoint.method && !ofPage;
      if (isList && session.predict(one.request, now, 'foreseen')?.expected.status === 200) out.push(one.request);
    }
    return out;
  }

  /** A copy of the request with a new idempotency key, if that would create another row; otherwise null. */
  async again(option: Option): Promise<Option | null> {
    const { session } = this.drive;
    const endpoint = session.subject.contract.versions[0]?.endpoints.find(({ name }) => name === option.endpoint);
    if (!endpoint) return null;
    const same = renewed(option, endpoint, this.random);
    const foreseen = session.foresee(same.request, await session.now(), 'again');
    const makes =
      foreseen && isSuccess(foreseen.prediction.expected.status) && rowsIn(foreseen.oracle) > rowsIn(session.oracle);
    return makes ? { ...same, foreseen } : null;
  }

  /**
   * Requests that each add a row to the list, one after the other. A request that creates a row and resembles the known
   * one is assumed to add to the list, unless `isSure`.
   */
  async makers(list: Request, most: number, known: Option, isSure = false): Promise<Option[]> {
    const { session } = this.drive;
    const { contract } = session.subject;
    const now = await session.now();
    const group: Option[] = [];
    let { oracle } = session;
    const adds = (option: Option): boolean => {
      const made = session.foreseeBy(oracle, option.request, now, `made ${group.length}`);
      if (!made || !isSuccess(made.prediction.expected.status) || rowsIn(made.oracle) <= rowsIn(oracle)) return false;
      if (!isBySame(contract, option.request, known.request)) return false;
      if (isSure && this.count(made.oracle, list, now) <= this.count(oracle, list, now)) return false;
      group.push(option);
      oracle = made.oracle;
      return group.length >= most;
    };
    await this.drive.atOnce(adds, { like: known, most: LOOKED_AT });
    // If the client chooses the path of a new row, a second request to the same path adds no row.
    if (group.length === 0) await this.drive.atOnce(adds, { at: known.endpoint, most: LOOKED_AT });
    return group;
  }
}

/** The number of known rows of all resources. */
export const rowsIn = ({ state }: Oracle): number =>
  state.plan.resources.reduce((sum, { name }) => sum + state.rows.all(name).length, 0);
