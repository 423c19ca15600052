import type { SchemeContract } from '../../contract/contract.ts';
import type { BodyContract, ParameterContract } from '../../contract/endpoint.ts';
import { sampleBytes } from '../../contract/samples/bytes.ts';
import type { ContractType, MemberContract, ObjectContract } from '../../contract/types.ts';
import type { Json } from '../../export/json.ts';
import { WHOLE_FORM } from '../../http/multipart.ts';
import { credentialField, hasNeeded } from '../../plan/callers.ts';
import { FORM_TYPE, MULTIPART_TYPE } from '../../plan/media-types.ts';
import { isSuccess } from '../../plan/status.ts';
import type { Base, Situation } from './candidate.ts';
import { type Content, type ContentObject, type Draft, withHeader } from './draft.ts';
import { type LookupBinding, lookupBindings, type Said } from './finds.ts';
import type { Credentials } from './known.ts';
import { asIdentity } from './references.ts';
import { newKey } from './renewed.ts';
import type { Rows } from './rows.ts';
import { Samples, written } from './samples.ts';

/** The largest number of lookup bindings that are tried. */
const MOST_BINDINGS = 400;
/**
 * The number of requests about rows with the same known features; other differences between the rows are tried by
 * chance.
 */
const OF_KIND = 2;
/** The share of requests with an idempotency key, where it is optional. */
const SHARE_WITH_KEY = 0.8;

/** The share of forms, where JSON is accepted too. */
const SHARE_OF_FORMS = 0.5;

/** The share of optional members that a body contains. */
type Fill = 'all' | 'none' | 'some';

/** Whether an endpoint accepts credentials: by their scheme, and by their scopes. */
export function admitted({ endpoint: { access } }: Situation, one: Credentials): boolean {
  if (one.standing !== 'good' || !access.schemes.includes(one.scheme)) return false;
  return !access.needs || hasNeeded(access.needs, (scope) => one.scopes.includes(scope));
}

/**
 * The callers that may make the request: credentials of each row whose access is admitted, and null where anonymous
 * requests are allowed.
 */
export function callersOf(situation: Situation): Array<Credentials | null> {
  const { known, endpoint } = situation;
  const byRow = new Map<string, Credentials>();
  for (const one of known.credentials)
    if (admitted(situation, one))
      byRow.set([one.scheme, one.resource, one.identity, JSON.stringify(one.claims)].join(' '), one);
  const callers = [...byRow.values()];
  return endpoint.access.withoutCredentials ? [...callers, null] : callers;
}

/** Requests of each caller about rows of each kind, so that each feature in which rows differ occurs in one of them. */
export function* bases(situation: Situation, fill: Fill): Generator<Base> {
  for (const caller of callersOf(situation)) {
    const kinds = new Map<string, number>();
    const seen = new Set<string>();
    let count = 0;
    for (const binding of lookupBindings(situation, caller)) {
      if (++count > MOST_BINDINGS) break;
      const { isNew, feature } = noveltyOf(situation, binding, caller, kinds, seen);
      if (isNew) yield baseOf(situation, caller, binding, fill, feature);
    }
  }
}

/**
 * Whether the rows of a binding deserve a request: rows of this kind were used too rarely, or a row has a feature that
 * no earlier row had. `feature`: the first new feature.
 */
function noveltyOf(
  { rows, features }: Situation,
  binding: LookupBinding,
  caller: Credentials | null,
  kinds: Map<string, number>,
  seen: Set<string>,
): { readonly isNew: boolean; readonly feature: string } {
  const all = [...binding.rows.values()];
  const kind = all.map((row) => rows.kind(row, caller)).join(', ');
  const met = kinds.get(kind) ?? 0;
  kinds.set(kind, met + 1);
  const fresh = all.flatMap((row) => features.of(row, caller)).filter((one) => !seen.has(one));
  for (const one of fresh) seen.add(one);
  return { isNew: met < OF_KIND || fresh.length > 0, feature: fresh[0] ?? '' };
}

/** A request of one caller about random rows. */
export function anyBase(situation: Situation, caller: Credentials | null, fill: Fill): Base {
  for (const binding of lookupBindings(situation, caller)) return baseOf(situation, caller, binding, fill);
  return baseOf(situation, caller, { said: new Map(), rows: new Map() }, fill);
}

