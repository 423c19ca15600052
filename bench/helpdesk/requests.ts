import type { Asking } from '../load/measure.ts';
import { numbers, textOf, wordOf } from './words.ts';

/** What is asked of the helpdesk, each kind by itself. */
export const KINDS = {
  read: 'read a ticket with its comments',
  list: 'list 25 tickets, filtered',
  search: 'search two words',
  create: 'create a ticket',
  comment: 'comment',
  counts: 'counts by priority',
} as const;
export type Kind = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as Kind[];

/** The people of an organisation, by their keys, and how many tickets it has. */
export interface Team {
  readonly agents: readonly string[];
  readonly customers: readonly string[];
  readonly tickets: number;
}

/** What the rows are: the same for both services. */
export interface Dataset {
  readonly teams: readonly Team[];
}

/** The lists that are asked for in turn. */
export const LISTS = [
  '/tickets?status=waiting&priority=high&limit=25',
  '/tickets?status=waiting&sort=due&direction=asc&limit=25',
  '/tickets?tag=tag-3&limit=25',
] as const;

/** Words that neither nearly every ticket nor nearly none has. */
const SEARCHED = { from: 20, count: 200 };
export const SUBJECT_WORDS = 6;
export const BODY_WORDS = 60;

/** Writes the requests of one kind; the same ones in each run. */
export class HelpdeskRequests {
  private readonly data: Dataset;
  /** The second page of each list, by the key of who asks. */
  private readonly pages: ReadonlyMap<string, readonly string[]>;
  private readonly random = numbers(7);
  private count = 0;
  expected = 200;

  constructor(data: Dataset, pages: ReadonlyMap<string, readonly string[]>) {
    this.data = data;
    this.pages = pages;
  }

  asking(kind: Kind): Asking {
    const next = (): string => this.next(kind);
    const expected = kind === 'create' || kind === 'comment' ? 201 : 200;
    return { next, expected, left: 1 };
  }

  private next(kind: Kind): string {
    const team = this.one(this.data.teams);
    const agent = this.one(team.agents);
    const number = 1 + Math.floor(this.random() * team.tickets);
    switch (kind) {
      case 'read':
        return requestOf('GET', `/tickets/${number}`, agent);
      case 'list': {
        const list = this.count++ % LISTS.length;
        const second = this.pages.get(agent)![list]!;
        return requestOf('GET', this.random() < 0.5 ? LISTS[list]! : second, agent);
      }
      case 'search': {
        const word = (): string => wordOf(SEARCHED.from + Math.floor(this.random() * SEARCHED.count));
        return requestOf('GET', `/tickets:search?q=${word()}+${word()}&limit=25`, agent);
      }
      case 'create': {
        const body = {
          subject: textOf(SUBJECT_WORDS, this.random),
          body: textOf(BODY_WORDS, this.random),
          priority: 'high',
        };
        return requestOf('POST', '/tickets', this.one(team.customers), body, `create-${this.count++}`);
      }
      case 'comment':
        return requestOf(
          'POST',
          `/tickets/${number}/comments`,
          agent,
          { text: textOf(30, this.random) },
          `c-${this.count++}`,
        );
      case 'counts':
        return requestOf('GET', '/counts', agent);
    }
  }

  private one<T>(all: readonly T[]): T {
    return all[Math.floor(this.random() * all.length)]!;
  }
}

/** The text of a request, with an idempotency key where it writes. */
export function requestOf(method: string, path: string, key: string, body?: object, idempotencyKey?: string): string {
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nAccept: application/json\r\nUser-Agent: bench\r\n`;
  if (body === undefined) return `${head}${method === 'GET' ? '' : 'Content-Length: 0\r\n'}\r\n`;
  const text = JSON.stringify(body);
  const idempotency = idempotencyKey === undefined ? '' : `Idempotency-Key: ${idempotencyKey}\r\n`;
  return `${head}${idempotency}Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}
