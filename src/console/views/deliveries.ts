import { Operator } from '../../runtime/operator.ts';
import { OperatorLists } from '../../runtime/operator-lists.ts';
import { type ConsoleService, engineOf } from '../console-service.ts';
import type { DeliveriesAnswer, Done, ReceiverAdded, ReceiversAnswer, Replayed } from '../protocol.ts';
import type { Route } from '../route.ts';
import { windowOf } from '../window.ts';

/** Webhooks: as `ninefold events` and `ninefold receivers` show and change them. */
export function deliveryViews(served: ConsoleService): Route[] {
  const operator = (): Operator => new Operator(engineOf(served));
  return [
    { method: 'GET', path: '/deliveries', answer: ({ query }) => deliveries(served, query) },
    {
      method: 'POST',
      path: '/deliveries/replay',
      answer: async ({ body }): Promise<Replayed> => {
        const again = await operator().replay(body.text('event'));
        served.service.noticed();
        return { deliveries: again };
      },
    },
    {
      method: 'GET',
      path: '/receivers',
      answer: async (): Promise<ReceiversAnswer> => ({ receivers: await operator().receivers() }),
    },
    {
      method: 'POST',
      path: '/receivers',
      answer: ({ body }): Promise<ReceiverAdded> =>
        operator().addReceiver(
          body.text('url'),
          body.texts('events'),
          body.optionalText('version'),
          body.flag('allowPrivate'),
        ),
    },
    {
      method: 'POST',
      path: '/receivers/:id/change',
      answer: async ({ names: [id = ''], body }): Promise<Done> => {
        const [events, version] = [body.optionalTexts('events'), body.optionalText('version')];
        await operator().changeReceivers({ ids: [id], events, version });
        return { done: true };
      },
    },
    {
      method: 'POST',
      path: '/receivers/:id/remove',
      answer: async ({ names: [id = ''] }): Promise<Done> => {
        await operator().removeReceiver(id);
        return { done: true };
      },
    },
  ];
}

async function deliveries(served: ConsoleService, query: URLSearchParams): Promise<DeliveriesAnswer> {
  const part = windowOf(query);
  const filter = (name: string): string => query.get(name) ?? '';
  const { total, items } = await new OperatorLists(engineOf(served)).deliveries({
    ...part,
    state: filter('state'),
    type: filter('type'),
    receiver: filter('receiver'),
    event: filter('event'),
    resource: filter('resource'),
    row: filter('row'),
  });
  return { total, offset: part.offset, deliveries: items };
}
