import type { Command } from 'commander';
import type { Compiled } from '../compile.ts';
import { checkExpression } from '../expression/check.ts';
import { type Expr, some } from '../expression/expr.ts';
import { comparedValue, layoutOf } from '../expression/javascript.ts';
import { parseExpression } from '../expression/parse.ts';
import { outOfPlace } from '../expression/place.ts';
import type { Type } from '../expression/types.ts';
import { emptyFrame, type Value } from '../expression/value.ts';
import { fieldType, Resolved } from '../model/resolve.ts';
import { describeRule } from '../plan/explain.ts';
import { loweringOf } from '../plan/lowering.ts';
import type { ColumnPlan, Plan } from '../plan/step.ts';
import { writtenValue } from '../serve/operator.ts';
import type { Finding } from '../source/diagnostic.ts';
import type { Fill } from '../store/changes.ts';
import type { Answers, Rename } from '../store/migrate.ts';
import { split } from '../store/renames.ts';

/** What the operator says of a migration on the command line. */
export interface MigrationOptions {
  readonly accept?: readonly string[];
  readonly rename?: readonly string[];
  readonly fill?: readonly string[];
  readonly replace?: readonly string[];
}

/** Adds the options that answer a migration’s questions. */
export function migrationOptions(command: Command): Command {
  const many = (value: string, before: readonly string[] = []): string[] => [...before, value];
  return command
    .option('--accept <CHANGE>', 'let values go that the new document has no place for, by the change’s name', many)
    .option('--rename <OLD=NEW>', 'a field or a resource that is called otherwise: Order.amount=Order.total', many)
    .option('--fill <FIELD=VALUE>', 'what rows without a value get: Order.channel=web, or an `expression`', many)
    .option('--replace <FIELD:OLD=NEW>', 'what takes the place of a value that is gone: Order.status:lost=open', many);
}

/** The answers, or what is wrong with them. */
export function readAnswers(
  compiled: Compiled,
  plan: Plan,
  options: MigrationOptions,
): Answers | { readonly problem: string } {
  try {
    mustDiffer(options.fill ?? []);
    return {
      renames: (options.rename ?? []).map(readRename),
      fills: new Map([...statedFills(plan), ...(options.fill ?? []).map((text) => readFill(compiled, plan, text))]),
      replaced: readReplaced(plan, options.replace ?? []),
      accepted: new Set(options.accept),
    };
  } catch (error) {
    if (error instanceof AnswerError) return { problem: error.message };
    throw error;
  }
}

class AnswerError extends Error {}

/** `Order.amount=Order.total`, or `Order=Purchase`. */
function readRename(text: string): Rename {
  const [from, to, ...rest] = text.split('=');
  if (!from || !to || rest.length) throw new AnswerError(`“${text}” is not of the form OLD=NEW.`);
  const place = (name: string): { resource: string; field: string | null } => {
    if (!name.includes('.')) return { resource: name, field: null };
    const [resource, field] = split(name);
    return { resource, field };
  };
  return { ...place(from), to: place(to) };
}

/** One field is filled in one way: the other would be ignored. */
function mustDiffer(fills: readonly string[]): void {
  const paths = fills.map((text) => text.split('=', 1)[0]!);
  const twice = paths.find((path, i) => paths.indexOf(path) !== i);
  if (twice !== undefined) throw new AnswerError(`${twice} is filled in two ways: write one --fill for it.`);
}

function columnAt(plan: Plan, path: string): ColumnPlan | undefined {
  const [name, field] = split(path);
  return plan.resources.find((one) => one.name === name)?.columns.find((one) => one.name === field);
}

/** What takes the place of values: of those that the document allows no more, and by those that it allows. */
function readReplaced(plan: Plan, texts: readonly string[]): Map<string, Map<string, string>> {
  const out = new Map<string, Map<string, string>>();
  for (const text of texts) {
    const match = /^([^:=]+):([^=]+)=(.+)$/.exec(text);
    if (!match) throw new AnswerError(`“${text}” is not of the form FIELD:OLD=NEW.`);
    const [, field, old, value] = match as unknown as [string, string, string, string];
    const column = columnAt(plan, field);
    if (!column) throw new AnswerError(`--replace: the document has no ${field} in which values could be replaced.`);
    const known = out.get(field) ?? new Map<string, string>();
    if (known.has(old)) throw new AnswerError(`${field}: “${old}” is replaced twice: write one --replace for it.`);
    const allowed = `What is allowed is ${describeRule(column.rule)}.`;
    if ('value' in writtenValue(column.rule, plan.wire, old))
      throw new AnswerError(`--replace: ${field} may still be “${old}”, and only what is gone is replaced. ${allowed}`);
    const checked = writtenValue(column.rule, plan.wire, value);
    if (!('value' in checked) || typeof checked.value !== 'string')
      throw new AnswerError(`--replace: ${field} may not be “${value}”. ${allowed}`);
    out.set(field, known.set(old, checked.value));
  }
  return out;
}

