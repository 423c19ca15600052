import { createHash } from 'node:crypto';
import type { Value } from '../../expression/values/value.ts';
import { listItems } from '../../http/headers.ts';
import { membersAt, type Places, placesOf, pointer } from '../../http/nested-json.ts';
import { parseQuery } from '../../http/query.ts';
import { bytesOfColumn, FILE_MEMBERS, type FilePlan } from '../../plan/files.ts';
import { type StatementId, statementId } from '../../plan/lines.ts';
import { named } from '../../plan/named.ts';
import type { BeforeStep, PagePlan, ParameterPlan, PayloadPlan } from '../../plan/step.ts';
import { meantBy } from '../../plan/words.ts';
import {
  emptyIsNull,
  faultsAt,
  isObject,
  isRepeated,
  type Validated,
  type Validator,
} from '../../validation/validate.ts';
import { noteBeyond, noteBounds } from './bounds.ts';
import { compared } from './evaluate.ts';
import { byCode, byCondition, type FaultAt, type Refusal } from './refusal.ts';
import { type Given, note, scopeOfRow, type Transaction } from './scope.ts';
import { nameIn, wordsAt } from './show.ts';
import type { Trace } from './trace.ts';

type ParametersPlan = Extract<BeforeStep, { do: 'read parameters' }>;
type Rule = ParameterPlan['rule'];
type BodyPlan = Extract<BeforeStep, { do: 'validate body' }>;

/** The values of parameters and body, with their faults. */
export class Content {
  readonly work: Transaction;
  readonly endpoint: string;
  readonly faults: FaultAt[] = [];
  /** The refusal of a parameter that states its own. */
  refusal: Refusal | null = null;
  readonly path = new Map<string, Given>();
  readonly query = new Map<string, Given>();
  readonly header = new Map<string, Given>();
  request: Map<string, Given> = new Map();
  /** The files of the body, by the fields that take them. */
  readonly files = new Map<string, { readonly facts: FileFacts; readonly column: string; readonly latin1: string }>();
  /** The faults of the body, where a step of the endpoint validates it; null otherwise. */
  late: LateContent | null = null;
  /** Whether the body is a form. */
  isForm = false;
  /** The parameters of the query as they were sent. */
  sent: ReadonlyArray<readonly [string, string]> = [];
  /** The canonical form of the body, which is compared with the body of another request. */
  canonical: unknown = null;

  constructor(work: Transaction, endpoint: string) {
    this.work = work;
    this.endpoint = endpoint;
  }

  /** Throws if the query is malformed. */
  readParameters(
    plan: ParametersPlan,
    page: PagePlan | null,
    said: { segments: ReadonlyMap<string, string>; query: string | null; header: (name: string) => string | undefined },
  ): void {
    const sent = said.query === null ? [] : parseQuery(said.query);
    if (sent === null) throw byCondition('malformed request');
    this.sent = sent;
    for (const one of plan.path) {
      const value = this.textOf(one, 'path', 'parameter', one.name, said.segments.get(one.name) ?? '');
      this.path.set(one.name, value);
    }
    const names = plan.query.map((one) => this.called(one));
    for (const [i, one] of plan.query.entries()) this.query.set(one.name, this.fromQuery(one, names[i] ?? null));
    if (plan.unknown === 'refused')
      for (const [name] of sent)
        if (!names.includes(name) && name !== page?.limit && name !== page?.place) {
          this.faults.push({ place: 'parameter', name, code: 'unknown_parameter' });
          note(this.work, statementId.endpoint(this.endpoint, 'unknown parameters'), 'refused unknown parameter');
        }
    for (const one of plan.header) {
      const text = said.header(one.name);
      const value =
        text === undefined
          ? this.absent(one, 'header', 'header', one.name)
          : this.textOf(one, 'header', 'header', one.name, text);
      this.header.set(one.name, value);
    }
  }

  /** The name of a parameter in the API version of the request. */
  private called({ field, name }: ParameterPlan): string | null {
    if (!field) return name;
    const dot = field.indexOf('.');
    return nameIn(this.work.plan, this.work.version, field.slice(0, dot), field.slice(dot + 1));
  }

