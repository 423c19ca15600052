// Receives the webhooks of orders.md: verifies each one and prints what it tells. See walk.md.
// The secret stands in WEBHOOK_SECRET; the port, 4000 unless given, in the first argument.
import { createServer, type IncomingMessage } from 'node:http';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

const secret = process.env.WEBHOOK_SECRET;
const port = Number(process.argv[2] ?? 4000);
/** An order's event is small; anything larger comes from somebody else. */
const MOST_BYTES = 64 * 1024;

if (!secret) {
  console.error(
    'Say the secret that `ninefold receivers … add` printed: WEBHOOK_SECRET=whsec_… npx node examples/receiver.ts',
  );
  process.exit(2);
}
const webhook = new Webhook(secret);
/** The events that have been received. Delivery is at least once, so that one may come again. */
const seen = new Set<string>();

const server = createServer(async (request, response) => {
  try {
    const body = await read(request);
    // Verified as it came: text that has been parsed and written again need not be the text that was signed.
    webhook.verify(body, request.headers as Record<string, string>);
    const id = String(request.headers['webhook-id']);
    const event = JSON.parse(body) as { type: string; timestamp: string; data: unknown };
    console.log(`${seen.has(id) ? 'again' : 'new  '} ${event.type} ${id} ${JSON.stringify(event.data)}`);
    seen.add(id);
    response.writeHead(204).end();
  } catch (error) {
    const status = error instanceof WebhookVerificationError ? 401 : 400;
    console.log(`refused with ${status}: ${(error as Error).message}`);
    response.writeHead(status, { Connection: 'close' }).end();
  }
});

server.on('error', (error) => {
  console.error(`error: ${error.message}`);
  process.exitCode = 3;
});
server.listen(port, '127.0.0.1', () => console.log(`Receiving at http://127.0.0.1:${port}/`));

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
