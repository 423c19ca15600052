import type { Contract } from '../../contract/contract.ts';
import type { Plan } from '../../plan/step.ts';
import { REQUEST_BUCKETS } from '../../runtime/admin/metrics.ts';
import { versionsToGive } from '../../runtime/receivers.ts';
import type { Access } from '../access.ts';
import { type ConsoleService, engineOf } from '../console-service.ts';
import type { Done, ServiceAnswer } from '../protocol.ts';
import { resourceSummaries } from '../resources.ts';
import type { Route } from '../route.ts';

/** Routes about the service, and the end of a session. */
export function serviceViews(served: ConsoleService, access: Access): Route[] {
  return [
    {
      method: 'GET',
      path: '/service',
      answer: ({ session }) => serviceAnswer(served, session.ends),
    },
    {
      method: 'POST',
      path: '/session/end',
      answer: (): Done => {
        access.end();
        return { done: true };
      },
    },
  ];
}

async function serviceAnswer(served: ConsoleService, ends: number): Promise<ServiceAnswer> {
  const engine = engineOf(served);
  const { plan } = engine;
  const contract = served.contracts.of(plan);
  return {
    title: plan.title,
    document: plan.document,
    ninefold: served.ninefold,
    version: plan.versions?.current ?? null,
    address: served.address(),
    notReady: await served.service.notReady(),
    watch: served.watch,
    resources: resourceSummaries(plan, contract),
    endpoints: plan.endpoints.length + plan.unsettled.length,
    unsettled: plan.unsettled.length,
    questions: served.document().findings.length,
    schemes: contract.schemes,
    rates: contract.rates,
    ...receiversOf(plan, contract),
    versions: plan.versions ? versionsToGive(engine) : [],
    buckets: REQUEST_BUCKETS,
    sessionEnds: new Date(ends).toISOString(),
  };
}

function receiversOf(plan: Plan, contract: Contract): Pick<ServiceAnswer, 'receivers' | 'receiverResource' | 'events'> {
  const rows = plan.webhook?.receivers?.resource ?? null;
  const events = contract.versions[0]?.events.filter((event) => event.notifiedBy.includes('webhook')) ?? [];
  return {
    receivers: plan.webhook ? (rows === null ? 'operator' : 'rows') : 'none',
    receiverResource: rows,
    events: events.map((event) => event.name),
  };
}
