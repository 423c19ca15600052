import { Operator } from '../../runtime/operator.ts';
import { OperatorLists } from '../../runtime/operator-lists.ts';
import type { OperatorReceivers } from '../../runtime/operator-receivers.ts';
import { type ConsoleService, engineOf } from '../console-service.ts';
import { ConsoleError } from '../problem.ts';
import type {
  DeliveriesAnswer,
  Done,
  EventAnswer,
  Json,
  ReceiverAdded,
  ReceiverRotated,
  ReceiversAnswer,
  Replayed,
} from '../protocol.ts';
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
      about: 'event',
      answer: async ({ body }): Promise<Replayed> => {
        const again = await operator().replay(body.text('event'));
        served.service.noticed();
        return { deliveries: again };
      },
    },
    {
      method: 'GET',
      path: '/events/:id',
      answer: async ({ names: [id = ''] }): Promise<EventAnswer> => {
        const found = await new OperatorLists(engineOf(served)).event(id);
        if (!found) throw new ConsoleError('not found', 'The service stores this event no more.');
        return { ...found, data: JSON.parse(found.data) as Json };
      },
    },
    ...receiverViews(() => operator().receivers),
  ];
}

/** The receivers that the operator registers. */
function receiverViews(receivers: () => OperatorReceivers): Route[] {
  return [
    {
      method: 'GET',
      path: '/receivers',
      answer: async (): Promise<ReceiversAnswer> => ({ receivers: await receivers().list() }),
    },
    {
      method: 'POST',
      path: '/receivers',
      answer: ({ body }): Promise<ReceiverAdded> =>
        receivers().add(
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
        await receivers().change({
          ids: [id],
          events: body.optionalTexts('events'),
          version: body.optionalText('version'),
          renamedEvent: null,
          url: body.optionalText('url'),
          allowPrivate: body.flag('allowPrivate'),
        });
        return { done: true };
      },
    },
    {
      method: 'POST',
      path: '/receivers/:id/pause',
      answer: async ({ names: [id = ''] }): Promise<Done> => {
        await receivers().pause([id]);
        return { done: true };
      },
    },
    {
      method: 'POST',
      path: '/receivers/:id/resume',
      answer: async ({ names: [id = ''] }): Promise<Done> => {
        await receivers().resume([id]);
        return { done: true };
      },
    },
    {
      method: 'POST',
      path: '/receivers/:id/rotate',
      answer: ({ names: [id = ''], body }): Promise<ReceiverRotated> =>
        receivers().rotate(id, body.text('oldSecretFor')),
    },
    {
      method: 'POST',
      path: '/receivers/:id/remove',
      answer: async ({ names: [id = ''] }): Promise<Done> => {
        await receivers().remove(id);
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
