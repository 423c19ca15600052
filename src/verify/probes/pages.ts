import type { EndpointContract, PageContract } from '../../contract/endpoint.ts';
import type { Json } from '../../export/json.ts';
import { possibleTexts } from '../../expression/tree/always.ts';
import { isSafe } from '../../plan/callers.ts';
import { named } from '../../plan/named.ts';
import { eachSortKeys } from '../../plan/nested-steps.ts';
import { isSuccess } from '../../plan/status.ts';
import type { EndpointPlan, OrderPlan, Plan } from '../../plan/step.ts';
import { isObject } from '../../text/own-members.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { hasTraces } from '../oracle/order-traces.ts';
import { searchBy, wordsIn } from '../requests/queries.ts';
import type { Random } from '../requests/random.ts';
import type { Session } from '../session/session.ts';
import { type Exchange, headerOf, type Request } from '../target/exchange.ts';
import { Drive, type Option } from './drive.ts';
import { explain } from './explain.ts';
import { type Begun, Filling } from './filling.ts';
import { Findings } from './findings.ts';
import type { Probe, ProbeResult } from './probe.ts';

/** Lists of pages of more rows than these are not filled. */
const MOST_ROWS = 150;
/** The number of rows that are created at the same time, so that some have equal instants. */
const AT_ONCE = 4;
/** The number of filters that are tried in combination with pages. */
const MOST_FILTERS = 8;
/** The number of orders in which a list is read row by row, and the most rows that are read of it in one order. */
const MOST_ORDERS = 12;
const MOST_STEPS = 24;
/** The words of rows by which a list that is searched is read row by row. */
const MOST_WORDS = 3;
/** The most rows that are added because they are equal to others in some sort keys, and the requests looked at for one. */
const MOST_NEIGHBOURS = 12;
const LOOKED_AT = 60;
const LOOKED_AT_FOR_WORDS = 400;

/**
 * Fills each list past one page of the default size, and reads page after page: each row is on one page, in its order.
 */
export const pages: Probe = ofPages('pages', false);

/** Fills lists past their largest page, and goes from page to page while rows change. */
export const largePages: Probe = ofPages('large pages', true);

function ofPages(name: string, isLarge: boolean): Probe {
  return {
    name,
    needs: () => [],
    applies: ({ endpoints }: Plan): boolean =>
      endpoints.some(({ before }) => before.some((step) => step.do === 'read page')),
    tries: (id, plan) =>
      (id.kind === 'endpoint' && ['pages', 'Page size', 'sort'].includes(id.fact ?? '')) ||
      (id.kind === 'step' && plan.endpoints.some((one) => ordersOf(one).some((step) => step.line === id.line))),
    run: async (begun: Session, random: Random, isLate?: () => boolean): Promise<ProbeResult> => {
      const { subject } = begun;
      const findings = new Findings(subject.plan);
      const [version] = subject.contract.versions;
      const listing = (version?.endpoints ?? []).filter(({ page, method }) => page !== null && isSafe(method));
      let drive = new Drive(begun, findings, random, isLate);
      for (const endpoint of random.shuffled(listing)) {
        if (!endpoint.page || findings.isBroken || drive.isLate) break;
        drive.renew();
        if (await new Listing(drive, endpoint, endpoint.page, random).goThrough(isLarge)) continue;
        // Where the order of requests is not known, the rows are not known, so that no page can be judged.
        if (findings.isBroken) break;
        drive = new Drive(await drive.session.anew(), findings, random, isLate);
      }
      return findings.result();
    },
  };
}

/** One list with pages. */
class Listing {
  private readonly drive: Drive;
  private readonly endpoint: EndpointContract;
  private readonly page: PageContract;
  private readonly filling: Filling;

  constructor(drive: Drive, endpoint: EndpointContract, page: PageContract, random: Random) {
    this.drive = drive;
    this.endpoint = endpoint;
    this.page = page;
    this.filling = new Filling(drive, endpoint, random, (...args) => this.itemsBy(...args));
  }

