import { both } from '../../expression/tree/expression.ts';
import type { Value } from '../../expression/values/value.ts';
import { hasPrecondition } from '../../http/preconditions.ts';
import { statementId } from '../../plan/lines.ts';
import { transitionIn } from '../../plan/machines.ts';
import { named } from '../../plan/named.ts';
import { issuedIn } from '../../plan/nested-steps.ts';
import type { InsideStep } from '../../plan/step.ts';
import { faultsAt, merged } from '../../validation/validate.ts';
import { known } from './computed.ts';
import { ofFaults, PLACE } from './content.ts';
import { ensured } from './ensured.ts';
import { compared, evaluate, holds, sees } from './evaluate.ts';
import { group } from './groups.ts';
import { noteFilters, noteLetters, noteNearly, noteOrder, noteSight, noteStates } from './notes.ts';
import { listPage } from './pages.ts';
import { preconditionsMet } from './preconditions.ts';
import { byCode, byCondition, type FaultAt, Unknown } from './refusal.ts';
import { OracleRow } from './rows.ts';
import { ordered, type Run, scopeOf, selected, wholeList } from './run.ts';
import { randomKind } from './samples.ts';
import { type Given, nextDraw, note, type Transaction } from './scope.ts';
import { noteSearch } from './searches.ts';
import { mustHaveResult, nameIn, wordsAt } from './show.ts';
import { change, create, move, remove } from './writes.ts';

type Of<K extends InsideStep['do']> = Extract<InsideStep, { do: K }>;

/** Secrets of rows: 256 random bits in base64url. */
const SECRET = randomKind('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', 43);

/** The steps that change nothing themselves. */
type ReadingStep = Of<
  | 'find references'
  | 'refuse parameters'
  | 'validate'
  | 'find'
  | 'list'
  | 'group'
  | 'list streamed'
  | 'verify'
  | 'require'
  | 'match'
  | 'preconditions'
  | 'if'
  | 'answer'
  | 'for each'
>;

/** Runs the steps that follow a move: every row is seen, and the request is not known. */
export function reaction(work: Transaction, row: OracleRow, steps: readonly InsideStep[]): void {
  const names = new Map<string, Given>([['moved', row]]);
  const run: Run = {
    work,
    endpoint: null,
    names,
    sighted: false,
    header: () => undefined,
    representation: () => null,
    asked: null,
    refusal: null,
    late: null,
    page: null,
    answered: null,
    issued: [],
    revoked: [],
  };
  runSteps(run, steps);
}

/** Runs steps, up to an answer among them. */
export function runSteps(run: Run, steps: readonly InsideStep[]): void {
  for (const step of steps) {
    if (run.answered) return;
    runStep(run, step);
  }
}

/** Runs one step; throws a Refusal where it stops the request. */
function runStep(run: Run, step: InsideStep): void {
  const { work } = run;
  switch (step.do) {
    case 'find references':
      findReferences(run, step);
      return;
    case 'refuse parameters':
      if (run.refusal) throw run.refusal;
      return;
    case 'validate':
      validate(run, step);
      return;
    case 'find':
      find(run, step);
      return;
    case 'list':
    case 'list streamed':
      list(run, step);
      return;
    case 'group':
      group(run, step);
      return;
    case 'verify':
      verify(run, step);
      return;
    case 'require': {
      const passes = holds(step.test, scopeOf(run));
      note(work, statementId.step(step), passes ? 'done' : 'refused');
      noteStates(run, statementId.step(step), step.test, passes);
      if (!passes) throw byCode(step.code, statementId.step(step));
      return;
    }
    case 'match':
      match(run, step);
      return;
    case 'preconditions':
      preconditions(run, step);
      return;
    case 'if': {
      const yes = holds(step.test, scopeOf(run));
      note(work, statementId.step(step), yes ? 'then' : 'else');
      for (const name of issuedIn(step)) run.names.set(name, null);
      runSteps(run, yes ? step.then : step.else);
      return;
    }
    case 'answer':
      run.answered = step;
      return;
    case 'for each':
      forEach(run, step);
      return;
    default:
      write(run, step);
      note(work, statementId.step(step), 'done');
  }
}

