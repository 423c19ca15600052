import { RESOURCES, type Shown, type WireRules } from '../../language/resources.ts';
import { canBeMissing, type Pages } from '../../plan/limits.ts';
import { bullet } from '../../syntax/diagnostic.ts';
import type { Located } from '../../syntax/names.ts';
import { bodyParameters, bytesOf, takesBody } from '../document/effective.ts';
import { isPaged, pagesOf } from '../document/pages.ts';
import type { Resolved } from '../document/resolve.ts';
import { resultsOf } from '../document/results.ts';
import { kindsOf, kindsOfParameter } from './bounds.ts';
import { resourcesDiagnostics as d } from './messages.ts';

/** A rule of the part: its question, when a document needs the rule, and why a document does not. */
interface PartRule {
  readonly what: (met: Contents) => string;
  readonly needs: (met: Contents) => boolean;
  readonly reason: string;
}

/** The contents of a document on which the rules of the part depend. */
interface Contents {
  /** The kinds of the values of fields and parameters, and of other members that rows and answers show. */
  readonly kinds: ReadonlySet<string>;
  /** The kinds of the values of fields and parameters: all that a service receives. */
  readonly inputKinds: ReadonlySet<string>;
  /** The kinds of the values of fields and of parameters in bodies: all that a request body can hold. */
  readonly bodyKinds: ReadonlySet<string>;
  readonly requests: boolean;
  /** The first value of an answer that may be null, and where the document states it. */
  readonly missing: Located<string> | null;
  /** The line of an offset. */
  readonly line: (offset: number) => number;
}

const form = (kind: string): PartRule => ({
  what: () => `In which form do requests and answers write a ${kind}?`,
  needs: (met) => met.kinds.has(kind),
  reason: `no field, parameter or answer is a ${kind}`,
});

const RULES: Readonly<Record<keyof Omit<WireRules, 'passwords'>, PartRule>> = {
  timestamps: form('timestamp'),
  dates: form('date'),
  durations: form('duration'),
  decimals: form('decimal'),
  text: {
    what: () => 'A client sends text with white space at its ends. Is it trimmed, or stored as sent?',
    needs: (met) => met.inputKinds.has('string'),
    reason: 'no field and no parameter is a string',
  },
  missing: {
    what: ({ missing, line }) =>
      `${missing?.value} can be null (line ${line(missing?.from ?? 0)}). Does an answer leave out a member without a value, or show it as null?`,
    needs: (met) => met.missing !== null,
    reason: 'no value of an answer can be null',
  },
  nulls: {
    what: () => 'A client sends null for an optional field. What happens to the field?',
    needs: (met) => met.requests,
    reason: 'no endpoint has a request',
  },
  emptyText: {
    what: () => 'A client sends an empty string. Is it stored as text, or as null?',
    needs: (met) => met.requests && met.bodyKinds.has('string'),
    reason: 'no request holds a string',
  },
  unknownFields: {
    what: () =>
      'A client sends a member that the endpoint does not know. Is the request refused, or the member ignored?',
    needs: (met) => met.requests,
    reason: 'no endpoint has a request',
  },
};

/** Reports each rule that the document needs and does not state, and each stated rule that applies to nothing. */
export function checkPartRules(r: Resolved): void {
  // The types in answers are known once their expressions have been typed.
  r.afterAll(() => {
    const { rules, list } = r.model.resources;
    const contents = contentsOf(r);
    const fields = list.flatMap((resource) => resource.fields);
    // A rule may apply to text that is not read, not understood or not written yet.
    const unread =
      r.untyped ||
      fields.some((field) => !field.type || !field.presence) ||
      list.some((resource) => !resource.shown) ||
      r.effective.some((one) => isPaged(one) && !pagesOf(r, one));
    for (const [key, { member, value }] of Object.entries(RESOURCES)) {
      if (member === 'passwords' || member === 'blank') continue;
      const rule = rules[member];
      const { what, needs, reason } = RULES[member];
      const needed = needs(contents);
      const write = bullet(key, value.samples[0] ?? '');
      if (!rule && needed) r.notes.findings.push(d.report.part(null, { what: what(contents) }, null, write));
      if (rule && !needed && fields.length && !unread) r.notes.findings.push(d.report.ruleUnused(rule, { reason }));
    }
  });
}