/** What the document itself says that a field holds which nobody gives: a constant, so that it says it of every row. */
function statedFills(plan: Plan): Array<[string, Fill]> {
  return plan.resources.flatMap(({ name, columns }) =>
    columns.flatMap((column): Array<[string, Fill]> => {
      const { otherwise, nullable } = column;
      const varies = (part: Expr): boolean =>
        part.op === 'name' || part.op === 'rows' || (part.op === 'call' && ['now', 'uuid', 'secret'].includes(part.fn));
      if (nullable || otherwise === null || some(otherwise, varies)) return [];
      const value = comparedValue(otherwise, NOTHING)(emptyFrame(0, '')) as Value;
      return [[`${name}.${column.name}`, { kind: 'value', value }]];
    }),
  );
}

const NOTHING = layoutOf('A constant depends on nothing');

/** `Order.channel=web`, an expression of the row in backquotes, or `sequence` for a field that is numbered. */
function readFill(compiled: Compiled, plan: Plan, text: string): [string, Fill] {
  const cut = text.indexOf('=');
  if (cut < 1) throw new AnswerError(`“${text}” is not of the form FIELD=VALUE.`);
  const path = text.slice(0, cut);
  const value = text.slice(cut + 1);
  const column = columnAt(plan, path);
  if (!column) throw new AnswerError(`The document has no ${path} that could be filled.`);
  if (column.password)
    throw new AnswerError(`${path} is a password: rows are given one by the \`rows\` command alone.`);
  if (column.sequence) {
    if (value !== 'sequence') throw new AnswerError(`${path} is numbered: write ${path}=sequence.`);
    return [path, { kind: 'sequence' }];
  }
  const code = /^`(.+)`$/.exec(value)?.[1];
  if (code !== undefined) return [path, readExpression(compiled, plan, path, column, code)];
  return [path, { kind: 'value', value: readConstant(plan, path, column, value) }];
}

function readConstant(plan: Plan, path: string, column: ColumnPlan, text: string): Value {
  const checked = writtenValue(column.rule, plan.wire, text);
  if ('value' in checked) return checked.value;
  throw new AnswerError(
    `--fill: ${path} may not be “${text}” (${checked.fault}). What is allowed is ${describeRule(column.rule)}.`,
  );
}

/** An expression of the row, typed against the new document. */
function readExpression(compiled: Compiled, plan: Plan, path: string, column: ColumnPlan, text: string): Fill {
  const [name, field] = split(path);
  const findings: Finding[] = [];
  const r = new Resolved(compiled.model, { findings, marks: [] });
  const said = r.resourceNamed(name)!.fields.find((one) => one.name.text === field)!;
  const offsets = Array.from({ length: text.length + 1 }, (_, i) => i);
  const read = (type: Type, into: Finding[]): Expr | null => {
    const parsed = parseExpression({ kind: 'code', text, from: 0, to: text.length, offsets }, into);
    return parsed && checkExpression(parsed, r.scope(new Map(), name), type, path, { findings: into, marks: [] });
  };
  const type = fieldType(said, name);
  const expr = read(type, findings);
  const fault = expr && outOfPlace(expr, 'rows');
  if (!expr || fault)
    throw new AnswerError(
      `What fills ${path} can’t be “${text}”: ${fault ?? findings[0]?.message ?? 'it is not understood'}.`,
    );
  // What may be absent in a row leaves it without a value: where it can’t be, only what has no result does.
  const absent: Finding[] = [];
  const always = read({ ...type, nullable: false } as Type, absent) !== null && absent.length === 0;
  const lowering = loweringOf((resource) => plan.resources.find((one) => one.name === resource)!, 'all');
  return { kind: 'expression', expr: lowering.lower(expr), always, allowed: describeRule(column.rule) };
}