/** Runs a step that changes rows, or that has other effects beyond the request. */
function write(run: Run, step: Exclude<InsideStep, ReadingStep>): void {
  const { work, names } = run;
  switch (step.do) {
    case 'create': {
      const row = create(work, step.resource, given(run, step, null));
      if (step.as) names.set(step.as, row);
      return;
    }
    case 'ensure': {
      const values = given(run, step, null);
      const found = ensured(run, step, values);
      const row = found ?? create(work, step.resource, values);
      if (step.as) names.set(step.as, row);
      if (step.created) names.set(step.created, found === null);
      return;
    }
    case 'change': {
      const row = rowNamed(run, step.row);
      const values = given(run, step, row);
      for (const [field, value] of values) {
        const [from, to] = [row.get(field), value].map((one) => (one === null ? 'null' : 'a value'));
        note(work, statementId.sought(run.endpoint?.name ?? '', null), `changes ${field} from ${from} to ${to}`);
      }
      change(work, row, values);
      return;
    }
    case 'move':
      move(work, rowNamed(run, step.row), step.by, reaction, assigned(run, step));
      return;
    case 'move to':
      moveTo(run, step);
      return;
    case 'remove':
      remove(work, rowNamed(run, step.row));
      return;
    case 'remove every':
      for (const row of selected(run, step.resource, step.where)) if (work.rows.has(row)) remove(work, row);
      return;
    case 'issue': {
      const mark = work.draws.of('credential', nextDraw(work));
      const to = compared(step.to, scopeOf(run));
      const scopes = step.scopesBy
        ? ((known(evaluate(step.scopesBy, scopeOf(run))) ?? []) as readonly string[])
        : step.scopes;
      run.issued.push({ scheme: step.scheme, mark, to, scopes });
      names.set(step.as, mark);
      return;
    }
    case 'issue secret':
      issueSecret(run, step);
      return;
    case 'revoke':
      run.revoked.push({ scheme: step.scheme, of: step.of ? compared(step.of, scopeOf(run)) : null });
      return;
    case 'emit':
      emit(run, step);
      return;
    case 'run':
      throw new Unknown('The document runs a handler here; its result is code, and not stated.');
    default:
      // When a kind of step is added, tsc names this line.
      step satisfies never;
  }
}

function moveTo(run: Run, step: Of<'move to'>): void {
  const { work } = run;
  const row = rowNamed(run, step.row);
  const to = known(evaluate(step.to, scopeOf(run)));
  const { machines } = work.rows.plan(step.resource);
  const leading = step.by.map((name) => transitionIn(machines, name)).filter((one) => one.to === to);
  const chosen = leading.find(({ field, from }) => from.includes(String(row.get(field)))) ?? leading[0];
  if (!chosen) throw new Unknown(`No transition leads to ${String(to)}`);
  move(work, row, chosen.name, reaction, assigned(run, step));
}

function issueSecret(run: Run, { as, row, field }: Of<'issue secret'>): void {
  const secret = run.work.draws.of(SECRET, nextDraw(run.work));
  change(run.work, rowNamed(run, row), new Map([[field, secret]]));
  run.names.set(as, secret);
}

/** Notes an event with the values that its members have at this step. */
function emit(run: Run, step: Of<'emit'>): void {
  const event = named(run.work.plan.emitted ?? [], step.event);
  const members = step.with.map(({ field, value }) => {
    const given = evaluate(value, scopeOf(run));
    mustHaveResult(given, value);
    return [field, { value: given, type: value.type }] as const;
  });
  run.work.emitted.push({ event, members: new Map(members) });
}

function rowNamed({ names }: Run, name: string): OracleRow {
  const row = names.get(name);
  if (!(row instanceof OracleRow)) throw new Error(`“${name}” is no row`);
  return row;
}