function contentsOf(r: Resolved): Contents {
  const { list, parameters } = r.model.endpoints;
  // The members of a field of bytes are measured, and no request writes them.
  const fields = r.model.resources.list.flatMap((resource) => resource.fields.filter(({ of }) => of === undefined));
  const typed = [...parameters, ...list.flatMap((one) => one.parameters)].flatMap(kindsOfParameter);
  const stored = fields.flatMap((field) => kindsOf(field.type?.value));
  return {
    kinds: new Set([...stored, ...typed, ...shownKinds(r), ...r.answeredKinds]),
    inputKinds: new Set([...stored, ...typed]),
    bodyKinds: new Set([...stored, ...r.effective.flatMap(bodyParameters).flatMap(kindsOfParameter)]),
    requests: r.effective.some((one) => takesBody(one) && !bytesOf(one)),
    missing: firstMissing(r),
    line: (offset) => r.line(offset),
  };
}

/** The first value of an answer that may be null; else the first optional field, even if no answer shows it. */
function firstMissing(r: Resolved): Located<string> | null {
  const pages = r.effective.flatMap((one) => (isPaged(one) ? (pagesOf(r, one) ?? []) : []));
  const ends = pages.flatMap((one) => endsOf(one.value).map((name) => ({ ...one, value: `\`${name}\` of a page` })));
  const answered = [...r.nullableAnswers, ...shownMissing(r), ...ends];
  const first = answered.toSorted((a, b) => a.from - b.from)[0];
  if (first) return first;
  const optional = r.model.resources.list.flatMap(({ name, fields }) =>
    fields.flatMap(({ name: field, presence }) =>
      presence?.value === 'optional' ? [{ ...field, value: `${name.text}.${field.text}` }] : [],
    ),
  );
  return optional[0] ?? null;
}

/** The members of a page that hold the start of the next or previous page: null on the last or first page. */
const endsOf = (pages: Pages): string[] =>
  (pages.payload ?? []).flatMap(({ name, value }) => (canBeMissing(value) ? [name] : []));

/** A member of a form in which rows are shown, with the resource whose rows they are. */
interface Member extends Shown {
  readonly of: string;
}

/** The kinds of the derived fields that rows show, their own and those of rows that they point at. */
function shownKinds(r: Resolved): string[] {
  const derived = new Map<string, readonly string[]>(
    r.model.resources.list.flatMap(({ name, derived: list }) =>
      list.map((field) => [`${name.text}.${field.name.text}`, kindsOf(field.type)] as const),
    ),
  );
  return members(r).flatMap(({ of, field, as }) => {
    const target = targetOf(r, of, field.text);
    const paths = [`${of}.${field.text}`, ...(target && as ? [`${target}.${as.text}`] : [])];
    return paths.flatMap((path) => derived.get(path) ?? []);
  });
}

/** The members of rows that may be absent: they have nothing to be derived from, or the caller does not see them. */
function shownMissing(r: Resolved): Located<string>[] {
  const missing = members(r).filter(({ of, field, as }) => {
    const type = r.rows.get(of)?.fields.get(field.text);
    const derived = r.resourceNamed(of)?.derived.find(({ name }) => name.text === field.text);
    const value = derived && r.expr(derived.value);
    if (value && r.once(resultsOf).lacks(value)) return true;
    if (type?.kind !== 'row') return type?.nullable ?? false;
    const target = r.rows.get(type.resource);
    const known = as && target?.fields.get(as.text);
    return type.nullable || (target?.hides ?? false) || (known?.nullable ?? false);
  });
  return missing.map(({ of, field }) => {
    const owner = r.resourceNamed(of);
    const declared = (owner && r.fieldNamed(owner, field.text))?.name;
    const derived = owner?.derived.find(({ name }) => name.text === field.text)?.name;
    const { from, to } = declared ?? derived ?? field;
    return { value: `${of}.${field.text}`, from, to };
  });
}

/** Every member of every form. */
function members(r: Resolved): Member[] {
  return r.model.resources.list.flatMap(({ name, shown, views }) =>
    [...(shown?.value ?? []), ...views.flatMap((view) => view.members)].map((one) => ({ ...one, of: name.text })),
  );
}

/** The resource of the row, or of the rows, that a field holds. */
function targetOf(r: Resolved, resource: string, field: string): string | null {
  const type = r.rows.get(resource)?.fields.get(field);
  const row = type?.kind === 'list' ? type.of : type;
  return row?.kind === 'row' ? row.resource : null;
}
