import type { Contract, ToldContract, VersionContract } from '../../contract/contract.ts';
import type { AnswerContract, EndpointContract } from '../../contract/endpoint.ts';
import type { MemberContract, ObjectContract } from '../../contract/types.ts';
import type { ClientNames } from './client-names.ts';
import { access, alternatives, comment, key, optionalAccess, quote } from './words.ts';

/** The literal of a code, or of a status if error payloads have no code. */
type Literal = string;

/**
 * Conditions after which a client repeats a request: `always` if the request was certainly not processed (429, RFC 6585
 * section 4; a conflict is rolled back, and a key in flight belongs to another request), `idempotent` if it may be
 * processed twice.
 */
const AGAIN: Readonly<Record<string, 'always' | 'idempotent'>> = {
  'rate exceeded': 'always',
  conflict: 'always',
  'idempotency key in flight': 'always',
  unavailable: 'idempotent',
  'time-out': 'idempotent',
};

/** The refusals of one version, and the member of the payload that identifies them. */
export class Refusals {
  /** Whether error payloads contain the code. */
  readonly coded: boolean;
  private readonly contract: Contract;
  private readonly version: VersionContract;
  private readonly names: ClientNames;
  private readonly codePath: readonly string[] | null;
  private readonly common: ReadonlySet<Literal>;
  private readonly withBody: ReadonlySet<Literal>;

  constructor(contract: Contract, version: VersionContract, names: ClientNames) {
    this.contract = contract;
    this.version = version;
    this.names = names;
    const { payload } = contract.errors;
    this.codePath = payload && (payload.kind === 'RFC 9457' ? ['code'] : codePathIn(payload.told));
    this.coded = this.codePath !== null;
    const { endpoints } = version;
    const elsewhere = this.literals([...version.elsewhere, ...contract.errors.wire]);
    this.common = new Set([...shared(endpoints.map((one) => this.literals(one.answers))), ...elsewhere]);
    const bodies = endpoints.filter((one) => one.body).map((one) => this.literals(one.answers));
    const rest = shared(bodies).filter((one) => !this.common.has(one));
    this.withBody = new Set(bodies.length > 1 && rest.length > 1 ? rest : []);
  }

  private literal = ({ code, status }: AnswerContract): Literal[] => {
    if (status < 400) return [];
    if (!this.coded) return [String(status)];
    return code === null ? [] : [quote(code)];
  };

  private literals(answers: readonly AnswerContract[]): Literal[] {
    return [...new Set(answers.flatMap(this.literal))];
  }

  private every(): AnswerContract[] {
    const { endpoints, elsewhere } = this.version;
    return [...endpoints.flatMap((one) => one.answers), ...elsewhere, ...this.contract.errors.wire].filter(
      (one) => one.status >= 400 && (!this.coded || one.code !== null),
    );
  }

  /** The type of the refusals of one endpoint; declared if it differs from the refusals of all endpoints. */
  typeOf(endpoint: EndpointContract, base: string, called: string, declare: (lines: string[]) => void): string {
    const own = this.literals(endpoint.answers).filter((one) => !this.common.has(one));
    const body = this.withBody.size > 0 && [...this.withBody].every((one) => own.includes(one));
    const rest = own.filter((one) => !body || !this.withBody.has(one));
    const groups = [...(this.common.size ? [this.word('Common')] : []), ...(body ? [this.word('Body')] : [])];
    const parts = [...groups, ...rest];
    if (parts.length === 0) return 'never';
    if (parts.length === 1) return parts[0] ?? 'never';
    const name = this.names.type(this.word(base));
    declare([
      ...comment([`The ${this.coded ? 'codes' : 'statuses'} with which the service may refuse \`${called}\`.`]),
      ...alternatives(`export type ${name} =`, parts, ';'),
    ]);
    return name;
  }

  private word = (base: string): string => base + (this.coded ? 'Code' : 'Status');

  /** Declarations of the types of codes, and of the constants about codes at run time. */
  declarations(): string[] {
    const group = (name: string, literals: ReadonlySet<Literal>, about: string): string[] =>
      literals.size === 0
        ? []
        : [...comment([about]), ...alternatives(`export type ${this.word(name)} =`, [...literals], ';'), ''];
    return [
      ...(this.coded ? this.codeTable() : this.statusList()),
      '',
      ...group(
        'Common',
        this.common,
        `The ${this.coded ? 'codes' : 'statuses'} with which the service may refuse any request.`,
      ),
      ...group(
        'Body',
        this.withBody,
        `Further ${this.coded ? 'codes' : 'statuses'} with which the service may refuse any request with a body.`,
      ),
      ...this.again(),
    ];
  }

