import type { Contract, VersionContract } from '../../contract/contract.ts';
import type { AnswerContract, EndpointContract } from '../../contract/endpoint.ts';
import { problemTypeOf } from '../../contract/problem-types.ts';
import type { ContractType } from '../../contract/types.ts';
import { parseBody } from '../../http/answer-body.ts';
import { parseJson } from '../../http/json.ts';
import { decodeSegment } from '../../http/query.ts';
import { isJson } from '../../plan/media-types.ts';
import { unversionedName } from '../../plan/versions.ts';
import { isObject } from '../../text/own-members.ts';
import { isTextTooDeep } from '../judge/depth.ts';
import { type Answer, combinedHeader, headerOf, type Request } from '../target/exchange.ts';
import { pathOrder, pathPattern, plainPath } from '../target/path-pattern.ts';
import { headerFaults, mediaTypeOf, strayHeaders } from './headers.ts';
import { type ContractFault, excerpt, ValueJudge } from './values.ts';

/** The facts of a request that select the answers which the contract allows. */
type Asked = Pick<Request, 'method' | 'target' | 'headers'>;

/** An answer that a request may get, in a version. */
interface Allowed {
  readonly version: VersionContract;
  readonly answer: AnswerContract;
}

/** The member of RFC 9457 problem details with the code. */
const CODE = 'code';

/**
 * Judges answers by a contract alone: the status and the code are declared for the request, declared headers are
 * present with their values, and the body has the declared type: members, presence, null, formats, bounds.
 */
export class ContractJudge {
  private readonly contract: Contract;
  private readonly isStrict: boolean;
  private readonly values = new Map<VersionContract, ValueJudge>();
  private readonly routes = new Map<VersionContract, readonly Route[]>();
  private readonly streams: StreamJudge;
  /** The number of answers that were compared with the contract. */
  judged = 0;

  /**
   * `headers`: whether every header must be declared, as for Ninefold’s own services. Intermediaries in front of other
   * services may add headers.
   */
  constructor(contract: Contract, headers: 'all declared' | 'others allowed') {
    this.contract = contract;
    this.isStrict = headers === 'all declared';
    this.streams = new StreamJudge(contract, (version) => this.valuesIn(version));
  }

  /** The faults of an answer; none where the contract declares the answer for the request. */
  faults(asked: Asked, answer: Answer): ContractFault[] {
    this.judged += 1;
    // A granted preflight is no request to an endpoint. Other servers answer bytes that are no HTTP in their own way.
    if (this.contract.browsers && isPreflight(asked) && answer.status < 300)
      return this.stray(answer, PREFLIGHT_HEADERS);
    if (!this.isStrict && !isHttp(asked)) return [];
    const allowed = this.allowedTo(asked);
    const coded = this.contract.errors.payload?.kind === 'RFC 9457' && asked.method !== 'HEAD' && answer.status >= 400;
    const body = read(answer);
    const code = coded ? codeIn(body) : null;
    const ofStatus = allowed.filter((one) => one.answer.status === answer.status);
    if (ofStatus.length === 0) return [statusFault(allowed, answer)];
    const ofCode = coded ? ofStatus.filter((one) => one.answer.code === code) : ofStatus;
    if (ofCode.length === 0) return [codeFault(ofStatus, code)];
    let least: ContractFault[] | null = null;
    for (const { version, answer: declared } of ofCode) {
      const found = [...this.headersOf(declared, answer), ...this.body(version, asked, declared, answer, body)];
      if (found.length === 0) return found;
      if (!least || found.length < least.length) least = found;
    }
    return least ?? [];
  }

  /** The faults of the payload of an event, as a receiver or the reader of a stream is sent it. */
  payloadFaults(event: string, version: string, data: unknown): ContractFault[] {
    this.judged += 1;
    const spoken = this.contract.versions.find((one) => (one.name ?? '') === version) ?? this.contract.versions[0];
    return spoken ? this.streams.payload(spoken, event, data) : [];
  }

