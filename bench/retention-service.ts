import { once } from 'node:events';
import { startOwnService } from '../src/cli/testing/own-service.ts';
import { compile } from '../src/compiler/compile.ts';

/** What the bench asks for: a document to serve, where its rows are, and the address of a receiver. */
interface Begin {
  readonly document: string;
  readonly store: string;
  readonly receiver: string;
}

/** Where the service listens, and a key of one customer with every scope. */
export interface Started {
  readonly url: string;
  readonly key: string;
}

const SCOPES = ['orders:read', 'orders:write', 'orders:fulfil'];

// The service of `retention.ts`, in a process of its own: it is told how much time passes, and answers with its memory.
const [{ document, store, receiver }] = (await once(process, 'message')) as [Begin];
const { plan } = compile('orders.md', document);
if (!plan) throw new Error('The document has findings.');
const service = await startOwnService(plan, { store });
const { row, caller, receiver: register, clock } = service.setup;
if (!row || !caller || !register || !clock) throw new Error('The setup lacks a member.');
const customer = '0195c2a0-0000-7000-8000-000000000001';
await row('Customer', { id: customer, name: 'Ada', email: 'ada@example.com' });
await register(receiver, ['order.opened', 'order.cancelled'], '2026-11-01');
const started: Started = { url: service.url, key: await caller('API key', customer, SCOPES) };
process.on('message', async (said: 'stop' | { readonly pass: number }) => {
  if (said === 'stop') {
    await service.stop();
    process.disconnect?.();
    return;
  }
  await clock.pass(said.pass);
  process.send?.({ memory: process.memoryUsage().rss });
});
process.send?.(started);