  /** Goes through the pages of the list. Returns false if the rows of the service are no longer known. */
  async goThrough(isLarge: boolean): Promise<boolean> {
    const { most, standard } = this.page.size;
    const begun = await this.filling.begin();
    if (!begun) return !this.drive.findings.isBroken;
    const { list } = begun;
    const count = await this.fill(begun, (isLarge && most + 2 <= MOST_ROWS ? most : standard) + 2);
    if (count === null) return false;
    await this.drive.endWindows();
    // Small pages come first: their errors show with few rows.
    const sizes = [3, 1, null, most, Math.floor(count / 2), count, count - 1];
    for (const limit of new Set(isLarge ? sizes : sizes.slice(0, 3))) {
      if (limit !== null && (limit < 1 || limit > most)) continue;
      if (!(await this.walk(list, limit, limit === null || limit > 9 ? count : 3))) return true;
    }
    if (!isLarge && this.orders().length > 0) await this.walkOrders(begun);
    if (isLarge && (await this.walkAmongChanges(list))) await this.walkFiltered();
    return true;
  }

  /** The predicted number of items on a page of the largest size. */
  private itemsBy(oracle: Oracle, list: Request, now: number): number {
    const asked = withParameter(list, this.page.size.parameter, String(this.page.size.most));
    const body = this.drive.session.foreseeBy(oracle, asked, now, 'list')?.prediction.expected.body;
    return itemsOf(this.page, body ?? null).length;
  }

  /** Creates rows of the list, some of them at the same time. Returns the number of rows; null if it is unknown. */
  private async fill({ list, adding }: Begun, wanted: number): Promise<number | null> {
    const { session } = this.drive;
    let count = this.itemsBy(session.oracle, list, await session.now());
    while (adding && count < wanted && wanted <= MOST_ROWS) {
      const group = await this.filling.makers(list, Math.min(AT_ONCE, wanted - count), adding);
      if (group.length === 0) break;
      const { exchanges, when } = await session.race(group.map(({ request }) => request));
      if (exchanges.some(({ outcome }) => 'failed' in outcome) || explain(this.drive, exchanges, when) !== 'whole')
        return null;
      this.drive.findings.acts.push(...exchanges);
      count += group.length;
    }
    return count;
  }

  /** Reads page after page until `rows` rows were read. Returns false after a wrong page. */
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

  /**
   * Goes through the list row by row, in each order that a request can choose, where several sort keys or nulls decide:
   * pages then begin at each pair of neighbours.
   */
  private async walkOrders({ list, adding }: Begun): Promise<void> {
    const orders = this.orders().flatMap((order) => orderedRequests(list, order));
    const searches = await this.searches(list);
    const requests = [...orders.slice(0, MOST_ORDERS), ...searches];
    if (adding && !(await this.addNeighbours(requests, adding, searches.length > 0))) return;
    for (const asked of requests) if (!(await this.walk(asked, 1, MOST_STEPS))) return;
  }

  /** Requests for the rows that have a word of a row, for a list that is searched: how well rows match may be its order. */
  private async searches(list: Request): Promise<Request[]> {
    const { session } = this.drive;
    const known = session.known(await session.now());
    const { parameters, name } = this.endpoint;
    return parameters.flatMap((one) => {
      const found = searchBy(session.subject.plan, name, one);
      if (!found || one.in !== 'query') return [];
      const words = known.rows(found.resource).flatMap(({ fields }) => wordsIn(found.search, (field) => fields[field]));
      return [...new Set(words)].slice(0, MOST_WORDS).map((word) => withParameter(list, one.name, word));
    });
  }

  /** Adds rows that are equal to others in some sort keys, and differ in the next. Returns false after a wrong answer. */
  private async addNeighbours(requests: readonly Request[], like: Option, isSearched: boolean): Promise<boolean> {
    const { drive, page } = this;
    const { session } = drive;
    const whole = requests.map((one) => withParameter(one, page.size.parameter, String(page.size.most)));
    const now = await session.now();
    const tried = (oracle: Oracle): number => {
      const traces = whole.flatMap((one) => session.foreseeBy(oracle, one, now, 'list')?.prediction.trace ?? []);
      return new Set(traces.flatMap(({ statement, what }) => (statement.kind === 'step' ? [what] : []))).size;
    };
    for (let added = 0; added < MOST_NEIGHBOURS; added++) {
      const before = tried(session.oracle);
      const isNew = ({ foreseen }: Option): boolean =>
        isSuccess(foreseen.prediction.expected.status) && tried(foreseen.oracle) > before;
      // A row that has a word oftener than others is among the altered requests alone, which come last.
      const found =
        (await drive.atOnce(isNew, { like, most: LOOKED_AT })) ??
        (isSearched ? await drive.atOnce(isNew, { at: like.endpoint, most: LOOKED_AT_FOR_WORDS }) : null);
      if (!found) return true;
      if (!(await drive.send(found.request))) return false;
    }
    return true;
  }