function find(run: Run, step: Of<'find'>): void {
  const rows = selected(run, step.resource, step.where);
  const inOrder = step.order && ordered(run, rows, step.order);
  if (inOrder) noteOrder(run, step, inOrder.slice(0, 2));
  const [first] = inOrder ? inOrder.map(({ row }) => row) : rows;
  if (!first && step.where) noteHidden(run, step);
  note(run.work, statementId.step(step), first ? 'found' : 'none');
  noteLetters(run, step, first ?? null);
  if (!first && step.code !== null) throw byCode(step.code, statementId.step(step));
  run.names.set(step.as, first ?? null);
}

/** Notes where a row would have been found, had the caller been allowed to see it. */
function noteHidden(run: Run, { resource, where }: Of<'find'>): void {
  const { work } = run;
  if (!run.sighted || work.rows.plan(resource).visible === null) return;
  const hidden = work.rows
    .all(resource)
    .some((row) => where && holds(where, { ...scopeOf(run, row), sighted: false }) && !sees(row, scopeOf(run)));
  if (hidden) note(work, statementId.resource(resource, 'visible'), 'hidden');
}

function list(run: Run, step: Of<'list'> | Of<'list streamed'>): void {
  const { work, names } = run;
  const objects = { path: 'path', query: 'query', header: 'header', body: 'request' } as const;
  const filters = step.filters.filter(({ in: place, parameter }) => {
    const object = names.get(objects[place]);
    return place === 'path' || (object instanceof Map && object.get(parameter) !== undefined);
  });
  const all = selected(run, step.resource, both(step.where, step.matching ?? null));
  const rows = all.filter((row) => filters.every(({ where }) => holds(where, scopeOf(run, row))));
  for (const { in: place, parameter } of filters)
    note(
      work,
      statementId.parameter(run.endpoint?.name ?? '', place, parameter),
      rows.length < all.length ? 'kept out' : 'kept in',
    );
  if (step.matching) {
    const among = selected(run, step.resource, step.where);
    noteSearch(
      run,
      step,
      among.filter((row) => filters.every(({ where }) => holds(where, scopeOf(run, row)))),
    );
  }
  noteSight(run, step.resource);
  noteFilters(run, step, filters, rows);
  const inOrder = ordered(run, rows, step.order);
  noteOrder(run, step, inOrder);
  note(work, statementId.step(step), `rounds ${inOrder.length > 1 ? 'more' : inOrder.length}`);
  if (step.do === 'list streamed') {
    names.set(
      step.as,
      inOrder.map(({ row }) => row),
    );
    return;
  }
  if (!step.all) {
    run.page = listPage(run, step, inOrder);
    names.set(step.as, run.page.rows);
    return;
  }
  names.set(
    step.as,
    wholeList(run, step.all, inOrder).map(({ row }) => row),
  );
}

/** Runs an Authenticate step. The oracle stores passwords and secrets in plain text, since no caller sees their hashes. */
function verify(run: Run, step: Of<'verify'>): void {
  const [row] = selected(run, step.resource, step.where);
  const sent = evaluate(step.password, scopeOf(run));
  const isRight = (one: OracleRow): boolean => sent !== null && sent === one.get(step.field);
  const matches = row !== undefined && isRight(row);
  note(run.work, statementId.step(step), matches ? 'found' : row ? 'refused' : 'none');
  if (matches || !row) noteLetters(run, step, row ?? null, isRight);
  if (row && !matches) noteNearly(run, statementId.step(step), String(sent), String(row.get(step.field)));
  if (!matches) throw byCode(step.code, statementId.step(step));
  run.names.set(step.as, row);
}

/** Evaluates If-Match (RFC 9110, section 13.1.1) and the other preconditions of the request. */
function match(run: Run, step: Of<'match'>): void {
  const key = statementId.step(step);
  if (run.header('if-match') === undefined) {
    note(run.work, key, 'refused precondition missing');
    throw byCondition('precondition missing', { statement: key });
  }
  const current =
    step.of === null ? { tag: String(evaluate(step.to, scopeOf(run))), modified: null } : run.representation(step.of);
  const met = preconditionsMet(run.work, run.header, current);
  if (met.isKnown) note(run.work, key, met.is ? 'done' : 'refused precondition failed');
  if (!met.is) throw byCondition('precondition failed', { statement: key });
}