  private stray(answer: Answer, known: readonly string[]): ContractFault[] {
    return this.isStrict ? strayHeaders(answer, known, 'all declared') : [];
  }

  private headersOf(declared: AnswerContract, answer: Answer): ContractFault[] {
    return headerFaults(declared, answer, this.isStrict ? 'all declared' : 'others allowed');
  }

  private body(
    version: VersionContract,
    { method }: Asked,
    declared: AnswerContract,
    answer: Answer,
    read: ReadBody,
  ): ContractFault[] {
    const { body, lines } = declared;
    if (method === 'HEAD') return [];
    if (!body) {
      // Other servers explain errors without a body of their own, for people.
      const isAllowed = answer.body.length === 0 || (!this.isStrict && answer.status >= 400);
      return isAllowed ? [] : [{ at: 'body', declared: 'no body', actual: excerpt(answer.body.toString()), lines }];
    }
    const found: ContractFault[] = [];
    const type = combinedHeader(answer.headers, 'Content-Type');
    if (body.type.kind === 'bytes') {
      const { mediaTypes, max } = body.type;
      if (!mediaTypes.includes(type ?? ''))
        found.push({ at: 'header Content-Type', declared: mediaTypes.join(' or '), actual: type ?? 'nothing', lines });
      if (answer.body.length > max)
        found.push({ at: 'body', declared: `at most ${max} bytes`, actual: `${answer.body.length} bytes`, lines });
      return found;
    }
    if (mediaTypeOf(type ?? '', this.isStrict) !== mediaTypeOf(body.mediaType, this.isStrict))
      found.push({ at: 'header Content-Type', declared: body.mediaType, actual: type ?? 'nothing', lines });
    if (body.type.kind === 'stream')
      return [...found, ...this.streams.text(version, answer.body.toString(), body.type)];
    const own = isJson(body.mediaType) ? read : bodyOf(body.mediaType, answer);
    if ('wrong' in own) return [...found, { at: 'body', declared: 'JSON', actual: own.wrong, lines }];
    found.push(...this.valuesIn(version).faults(body.type, body.nullable, own.value, lines));
    found.push(...this.problem(declared, own.value));
    return found;
  }

  /** The faults of the texts of problem details: each code has its own. */
  private problem({ code, title, lines }: AnswerContract, value: unknown): ContractFault[] {
    const { payload } = this.contract.errors;
    if (payload?.kind !== 'RFC 9457' || title === null || !isObject(value)) return [];
    const type = code === null ? null : problemTypeOf(this.contract.errors, code);
    const declared = { title, ...(type === null ? {} : { type }) };
    return Object.entries(declared).flatMap(([name, text]) =>
      value[name] === text
        ? []
        : [{ at: `body /${name}`, declared: JSON.stringify(text), actual: excerpt(value[name]), lines }],
    );
  }

  private valuesIn(version: VersionContract): ValueJudge {
    const known = this.values.get(version) ?? new ValueJudge(this.contract.errors, version);
    this.values.set(version, known);
    return known;
  }

  /** Every answer that a request may get. */
  private allowedTo(asked: Asked): Allowed[] {
    const target = pathOf(asked.target);
    const unsettled = this.contract.unsettled.some(
      ({ method, path }) => method === asked.method && leads(segmentsOf(path), target),
    );
    const found = this.spokenBy(asked).flatMap(({ version, target: here }) =>
      this.answersAt(version, asked.method, here).map((answer) => ({ version, answer })),
    );
    const [current] = this.contract.versions;
    if (!current) return found;
    const others = [...(unsettled ? [UNSETTLED] : []), ...this.contract.errors.wire];
    return [...found, ...others.map((answer) => ({ version: current, answer }))];
  }

