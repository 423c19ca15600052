import type { Plan, Prose, ResourcePlan, SchemePlan, VersionsPlan } from '../plan/step.ts';
import type { Span } from '../syntax/span.ts';
import { planBrowsers } from './authentication/plan.ts';
import type { Resolved } from './document/resolve.ts';
import { mustBeSettled, settledList } from './document/settled.ts';
import type { CheckedEndpoints } from './endpoints/check.ts';
import { withEntityTags } from './endpoints/entity-tags.ts';
import { planEndpoint, planHandlers } from './endpoints/plan.ts';
import { planSchedules } from './endpoints/schedules/check.ts';
import { planErrors } from './errors/plan.ts';
import type { CheckedEvents } from './events/check.ts';
import { planRates, planTimeout } from './limits/plan.ts';
import { planLines } from './lines.ts';
import { planAddress } from './purpose/plan.ts';
import { planResource } from './resources/plan.ts';
import { proseBelow } from './statements/model.ts';
import type { CheckedStates } from './states/check.ts';
import { withWords } from './versioning/filters.ts';

/** The results of the checks of the parts, from which the plan is built. */
export interface Checked {
  readonly states: CheckedStates;
  readonly endpoints: CheckedEndpoints;
  readonly schemes: readonly SchemePlan[] | undefined;
  readonly events: CheckedEvents;
  readonly versions: VersionsPlan | null | undefined;
}

/**
 * Builds the plan from a checked model, without errors, with the endpoints named in `settled`.
 * The plan is deterministic: equal models have byte-identical plans.
 */
export function buildPlan(document: string, r: Resolved, checked: Checked, settled: ReadonlySet<string>): Plan {
  const { rules } = r.model.resources;
  const endpoints = r.effective;
  const planned = endpoints
    .filter((one) => settled.has(one.endpoint.name))
    .map((one) => {
      const steps = checked.endpoints.steps.get(one);
      return steps && planEndpoint(r, one, steps);
    });
  const plan = withEntityTags({
    document,
    title: r.model.title?.text ?? '',
    address: planAddress(r),
    resources: mustBeSettled(planResources(r, checked), 'A resource'),
    endpoints: mustBeSettled(settledList(planned), 'An endpoint'),
    errors: mustBeSettled(planErrors(r), 'The payload of errors'),
    wire: {
      timestamps: rules.timestamps?.value ?? null,
      durations: rules.durations?.value ?? null,
      decimals: rules.decimals?.value ?? null,
      text: rules.text?.value ?? null,
      missing: rules.missing?.value ?? null,
      emptyText: rules.emptyText?.value ?? null,
    },
    schemes: mustBeSettled(checked.schemes, 'A scheme'),
    browsers: planBrowsers(r),
    passwords: r.model.resources.rules.passwords?.value ?? null,
    rates: planRates(r),
    versions: mustBeSettled(checked.versions, 'Versioning'),
    handlers: mustBeSettled(planHandlers(r, checked.endpoints.handlers), 'A handler'),
    ...planSchedulesOf(r, checked),
    ...planEmittedOf(checked),
    webhook: mustBeSettled(checked.events.webhook, 'Webhooks'),
    stream: mustBeSettled(checked.events.stream, 'The stream'),
    timeout: planTimeout(r),
    unsettled: endpoints
      .filter((one) => !settled.has(one.endpoint.name))
      .map(({ endpoint }) => ({ method: endpoint.method, path: endpoint.path })),
    prose: planProse(r, settled),
    lines: planLines(r, settled),
  });
  return withWords(plan);
}

/** The schedules of the document; no member where there are none. */
function planSchedulesOf(r: Resolved, { endpoints }: Checked): Pick<Plan, 'schedules'> {
  const schedules = mustBeSettled(planSchedules(r, endpoints.schedules), 'A schedule');
  return schedules.length > 0 ? { schedules } : {};
}

/** The events that steps emit; no member where there are none. */
function planEmittedOf({ events }: Checked): Pick<Plan, 'emitted'> {
  const emitted = mustBeSettled(events.emitted, 'An event');
  return emitted.length > 0 ? { emitted } : {};
}

function planResources(r: Resolved, { states, events: { events } }: Checked): readonly ResourcePlan[] | undefined {
  return settledList(
    r.model.resources.list.map((resource) => {
      const name = resource.name.text;
      const machines = settledList(r.machines(name).map((machine) => states.get(machine)));
      return planResource(r, resource, { machines, events: events && (events.get(name) ?? []) });
    }),
  );
}

/** The prose of the document: purpose and domain of the service, and the paragraphs below resources and endpoints. */
function planProse(r: Resolved, settled: ReadonlySet<string>): Prose[] {
  const { purpose, resources, endpoints, prose } = r.model;
  const stated = (['purpose', 'domain'] as const).flatMap((about): Prose[] => {
    const one = purpose[about];
    return one ? [{ about, name: '', text: one.value, line: r.line(one.from) }] : [];
  });
  const below = (about: Prose['about'], name: string, at: Span): Prose[] => {
    const found = proseBelow(prose, at);
    return found ? [{ about, name, text: found.text, line: r.line(found.span.from) }] : [];
  };
  return [
    ...stated,
    ...resources.list.flatMap(({ name }) => below('resource', name.text, name)),
    ...endpoints.tags.flatMap(({ name, span }) => below('tag', name.text, span)),
    ...endpoints.list.flatMap(({ name, span }) => (settled.has(name) ? below('endpoint', name, span) : [])),
  ];
}