/** The document's statement on preconditions that no step matches. */
function preconditions(run: Run, step: Of<'preconditions'>): void {
  const key = statementId.endpoint(run.endpoint?.name ?? '', 'preconditions');
  if (step.required && run.header('if-match') === undefined) {
    note(run.work, key, 'refused precondition missing');
    throw byCondition('precondition missing', { statement: key });
  }
  if (!hasPrecondition(run.header)) return;
  const met =
    step.of === null
      ? { is: false, isKnown: true }
      : preconditionsMet(run.work, run.header, run.representation(step.of));
  if (met.isKnown) note(run.work, key, met.is ? 'held' : 'refused precondition failed');
  if (!met.is) throw byCondition('precondition failed', { statement: key });
}

function forEach(run: Run, step: Of<'for each'>): void {
  const { names, work } = run;
  const { over } = step;
  const members: readonly Given[] =
    over.kind === 'list'
      ? ((known(evaluate(over.list, scopeOf(run))) ?? []) as readonly Given[])
      : ordered(run, selected(run, over.resource, over.where), over.order).map(({ row }) => row);
  note(work, statementId.step(step), `rounds ${members.length > 1 ? 'more' : members.length}`);
  const lists = new Map<string, Given[]>(step.makes.map((name) => [name, []]));
  for (const member of members) {
    names.set(step.as, member);
    for (const one of step.steps) runStep(run, one);
    for (const [name, made] of lists) made.push(names.get(name) ?? null);
  }
  for (const [name, made] of lists) names.set(name, made);
}

/** The values that a step takes from the request, and those that it assigns. */
function given(run: Run, step: Of<'create'> | Of<'ensure'> | Of<'change'>, row: OracleRow | null): Map<string, Value> {
  const values = new Map<string, Value>();
  if (step.from) {
    const sent = evaluate(step.from.value, scopeOf(run));
    const bag = sent instanceof Map ? (sent as ReadonlyMap<string, Given>) : new Map<string, Given>();
    const patch = step.do === 'change' && step.patch;
    for (const field of step.from.fields) {
      const value = bag.get(field);
      if (value instanceof Map) {
        const before = patch ? row?.get(field) : null;
        values.set(field, merged(before instanceof Map ? before : null, value as ReadonlyMap<string, Value>));
      } else if (value !== undefined) values.set(field, unlessShown(run, step.resource, field, value as Value, row));
      else if (step.do === 'change' && !step.patch) values.set(field, null);
    }
    // A part that a merge patch leaves out keeps the bytes of the row.
    for (const column of step.from.bytes ?? [])
      if (bag.has(column) || !patch) values.set(column, (bag.get(column) ?? null) as Value);
    mapsMustFit(run, step, values, String(bag.get(PLACE) ?? ''));
  }
  for (const [field, value] of assigned(run, step)) values.set(field, value);
  for (const { field, column } of run.work.rows.plan(step.resource).files ?? [])
    if (step.with.some((one) => one.field === `${field}.type`)) values.set(column, null);
  return values;
}

/** The value of a field that a request sends; that of the row, if the version shows both as the same word. */
function unlessShown({ work }: Run, resource: string, field: string, sent: Value, row: OracleRow | null): Value {
  const words = wordsAt(work.plan, work.version, `${resource}.${field}`);
  const held = row?.get(field);
  if (!words || typeof held !== 'string' || typeof sent !== 'string') return sent;
  return words.words.some(({ values }) => values.includes(held) && values.includes(sent)) ? held : sent;
}

/** The values that a step assigns. */
function assigned(run: Run, step: Pick<Of<'change'>, 'resource' | 'with'>): Map<string, Value> {
  return new Map(
    step.with.map(({ field, value }) => {
      note(run.work, statementId.field(step.resource, field), 'given');
      return [field, compared(value, scopeOf(run))] as const;
    }),
  );
}

