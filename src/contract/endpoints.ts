import { explainInside } from '../explain/steps.ts';
import { countedWhole } from '../plan/every-row.ts';
import { FILE_MEMBERS } from '../plan/files.ts';
import { statementId } from '../plan/lines.ts';
import { FORM_TYPE, JSON_TYPE } from '../plan/media-types.ts';
import { resourceOf, slotsOf, transitionsOf } from '../plan/slots.ts';
import type { BeforeStep, EndpointPlan, InsideStep, VersionPlan, VersionsPlan } from '../plan/step.ts';
import { type DeprecationPlan, day } from '../plan/versions.ts';
import { underAfter, underIf } from '../plan/ways.ts';
import { Answers } from './answers.ts';
import type {
  AccessContract,
  BodyContract,
  DeprecationContract,
  EndpointContract,
  EndpointLimits,
  IdempotencyContract,
  PageContract,
  StepContract,
} from './endpoint.ts';
import { formType } from './forms.ts';
import { listContracts } from './lists.ts';
import { bodyObject } from './objects.ts';
import { parametersOf } from './parameters.ts';
import { type FieldNames, mergeLines, type PlanReader } from './plan-reader.ts';
import { preconditionsOf } from './preconditions.ts';
import { pageOf } from './success.ts';

/** The facts about a version that its endpoints depend on. */
export interface VersionFacts {
  readonly name: string | null;
  readonly names: FieldNames;
  readonly mediaType: string;
  /** The plan of an older version; null for the current version. */
  readonly older: VersionPlan | null;
}

type Before<D extends BeforeStep['do']> = Extract<BeforeStep, { do: D }>;

/** The step of a kind among the endpoint's steps before the transaction; null if there is none. */
function stepOf<D extends BeforeStep['do']>(endpoint: EndpointPlan, kind: D): Before<D> | null {
  return endpoint.before.find((step): step is Before<D> => step.do === kind) ?? null;
}

/** The contract of one endpoint, in one version. */
export function endpointContract(r: PlanReader, endpoint: EndpointPlan, spoken: VersionFacts): EndpointContract {
  const refused = stepOf(endpoint, 'refuse body');
  const body = bodyContract(r, endpoint, spoken);
  const everyRow = countedWhole(endpoint, r.plan.resources);
  return {
    name: endpoint.name,
    method: endpoint.method,
    path: pathIn(r.plan.versions, spoken, endpoint.path),
    head: endpoint.head,
    access: accessContract(r, endpoint),
    parameters: parametersOf(r, endpoint, spoken.names),
    unknownParameters: stepOf(endpoint, 'read parameters')?.unknown ?? 'ignored',
    body,
    unreadBody: body ? null : refused ? 'refused' : 'ignored',
    limits: limitsOf(r, endpoint),
    idempotency: idempotencyOf(r, endpoint),
    preconditions: preconditionsOf(r, endpoint),
    page: pageContract(r, endpoint),
    ...(endpoint.deprecation && { deprecation: deprecationContract(r, endpoint.name, endpoint.deprecation) }),
    ...(endpoint.tag !== undefined && { tag: endpoint.tag }),
    ...(endpoint.audience && { audience: endpoint.audience }),
    writes: endpoint.writes,
    ...(everyRow.length > 0 && { everyRow }),
    ...listsOf(endpoint),
    steps: stepContracts(r, endpoint.inside),
    answers: new Answers(r, endpoint, spoken.older).all(spoken),
    lines: mergeLines(
      r.lines(endpoint.line),
      r.lines(endpoint.head ? statementId.endpoint(endpoint.name, 'HEAD') : null),
      r.lines(endpoint.tag === undefined ? null : statementId.endpoint(endpoint.name, 'tag')),
      r.lines(endpoint.audience ? statementId.endpoint(endpoint.name, 'audience') : null),
    ),
  };
}

function listsOf(endpoint: EndpointPlan): Pick<EndpointContract, 'lists'> {
  const lists = listContracts(endpoint);
  return lists.length > 0 ? { lists } : {};
}

function deprecationContract(
  r: PlanReader,
  endpoint: string,
  { from, until, headers }: DeprecationPlan,
): DeprecationContract {
  return {
    from: day(from),
    until: until && { date: day(until.at), code: until.code },
    headers,
    lines: r.lines(statementId.endpoint(endpoint, 'deprecated')),
  };
}

/** If the path selects the version, the version's prefix precedes the path of the document. */
function pathIn(versions: VersionsPlan | null, { name }: VersionFacts, path: string): string {
  if (versions?.by.kind !== 'path' || name === null) return path;
  return versions.by.prefix.replace('{version}', name).replace(/\/$/, '') + path;
}

function accessContract(r: PlanReader, endpoint: EndpointPlan): AccessContract {
  const authenticate = stepOf(endpoint, 'authenticate');
  const scope = stepOf(endpoint, 'require scope');
  const open = !authenticate || authenticate.optional;
  return {
    kind: scope ? 'scope' : open ? 'anyone' : 'any caller',
    needs: scope ? { scopes: scope.scopes, all: scope.all } : null,
    schemes: authenticate?.schemes ?? [],
    withoutCredentials: open,
    lines: r.lines(statementId.endpoint(endpoint.name, 'access')),
  };
}