  private answersAt(
    version: VersionContract,
    method: string,
    target: readonly string[] | null,
  ): readonly AnswerContract[] {
    const endpoints = this.routesIn(version).flatMap(({ segments, endpoint }) =>
      leads(segments, target) ? [endpoint] : [],
    );
    const found = endpoints.find((one) => one.method === method || (one.head && method === 'HEAD'));
    return found?.answers ?? version.elsewhere;
  }

  /** The endpoints of a version, those with the more specific paths first. */
  private routesIn(version: VersionContract): readonly Route[] {
    const known = this.routes.get(version);
    if (known) return known;
    const made = version.endpoints
      .map((endpoint) => ({ endpoint, segments: segmentsOf(endpoint.path) }))
      .sort((a, b) => (pathOrder(a.endpoint.path) < pathOrder(b.endpoint.path) ? -1 : 1));
    this.routes.set(version, made);
    return made;
  }

  /**
   * The versions in which a request may be answered, with its path as their endpoints have it. A header names one, or the
   * request has the version of those without any. A path that names none, or a version that is over, may also be answered
   * in the version of requests without any, or in the current one. Where media types name versions, any may answer.
   */
  private spokenBy({ headers, target }: Asked): Array<{ version: VersionContract; target: readonly string[] | null }> {
    const { versions, versioning } = this.contract;
    const path = pathOf(target);
    const answering = versions.filter((one) => one.status !== 'retired');
    const plain = answering.map((version) => ({ version, target: path }));
    const [current] = answering;
    if (!versioning || !current) return plain;
    const { by } = versioning;
    const without = unversionedName(versioning, current.name);
    const unnamed = answering.find(({ name }) => name === without) ?? current;
    if (by.kind === 'media type') return plain;
    if (by.kind === 'header') {
      const asked = headerOf(headers, by.header);
      return [plain.find(({ version }) => version.name === asked) ?? { version: unnamed, target: path }];
    }
    const before = segmentsOf(by.prefix.replace(/\/$/, ''));
    const named = before.findIndex((segment) => segment.includes('{version}'));
    const own = (version: VersionContract): string[] =>
      before.map((segment) => segment.replace('{version}', version.name ?? ''));
    const isVersioned = path !== null && before.every((segment, i) => i === named || segment === path[i]);
    const rest = path === null ? [] : path.slice(before.length);
    const bare = path === null ? [] : path.slice(1);
    return [
      ...plain,
      ...(isVersioned ? [{ version: current, target: [...own(current), ...rest] }] : []),
      { version: unnamed, target: path === null ? null : [...own(unnamed), ...bare] },
    ];
  }
}

interface Route {
  readonly endpoint: EndpointContract;
  readonly segments: readonly string[];
}

/** Answers of an endpoint that the document leaves open. */
const UNSETTLED: AnswerContract = {
  status: 501,
  code: null,
  title: null,
  because: { kind: 'condition', name: 'unsettled', text: 'the document leaves the endpoint open' },
  headers: [],
  body: null,
  lines: [],
};

/** The headers that a preflight is answered with (Fetch, section 3.3.3). */
const PREFLIGHT_HEADERS: readonly string[] = [
  'Vary',
  'Access-Control-Allow-Origin',
  'Access-Control-Allow-Credentials',
  'Access-Control-Allow-Methods',
  'Access-Control-Allow-Headers',
  'Access-Control-Max-Age',
];

/** Whether the values of its fields have no control characters (RFC 9110, section 5.5). */
const isHttp = ({ headers }: Asked): boolean => !headers.some(([, value]) => /[^\t\x20-\x7e\x80-\xff]/.test(value));

/** A request of a browser that asks whether another may be sent (Fetch, section 3.3.2). */
const isPreflight = ({ method, headers }: Asked): boolean =>
  method === 'OPTIONS' && ['Origin', 'Access-Control-Request-Method'].every((name) => headerOf(headers, name) !== null);

const segmentsOf = (path: string): readonly string[] => path.split('/');

