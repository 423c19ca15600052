import type { EndpointContract, ParameterContract } from '../../contract/endpoint.ts';
import type { ContractType } from '../../contract/types.ts';
import { parameterSegment } from '../../plan/paths.ts';
import { withParameter } from './bases.ts';
import type { Base, Mutation, Situation } from './candidate.ts';
import { constantsIn } from './constants.ts';
import { type Content, type Draft, targetOf, Verbatim, withHeader, withQuery } from './draft.ts';
import { like } from './echoes.ts';
import { queryValues } from './queries.ts';
import { referenceVariants } from './references.ts';
import { Samples, written } from './samples.ts';
import { isFree } from './text-values.ts';
import { variantsOf } from './values.ts';
import type { Variant } from './variant.ts';

/** The number of combinations of filters that are tried. */
const COMBINATIONS = 8;
/** The number of row values that are requested. */
const HELD = 4;

/** Mutations of the parameters that the document states: each alone, several together, and unknown ones. */
export function parameterMutations(situation: Situation, base: Base): Mutation[] {
  const stated = situation.endpoint.parameters.filter((one) => one.role === 'stated');
  return [
    ...stated.flatMap((one) => ofParameter(situation, base, one)),
    ...combinations(situation),
    ...aroundParameters(situation),
    ...unknown(situation, base.draft),
  ];
}

function ofParameter(situation: Situation, { draft }: Base, one: ParameterContract): Mutation[] {
  const { random, known } = situation;
  const aspect = `parameter ${one.name}`;
  const out: Mutation[] = [];
  const texts = new Set<string>();
  for (const { value, what, valid } of [
    ...heldValues(situation, one),
    ...namedValues(one),
    ...variants(situation, one),
  ]) {
    const text = value === undefined ? '' : textOf(value);
    if (texts.has(text)) continue;
    texts.add(text);
    if (one.in === 'header' && /[^\x20-\x7e]/.test(text)) continue;
    out.push({ aspect, what: `${one.name} ${what}`, valid, change: (given) => withParameter(given, one, text) });
  }
  if (one.in === 'query') {
    const good = written(new Samples(random, known.now).of(one.type, one.name));
    const repeat = (given: Draft): Draft => {
      const query = given.query.some(([name]) => name === one.name)
        ? given.query
        : [...given.query, [one.name, good] as const];
      return { ...given, query: [...query, [one.name, good]] };
    };
    out.push({ aspect, what: `${one.name} is given twice`, valid: false, change: repeat });
    if (draft.query.some(([name]) => name === one.name))
      out.push({
        aspect,
        what: `${one.name} is left out`,
        valid: !one.required,
        change: (given) => withQuery(given, one.name, null),
      });
  }
  if (one.in === 'header' && one.required)
    out.push({
      aspect,
      what: `${one.name} is left out`,
      valid: false,
      change: (given) => withHeader(given, one.name, null),
    });
  return out;
}

/** Requests by which a service may take one path for another, where paths have text beside a parameter. */
function aroundParameters({ version, endpoint: { path } }: Situation): Mutation[] {
  const own = segmentsOf(path);
  const aspect = 'path';
  const out: Mutation[] = [];
  const add = (what: string, valid: boolean, change: (draft: Draft) => Draft): void => {
    out.push({ aspect, what, valid, change });
  };
  const others = version.endpoints.map((one) => segmentsOf(one.path)).filter((one) => one.length === own.length);
  for (const [i, segment] of own.entries()) {
    const parameter = parameterSegment(segment);
    if (!parameter) continue;
    const { before, name, after } = parameter;
    if (before + after !== '') {
      const as = (text: (one: string) => string) => (draft: Draft) => {
        const segments = own.map((one, at) => (at === i ? `${text(before)}{${name}}${text(after)}` : one));
        return { ...draft, target: targetOf({ ...draft, path: segments.join('/') }) };
      };
      add(`the text around ${name} is escaped`, !/[:@]/.test(before + after), as(escaped));
      add(`${name} is missing in its text`, false, (draft) => ({
        ...draft,
        place: new Map([...draft.place, [name, '']]),
      }));
    }
    const around = others.flatMap((one) => parameterSegment(one[i] ?? '') ?? []).filter((one) => one !== parameter);
    for (const text of new Set(around.map((one) => `${one.before}{}${one.after}`)))
      if (text !== '{}')
        add(`${name} has the text ${text} around it`, true, (draft) => {
          const value = text.replace('{}', draft.place.get(name) ?? '');
          return { ...draft, place: new Map([...draft.place, [name, value]]) };
        });
  }
  return out;
}

const segmentsOf = (path: string): readonly string[] => path.split('/');