  private fromQuery(one: ParameterPlan, name: string | null): Given {
    const given = name === null ? [] : this.sent.filter(([sent]) => sent === name);
    const [first] = given;
    if (!first) return this.absent(one, 'query', 'parameter', name ?? one.name);
    if (given.length === 1) return this.textOf(one, 'query', 'parameter', first[0], first[1]);
    this.fault('parameter', first[0], 'repeated');
    return undefined;
  }

  private key(one: ParameterPlan, where: string): StatementId {
    return statementId.parameter(this.endpoint, where, one.name);
  }

  private textOf(one: ParameterPlan, where: string, place: FaultAt['place'], name: string, text: string): Given {
    const split = place === 'header' ? listItems : undefined;
    const { checks } = this.work;
    const checked = this.inWords(one.words, one.rule, false, (rule) => checks.text(rule, split)(text));
    this.noteBeyond(this.key(one, where), one.rule, checked, (rule) => checks.text(rule, split)(text));
    return this.taken(one, where, checked, () =>
      this.fault(place, name, 'fault' in checked ? checked.fault : 'missing'),
    );
  }

  /** Checks a value in the words of the version of the request, and returns the value that its word means. */
  private inWords(field: string | undefined, rule: Rule, inBody: boolean, check: (rule: Rule) => Validated): Validated {
    const { plan, version, checks } = this.work;
    const words = field === undefined || rule.oneOf === null ? null : wordsAt(plan, version, field);
    if (!words) return check(rule);
    const checked = check(checks.inWords(rule, words, inBody));
    return 'value' in checked ? { value: meantBy(words, String(checked.value), inBody) } : checked;
  }

  /**
   * The value of a sent parameter. If the parameter states a refusal of its own, an invalid value causes that refusal
   * instead of a fault.
   */
  private taken(one: ParameterPlan, where: string, checked: Validated, fault: () => void): Given {
    const key = this.key(one, where);
    if ('value' in checked) {
      note(this.work, key, 'accepted');
      noteBounds(this.work, key, one.rule, checked.value);
      return checked.value;
    }
    note(this.work, key, `refused ${checked.fault}`);
    if (one.code !== null) this.refusal ??= byCode(one.code, key);
    else fault();
    return undefined;
  }

  /** Notes that a value is refused which is one step past a bound. `read`: reads it by a rule without bounds. */
  private noteBeyond(key: StatementId, rule: Rule, checked: Validated, read: (rule: Rule) => Validated): void {
    if ('value' in checked) return;
    const value = read(this.work.checks.unbounded(rule));
    if ('value' in value) noteBeyond(this.work, key, rule, checked.fault, value.value);
  }

  private absent(one: ParameterPlan, where: string, place: FaultAt['place'], name: string): Given {
    if (one.otherwise) {
      note(this.work, this.key(one, where), 'otherwise');
      return this.standing(one);
    }
    note(this.work, this.key(one, where), one.required ? 'refused missing' : 'left out');
    if (one.required) this.fault(place, name, 'missing');
    return undefined;
  }

  /** The default of a value that was not sent; a set has each of its items once. */
  private standing({ otherwise, rule }: Pick<ParameterPlan, 'otherwise' | 'rule'>): Value {
    const value = otherwise ? compared(otherwise, scopeOfRow(this.work, null)) : null;
    const checked = rule.items ? this.work.checks.computed(rule)(value) : { value };
    return 'value' in checked ? checked.value : value;
  }

  private fault(place: FaultAt['place'], name: string, code: FaultAt['code']): undefined {
    this.faults.push({ place, name, code });
  }

  /** Keeps the refusal of a body that cannot be read for the step that validates the body. */
  refuseLater(refusal: Refusal): void {
    this.late = { faults: [], refusal, trace: [], isReached: false, isUnread: true };
  }

