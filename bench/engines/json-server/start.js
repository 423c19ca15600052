// Orders on json-server, with a guard before its router as its README shows one.
import { hash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import jsonServer from 'json-server';

const { values } = parseArgs({ options: { data: { type: 'string' } } });
const customers = JSON.parse(readFileSync(join(values.data, 'keys.json'), 'utf8'));
const app = jsonServer.create();
app.use(jsonServer.bodyParser);
app.use((request, response, next) => {
  const customer = customers[hash('sha256', request.headers.authorization?.slice('Bearer '.length) ?? '')];
  if (!customer) return response.sendStatus(401);
  if (request.method === 'GET' && request.path === '/orders') request.query.customer = customer;
  if (request.method === 'POST') {
    const made = { id: randomUUID(), customer, note: null, status: 'draft', created: new Date().toISOString() };
    request.body = { ...request.body, ...made, note: request.body.note ?? null };
  }
  next();
});
app.use(jsonServer.router(join(values.data, 'db.json')));
const server = app.listen(0, '127.0.0.1', () => console.log(`Orders at http://127.0.0.1:${server.address().port}`));
server.keepAliveTimeout = 60_000;
process.once('SIGTERM', () => process.exit(0));
