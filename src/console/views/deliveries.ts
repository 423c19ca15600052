import { type Attempt, withoutSecrets } from '../../runtime/events/attempts.ts';
import { Operator } from '../../runtime/operator.ts';
import { OperatorLists, RECENT_DELIVERIES } from '../../runtime/operator-lists.ts';
import type { OperatorReceivers } from '../../runtime/operator-receivers.ts';
import { type ConsoleService, engineOf, planOf, statingOf } from '../console-service.ts';
import { ConsoleError } from '../problem.ts';
import type {
  AttemptShown,
  AttemptsAnswer,
  DeliveriesAnswer,
  Done,
  EventAnswer,
  HealthAnswer,
  Json,
  ReceiverAdded,
  ReceiverRotated,
  ReceiversAnswer,
  Replayed,
  TestAnswer,
} from '../protocol.ts';
import type { Route } from '../route.ts';
import { testEvent } from '../test-event.ts';
import { windowOf } from '../window.ts';

/** Webhooks: as `ninefold events` and `ninefold receivers` show and change them. */
export function deliveryViews(served: ConsoleService): Route[] {
  const operator = (): Operator => new Operator(engineOf(served));
  return [
    { method: 'GET', path: '/deliveries', answer: ({ query }) => deliveries(served, query) },
    {
      method: 'POST',
      path: '/deliveries/replay',
      about: (body) => body.text('event'),
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
        if (!found) throw new ConsoleError('not found', 'The service no longer stores this event.');
        return { ...found, data: JSON.parse(found.data, textWithoutSecrets) as Json };
      },
    },
    {
      method: 'GET',
      path: '/deliveries/:id',
      answer: async ({ names: [id = ''] }): Promise<AttemptsAnswer> => {
        const attempts = await new OperatorLists(engineOf(served)).attempts(id);
        if (!attempts) throw new ConsoleError('not found', 'The service no longer stores this delivery.');
        return { attempts: attempts.map(attemptShown) };
      },
    },
    ...receiverViews(() => operator().receivers),
    ...healthViews(served),
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
      about: (body, added) => `${body.text('url')} ${(added as ReceiverAdded | null)?.id ?? ''}`.trim(),
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

/** A text is read before its secrets are removed: they may end at a character that JSON escapes. */
const textWithoutSecrets = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? withoutSecrets(value) : value;

/** How the deliveries of receivers end, and test events. */
function healthViews(served: ConsoleService): Route[] {
  return [
    {
      method: 'GET',
      path: '/receivers/health',
      answer: async (): Promise<HealthAnswer> => {
        const engine = engineOf(served);
        const registered =
          planOf(served).webhook?.receivers === null ? await new Operator(engine).receivers.list() : [];
        const lists = new OperatorLists(engine);
        const [receivers, gone] = [await lists.health(registered.map(({ id }) => id)), await lists.gone()];
        return { deliveries: RECENT_DELIVERIES, receivers, gone };
      },
    },
    {
      method: 'POST',
      path: '/receivers/:id/test',
      about: (body) => body.text('event'),
      answer: async ({ names: [id = ''], body }): Promise<TestAnswer> => {
        const name = body.text('event');
        const { contract } = statingOf(served);
        let event = '';
        const attempt = await served.service.sendTest(id, (version) => {
          const made = testEvent(contract, version, name, engineOf(served).store.now());
          event = made.webhookId;
          return made;
        });
        if (!attempt) throw new ConsoleError('not found', `There is no receiver “${id}”.`);
        return { event, attempt: attemptShown(attempt) };
      },
    },
  ];
}

const attemptShown = ({ at, took, isCut, ...attempt }: Attempt): AttemptShown => ({
  ...attempt,
  at: new Date(at).toISOString(),
  milliseconds: took,
  bodyCut: isCut,
});

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