  /** Takes a file, and the facts about it. A row of the oracle holds the bytes in place of their identity. */
  takeFile({ resource }: PayloadPlan, { field, column }: FilePlan, type: string, bytes: Buffer): FileFacts {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const facts = { type, size: bytes.length, sha256 };
    const columns = this.work.rows.plan(resource).columns;
    for (const member of FILE_MEMBERS) {
      const name = `${field}.${member}`;
      const key = statementId.field(resource, name);
      note(this.work, key, 'accepted');
      noteBounds(this.work, key, named(columns, name).rule, facts[member]);
    }
    this.files.set(field, { facts, column, latin1: bytes.toString('latin1') });
    note(this.work, statementId.endpoint(this.endpoint, 'request'), `taken ${type}`);
    return facts;
  }

  /** Takes a body that is the bytes of a field. */
  readBytes(payload: PayloadPlan, file: FilePlan, type: string, bytes: Buffer): void {
    const facts = this.takeFile(payload, file, type, bytes);
    for (const member of FILE_MEMBERS) this.request.set(`${file.field}.${member}`, facts[member]);
    this.request.set(PLACE, '');
    this.request.set(file.column, bytes.toString('latin1'));
    this.canonical = FILE_MEMBERS.map((member) => facts[member]);
  }

  /** The names of the parts of a form that hold values. */
  partNames(payload: PayloadPlan | null, parameters: readonly ParameterPlan[]): ReadonlySet<string> {
    const fields = (payload?.fields ?? []).flatMap(
      (field) => nameIn(this.work.plan, this.work.version, payload!.resource, field) ?? [],
    );
    return new Set([...fields, ...parameters.flatMap((one) => this.called(one) ?? [])]);
  }

  /** A fact about a file of a form; null for another field. */
  private fileMember({ resource, optional }: PayloadPlan, name: string, files: readonly FilePlan[]): Member | null {
    const field = bytesOfColumn(files, name);
    const member = FILE_MEMBERS.find((one) => name === `${field}.${one}`);
    if (field === null || member === undefined) return null;
    const { nullable } = named(this.work.rows.plan(resource).columns, name);
    const read = (_: unknown, at: string): Given => {
      const facts = this.files.get(field)?.facts;
      if (facts) return facts[member];
      const key = statementId.field(resource, name);
      const isMissing = !optional && !nullable;
      note(this.work, key, isMissing ? 'refused missing' : 'left out');
      return isMissing && member === FILE_MEMBERS[0]
        ? this.fault('pointer', at + pointer(field), 'missing')
        : undefined;
    };
    return { key: name, name: null, read, same: () => undefined };
  }

  readBody(plan: BodyPlan, json: unknown): void {
    if (this.late) return;
    if (!plan.later) {
      this.read(plan, json);
      return;
    }
    const { refusal, faults } = this;
    const { trace } = this.work;
    const [outside, noted] = [faults.length, trace.length];
    this.refusal = null;
    this.read(plan, json);
    // An answer shows how the body was read only if its request reaches the step that validates it.
    this.late = {
      faults: faults.splice(outside),
      refusal: this.refusal,
      trace: trace.splice(noted),
      isReached: false,
      isUnread: false,
    };
    this.refusal = refusal;
  }

  private read(plan: BodyPlan, json: unknown): void {
    const { payload } = plan;
    const files = plan.parts?.files ?? [];
    const fields = payload
      ? payload.fields.map((field) => this.fileMember(payload, field, files) ?? this.fieldMember(payload, field))
      : [];
    const held = payload?.member
      ? [this.heldMember(payload, payload.member, fields, plan.unknown === 'refused')]
      : fields;
    const parameters = plan.parameters.map((one) => this.parameterMember(one));
    const read = this.object([...held, ...parameters], plan.unknown === 'refused', json ?? null, '');
    if (read) this.request = read.values;
    this.canonical = read?.same ?? null;
    if (!plan.parts || !read) return;
    for (const { column, latin1 } of this.files.values()) this.request.set(column, latin1);
    const facts = [...this.files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([field, one]) => [field, one.facts]);
    this.canonical = [read.same, facts];
  }

