import type { Resolved } from '../model/resolve.ts';
import { planBrowsers, planSchemes } from '../parts/authentication/plan.ts';
import { planHandlers } from '../parts/endpoints/handlers/plan.ts';
import { type LineOf, planEndpoint } from '../parts/endpoints/plan.ts';
import { planErrors } from '../parts/errors/plan.ts';
import { planStream, planWebhook } from '../parts/events/plan.ts';
import { planRates, planTimeout } from '../parts/limits/plan.ts';
import { planAddress } from '../parts/purpose/plan.ts';
import { planResource } from '../parts/resources/plan.ts';
import { planVersions } from '../parts/versioning/plan.ts';
import type { Plan } from './step.ts';

/**
 * Builds the plan from a checked model, without errors, with the endpoints named in `settled`.
 * The same model gives the same plan, to the byte.
 */
export function buildPlan(document: string, r: Resolved, settled: ReadonlySet<string>, line: LineOf): Plan {
  const { rules } = r.model.resources;
  const endpoints = r.effective;
  return {
    document,
    title: r.model.title?.text ?? '',
    address: planAddress(r),
    resources: r.model.resources.list.map((resource) => planResource(r, resource, line)),
    endpoints: endpoints.filter((one) => settled.has(one.endpoint.name)).map((one) => planEndpoint(r, one, line)),
    errors: planErrors(r),
    wire: {
      timestamps: rules.timestamps?.value ?? null,
      durations: rules.durations?.value ?? null,
      decimals: rules.decimals?.value ?? null,
      text: rules.text?.value ?? null,
      missing: rules.missing?.value ?? null,
      emptyText: rules.emptyText?.value ?? null,
    },
    schemes: planSchemes(r),
    browsers: planBrowsers(r),
    passwords: r.model.resources.rules.passwords?.value ?? null,
    rates: planRates(r),
    versions: planVersions(r),
    handlers: planHandlers(r, line),
    webhook: planWebhook(r),
    stream: planStream(r),
    timeout: planTimeout(r),
    unsettled: endpoints
      .filter((one) => !settled.has(one.endpoint.name))
      .map(({ endpoint }) => ({ method: endpoint.method, path: endpoint.path })),
  };
}