/** The text with each character escaped. */
const escaped = (text: string): string =>
  text.replace(/./g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

const textOf = (value: Content): string => (value instanceof Verbatim ? value.text : written(value));

function variants(situation: Situation, one: ParameterContract): Variant[] {
  const { random, known } = situation;
  const resource = one.refersTo ?? (one.finds && isIdentity(situation, one) ? one.finds.resource : null);
  const named = resource === null ? [] : referenceVariants(situation, resource, one.type);
  return [...named, ...variantsOf(one.type, { random, now: known.now, good: undefined })];
}

function isIdentity({ contract }: Situation, { finds }: ParameterContract): boolean {
  return contract.resources.some((one) => one.name === finds?.resource && one.identity === finds.field);
}

/**
 * Values of rows in the field of a parameter’s name, or in the field by which a step finds rows; otherwise similar
 * values.
 */
function heldValues(situation: Situation, one: ParameterContract): Variant[] {
  const { rows, random } = situation;
  const queries = queryValues(situation, one);
  if (queries.length > 0) return queries;
  const [resource, field] = one.finds
    ? [one.finds.resource, one.finds.field]
    : [one.field?.slice(0, one.field.indexOf('.')), one.field?.slice(one.field.indexOf('.') + 1)];
  if (resource === undefined || field === undefined) return one.in === 'query' ? likeValues(situation, one) : [];
  const values = new Map<string, Content>();
  for (const row of random.inAnyOrder(rows.of(resource))) {
    const value = rows.value(row, field);
    if (value !== undefined && value !== null && value !== '') values.set(written(value), value);
    if (values.size === HELD) break;
  }
  return [...values].flatMap(([text, value]) => [
    { value, what: `is “${text}”, as a row has it`, valid: true },
    ...(text === text.toUpperCase()
      ? []
      : [{ value: text.toUpperCase(), what: `is “${text}” in large letters`, valid: true }]),
    ...(one.type.kind === 'text' && isFree(one.type) && text.length > 1
      ? [
          { value: text.slice(0, -1), what: `is “${text}” without its last character`, valid: true },
          { value: text.toLowerCase(), what: `is “${text}” in small letters`, valid: true },
        ]
      : []),
  ]);
}

/** The texts with a meaning of their own in the condition of a list, such as `all`: no row has these values. */
function namedValues({ keeps, type }: ParameterContract): Variant[] {
  if (type.kind !== 'text') return [];
  return constantsIn(keeps).flatMap(({ value }) =>
    typeof value === 'string' ? [{ value, what: `is ${value}, which its condition names`, valid: true }] : [],
  );
}

function likeValues(situation: Situation, { type }: ParameterContract): Variant[] {
  const { rows, random, endpoint } = situation;
  const listed = random.some(
    endpoint.steps.flatMap((step) => (step.resource === null ? [] : rows.of(step.resource))),
    HELD,
  );
  return listed.flatMap((row) => {
    const value = like(situation, { type }, row);
    return value === undefined ? [] : [{ value, what: `is “${textOf(value)}”, like what a row has`, valid: true }];
  });
}

/** Several filters of a list at once, so that one filter does not show rows that another hides. */
export function combinations(situation: Situation): Mutation[] {
  const asked = situation.endpoint.parameters.filter((one) => one.role === 'stated' && one.in === 'query');
  const { random, known } = situation;
  if (asked.length === 0) return [];
  return Array.from({ length: COMBINATIONS }, (): Mutation => {
    const samples = new Samples(random, known.now);
    const some = random.some(asked, random.int(1, asked.length));
    const values = some.map((one): readonly [ParameterContract, string] => {
      const held = random.among(heldValues(situation, one))?.value;
      return [one, held === undefined ? written(samples.of(one.type, one.name)) : textOf(held)];
    });
    return {
      aspect: 'parameters',
      what: values.map(([one, value]) => `${one.name} is ${isFew(one.type) ? value : `“${value}”`}`).join(' and '),
      valid: true,
      change: (draft) => values.reduce((made, [one, value]) => withParameter(made, one, value), draft),
    };
  });
}

/** Each value of each parameter of a query that takes few. */
export function ofFewValues({ parameters }: EndpointContract): Mutation[] {
  return parameters.flatMap((one) => {
    const { type } = one;
    if (one.role !== 'stated' || one.in !== 'query' || !isFew(type)) return [];
    const values = type.kind === 'text' ? (type.oneOf ?? []) : ['true', 'false'];
    return values.map((value): Mutation => {
      const change = (given: Draft): Draft => withParameter(given, one, value);
      return { aspect: `parameter ${one.name}`, what: `${one.name} is ${value}`, valid: true, change };
    });
  });
}

/** Types with so few values that each value is tried. */
const isFew = (type: ContractType): boolean => type.kind === 'boolean' || (type.kind === 'text' && type.oneOf !== null);

function unknown({ endpoint }: Situation, draft: Draft): Mutation[] {
  const valid = endpoint.unknownParameters === 'ignored';
  const aspect = 'query';
  const out = ['unexpected', '__proto__', 'Limit', 'id[]', ''].map(
    (name): Mutation => ({
      aspect,
      what: `has the unknown parameter ${JSON.stringify(name)}`,
      valid,
      change: (given) => withQuery(given, name, '1'),
    }),
  );
  const raw = (what: string, query: string, fine: boolean): Mutation => ({
    aspect,
    what,
    valid: fine,
    change: (given) => ({ ...given, target: `${targetOf(given)}${targetOf(given).includes('?') ? '&' : '?'}${query}` }),
  });
  out.push(raw('has an escape in its query that is none', '%zz=1', false));
  out.push(raw('has an escape in its query that is no UTF-8', 'a=%ff', false));
  if (draft.query.length === 0) out.push(raw('has a question mark and no query', '', true));
  return out;
}