  /** The members of a JSON object; null for any other value. */
  private object(members: readonly Member[], refuses: boolean, raw: unknown, at: string): ReadObject | null {
    const names = members.map((member) => member.name);
    const values = new Map<string, Given>();
    const sent = new Map<string, unknown>();
    const put = (i: number, given: unknown, here: string): void => {
      const member = members[i];
      if (!member) return;
      const value = member.read(given, here);
      values.set(member.key, value);
      if (given === undefined || member.name === null) return;
      const same = member.same(value, given);
      if (same !== undefined) sent.set(member.name, same);
    };
    const readAt = (places: Places, one: unknown, here: string): boolean => {
      if (one !== undefined && !isObject(one)) {
        this.fault('pointer', here, 'not_an_object');
        return false;
      }
      for (const [name, place] of places) {
        const inside = one !== undefined && Object.hasOwn(one, name) ? one[name] : undefined;
        const to = here + pointer(name);
        if (typeof place === 'number') put(place, inside, to);
        else if (inside === null) for (const [i, deeper] of membersAt(place, to)) put(i, null, deeper);
        else readAt(place, inside, to);
      }
      if (refuses && one !== undefined)
        for (const name of Object.keys(one))
          if (!places.has(name)) {
            this.fault('pointer', here + pointer(name), 'unknown_field');
            note(this.work, statementId.endpoint(this.endpoint, 'payloads'), 'refused unknown field');
          }
      return true;
    };
    if (!readAt(placesOf(names), raw, at)) return null;
    for (const [i, name] of names.entries()) if (name === null) put(i, undefined, at);
    // The members that were sent, by their names: a field that is added to the document later does not change this.
    return { values, same: [...sent].sort(([a], [b]) => (a < b ? -1 : 1)) };
  }

  private fieldMember({ resource, optional }: PayloadPlan, field: string): Member {
    const { work } = this;
    const { wire } = work.plan;
    const column = named(work.rows.plan(resource).columns, field);
    const key = statementId.field(resource, field);
    const read = (sent: unknown, at: string): Given => {
      if (sent === undefined) {
        note(work, key, column.otherwise && !optional ? 'otherwise' : 'left out');
        if (optional) return undefined;
        if (column.otherwise) return this.standing(column);
        if (!column.nullable) note(work, key, 'refused missing');
        return column.nullable ? undefined : this.fault('pointer', at, 'missing');
      }
      const raw = emptyIsNull(sent, wire) ? null : sent;
      if (raw === null) {
        note(work, key, column.nullable ? 'null' : 'refused null_refused');
        if (!column.nullable) this.fault('pointer', at, 'null_refused');
        return null;
      }
      const check = (rule: Rule): Validated => this.checkOf(rule, optional)(raw);
      const checked = this.inWords(`${resource}.${field}`, column.rule, true, check);
      this.noteBeyond(key, column.rule, checked, check);
      return this.allowed(checked, at, key, column.rule);
    };
    const same = (value: Given): unknown => (column.password ? null : plain(value ?? null));
    return { key: field, name: nameIn(work.plan, work.version, resource, field), read, same };
  }

  /** The check of a value of the body; `patch`: of one that is merged into a stored one. */
  private checkOf(rule: Rule, patch: boolean): Validator {
    const { checks } = this.work;
    if (this.isForm) return checks.form(rule);
    return patch ? checks.patch(rule) : checks.value(rule);
  }

  private allowed(checked: Validated, at: string, key: StatementId, rule: ParameterPlan['rule']): Given {
    if ('value' in checked) {
      note(this.work, key, 'accepted');
      noteBounds(this.work, key, rule, checked.value);
      return checked.value;
    }
    note(this.work, key, `refused ${checked.fault}`);
    if (this.isForm && isRepeated(checked))
      note(this.work, statementId.endpoint(this.endpoint, 'payloads'), 'refused repeated');
    for (const one of faultsAt(checked, at)) this.fault('pointer', one.at, one.code);
    return null;
  }

