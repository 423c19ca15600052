import type { Contract, FieldContract } from '../../contract/contract.ts';
import type { EndpointContract } from '../../contract/endpoint.ts';
import { typeText } from '../../contract/words.ts';
import type { FilePlan } from '../../plan/files.ts';
import { lineOf, statementId } from '../../plan/lines.ts';
import { isSecretColumn } from '../../plan/rows.ts';
import type { ColumnPlan, MachinePlan, Plan, ResourcePlan } from '../../plan/step.ts';
import { REQUEST_BUCKETS } from '../../runtime/admin/metrics.ts';
import { labelField } from '../../runtime/operator-labels.ts';
import { isOrdered, newestFirst } from '../../runtime/operator-rows.ts';
import { versionsToGive } from '../../runtime/receivers.ts';
import type { Access, Session } from '../access.ts';
import { type ConsoleService, engineOf } from '../console-service.ts';
import type { Column, Done, FileField, ResourceSummary, ServiceAnswer, StateField } from '../protocol.ts';
import type { Route } from '../route.ts';

/** Routes about the service, and the end of a session. */
export function serviceViews(served: ConsoleService, access: Access): Route[] {
  return [
    {
      method: 'GET',
      path: '/service',
      answer: ({ session }) => serviceAnswer(served, session),
    },
    {
      method: 'POST',
      path: '/session/end',
      answer: ({ session }): Done => {
        access.end(session);
        return { done: true };
      },
    },
  ];
}

async function serviceAnswer(served: ConsoleService, { ends, name }: Session): Promise<ServiceAnswer> {
  const edition = served.edition();
  const engine = engineOf(served);
  const { plan } = engine;
  const contract = served.contracts.of(plan);
  return {
    served: edition,
    title: plan.title,
    document: plan.document,
    ninefold: served.ninefold,
    version: plan.versions?.current ?? null,
    address: served.address(),
    notReady: await served.service.notReady(),
    watch: served.watch,
    edit: served.editing !== null,
    resources: resourceSummaries(plan, contract),
    endpoints: plan.endpoints.length + plan.unsettled.length,
    unsettled: plan.unsettled.length,
    questions: served.document().findings.filter((one) => one.severity !== 'notice').length,
    schemes: contract.schemes,
    rates: contract.rates,
    ...receiversOf(plan, contract),
    versions: plan.versions ? versionsToGive(engine) : [],
    buckets: REQUEST_BUCKETS,
    operator: name,
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

/** The resources of a plan, for lists and forms. */
function resourceSummaries(plan: Plan, contract: Contract): ResourceSummary[] {
  return plan.resources.map((resource) => {
    const contracted = contract.resources.find((one) => one.name === resource.name);
    const sort = newestFirst(resource);
    return {
      name: resource.name,
      identity: contracted?.identity ?? null,
      columns: resource.columns
        .filter(({ name }) => !name.startsWith(' '))
        .map((column) => columnOf(plan, resource, column, contracted?.fields ?? [])),
      label: labelField(resource),
      sort: sort && `${sort.descending ? '-' : ''}${sort.field}`,
      stateFields: resource.machines.map((machine) => stateField(resource, machine)),
      transitions: resource.machines.flatMap(({ transitions }) =>
        transitions.flatMap(({ name, timed }) => (timed ? [] : [name])),
      ),
      files: (resource.files ?? []).map((file) => fileField(resource, file, contract)),
      entriesOf: resource.entriesOf ?? null,
      line: lineOf(plan.lines, statementId.resource(resource.name, 'name')) ?? null,
    };
  });
}

/** A field of bytes, with the endpoints of the current version that replace them. */
function fileField({ name }: ResourcePlan, { field, mediaTypes, most }: FilePlan, contract: Contract): FileField {
  const full = `${name}.${field}`;
  // An endpoint that creates rows gives no row other bytes.
  const takes = ({ body, steps }: EndpointContract): boolean =>
    !steps.some((step) => step.do === 'create' && step.resource === name) &&
    (body?.bytes?.field === full ||
      (body?.type.members.some((member) => member.type.kind === 'bytes' && member.field === full) ?? false));
  const taken = (contract.versions[0]?.endpoints ?? []).flatMap((one) => (takes(one) ? [one.name] : []));
  return { name: field, mediaTypes, most, taken };
}

/** A field with states; the final ones are those that no transition leaves. */
function stateField({ columns }: ResourcePlan, { field, initial, transitions }: MachinePlan): StateField {
  const states = columns.find(({ name }) => name === field)?.rule.oneOf ?? [];
  const left = new Set(transitions.flatMap(({ from }) => from));
  return { name: field, initial, final: states.filter((state) => !left.has(state)) };
}

function columnOf(plan: Plan, resource: ResourcePlan, column: ColumnPlan, fields: readonly FieldContract[]): Column {
  const { name, rule, nullable, reference, references, from } = column;
  const atCreate = resource.givings.some((giving) => giving.field === name && giving.moment === 'create');
  const byItself = from.transitions || column.sequence !== null || atCreate || column.otherwise !== null;
  const field = fields.find((one) => one.name === name);
  return {
    name,
    type: column.secret ? 'secret' : column.password ? 'password' : rule.kind,
    optional: nullable,
    refersTo: references ?? reference,
    oneOf: rule.oneOf,
    operator: from.operator,
    required: from.operator && !nullable && !byItself,
    secret: isSecretColumn(column) && !column.password,
    ordered: isOrdered(column),
    allowed: field ? typeText(field.type) : '',
    given: givenWords(field),
    line: lineOf(plan.lines, statementId.field(resource.name, name)) ?? null,
  };
}

/** Describes the sources of a field's value. */
function givenWords(field: FieldContract | undefined): string {
  const words = (field?.given ?? []).map(({ by, moment, value }) => {
    const what = value ? ` ${value.text}` : '';
    if (by === 'audit') return `${by} ${moment}`;
    return by === 'moment' ? `on ${moment}${what}` : `${by}${what}`;
  });
  return words.join(', ');
}