/** Refuses maps that have too many keys, or too few, once they are merged. */
function mapsMustFit(
  run: Run,
  step: { readonly resource: string },
  values: ReadonlyMap<string, Value>,
  place: string,
): void {
  const { checks, plan, version, rows } = run.work;
  for (const { name, rule } of rows.plan(step.resource).columns) {
    const value = values.get(name);
    const checked = rule.kind === 'map' && value instanceof Map ? checks.computed(rule)(value) : null;
    if (!checked || 'value' in checked) continue;
    const at = `${place}/${(nameIn(plan, version, step.resource, name) ?? name).replaceAll('.', '/')}`;
    const faults = faultsAt(checked, at).map(
      ({ at: where, code }): FaultAt => ({ place: 'pointer', name: where, code }),
    );
    throw byCondition('invalid request', { faults, statement: statementId.field(step.resource, name) });
  }
}

/** Refuses the faults of the body, and then a value with a code of its own. */
function validate({ work, late }: Run, step: Of<'validate'>): void {
  if (!late) return;
  late.isReached = true;
  work.trace.push(...late.trace);
  const refusal = late.faults.length > 0 ? ofFaults(late.faults, late.trace) : late.refusal;
  note(work, statementId.step(step), refusal ? 'refused' : 'done');
  if (refusal) throw refusal;
}

/** Refuses references to rows that are not there, or not for the caller: all of them together. */
function findReferences(run: Run, step: Of<'find references'>): void {
  const { work, names } = run;
  const faults: FaultAt[] = [];
  const isThere = (resource: string, identity: Given): boolean => {
    const row = work.rows.byIdentity(resource, identity as Value);
    return row !== null && (!run.sighted || sees(row, scopeOf(run)));
  };
  for (const { in: place, parameter, resource } of step.parameters) {
    const object = names.get(place === 'body' ? 'request' : place);
    const sent = object instanceof Map ? (object.get(parameter.name) as Given) : null;
    if (sent === null || sent === undefined || isThere(resource, sent)) continue;
    const key = statementId.parameter(run.endpoint?.name ?? '', place, parameter.name);
    note(work, key, 'refused reference_unknown');
    if (parameter.code !== null) throw byCode(parameter.code, key);
    const [of = '', ...field] = parameter.field?.split('.') ?? [];
    const called = (parameter.field && nameIn(work.plan, work.version, of, field.join('.'))) ?? parameter.name;
    const where = place === 'body' ? 'pointer' : place === 'header' ? 'header' : 'parameter';
    faults.push({
      place: where,
      name: where === 'pointer' ? `/${called.replaceAll('.', '/')}` : called,
      code: 'reference_unknown',
    });
  }
  const { payload } = step;
  const request = names.get('request');
  if (payload && request instanceof Map) {
    const held = payload.member === null ? request : (request.get(payload.member) as Given);
    for (const one of Array.isArray(held) ? (held as readonly Given[]) : [held])
      for (const field of step.fields) {
        const sent = one instanceof Map ? (one.get(field) as Given) : null;
        const { reference, references } = named(work.rows.plan(payload.resource).columns, field);
        const target = references ?? reference;
        if (sent === null || sent === undefined || target === null) continue;
        const at = one instanceof Map ? String((one as ReadonlyMap<string, Given>).get(PLACE) ?? '') : '';
        const called = nameIn(work.plan, work.version, payload.resource, field) ?? field;
        const name = `${at}/${called.replaceAll('.', '/')}`;
        for (const [i, item] of (references === undefined ? [sent] : (sent as readonly Given[])).entries()) {
          if (isThere(target, item)) continue;
          note(work, statementId.field(payload.resource, field), 'refused reference_unknown');
          faults.push({
            place: 'pointer',
            name: references === undefined ? name : `${name}/${i}`,
            code: 'reference_unknown',
          });
        }
      }
  }
  if (faults.length) throw byCondition('reference unknown', { faults });
}