  private parameterMember(one: ParameterPlan): Member {
    const { wire } = this.work.plan;
    const key = this.key(one, 'body');
    const read = (sent: unknown, at: string): Given => {
      if (sent === undefined) return this.absent(one, 'body', 'pointer', at);
      const raw = emptyIsNull(sent, wire) ? null : sent;
      if (raw === null) {
        const refuses = one.required || one.otherwise !== null;
        note(this.work, key, refuses ? 'refused null_refused' : 'null');
        return refuses ? this.fault('pointer', at, 'null_refused') : undefined;
      }
      const check = (rule: Rule): Validated => this.checkOf(rule, false)(raw);
      const checked = this.inWords(one.words, one.rule, false, check);
      if (this.isForm && isRepeated(checked)) return this.allowed(checked, at, key, one.rule);
      this.noteBeyond(key, one.rule, checked, check);
      return this.taken(one, 'body', checked, () => {
        if (!('value' in checked)) for (const each of faultsAt(checked, at)) this.fault('pointer', each.at, each.code);
      });
    };
    const same = (value: Given, sent: unknown): unknown => {
      if (one.password) return null;
      return value === undefined ? (sent === null || emptyIsNull(sent, wire) ? undefined : null) : plain(value);
    };
    return { key: one.name, name: this.called(one), read, same };
  }

  /** The member that holds a resource’s fields, or a list of such. */
  private heldMember({ items }: PayloadPlan, name: string, fields: readonly Member[], refuses: boolean): Member {
    const sames: unknown[] = [];
    const one = (raw: unknown, at: string): Given => {
      const read = this.object(fields, refuses, raw, at);
      sames.push(read?.same ?? null);
      return read?.values.set(PLACE, at) ?? null;
    };
    const read = (sent: unknown, at: string): Given => {
      if (sent === undefined) return this.fault('pointer', at, 'missing');
      if (!items) return one(sent, at);
      if (!Array.isArray(sent)) return this.fault('pointer', at, 'not_list');
      if (sent.length > items.max) return this.fault('pointer', at, 'too_many');
      if (sent.length < items.min) return this.fault('pointer', at, 'too_few');
      return sent.map((item, i) => one(item, `${at}/${i}`));
    };
    return { key: name, name, read, same: () => [...sames] };
  }
}

/** The faults of a body, and the trace of its values, before the step that validates it. */
interface LateContent {
  readonly faults: readonly FaultAt[];
  readonly refusal: Refusal | null;
  readonly trace: readonly Trace[];
  isReached: boolean;
  /** Whether the body cannot be read: its type, its encoding or its text is refused. */
  readonly isUnread: boolean;
}

/** The refusal of faults: all of them are in one answer, under the condition that comes first. */
export function ofFaults(faults: readonly FaultAt[], trace: readonly Trace[]): Refusal {
  const invalid = faults.some(({ code }) => code !== 'unknown_field' && code !== 'unknown_parameter');
  const field = faults.some(({ code }) => code === 'unknown_field');
  const statement = trace.findLast(({ what }) => what.startsWith('refused'))?.statement ?? null;
  return byCondition(invalid ? 'invalid request' : field ? 'unknown field' : 'unknown parameter', {
    faults,
    statement,
  });
}

/** The facts about a file. */
type FileFacts = { readonly type: string; readonly size: number; readonly sha256: string };

/** The key under which an object of the body holds the JSON Pointer to itself. No name of a document is equal to it. */
export const PLACE = ' place';

/** One member of an object in the body. */
interface Member {
  /** The name in expressions. */
  readonly key: string;
  /** The name in the API version; null where the version does not have the member. */
  readonly name: string | null;
  /** `sent` is undefined where it was not sent. */
  readonly read: (sent: unknown, at: string) => Given;
  /** The canonical form of the value, which is compared with another value that was sent. */
  readonly same: (value: Given, sent: unknown) => unknown;
}

interface ReadObject {
  readonly values: Map<string, Given>;
  readonly same: unknown[];
}

const plain = (value: Given): unknown => (value instanceof Map ? [...value] : value);
