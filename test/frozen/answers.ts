import { mock } from 'node:test';
import { type Sent, scriptOf } from '../../bench/check/script.ts';
import { benchedDocument } from '../../bench/document.ts';
import { type Dataset, draftBody, skuOf } from '../../bench/load/requests.ts';
import { compile } from '../../src/compiler/compile.ts';
import { Compiled, inMemory } from '../differential/engine.ts';
import type { Answer } from '../differential/show.ts';

const START = Date.UTC(2026, 10, 20, 12);
const CUSTOMERS = 3;
const ORDERS = 12;

/**
 * What the service answers to everything that the bench compares, byte by byte, each under its title. Identities,
 * times of rows and cursors differ from run to run: they are written as the order in which they were first seen.
 */
export async function answersOf(): Promise<Map<string, string>> {
  mock.timers.enable({ apis: ['Date'], now: START });
  try {
    const { plan } = compile('orders.md', benchedDocument());
    const service = new Asked(await Compiled.start(plan!, inMemory));
    const dataset = await filled(service);
    const names = new Names();
    for (const customer of dataset.customers) names.of(customer.id);
    const bodies = new Map<string, string>();
    const answers = new Map<string, string>();
    for (const { title, request } of scriptOf(dataset)) {
      const answer = await service.ask(request(bodies));
      bodies.set(title, bodyOf(answer));
      answers.set(title, names.in(shown(answer)));
    }
    await service.compiled.stop();
    return answers;
  } finally {
    mock.timers.reset();
  }
}

/** Customers with keys and orders, of each customer’s orders the first placed and with a note. */
async function filled(service: Asked): Promise<Dataset> {
  const customers: Array<{ id: string; key: string }> = [];
  for (let i = 0; i < CUSTOMERS; i++) {
    const fields = new Map([
      ['id', `0195c2a0-0000-7000-8000-00000000000${i}`],
      ['name', `Customer ${i}`],
      ['email', `customer-${i}@example.com`],
    ]);
    const id = await service.compiled.operate({ do: 'add', resource: 'Customer', fields }, START);
    customers.push({
      id,
      key: await service.compiled.issueKey('Customer', id, ['orders:read', 'orders:write'], START),
    });
  }
  const reader = await service.compiled.issueKey('Customer', customers[0]!.id, ['orders:read'], START);
  const orders: Array<{ id: string; customer: number }> = [];
  const drafts: number[] = [];
  for (let i = 0; i < ORDERS; i++) {
    const customer = i % CUSTOMERS;
    const { key } = customers[customer]!;
    const first = i < CUSTOMERS;
    const body = first ? `{"sku":"${skuOf(i)}","quantity":3,"note":"of ${i}"}` : draftBody(skuOf(i), 3);
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': `fill-${i}` };
    const { id } = JSON.parse(bodyOf(await service.ask({ method: 'POST', path: '/orders', key, headers, body })));
    if (first) await service.ask({ method: 'POST', path: `/orders/${id}/place`, key });
    else drafts.push(i);
    orders.push({ id, customer });
  }
  return { customers, reader, orders, drafts };
}

/** The service, and a clock that goes on by a second with each request, so that rows have an order. */
class Asked {
  readonly compiled: Compiled;
  private at = START;

  constructor(compiled: Compiled) {
    this.compiled = compiled;
  }

  async ask({ method, path, key, headers, body }: Sent): Promise<Answer> {
    this.at += 1000;
    const [target, query = null] = path.split('?');
    const all: Array<[string, string]> = [['Accept', 'application/json'], ...Object.entries(headers ?? {})];
    if (key !== null) all.push(['Authorization', `Bearer ${key}`]);
    if (body !== undefined || method === 'POST') all.push(['Content-Length', String(Buffer.byteLength(body ?? ''))]);
    return this.compiled.handle({ method, path: target!, query, headers: all, body: body ?? null, at: this.at });
  }
}

const bodyOf = (answer: Answer): string => String(answer.body ?? '');

function shown(answer: Answer): string {
  const headers = answer.headers.map(([name, value]) => `${name}: ${value}`);
  return [answer.status, ...headers, '', bodyOf(answer)].join('\n');
}

/** What is another in each run, by the order in which it was seen. */
class Names {
  private readonly seen = new Map<string, string>();

  of(id: string): string {
    const name = this.seen.get(id) ?? `‹id ${this.seen.size + 1}›`;
    this.seen.set(id, name);
    return name;
  }

  in(text: string): string {
    return text
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, (id) => this.of(id.toLowerCase()))
      .replace(/"next":"([^"]*)"/g, (_, next: string) => `"next":"‹cursor of ${next.length} characters›"`);
  }
}
