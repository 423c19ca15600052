import { lineKey } from '../plan/lines.ts';
import type { Plan, VersionPlan } from '../plan/step.ts';
import { type Contract, FORMAT, type ShapeContract, type VersionContract } from './contract.ts';
import { endpointContract, type VersionFacts } from './endpoints.ts';
import { elsewhere, errorsContract } from './errors.ts';
import { eventContracts, streamContract, webhookContract } from './events.ts';
import { shownObject } from './objects.ts';
import {
  addressContract,
  browsersContract,
  rateContracts,
  schemeContract,
  versioningContract,
  wireContract,
} from './parts.ts';
import { FieldNames, PlanReader } from './plan-reader.ts';
import { resourceContracts } from './resources.ts';
import { shapeName } from './values.ts';

/**
 * Derives the contract of a plan. Equal plans give byte-identical contracts. `called` holds the fields, as
 * `Resource.field`, that have another name in payloads of the current version than in the plan.
 */
export function contractOf(plan: Plan, called: Names = {}): Contract {
  const r = new PlanReader(plan);
  return {
    format: FORMAT,
    document: plan.document,
    title: plan.title,
    prose: plan.prose.map(({ line, ...one }) => ({ ...one, lines: [line] })),
    address: addressContract(r),
    wire: wireContract(r),
    schemes: plan.schemes.map((scheme) => schemeContract(r, scheme)),
    browsers: browsersContract(r),
    rates: rateContracts(r),
    errors: errorsContract(r),
    resources: resourceContracts(r),
    versioning: versioningContract(r),
    versions: [null, ...(plan.versions?.older ?? [])].map((one) => versionContract(r, one, called)),
    webhook: webhookContract(r),
    stream: streamContract(r),
    unsettled: plan.unsettled,
  };
}

type Names = VersionPlan['names'];

/** Returns the contract of one version; `older` is null for the current version. */
function versionContract(r: PlanReader, older: VersionPlan | null, called: Names): VersionContract {
  const { versions, endpoints } = r.plan;
  const name = older?.name ?? versions?.current ?? null;
  const names = older?.names ?? {};
  const facts: VersionFacts = {
    name,
    names: new FieldNames({ ...called, ...names }),
    mediaType: mediaTypeOf(r, name),
    older,
  };
  const answers = !older?.retired;
  return {
    name,
    status: older ? (older.retired ? 'retired' : 'deprecated') : 'current',
    deprecated: day(older?.deprecated ?? null),
    sunset: day(older?.sunset ?? null),
    mediaType: facts.mediaType,
    renamed: Object.entries(names).map(([field, one]) => ({ field, name: one })),
    // Retired versions keep their shapes: webhooks to receivers of such a version still use its field names.
    shapes: shapesOf(r, facts.names),
    endpoints: answers ? endpoints.map((one) => endpointContract(r, one, facts)) : [],
    events: eventContracts(r),
    elsewhere: elsewhere(r),
    lines: r.lines(older ? lineKey.version(older.name) : lineKey.part('versioning', 'current')),
  };
}

function mediaTypeOf({ plan: { versions } }: PlanReader, name: string | null): string {
  if (versions?.by.kind !== 'media type' || name === null) return 'application/json';
  return versions.by.template.replace('{version}', name);
}

const day = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString().slice(0, 10));

/** The shown forms of rows. A view without members is never shown. */
function shapesOf(r: PlanReader, names: FieldNames): ShapeContract[] {
  return r.plan.resources.flatMap((resource) =>
    resource.views
      .filter((view) => view.members.length)
      .map((view) => {
        const own = view.name === resource.name;
        return {
          name: shapeName({ resource: resource.name, name: view.name }),
          resource: resource.name,
          view: view.name,
          type: shownObject(resource.name, view.members, names, r),
          lines: r.lines(own ? lineKey.resource(resource.name, 'shown') : lineKey.view(resource.name, view.name)),
        };
      }),
  );
}