/** The segments of a target’s path, still encoded; null where it has none, or one that can’t be decoded. */
function pathOf(target: string): readonly string[] | null {
  const [path = ''] = target.replace(/^https?:\/\/[^/?#]+/i, '').split('?');
  if (path.includes('#')) return null;
  const segments = plainPath(path).split('/');
  return segments.every((segment) => decodeSegment(segment) !== null) ? segments : null;
}

const leads = (stated: readonly string[], asked: readonly string[] | null): boolean =>
  asked !== null &&
  stated.length === asked.length &&
  stated.every((part, i) => (part.includes('{') ? pathPattern(part).test(asked[i] ?? '') : part === asked[i]));

type ReadBody = { readonly value: unknown } | { readonly wrong: string };

function bodyOf(mediaType: string, { body }: Answer): ReadBody {
  const parsed = parseBody(mediaType, body);
  return parsed.ok ? { value: parsed.value } : { wrong: `${excerpt(body.toString())} (${parsed.reason})` };
}

function read({ body }: Answer): ReadBody {
  if (isTextTooDeep(body)) return { wrong: 'a body that is nested too deeply' };
  const parsed = parseJson(body);
  return parsed.ok ? { value: parsed.value } : { wrong: excerpt(body.toString()) };
}

function codeIn(body: ReadBody): string | null {
  const code = 'value' in body && isObject(body.value) ? body.value[CODE] : null;
  return typeof code === 'string' ? code : null;
}

function statusFault(allowed: readonly Allowed[], { status, body }: Answer): ContractFault {
  const statuses = [...new Set(allowed.map((one) => one.answer.status))].sort((a, b) => a - b);
  const actual = body.length > 0 ? `${status} with ${excerpt(body.toString())}` : `${status}`;
  return { at: 'status', declared: `one of ${statuses.join(', ')}`, actual, lines: [] };
}

function codeFault(allowed: readonly Allowed[], code: string | null): ContractFault {
  const codes = [...new Set(allowed.flatMap(({ answer }) => answer.code ?? []))];
  const declared = codes.length > 0 ? `one of ${codes.join(', ')}` : 'no code';
  return { at: 'body /code', declared, actual: code === null ? 'none' : excerpt(code), lines: [] };
}

/** Judges the payloads of events in webhooks and streams. */
class StreamJudge {
  private readonly contract: Contract;
  private readonly valuesIn: (version: VersionContract) => ValueJudge;

  constructor(contract: Contract, valuesIn: (version: VersionContract) => ValueJudge) {
    this.contract = contract;
    this.valuesIn = valuesIn;
  }

  /** The faults of the payload of an event. */
  payload(version: VersionContract, event: string, data: unknown): ContractFault[] {
    const declared = version.events.find(({ name }) => name === event);
    if (!declared) {
      const names = version.events.map(({ name }) => name).join(', ');
      return [{ at: 'event', declared: `one of ${names}`, actual: excerpt(event), lines: [] }];
    }
    return this.valuesIn(version).faults(declared.payload, false, data, declared.lines);
  }

  /** The faults of the messages of a stream, as far as it has been read (WHATWG HTML, section 9.2.6). */
  text(version: VersionContract, text: string, type: Extract<ContractType, { kind: 'stream' }>): ContractFault[] {
    return text.split('\n\n').flatMap((block) => {
      const fields = block.split('\n').map((line) => /^(event|data): ?(.*)$/.exec(line));
      const values = (name: string): string[] => fields.flatMap((one) => (one?.[1] === name ? [one[2] ?? ''] : []));
      const [event = 'message'] = values('event');
      const data = values('data');
      if (data.length === 0) return [];
      const parsed = parsedOf(data.join('\n'));
      if (!type.events.includes(event))
        return [{ at: 'event', declared: `one of ${type.events.join(', ')}`, actual: excerpt(event), lines: [] }];
      const isEnvelope = this.contract.stream?.data === 'envelope';
      return this.payload(version, event, isEnvelope && isObject(parsed) ? parsed.data : parsed);
    });
  }
}

function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
