import type { Command } from 'commander';
import type { Compiled } from '../compiler/compile.ts';
import { fieldType } from '../compiler/document/field-types.ts';
import { Resolved } from '../compiler/document/resolve.ts';
import { checkExpression } from '../compiler/expression/check.ts';
import { parseExpression } from '../compiler/expression/parse.ts';
import { outOfPlace } from '../compiler/expression/place.ts';
import { describeRule } from '../explain/explain.ts';
import { comparedValue, layoutOf } from '../expression/javascript.ts';
import { type Expr, isChanging, some } from '../expression/tree/expression.ts';
import type { Type } from '../expression/tree/types.ts';
import { emptyFrame, type Value } from '../expression/values/value.ts';
import { bytesOfColumn } from '../plan/files.ts';
import { loweringOf } from '../plan/lowering.ts';
import { named } from '../plan/named.ts';
import type { ColumnPlan, Plan } from '../plan/step.ts';
import { shownValue, writtenValue } from '../runtime/operator-values.ts';
import type { Fill, Replacement } from '../store/migration/changes.ts';
import { split } from '../store/migration/renames.ts';
import type { Answers, Rename } from '../store/migration/upgrade.ts';
import type { Finding } from '../syntax/diagnostic.ts';
import { codeToken } from '../syntax/tokens.ts';

/** Options of the operator for a migration, from the command line. */
export interface MigrationOptions {
  readonly accept?: readonly string[];
  readonly rename?: readonly string[];
  readonly fill?: readonly string[];
  readonly replace?: readonly string[];
}

/** Adds the options of `MigrationOptions` to a command. */
export function migrationOptions(command: Command): Command {
  const many = (value: string, before: readonly string[] = []): string[] => [...before, value];
  return command
    .option(
      '--accept <CHANGE>',
      'accept a change that loses values, or that no audit records, by its name: drop Order.note',
      many,
    )
    .option('--rename <OLD=NEW>', 'the new name of a field or resource: Order.amount=Order.total', many)
    .option('--fill <FIELD=VALUE>', 'the value for rows without one: Order.channel=web, or an `expression`', many)
    .option(
      '--replace <FIELD:OLD=NEW>',
      'the new value in place of a removed one: Order.status:lost=open, or an `expression`',
      many,
    );
}

/** Parses the answers, or returns the problem with them. */
export function readAnswers(
  compiled: Compiled,
  plan: Plan,
  options: MigrationOptions,
): Answers | { readonly problem: string } {
  try {
    mustDiffer(options.fill ?? []);
    return {
      renames: (options.rename ?? []).map((text) => readRename(plan, text)),
      fills: new Map([...statedFills(plan), ...(options.fill ?? []).map((text) => readFill(compiled, plan, text))]),
      replaced: readReplaced(compiled, plan, options.replace ?? []),
      accepted: new Set((options.accept ?? []).map(readAcceptance)),
    };
  } catch (error) {
    if (error instanceof AnswerError) return { problem: error.message };
    throw error;
  }
}

class AnswerError extends Error {}

/** Parses `drop Order.note`, `drop Order.maker.name`, `drop Order` or `change Order.status`. */
function readAcceptance(text: string): string {
  if (/^drop [^\s.]+(?:\.[^\s.]+)*$|^change [^\s.]+(?:\.[^\s.]+)+$/.test(text)) return text;
  throw new AnswerError(
    `--accept “${text}”: this is not the name of a change. A change that loses values is called drop RESOURCE or drop RESOURCE.FIELD, such as “drop Order.note”; one that no audit records is called change RESOURCE.FIELD.`,
  );
}

/** Parses `Order.amount=Order.total` or `Order=Purchase`. */
function readRename(plan: Plan, text: string): Rename {
  const [from, to, ...rest] = text.split('=');
  if (!from || !to || rest.length) throw new AnswerError(`“${text}” is not of the form OLD=NEW.`);
  const place = (name: string): { resource: string; field: string | null } => {
    if (!name.includes('.')) return { resource: name, field: null };
    const [resource, field] = split(name);
    return { resource, field };
  };
  mustNotBeBytes(plan, to);
  return { ...place(from), to: place(to) };
}

/** Throws if a field has two fills, because one would be ignored. */
function mustDiffer(fills: readonly string[]): void {
  const paths = fills.map((text) => text.split('=', 1)[0]!);
  const twice = paths.find((path, i) => paths.indexOf(path) !== i);
  if (twice !== undefined) throw new AnswerError(`${twice} has two --fill options. Give one.`);
}

/** Throws where a value would be taken in place of bytes that are not there. */
function mustNotBeBytes(plan: Plan, path: string): void {
  const [name, field] = split(path);
  const bytes = bytesOfColumn(plan.resources.find((one) => one.name === name)?.files ?? [], field);
  if (bytes === null) return;
  throw new AnswerError(`${path} is about the bytes of ${name}.${bytes}. Only a request can send bytes.`);
}

function columnAt(plan: Plan, path: string): ColumnPlan | undefined {
  const [name, field] = split(path);
  return plan.resources.find((one) => one.name === name)?.columns.find((one) => one.name === field);
}

