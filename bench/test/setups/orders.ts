/**
 * The setup of the bench’s orders services, as an example of how somebody sets up a service of their own:
 *
 *     ninefold test examples/orders.md --url http://127.0.0.1:3000 --setup bench/test/setups/orders.ts
 *
 * The services were started with `--testing`, which gives them routes below `/testing/` that do what an operator does
 * (`bench/peers/orders/admin.ts`). A service in use never has such routes: they are there while it is tested, and
 * nowhere else. Whoever has no such routes writes to the database here, or runs their own commands.
 */
import type { Fields, Setup } from '../../../src/verify/setup/setup.ts';

/** What `ninefold test` asks for: it hands in the address that is tested. */
export function setup(url: string): Setup {
  const ask = async (route: string, sent: object = {}): Promise<Record<string, unknown>> => {
    const answer = await fetch(new URL(`/testing/${route}`, url), { method: 'POST', body: JSON.stringify(sent) });
    const said = (await answer.json()) as Record<string, unknown>;
    if (!answer.ok) throw new Error(`/testing/${route} answered ${answer.status}: ${String(said.message)}`);
    return said;
  };
  return {
    // Customers are entered by the operator: whatever a field is not given here, the service fills in.
    row: async (resource, fields) => (await ask('rows', { resource, fields })) as Fields,
    // There is one scheme, so its name says nothing. What is given is what stands after `Bearer`.
    caller: async (_scheme, identity, scopes) => String((await ask('keys', { customer: identity, scopes })).key),
    // The secret (`whsec_…`) is what the signatures that arrive are checked with.
    receiver: async (at, events, version) => String((await ask('receivers', { url: at, events, version })).secret),
    // Without a clock, a draft that expires after a day, and everything else that takes its time, can’t be tested.
    clock: {
      now: async () => Number((await ask('clock')).now),
      pass: async (milliseconds) => void (await ask('clock', { milliseconds })),
    },
    // Without this, what an earlier sequence has left behind is there in the next one.
    reset: async () => void (await ask('reset')),
  };
}
