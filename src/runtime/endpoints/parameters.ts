import type { Evaluate } from '../../expression/javascript.ts';
import type { Value } from '../../expression/values/value.ts';
import { header, listItems } from '../../http/headers.ts';
import { parseQuery } from '../../http/query.ts';
import type { BeforeStep, PagePlan, ParameterPlan, WirePlan } from '../../plan/step.ts';
import { computedValidator, textParameter } from '../../validation/validate.ts';
import type { Refusal } from '../context/refusal.ts';
import type { ApiVersion, RequestContext } from '../context/request-context.ts';
import type { Errors } from '../errors/refusal.ts';
import type { Expressions } from '../expressions/layout.ts';
import { inWords } from '../versioning/words.ts';

type ParametersPlan = Extract<BeforeStep, { do: 'read parameters' }>;

/**
 * Reads the parameters of the path, the query and the headers. Faults are collected, and answered with those of the
 * body.
 */
export function parameterReader(plan: ParametersPlan, page: PagePlan | null, c: ParameterContext) {
  const { errors } = c;
  const path = plan.path.map((one) => compileOne(one, c));
  const query = plan.query.map((one) => compileOne(one, c));
  const headers = plan.header.map((one) => ({ ...compileOne(one, c, listItems), lower: one.name.toLowerCase() }));
  return (x: RequestContext): Refusal | null => {
    const sent = x.incoming.query === null ? NOTHING : parseQuery(x.incoming.query);
    if (sent === null) return errors.condition('malformed request');
    x.parameters = sent;
    const values: Array<Value | undefined> = [];
    for (const [i, one] of path.entries()) {
      const checked = one.check(x.apiVersion)(x.segments[i]!);
      // Each value keeps its place: the others are still looked up.
      values.push('value' in checked ? checked.value : undefined);
      if ('value' in checked) continue;
      if (one.refusal) x.refused ??= one.refusal;
      else x.faults.push({ place: 'parameter', name: one.plan.name, code: checked.fault });
    }
    x.frame.path = values;
    readQuery(x, query, page, plan.unknown === 'refused');
    if (headers.length) x.frame.header = headers.map((one) => readHeader(x, one));
    return null;
  };
}

const NOTHING: ReadonlyArray<readonly [string, string]> = [];

interface OneParameter {
  readonly plan: ParameterPlan;
  /** Returns the parameter's name in a version; null where the version doesn't have the parameter. */
  readonly called: (apiVersion: ApiVersion) => string | null;
  readonly check: (apiVersion: ApiVersion) => ReturnType<typeof textParameter>;
  readonly refusal: Refusal | null;
  readonly otherwise: Evaluate | null;
}

/** The dependencies of parameter readers. */
interface ParameterContext {
  readonly wire: WirePlan;
  readonly expressions: Expressions;
  readonly errors: Errors;
}

function compileOne(
  plan: ParameterPlan,
  { wire, expressions, errors }: ParameterContext,
  split?: (raw: string) => string[],
): OneParameter {
  return {
    plan,
    called: naming(plan),
    check: inWords(plan.words, plan.rule, false, (rule) => textParameter(rule, wire, split)),
    refusal: plan.code === null ? null : errors.code(plan.code),
    otherwise: standing(plan, expressions),
  };
}

/**
 * Compiles the default of a parameter that is not sent. Duplicates in a computed set are removed, and its items are
 * sorted.
 */
export function standing(
  { otherwise, rule }: Pick<ParameterPlan, 'otherwise' | 'rule'>,
  expressions: Expressions,
): Evaluate | null {
  const value = otherwise && expressions.plain(otherwise);
  if (!value || !rule.items) return value;
  const check = computedValidator(rule);
  return (frame) => {
    const given = value(frame);
    const checked = check(given);
    return 'value' in checked ? checked.value : given;
  };
}

/** Reads a header; the values of a repeated header are joined by commas (RFC 9110, section 5.3). */
function readHeader(x: RequestContext, one: OneParameter & { readonly lower: string }): Value | undefined {
  const sent = header(x.incoming.rawHeaders, one.lower);
  if (sent === undefined) return absent(x, one, 'header', one.plan.name);
  return checkedValue(x, one, 'header', one.plan.name, sent);
}

function absent(x: RequestContext, one: OneParameter, place: 'parameter' | 'header', name: string): Value | undefined {
  if (one.otherwise) return one.otherwise(x.frame) as Value;
  if (one.plan.required) x.faults.push({ place, name, code: 'missing' });
  return undefined;
}

function checkedValue(
  x: RequestContext,
  one: OneParameter,
  place: 'parameter' | 'header',
  name: string,
  sent: string,
): Value | undefined {
  const checked = one.check(x.apiVersion)(sent);
  if ('value' in checked) return checked.value;
  if (one.refusal) x.refused ??= one.refusal;
  else x.faults.push({ place, name, code: checked.fault });
  return undefined;
}

function readQuery(
  x: RequestContext,
  query: readonly OneParameter[],
  page: PagePlan | null,
  refuseUnknown: boolean,
): void {
  const sent = x.parameters;
  const names = query.map((one) => one.called(x.apiVersion));
  x.frame.query = query.map((one, i) => readOne(x, one, names[i]!));
  if (!refuseUnknown) return;
  for (const [name] of sent)
    if (!names.includes(name) && name !== page?.limit && name !== page?.place)
      x.faults.push({ place: 'parameter', name, code: 'unknown_parameter' });
}

/** Returns the name of a parameter by version: a parameter named after a field has the field's name. */
function naming({ field, name }: ParameterPlan): (apiVersion: ApiVersion) => string | null {
  if (!field) return () => name;
  const dot = field.indexOf('.');
  const [resource, member] = [field.slice(0, dot), field.slice(dot + 1)];
  return (apiVersion) => apiVersion.wire(resource, member);
}

function readOne(x: RequestContext, one: OneParameter, name: string | null): Value | undefined {
  const given = name === null ? [] : x.parameters.filter(([sent]) => sent === name);
  if (given.length === 0) return absent(x, one, 'parameter', name ?? one.plan.name);
  if (given.length === 1) return checkedValue(x, one, 'parameter', name!, given[0]![1]);
  x.faults.push({ place: 'parameter', name: name!, code: 'repeated' });
  return undefined;
}
