import type { Contract, TransitionContract } from '../../contract/contract.ts';
import { transitionsIn } from '../../contract/machines.ts';
import type { Row, Value } from '../../expression/values/value.ts';
import { isSecretColumn } from '../../plan/rows.ts';
import { withoutSecrets } from '../../runtime/events/attempts.ts';
import { Operator } from '../../runtime/operator.ts';
import { OperatorError } from '../../runtime/operator-error.ts';
import { labelOf, OperatorLabels } from '../../runtime/operator-labels.ts';
import { OperatorRow } from '../../runtime/operator-row.ts';
import { shownToOperator } from '../../runtime/operator-values.ts';
import type { Resource } from '../../runtime/resources/rules.ts';
import { type ConsoleService, engineOf, resourceOf, statingOf } from '../console-service.ts';
import { ConsoleError } from '../problem.ts';
import type { Done, HistoryEntry, Json, Move, RefusalShown, RowAnswer, RowShown, RowWritten } from '../protocol.ts';
import { statedLines, underRules } from '../refusal-statements.ts';
import type { FileAnswer, Route } from '../route.ts';

/** One row, and what changes it: under the rules of the document, as `ninefold rows` does. */
export function rowChanges(served: ConsoleService): Route[] {
  const changed = <T>(name: string, work: (operator: Operator) => Promise<T>): Promise<T> =>
    operated(served, name, work);
  return [
    { method: 'GET', path: '/rows/:resource/:id', answer: ({ names }) => rowAnswer(served, names) },
    { method: 'GET', path: '/rows/:resource/:id/files/:field', file: ({ names }) => fileOf(served, names) },
    {
      method: 'POST',
      path: '/rows/:resource',
      about: (_, added) => (added as RowWritten | null)?.row.id ?? '',
      answer: ({ names: [name = ''], body }) =>
        changed(name, async (operator) => written(served, name, await operator.add(name, body.fields('fields')))),
    },
    {
      method: 'POST',
      path: '/rows/:resource/:id/change',
      answer: ({ names: [name = '', id = ''], body }) =>
        changed(name, async (operator) => written(served, name, await operator.edit(name, id, body.fields('fields')))),
    },
    {
      method: 'POST',
      path: '/rows/:resource/:id/move',
      about: (body) => body.text('transition'),
      answer: ({ names, body }) => moved(served, names, body.text('transition')),
    },
    {
      method: 'POST',
      path: '/rows/:resource/:id/remove',
      answer: ({ names: [name = '', id = ''] }) =>
        changed(name, async (operator): Promise<Done> => {
          await operator.remove(name, id);
          return { done: true };
        }),
    },
  ];
}

/** Runs an operator's change, and starts its timed work and deliveries at once. */
async function operated<T>(
  served: ConsoleService,
  about: string,
  work: (operator: Operator) => Promise<T>,
): Promise<T> {
  const operator = new Operator(engineOf(served));
  resourceOf(served, about);
  try {
    return await underRules(
      () => statingOf(served),
      about,
      () => work(operator),
    );
  } finally {
    served.service.noticed();
  }
}

const written = (served: ConsoleService, name: string, values: Readonly<Record<string, unknown>>): RowWritten => ({
  row: rowShown(resourceOf(served, name), values),
});

/** Makes a transition. A refusal names the line of the document that forbids the transition. */
async function moved(
  served: ConsoleService,
  [name = '', id = '']: readonly string[],
  transition: string,
): Promise<RowWritten> {
  try {
    return await operated(served, name, async (operator) =>
      written(served, name, await operator.move(name, id, transition)),
    );
  } catch (error) {
    const refusal = error instanceof OperatorError && !error.wrongUse && !error.missing;
    if (!refusal) throw error;
    throw new ConsoleError('refused', error.message, { refusal: refusedMove(served, name, transition) });
  }
}

function refusedMove(served: ConsoleService, name: string, transition: string): RefusalShown | null {
  const { contract, text } = statingOf(served);
  const contracted = contractedTransitions(contract, name).find((one) => one.name === transition);
  if (!contracted) return null;
  const code = contract.errors.codes.find((one) => one.code === contracted.code);
  return {
    code: contracted.code,
    title: code?.title ?? null,
    status: code?.status ?? null,
    because: `the transition ${transition} of ${name}${contracted.guard ? `, whose guard is ${contracted.guard.text}` : ''}`,
    lines: statedLines(text, [...contracted.lines, ...(code?.lines ?? [])]),
  };
}

