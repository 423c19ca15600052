import type { EndpointContract, PageContract } from '../../contract/endpoint.ts';
import type { Plan } from '../../plan/step.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { candidatesFor } from '../requests/candidates.ts';
import type { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import type { Request } from '../target/exchange.ts';
import { Drive, type Option } from './drive.ts';
import { explain } from './explain.ts';
import { Findings } from './findings.ts';
import { itemsOf, nextOf, withParameter } from './page-answers.ts';
import type { Probe, ProbeResult } from './probe.ts';

/** Lists of pages of more rows than these are not filled. */
const MOST_ROWS = 150;
/** How many lists are gone through. */
const MOST_LISTS = 3;
/** How many rows are made at the same time, so that some are of one instant. */
const AT_ONCE = 4;
/** How many requests are looked at for the list itself, and for rows of it. */
const LOOKED_AT = 80;
/** How many filters are asked for in pages. */
const MOST_FILTERS = 8;

/** Fills lists past their largest page, and goes from page to page: each row is on one, in its order. */
export const pages: Probe = {
  name: 'pages',
  needs: () => [],
  applies: ({ endpoints }: Plan): boolean =>
    endpoints.some(({ before }) => before.some((step) => step.do === 'read page')),
  tries: (key) => /^endpoint .*: (?:pages|Page size|sort)$/.test(key),
  run: async (session: Session, random: Random, isLate?: () => boolean): Promise<ProbeResult> => {
    const findings = new Findings(session.subject.plan);
    const drive = new Drive(session, findings, random, isLate);
    const [version] = session.subject.contract.versions;
    const listing = (version?.endpoints ?? []).filter(({ page, method }) => page !== null && method === 'GET');
    for (const endpoint of random.shuffled(listing).slice(0, MOST_LISTS)) {
      if (findings.isBroken || !endpoint.page) break;
      drive.renew();
      if (!(await new Listing(drive, endpoint, endpoint.page, random).goThrough())) break;
    }
    return findings.result();
  },
};

/** One list that comes in pages. */
class Listing {
  private readonly drive: Drive;
  private readonly endpoint: EndpointContract;
  private readonly page: PageContract;
  private readonly random: Random;

  constructor(drive: Drive, endpoint: EndpointContract, page: PageContract, random: Random) {
    this.drive = drive;
    this.endpoint = endpoint;
    this.page = page;
    this.random = random;
  }

  /** False where it is not known any more what the service holds. */
  async goThrough(): Promise<boolean> {
    const { size } = this.page;
    const list = (await this.requests()).find(({ target }) => !target.includes('?'));
    if (!list) return true;
    const count = await this.fill(list);
    if (count === null) return false;
    await this.drive.endWindows();
    // Small pages first: what is wrong with them is seen with a few rows.
    const sizes = [3, 1, null, size.most, Math.floor(count / 2), count, count - 1];
    for (const limit of new Set(sizes)) {
      if (limit !== null && (limit < 1 || limit > size.most)) continue;
      if (!(await this.walk(list, limit, limit === null || limit > 9 ? count : 3))) return true;
    }
    if (await this.walkAmongChanges(list)) await this.walkFiltered();
    return true;
  }

  /** Requests for the list that are answered with it now. */
  private async requests(): Promise<Request[]> {
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
      const ofPage = asked.has(this.page.place) || asked.has(this.page.size.parameter);
      const isList = one.valid && one.request.method === this.endpoint.method && !ofPage;
      if (isList && session.predict(one.request, now, 'foreseen')?.expected.status === 200) out.push(one.request);
    }
    return out;
  }

  /** How many items a page holds of as many rows as it may, by what is known. */
  private itemsBy(oracle: Oracle, list: Request, now: number): number {
    const asked = withParameter(list, this.page.size.parameter, String(this.page.size.most));
    const body = this.drive.session.foreseeBy(oracle, asked, now, 'list')?.prediction.expected.body;
    return itemsOf(this.page, body ?? null).length;
  }

  /** Makes rows of the list, some at the same time; gives how many there are, null where that is not known. */
  private async fill(list: Request): Promise<number | null> {
    const { session } = this.drive;
    const { most, standard } = this.page.size;
    const wanted = (most + 2 <= MOST_ROWS ? most : standard) + 2;
    let count = this.itemsBy(session.oracle, list, await session.now());
    let at: Option | null = null;
    while (count < wanted && wanted <= MOST_ROWS) {
      const group: Option[] = await this.makers(list, Math.min(AT_ONCE, wanted - count), at);
      const [first] = group;
      if (!first) break;
      at ??= first;
      const { exchanges, when } = await session.race(group.map(({ request }) => request));
      if (exchanges.some(({ outcome }) => 'failed' in outcome) || explain(this.drive, exchanges, when) !== 'whole')
        return null;
      this.drive.findings.acts.push(...exchanges);
      count += group.length;
    }
    return count;
  }

  /** Requests that each add a row to the list, one after the other; those like one that has are taken to. */
  private async makers(list: Request, most: number, known: Option | null): Promise<Option[]> {
    const { session } = this.drive;
    const now = await session.now();
    const group: Option[] = [];
    let { oracle } = session;
    await this.drive.atOnce(
      (option) => {
        const made = session.foreseeBy(oracle, option.request, now, `made ${group.length}`);
        if (!made || made.prediction.expected.status >= 300) return false;
        const adds = known
          ? this.isLike(option, known) && rowsIn(made.oracle) > rowsIn(oracle)
          : this.itemsBy(made.oracle, list, now) > this.itemsBy(oracle, list, now);
        if (!adds) return false;
        group.push(option);
        oracle = made.oracle;
        return group.length >= most;
      },
      { at: known?.endpoint ?? null, most: LOOKED_AT },
    );
    return group;
  }

  /** Whether two requests are to one endpoint, by one caller. */
  private isLike(one: Option, other: Option): boolean {
    const schemes = new Set(this.drive.session.subject.contract.schemes.map(({ header }) => header.toLowerCase()));
    const authority = ({ request }: Option): string =>
      JSON.stringify(request.headers.filter(([name]) => schemes.has(name.toLowerCase())));
    return one.endpoint === other.endpoint && authority(one) === authority(other);
  }

  /** Goes from page to page, as many as hold so many rows; false where one was another than it has to be. */
  private async walk(list: Request, limit: number | null, rows: number): Promise<boolean> {
    const { parameter, standard } = this.page.size;
    const sized = limit === null ? list : withParameter(list, parameter, String(limit));
    let asked: Request | null = sized;
    for (let seen = 0; asked && seen <= rows; seen += limit ?? standard) {
      const exchange = await this.drive.send(asked);
      if (!exchange) return false;
      const place = nextOf(this.page, exchange);
      asked = place === null ? null : withParameter(sized, this.page.place, place);
    }
    return true;
  }

  /** Goes on to the next page once rows have changed, and as somebody else. */
  private async walkAmongChanges(list: Request): Promise<boolean> {
    const { drive, page } = this;
    const { session } = drive;
    const sized = withParameter(list, page.size.parameter, '3');
    const exchange = await drive.send(sized);
    const place = exchange && nextOf(page, exchange);
    if (!exchange || place === null) return exchange !== null;
    const next = withParameter(sized, page.place, place);
    for (const other of await this.byOthers(next)) if (!(await drive.send(other))) return false;
    const now = await session.now();
    const isChange = ({ foreseen }: Option): boolean =>
      foreseen.prediction.expected.status < 300 &&
      JSON.stringify(session.predict(sized, now, 'list')?.expected.body) !==
        JSON.stringify(session.foreseeBy(foreseen.oracle, sized, now, 'list')?.prediction.expected.body);
    const change = await drive.atOnce(isChange);
    if (change && !(await drive.send(change.request))) return false;
    return (await drive.send(next)) !== null;
  }

  /** The same request with the credentials of others. */
  private async byOthers(request: Request): Promise<Request[]> {
    const { credentials } = this.drive.session.known(await this.drive.session.now());
    const own = credentials.find(({ text }) => request.headers.some(([, value]) => value.endsWith(text)));
    if (!own) return [];
    const others = credentials.filter((one) => one.scheme === own.scheme && one.identity !== own.identity);
    return others.slice(0, 1).map(({ text }) => ({
      ...request,
      headers: request.headers.map(([name, value]) => [name, value.replace(own.text, text)] as const),
    }));
  }

  /** Goes through what parameters keep. */
  private async walkFiltered(): Promise<void> {
    const filtered = (await this.requests()).filter(({ target }) => target.includes('?'));
    for (const one of filtered.slice(0, MOST_FILTERS)) if (!(await this.walk(one, 2, 6))) return;
  }
}

const rowsIn = ({ state }: Oracle): number =>
  state.plan.resources.reduce((sum, { name }) => sum + state.rows.all(name).length, 0);