function bodyContract(r: PlanReader, endpoint: EndpointPlan, { names, mediaType }: VersionFacts): BodyContract | null {
  const read = stepOf(endpoint, 'read body');
  const validate = stepOf(endpoint, 'validate body');
  if (!read || !validate) return null;
  const { payload } = validate;
  const { mediaTypes } = read;
  const takesJson = mediaTypes.includes(JSON_TYPE);
  const versioned = mediaTypes.includes(mediaType) || !takesJson ? [] : [mediaType];
  if (payload?.bytes) {
    const { field, most, checked } = payload.bytes;
    const firstBytes = checked ? 'checked' : 'not checked';
    return {
      mediaTypes,
      required: true,
      patch: false,
      type: { kind: 'object', members: [], unknown: 'ignored' },
      bytes: { field: `${payload.resource}.${field}`, max: most, firstBytes },
      lines: mergeLines(
        r.lines(validate.line),
        ...FILE_MEMBERS.map((member) => r.lines(statementId.field(payload.resource, `${field}.${member}`))),
      ),
    };
  }
  const type = bodyObject(endpoint, validate, names, r);
  const isForm = mediaTypes.includes(FORM_TYPE) || validate.parts !== undefined;
  const form = isForm ? r.lines(statementId.endpoint(endpoint.name, 'payloads')) : [];
  const lines = r.lines(validate.line, statementId.part('resources', 'unknownFields'));
  return {
    mediaTypes: [...mediaTypes, ...versioned],
    required: !read.optional,
    patch: payload?.optional ?? false,
    type: takesJson ? type : formType(type),
    lines: mergeLines(lines, form),
  };
}

function limitsOf(r: PlanReader, endpoint: EndpointPlan): EndpointLimits {
  const size = stepOf(endpoint, 'read body') ?? stepOf(endpoint, 'refuse body');
  const rates = endpoint.before.flatMap((step) => {
    const rate = step.do === 'limit' ? r.plan.rates[step.rate] : undefined;
    return step.do === 'limit' && rate ? [{ rate: rate.name, everyone: step.callers, lines: r.lines(step.line) }] : [];
  });
  return {
    timeout:
      endpoint.timeout === null
        ? null
        : { milliseconds: endpoint.timeout, lines: r.lines(statementId.endpoint(endpoint.name, 'Time-out')) },
    requestSize: size && { bytes: size.most, lines: r.lines(statementId.endpoint(endpoint.name, 'Request size')) },
    rates,
  };
}

function idempotencyOf(r: PlanReader, endpoint: EndpointPlan): IdempotencyContract | null {
  const claim = stepOf(endpoint, 'claim key');
  if (!claim) return null;
  const { header, kept, below, line } = claim;
  return {
    header,
    required: !claim.optional,
    keptMilliseconds: kept,
    answersBelow: below,
    replayed: claim.replayed ?? null,
    lines: r.lines(line),
  };
}

function pageContract(r: PlanReader, endpoint: EndpointPlan): PageContract | null {
  const page = pageOf(endpoint);
  if (!page) return null;
  const { by, limit, standard, most, beyond, place, link, payload } = page;
  return {
    by,
    size: { parameter: limit, standard, most, beyond },
    place,
    links: link,
    payload: payload?.map(({ name, value }) => ({ name, value })) ?? null,
    lines: r.lines(statementId.endpoint(endpoint.name, 'pages'), statementId.endpoint(endpoint.name, 'Page size')),
  };
}

/**
 * The step without its fields from the body and its filters, because the body and the parameters of the contract list
 * them.
 */
function withoutRequest(step: InsideStep): InsideStep {
  const others = slotsOf(step).flatMap(({ member, role, value }): Array<readonly [string, unknown]> => {
    if (role === 'filters') return [[member, []]];
    return role === 'from' && value ? [[member, { ...value, fields: [] }]] : [];
  });
  return { ...step, ...(Object.fromEntries(others) as object) };
}

/** Steps and their nested steps, each with the conditions under which it runs. */
export function stepContracts(
  r: PlanReader,
  steps: readonly InsideStep[],
  under: readonly string[] = [],
): StepContract[] {
  let conditions = under;
  return steps.flatMap((step): StepContract[] => {
    const under = conditions;
    if (step.do === 'if') {
      conditions = [...under, ...underAfter(step)];
      return [
        ...stepContracts(r, step.then, [...under, underIf(step, 'then')]),
        ...stepContracts(r, step.else, [...under, underIf(step, 'else')]),
      ];
    }
    // Answers are listed with the conditions under which they are given.
    if (step.do === 'answer') return [];
    if (step.do === 'for each') return stepContracts(r, step.steps, [...under, explainInside(step).replace(/:$/, '')]);
    // Checks of the request are listed among the answers.
    if (step.do === 'find references' || step.do === 'refuse parameters') return [];
    return [
      {
        do: step.do,
        text: explainInside(withoutRequest(step)),
        resource: resourceOf(step),
        by: transitionsOf(step),
        under,
        lines: r.lines(step.line),
      },
    ];
  });
}
