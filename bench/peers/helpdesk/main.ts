// The helpdesk of examples/helpdesk.md, written by hand with Fastify and better-sqlite3.
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { buildApp } from './app.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '.' },
    port: { type: 'string', default: '0' },
    /** How many requests a minute an address may send, in all and without a caller. */
    'address-rate': { type: 'string', default: '1200' },
    'nobody-rate': { type: 'string', default: '10' },
    /** Whether webhooks may go to addresses that are not public. */
    'allow-private': { type: 'boolean', default: false },
  },
});

const app = buildApp({
  data: values.data,
  rates: { address: Number(values['address-rate']), nobody: Number(values['nobody-rate']) },
  allowsPrivate: values['allow-private'],
  mailUrl: process.env.MAIL_URL ?? 'http://127.0.0.1:8025/messages',
});
await app.listen({ host: '127.0.0.1', port: Number(values.port) });
console.log(`Helpdesk at http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
