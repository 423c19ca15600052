import { createHmac } from 'node:crypto';
import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Statement } from 'better-sqlite3';
import type { Db } from './database.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TIME_OUT = 10 * SECOND;
/** How long after each failed attempt the next one is made. */
const DELAYS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 10 * HOUR];
const LONGEST_RETRY_AFTER = 24 * HOUR;
const KEPT_FOR = 30 * DAY;
const AT_ONCE = 50;

interface Delivery {
  readonly seq: number;
  readonly attempts: number;
  readonly url: string;
  readonly secret: string;
  readonly event: string;
  readonly body: string;
}

interface Attempt {
  readonly delivered: boolean;
  /** How long the receiver asks to wait, in milliseconds. */
  readonly wait: number;
}

const DUE = `
SELECT delivery.seq, attempts, url, secret, event.id AS event, body FROM delivery
JOIN hook ON hook.id = delivery.hook JOIN event ON event.seq = delivery.event
WHERE delivery.due <= ? ORDER BY delivery.due LIMIT ${AT_ONCE}`;

/** Sends the events of the outbox to their receivers (Standard Webhooks), at least once each. */
export class Webhooks {
  private readonly allowsPrivate: boolean;
  private readonly due: Statement<[number], Delivery>;
  private readonly noting: Statement;
  private readonly forgetting: Statement;
  private readonly underWay = new Set<number>();

  constructor(db: Db, allowsPrivate: boolean) {
    this.allowsPrivate = allowsPrivate;
    this.due = db.prepare(DUE);
    this.noting = db.prepare('UPDATE delivery SET attempts = attempts + 1, due = ?, ended = ? WHERE seq = ?');
    this.forgetting = db.prepare(`
      DELETE FROM event WHERE at < ? AND NOT EXISTS (
        SELECT 1 FROM delivery WHERE event = event.seq AND (due IS NOT NULL OR ended > ?)
      )`);
  }

  /** Begins what is due. */
  send(): void {
    for (const delivery of this.due.all(Date.now()))
      if (this.underWay.size < AT_ONCE && !this.underWay.has(delivery.seq)) void this.deliver(delivery);
  }

  /** Forgets events that were delivered long ago. */
  forget(): void {
    const until = Date.now() - KEPT_FOR;
    this.forgetting.run(new Date(until).toISOString(), until);
  }

  private async deliver(delivery: Delivery): Promise<void> {
    const { seq, attempts } = delivery;
    this.underWay.add(seq);
    const { delivered, wait } = await this.attempt(delivery);
    const delay = delivered ? undefined : DELAYS[attempts];
    const now = Date.now();
    if (delay === undefined) this.noting.run(null, now, seq);
    else this.noting.run(now + Math.max(delay, wait), null, seq);
    this.underWay.delete(seq);
  }

  private attempt({ url, secret, event, body }: Delivery): Promise<Attempt> {
    const at = Math.floor(Date.now() / 1000);
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'webhook-id': event,
      'webhook-timestamp': String(at),
      'webhook-signature': signature(secret, event, at, body),
    };
    return new Promise((resolve) => {
      const fail = (): void => resolve({ delivered: false, wait: 0 });
      try {
        const { protocol, hostname } = new URL(url);
        const host = hostname.replace(/^\[|\]$/g, '');
        if (isIP(host) && !this.allowsPrivate && isPrivate(host)) return fail();
        const request = (protocol === 'https:' ? requestHttps : requestHttp)(url, {
          method: 'POST',
          headers,
          agent: false,
          signal: AbortSignal.timeout(TIME_OUT),
          ...(!this.allowsPrivate && { lookup: lookupPublic }),
        });
        request.on('error', fail).on('response', (answer) => {
          const status = answer.statusCode ?? 0;
          answer
            .on('error', fail)
            .on('end', () =>
              resolve({ delivered: status >= 200 && status < 300, wait: waitOf(answer.headers['retry-after']) }),
            );
          answer.resume();
        });
        request.end(body);
      } catch {
        fail();
      }
    });
  }
}

/** The milliseconds of a Retry-After: seconds or a date (RFC 9110, section 10.2.3). */
function waitOf(header: string | undefined): number {
  if (header === undefined) return 0;
  const wait = /^\d+$/.test(header) ? Number(header) * SECOND : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(0, wait), LONGEST_RETRY_AFTER);
}

function signature(secret: string, id: string, at: number, body: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`;
}

const PRIVATE = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of [
  ['::', 128],
  ['::1', 128],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv6');

const isPrivate = (address: string): boolean => PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Resolves a name, and fails for one that leads to an address that is not public. */
const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true } as LookupAllOptions, (error, addresses: LookupAddress[]) => {
    if (error) return callback(error, '', 0);
    if (addresses.some(({ address }) => isPrivate(address)))
      return callback(new Error(`${hostname} is not public`), '', 0);
    if (options.all) return callback(null, addresses);
    callback(null, addresses[0]!.address, addresses[0]!.family);
  });
};