const contractedTransitions = ({ resources }: Contract, name: string): readonly TransitionContract[] =>
  resources.flatMap((one) => (one.name === name ? transitionsIn(one) : []));

async function rowAnswer(served: ConsoleService, [name = '', id = '']: readonly string[]): Promise<RowAnswer> {
  const resource = resourceOf(served, name);
  const engine = engineOf(served);
  const { row, moves, events, referredBy, derived } = await new OperatorRow(engine).details(resource, id);
  const { contract } = statingOf(served);
  const transitions = contractedTransitions(contract, name);
  return {
    resource: name,
    row: rowShown(resource, shownToOperator(resource, row)),
    label: labelOf(resource.plan, row),
    labels: await new OperatorLabels(engine).targetsOf(resource.plan, [row]),
    moves: moves.map(({ plan, refused, due }): Move => {
      const contracted = transitions.find((one) => one.name === plan.name);
      return {
        transition: plan.name,
        from: plan.from,
        to: plan.to,
        legal: refused === null,
        why: refused,
        guard: contracted?.guard?.text ?? null,
        due: due === null ? null : new Date(due).toISOString(),
        timed: plan.timed !== null,
        code: plan.code,
        title: contract.errors.codes.find((one) => one.code === plan.code)?.title ?? null,
        line: contracted?.lines[0] ?? null,
      };
    }),
    history: events.map(({ id: event, type, at, data }): HistoryEntry => {
      return { event, type, at: new Date(at).toISOString(), data: JSON.parse(withoutSecrets(data)) as Json };
    }),
    referredBy,
    derived: derived as Readonly<Record<string, Json>>,
  };
}

/** The bytes of a field of a row. */
async function fileOf(
  served: ConsoleService,
  [name = '', id = '', field = '']: readonly string[],
): Promise<FileAnswer> {
  const resource = resourceOf(served, name);
  const engine = engineOf(served);
  const file = resource.plan.files?.find((one) => one.field === field);
  const row = file && (await new OperatorRow(engine).find(resource, id));
  const value = (column: string): Value => row?.[engine.expressions.column(name, column)] ?? null;
  const bytes = file && row ? value(file.column) : null;
  if (typeof bytes !== 'string') throw new ConsoleError('not found', `There are no bytes of ${name}.${field}.`);
  const [type, size] = [String(value(`${field}.type`)), Number(value(`${field}.size`))];
  const called = `${name}-${id.slice(0, MOST_NAMED)}-${field}${extensionOf(type)}`;
  return { name: called, size, pieces: engine.files.pieces({ id: bytes, start: 0, end: size }) };
}

/** The most characters of an identity in the name of a file. */
const MOST_NAMED = 60;

/** The end of a file’s name: what its media type is called, where that is short, such as `.png`. */
function extensionOf(type: string): string {
  const [, called] = /\/([a-z0-9]{2,5})(?:\+[a-z]+)?$/.exec(type) ?? [];
  return called === undefined ? '' : `.${called}`;
}

/** The most characters of a value in a list. */
const MOST_SHOWN = 200;

/** A row in a list, without secrets, and with long values truncated unless `complete`. */
export function rowInList(resource: Resource, row: Row, complete = false): RowShown {
  const shown = rowShown(resource, shownToOperator(resource, row));
  const values = { ...shown.values };
  for (const column of resource.plan.columns)
    if (isSecretColumn(column) && column.name in values) values[column.name] = null;
  const whole = { ...shown, values };
  if (complete) return whole;
  const short = Object.entries(whole.values).map(([name, value]) => [name, shortOf(value)] as const);
  const shortened = short.flatMap(([name, value]) => (value === whole.values[name] ? [] : [name]));
  return { ...whole, values: Object.fromEntries(short), shortened };
}

/** A row in the form of the operator's commands. Names with a leading space are internal fields. */
function rowShown({ plan }: Resource, values: Readonly<Record<string, unknown>>): RowShown {
  const fields = Object.entries(values).filter(([name]) => !name.startsWith(' '));
  return {
    id: String(values[plan.identity]),
    values: Object.fromEntries(fields) as Readonly<Record<string, Json>>,
    shortened: [],
  };
}

/** Truncates a long text, or the JSON of a long list or map. */
function shortOf(value: Json): Json {
  const text = typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : '';
  return text.length <= MOST_SHOWN ? value : text.slice(0, MOST_SHOWN).toWellFormed();
}