/** Parses replacements of stored values that the document no longer allows, or splits, by allowed ones. */
function readReplaced(compiled: Compiled, plan: Plan, texts: readonly string[]): Map<string, Map<string, Replacement>> {
  const out = new Map<string, Map<string, Replacement>>();
  for (const text of texts) {
    const match = /^([^:=]+):([^=]+)=(.+)$/.exec(text);
    if (!match) throw new AnswerError(`“${text}” is not of the form FIELD:OLD=NEW.`);
    const [, field, old, value] = match as unknown as [string, string, string, string];
    mustNotBeBytes(plan, field);
    const column = columnAt(plan, field);
    if (!column) throw new AnswerError(`--replace: the document has no ${field} with enumerated values.`);
    const known = out.get(field) ?? new Map<string, Replacement>();
    if (known.has(old)) throw new AnswerError(`${field}: “${old}” has two --replace options. Give one.`);
    const allowed = `Allowed: ${describeRule(column.rule)}.`;
    const code = /^`(.+)`$/.exec(value)?.[1];
    if (code !== undefined) {
      out.set(field, known.set(old, readReplacement(compiled, plan, field, column, code)));
      continue;
    }
    if ('value' in writtenValue(column.rule, plan.wire, old))
      throw new AnswerError(`--replace: ${field} may still be “${old}”, so it cannot be replaced. ${allowed}`);
    const checked = writtenValue(column.rule, plan.wire, value);
    if (!('value' in checked) || typeof checked.value !== 'string')
      throw new AnswerError(`--replace: ${field} may not be “${value}”. ${allowed}`);
    out.set(field, known.set(old, checked.value));
  }
  return out;
}

/** Parses the expression by which rows with a former value get their new one. */
function readReplacement(compiled: Compiled, plan: Plan, path: string, column: ColumnPlan, text: string): Replacement {
  if (column.rule.oneOf === null)
    throw new AnswerError(`--replace: ${path} has no enumerated values, so no expression gives one of them.`);
  return { expr: readExpression(compiled, plan, path, column, text, '--replace').expr };
}

/**
 * The default values that the document states for fields without a value, if they are constants and hold for every row.
 */
function statedFills(plan: Plan): Array<[string, Fill]> {
  return plan.resources.flatMap(({ name, columns }) =>
    columns.flatMap((column): Array<[string, Fill]> => {
      const { otherwise, nullable } = column;
      const varies = (part: Expr): boolean => part.op === 'name' || part.op === 'rows' || isChanging(part);
      if (nullable || otherwise === null || some(otherwise, varies)) return [];
      const value = comparedValue(otherwise, NOTHING)(emptyFrame(0, '')) as Value;
      return [[`${name}.${column.name}`, { kind: 'value', value, written: shownValue(column.rule, value) }]];
    }),
  );
}

const NOTHING = layoutOf('A constant depends on nothing');

/** Parses `Order.channel=web`, an expression of the row in backquotes, or `sequence` for a numbered field. */
function readFill(compiled: Compiled, plan: Plan, text: string): [string, Fill] {
  const cut = text.indexOf('=');
  if (cut < 1) throw new AnswerError(`“${text}” is not of the form FIELD=VALUE.`);
  const path = text.slice(0, cut);
  const value = text.slice(cut + 1);
  const column = columnAt(plan, path);
  if (!column) throw new AnswerError(`The document has no field ${path}.`);
  mustNotBeBytes(plan, path);
  if (column.secret) throw new AnswerError(`${path} is a secret. Only the step Issue gives one.`);
  if (column.password) throw new AnswerError(`${path} is a password. Only the command \`rows\` can give one.`);
  if (column.sequence) {
    if (value !== 'sequence') throw new AnswerError(`${path} is numbered: write ${path}=sequence.`);
    return [path, { kind: 'sequence' }];
  }
  const code = /^`(.+)`$/.exec(value)?.[1];
  if (code !== undefined) return [path, readExpression(compiled, plan, path, column, code)];
  const constant = readConstant(plan, path, column, value);
  return [path, { kind: 'value', value: constant, written: shownValue(column.rule, constant) }];
}

function readConstant(plan: Plan, path: string, column: ColumnPlan, text: string): Value {
  const checked = writtenValue(column.rule, plan.wire, text);
  if ('value' in checked) return checked.value;
  throw new AnswerError(
    `--fill: ${path} may not be “${text}” (${checked.fault}). Allowed: ${describeRule(column.rule)}.`,
  );
}

/** An expression that gives a value to stored rows. */
type RowExpression = Extract<Fill, { kind: 'expression' }>;

/** Parses an expression of the row, typed against the new document. An expression of `--replace` reads the row alone. */
function readExpression(
  compiled: Compiled,
  plan: Plan,
  path: string,
  column: ColumnPlan,
  text: string,
  option: '--fill' | '--replace' = '--fill',
): RowExpression {
  const [name, field] = split(path);
  const findings: Finding[] = [];
  const r = new Resolved(compiled.model, { findings, marks: [] });
  const said = r.resourceNamed(name)!.fields.find((one) => one.name.text === field)!;
  const read = (type: Type, into: Finding[]): Expr | null => {
    const parsed = parseExpression(codeToken(text), into);
    return parsed && checkExpression(parsed, r.scope(new Map(), name), type, path, { findings: into, marks: [] });
  };
  const type = fieldType(said, name);
  const expr = read(type, findings);
  const fault = expr && outOfPlace(expr, option === '--fill' ? 'rows' : 'row');
  if (!expr || fault)
    throw new AnswerError(
      `${option}: ${path} cannot have the value “${text}”: ${withoutStop(fault ?? findings[0]?.message ?? 'it is not understood')}.`,
    );
  // If the expression is nullable, rows may stay without a value. If not, only rows for which it has no result do.
  const absent: Finding[] = [];
  const always = read({ ...type, nullable: false } as Type, absent) !== null && absent.length === 0;
  const lowering = loweringOf((resource) => named(plan.resources, resource), 'all');
  return { kind: 'expression', expr: lowering.lower(expr), always, allowed: describeRule(column.rule) };
}

/** Removes the full stop of a finding, so that the sentence can continue. */
const withoutStop = (sentence: string): string => sentence.replace(/\.$/, '');