  /** The orders of the pages, of several sort keys or of keys that can be null. */
  private orders(): OrderPlan[] {
    const { plan } = this.drive.session.subject;
    return ordersOf(named(plan.endpoints, this.endpoint.name)).map(({ order }) => order);
  }

  /** Requests the next page after rows have changed, and as another caller. */
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
    const before = itemsOf(page, session.predict(sized, now, 'list')?.expected.body ?? null);
    const changed = ({ foreseen: { oracle, prediction } }: Option): number => {
      if (!isSuccess(prediction.expected.status)) return 0;
      const after = itemsOf(page, session.foreseeBy(oracle, sized, now, 'list')?.prediction.expected.body ?? null);
      return before.filter((one, i) => JSON.stringify(one) !== JSON.stringify(after[i])).length;
    };
    // A row that is added or removed before a place shifts all later rows: pages by offset then contain other rows.
    const change = (await drive.atOnce((one) => changed(one) > 1)) ?? (await drive.atOnce((one) => changed(one) > 0));
    if (change && !(await drive.send(change.request))) return false;
    return (await drive.send(next)) !== null;
  }

  /** The request with the credentials of another caller. */
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

  /** Goes through the pages of lists with filters. */
  private async walkFiltered(): Promise<void> {
    const filtered = (await this.filling.requests()).filter(({ target }) => target.includes('?'));
    for (const one of filtered.slice(0, MOST_FILTERS)) if (!(await this.walk(one, 2, 6))) return;
  }
}

/** The lists in pages of an endpoint whose order has several sort keys, or keys that can be null. */
const ordersOf = ({ inside }: EndpointPlan) =>
  inside.flatMap((step) => (step.do === 'list' && !step.all && eachSortKeys(step.order).some(hasTraces) ? [step] : []));

/** The requests of a list in each order that its query parameters can choose. */
function orderedRequests(list: Request, order: OrderPlan): Request[] {
  let out = [list];
  for (const chosen of 'by' in order ? [] : [order.sorted, order.direction]) {
    const isOfQuery = chosen?.op === 'get' && chosen.of.op === 'name' && chosen.of.name === 'query';
    const texts = isOfQuery ? [...new Set(possibleTexts(chosen))] : [];
    if (isOfQuery) out = out.flatMap((one) => texts.map((text) => withParameter(one, chosen.member, text)));
  }
  return out;
}

/** A request with another value of one query parameter. */
function withParameter(request: Request, name: string, value: string): Request {
  const [path = '', query = ''] = request.target.split('?');
  const others = query.split('&').filter((one) => one !== '' && decodeURIComponent(one.split('=')[0] ?? '') !== name);
  const asked = [...others, `${encodeURIComponent(name)}=${encodeURIComponent(value)}`].join('&');
  return { ...request, target: `${path}?${asked}` };
}

/** The items of a page. */
function itemsOf({ payload }: PageContract, body: Json): readonly Json[] {
  const name = payload?.find(({ value }) => value === 'items')?.name;
  const items = name === undefined ? body : memberAt(body, name);
  return Array.isArray(items) ? items : [];
}

/** The cursor or place of the next page in an answer; null where there is none. */
function nextOf({ payload, place }: PageContract, { outcome }: Exchange): string | null {
  if ('failed' in outcome || outcome.status !== 200) return null;
  const name = payload?.find(({ value }) => value === 'next')?.name;
  if (name !== undefined) {
    const next = memberAt(jsonOf(outcome.body), name);
    return typeof next === 'string' || typeof next === 'number' ? String(next) : null;
  }
  const linked = payload?.find(({ value }) => value === 'links.next')?.name;
  const told = linked === undefined ? undefined : memberAt(jsonOf(outcome.body), linked);
  const link =
    typeof told === 'string'
      ? told
      : /<([^>]*)>\s*;\s*rel="?next"?/i.exec(headerOf(outcome.headers, 'Link') ?? '')?.[1];
  return link === undefined ? null : new URLSearchParams(link.split('?')[1] ?? '').get(place);
}

function jsonOf(body: Buffer): Json {
  try {
    return JSON.parse(body.toString()) as Json;
  } catch {
    return null;
  }
}

/** The member at the end of a dotted name. */
const memberAt = (body: Json, name: string): Json | undefined =>
  name.split('.').reduce<Json | undefined>((outer, one) => membersOf(outer ?? null)[one], body);

const membersOf = (value: Json): Readonly<Record<string, Json>> => (isObject(value) ? value : {});