function baseOf(
  situation: Situation,
  caller: Credentials | null,
  binding: LookupBinding,
  fill: Fill,
  feature = '',
): Base {
  const about = [...binding.rows.values()].map((row) => describeRow(situation.rows, row, caller));
  const make = (): Draft => draftOf(situation, caller, binding, fill);
  const what = [describeCaller(situation, caller), ...about].join(', about ');
  return { draft: make(), caller, rows: binding.rows, what, feature, make };
}

function describeCaller({ rows, features }: Situation, caller: Credentials | null): string {
  if (!caller) return 'by nobody';
  const row = rows.withIdentity(caller.resource, caller.identity);
  const told = row ? features.told(row) : [];
  return `by ${caller.resource} “${caller.identity}”${told.length ? ` (${told.join(', ')})` : ''}`;
}

function draftOf(situation: Situation, caller: Credentials | null, { said }: LookupBinding, fill: Fill): Draft {
  const { endpoint, version, contract, random, known } = situation;
  const samples = new Samples(random, known.now);
  let draft: Draft = {
    method: endpoint.method,
    path: endpoint.path,
    place: new Map(),
    query: [],
    target: null,
    headers: [],
    body: undefined,
  };
  for (const one of endpoint.parameters) {
    const value = parameterValue(situation, one, said, samples, draft);
    if (value !== null) draft = withParameter(draft, one, value);
  }
  const { bytes } = endpoint.body ?? {};
  if (endpoint.body && !bytes)
    draft = { ...draft, body: new Bodies(situation, samples, said).of(endpoint.body.type, fill) };
  draft = withCredentials(draft, contract.schemes, caller);
  if (provesOrigin(endpoint)) draft = withHeader(draft, 'Origin', known.origin);
  if (contract.versioning?.by.kind === 'media type') draft = withHeader(draft, 'Accept', acceptedAt(endpoint, version));
  if (endpoint.body && bytes) {
    const mediaType = random.among(endpoint.body.mediaTypes) ?? '';
    draft = { ...draft, body: sampleBytes(bytes, mediaType, random.int(0, 9)) };
    return withHeader(draft, 'Content-Type', mediaType);
  }
  if (endpoint.body) draft = withHeader(draft, 'Content-Type', mediaTypeOf(endpoint.body, situation));
  return draft;
}

/** The media type of a body: where JSON and forms are accepted, one of both. */
function mediaTypeOf({ mediaTypes }: BodyContract, { random, version }: Situation): string {
  const [first = version.mediaType] = mediaTypes;
  if (first === MULTIPART_TYPE) return WHOLE_FORM;
  const isEither = first !== FORM_TYPE && mediaTypes.includes(FORM_TYPE);
  return isEither && random.chance(SHARE_OF_FORMS) ? FORM_TYPE : first;
}

/** Whether requests to an endpoint may have to prove from which origin they come. */
export const provesOrigin = ({ answers }: Situation['endpoint']): boolean =>
  answers.some(({ because }) => because.name === 'origin not accepted');

/** The media type of a version, besides the other media types of the endpoint's answers. */
function acceptedAt({ answers }: Situation['endpoint'], { mediaType }: Situation['version']): string {
  const others = answers.flatMap(({ status, body }) => (isSuccess(status) && body ? [body.mediaType] : []));
  return [...new Set([mediaType, ...others])].join(', ');
}

const describeRow = (rows: Rows, row: Parameters<Rows['kind']>[0], caller: Credentials | null): string =>
  `${rows.belongsTo(row, caller)} ${row.resource}${row.state === null ? '' : ` in ${row.state}`}`;