  private codeTable(): string[] {
    const codes = new Map<string, AnswerContract>();
    for (const one of this.every()) if (one.code !== null && !codes.has(one.code)) codes.set(one.code, one);
    const path = this.codePath ?? [];
    const read = path.reduce(
      (value, name, i) => (i === 0 ? access(value, name) : optionalAccess(value, name)),
      'problem',
    );
    return [
      '/** The codes of refusals, with their statuses. */',
      'const STATUS = {',
      ...[...codes].flatMap(([code, { title, status }]) => [
        ...comment(title === null ? [] : [title], '  '),
        `  ${key(code)}: ${status},`,
      ]),
      '} as const;',
      '',
      'export type Code = keyof typeof STATUS;',
      '',
      `const codeIn = (problem: Partial<Problem>): unknown => ${read};`,
    ];
  }

  private statusList(): string[] {
    const statuses = [...new Set(this.every().map((one) => one.status))].sort((a, b) => a - b);
    const list = statuses.join(', ');
    return [
      '/** The statuses of refusals, whose payloads have no code. */',
      ...alternatives('export type Status =', statuses.map(String), ';'),
      '',
      ...(list.length > 80
        ? ['const STATUSES: readonly number[] = [', `  ${list},`, '];']
        : [`const STATUSES: readonly number[] = [${list}];`]),
    ];
  }

  /** The declaration of `AGAIN`: codes all of whose causes allow a repetition. */
  private again(): string[] {
    const found = new Map<string, 'always' | 'idempotent' | null>();
    for (const one of this.every()) {
      const name = this.coded ? key(one.code ?? '') : String(one.status);
      const own = (one.because.kind === 'condition' && AGAIN[one.because.name]) || null;
      const before = found.get(name);
      found.set(name, before === undefined || before === own ? own : own && before && 'idempotent');
    }
    const entries = [...found].filter(([, when]) => when !== null);
    return [
      ...comment([
        `The ${this.coded ? 'codes' : 'statuses'} after which the client repeats a request: \`always\`, because the service did nothing, or \`idempotent\`, if the request may run twice.`,
      ]),
      `const AGAIN: Partial<Record<${this.coded ? 'Code' : 'Status'}, 'always' | 'idempotent'>> = {`,
      ...entries.map(([name, when]) => `  ${name}: ${quote(when ?? '')},`),
      '};',
    ];
  }

  /** The type of an error payload; members that only errors with faults have are optional. */
  problem(): ObjectContract | null {
    const { payload } = this.contract.errors;
    if (!payload) return null;
    const plain = new Set(payload.type.members.map((one) => one.name));
    const members = payload.withFaults.members.map(
      (one): MemberContract => ({
        ...one,
        type: worded(one, payload.kind === 'RFC 9457'),
        presence: plain.has(one.name) ? one.presence : 'optional',
      }),
    );
    return { kind: 'object', members, unknown: 'none' };
  }
}

/** The type without the list of allowed texts: titles are plain strings, and codes have a type of their own. */
function worded(one: MemberContract, _problem: boolean): MemberContract['type'] {
  const { type } = one;
  if (type.kind === 'text' && type.oneOf) return { ...type, oneOf: null };
  if (type.kind === 'list' || type.kind === 'set') {
    return { ...type, min: null, max: null, of: worded({ ...one, type: type.of }, _problem) };
  }
  if (type.kind === 'map') return { ...type, min: null, max: null, of: worded({ ...one, type: type.of }, _problem) };
  if (type.kind === 'object')
    return { ...type, members: type.members.map((each) => ({ ...each, type: worded(each, _problem) })) };
  return type;
}

/** The path of members to the code, in a payload that the document defines. */
function codePathIn(told: readonly ToldContract[]): string[] | null {
  for (const { name, kind, value, members } of told) {
    if (kind === 'value' && value?.text === 'error.code') return name.split('.');
    const deeper = kind === 'object' ? codePathIn(members) : null;
    if (deeper) return [...name.split('.'), ...deeper];
  }
  return null;
}

/** The intersection of lists. */
function shared(lists: ReadonlyArray<readonly string[]>): string[] {
  const [first = [], ...rest] = lists;
  return first.filter((one) => rest.every((list) => list.includes(one)));
}
