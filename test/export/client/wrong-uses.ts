import {
  type Client,
  type CommonCode,
  createClient,
  type Order,
  type OrderStatus,
  type OrdersCreateCode,
  unwrap,
  verifyWebhook,
} from './goldens/orders.ts';

// Never run: the type checker reads it with the rest of the project. Each line that is expected to be wrong has to be,
// or it says so.

/** How a client is made, and is not. */
export function made(): Client[] {
  createClient({ baseUrl: 'https://shop.example', apiKey: async () => 'key', attempts: 1 });
  // @ts-expect-error a base URL is needed
  createClient({ apiKey: 'key' });
  // @ts-expect-error there is no such scheme
  createClient({ baseUrl: 'https://shop.example', token: 'key' });
  return [createClient({ baseUrl: 'https://shop.example' })];
}

/** What requests hold, and don’t. */
export async function requests(client: Client): Promise<void> {
  await client.orders.create({ sku: 'ABC-1234', quantity: 1, note: null }, { idempotencyKey: 'mine' });
  // @ts-expect-error quantity is needed
  await client.orders.create({ sku: 'ABC-1234' });
  // @ts-expect-error quantity is a number
  await client.orders.create({ sku: 'ABC-1234', quantity: '1' });
  // @ts-expect-error there is no such member
  await client.orders.create({ sku: 'ABC-1234', quantity: 1, colour: 'red' });
  // @ts-expect-error what is always there can’t be null
  await client.orders.create({ sku: null, quantity: 1 });
  // @ts-expect-error the status is no caller’s to give
  await client.orders.create({ sku: 'ABC-1234', quantity: 1, status: 'placed' });
  await client.orders.update('1', {});
  // @ts-expect-error the product can’t be changed
  await client.orders.update('1', { sku: 'ABC-1234' });
  // @ts-expect-error this call has no key
  await client.orders.place('1', { idempotencyKey: 'mine' });
  // @ts-expect-error nothing is compared with an entity tag here
  await client.orders.get('1', { ifMatch: '"1"' });
  // @ts-expect-error an identity is text
  await client.orders.get(1);
  // @ts-expect-error there is no such state
  await client.orders.list({ status: 'lost' });
  // @ts-expect-error there is no such call
  await client.orders.remove('1');
}

/** What is known of a result before it is looked at, and after. */
export async function results(client: Client): Promise<Order | string> {
  const result = await client.orders.create({ sku: 'ABC-1234', quantity: 1 });
  // @ts-expect-error it may have been refused
  result.data;
  // @ts-expect-error it may have been done
  result.error;
  if (result.ok) {
    const status: OrderStatus = result.data.status;
    // @ts-expect-error there may be no note
    result.data.note.length;
    // @ts-expect-error what is answered is not changed
    result.data.quantity = 2;
    return status === 'draft' ? result.data : status;
  }
  const { error } = result;
  switch (error.code) {
    case 'order_already_open': {
      const conflict: 409 = error.status;
      return `${conflict}`;
    }
    // @ts-expect-error this call is never refused so
    case 'order_not_placeable':
      return '';
    case 'invalid_request':
      return error.problem.errors?.map((one) => one.pointer ?? '').join() ?? '';
    default: {
      const rest: Exclude<OrdersCreateCode, 'order_already_open' | 'invalid_request'> = error.code;
      // @ts-expect-error a refusal of this very call may be left
      const common: CommonCode = error.code;
      return rest + common;
    }
  }
}

/** What comes of pages and webhooks. */
export async function more(client: Client): Promise<number> {
  let total = unwrap(await client.summary.get()).units;
  for await (const order of client.orders.listAll({ sku: 'ABC-1234' })) total += order.quantity;
  for await (const page of client.orders.listPages()) total += page.items.length;
  // @ts-expect-error there is nothing to read of what was removed
  unwrap(await client.orders.delete('1')).id;
  const event = await verifyWebhook(new Headers(), '', ['whsec_']);
  switch (event.type) {
    case 'order.opened':
    case 'order.placed':
    case 'order.cancelled':
      return total + event.data.quantity;
    default: {
      const nothing: never = event;
      return nothing;
    }
  }
}