/** The value of a parameter; null leaves the parameter out. */
function parameterValue(
  { endpoint, random, known, version }: Situation,
  one: ParameterContract,
  said: Said,
  samples: Samples,
  draft: Draft,
): string | null {
  const found = said.get(`${one.in} ${one.name}`) ?? (one.field && said.get(`${one.in} ${afterDot(one.field)}`));
  if (found !== undefined && found !== null && found !== '') return written(found);
  switch (one.role) {
    case 'idempotency key':
      return one.required || random.chance(SHARE_WITH_KEY) ? newKey(random) : null;
    case 'version':
      return version.status === 'current' && !one.required && random.chance(0.3) ? null : (version.name ?? '');
    case 'range':
      return null;
    case 'precondition':
      return one.required ? (newestTag(known.tags, endpoint.path, draft) ?? '*') : null;
    case 'stated':
      return one.in === 'path' || one.required ? written(samples.of(one.type, one.name)) : null;
    default:
      return null;
  }
}

/** The newest entity tag in an answer for the path of a request. */
export function newestTag(
  tags: Situation['known']['tags'],
  path: string,
  draft: Pick<Draft, 'place'>,
): string | undefined {
  const filled = path.replace(/\{([^}]*)\}/g, (_, name: string) => encodeURIComponent(draft.place.get(name) ?? ''));
  return tags.findLast(({ target }) => target.split('?')[0] === filled)?.tag;
}

export function withParameter(draft: Draft, one: ParameterContract, value: string): Draft {
  if (one.in === 'path') return { ...draft, place: new Map([...draft.place, [one.name, value]]) };
  if (one.in === 'header') return withHeader(draft, one.name, value);
  return { ...draft, query: [...draft.query.filter(([name]) => name !== one.name), [one.name, value]] };
}

export function withCredentials(draft: Draft, schemes: readonly SchemeContract[], who: Credentials | null): Draft {
  const scheme = schemes.find((one) => one.name === who?.scheme);
  if (!who || !scheme) return draft;
  return withHeader(draft, ...credentialField(scheme, who.text));
}

const afterDot = (text: string): string => text.slice(text.indexOf('.') + 1);

/** Makes bodies whose references name rows that are known. */
class Bodies {
  private readonly situation: Situation;
  private readonly samples: Samples;
  private readonly said: Said;

  constructor(situation: Situation, samples: Samples, said: Said) {
    this.situation = situation;
    this.samples = samples;
    this.said = said;
  }

  of(type: ObjectContract, fill: Fill, within = ''): ContentObject {
    const out: Array<readonly [string, Content]> = [];
    const patch = this.situation.endpoint.body?.patch ?? false;
    for (const member of type.members) {
      const needed = member.presence === 'always' || (patch && fill === 'none' && out.length === 0 && within === '');
      const own = member.field === null ? member.name : afterDot(member.field);
      const said = this.said.get(`request ${within}${member.name}`) ?? this.said.get(`request ${within}${own}`);
      if (!needed && said === undefined && (fill === 'none' || (fill === 'some' && this.situation.random.chance(0.5))))
        continue;
      const value =
        said === undefined ? this.value(member, fill, `${within}${member.name}.`) : asIdentity(said, member.type);
      if (value === undefined && !needed) continue;
      out.push([member.name, value ?? this.samples.of(member.type, member.name)]);
    }
    return Object.fromEntries(out);
  }

  /** A value of a member; undefined if the member must refer to a row and there is no row. */
  private value(member: MemberContract, fill: Fill, within: string): Content | undefined {
    const { type } = member;
    const { random } = this.situation;
    if (member.refersTo !== null) return this.reference(member.refersTo, type);
    if (type.kind === 'object') return this.of(type, fill, within);
    if (type.kind === 'list' && type.of.kind === 'object') {
      const items = type.of;
      const count = Math.min(type.max ?? 2, Math.max(type.min ?? 0, random.int(1, 2)));
      return Array.from({ length: count }, () => this.of(items, fill, within));
    }
    return this.samples.of(type, member.name);
  }

  private reference(resource: string, type: ContractType): Json | undefined {
    const { random, rows } = this.situation;
    if (type.kind === 'list' || type.kind === 'set') {
      const some = random.some(rows.of(resource), Math.min(type.max ?? 2, random.int(type.min ?? 0, 3)));
      return some.length < (type.min ?? 0) ? undefined : some.map((row) => asIdentity(row.identity, type.of));
    }
    const row = random.among(rows.of(resource));
    return row && asIdentity(row.identity, type);
  }
}
