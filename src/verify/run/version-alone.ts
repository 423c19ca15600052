import type { Json } from '../../export/json.ts';
import { parseJson } from '../../http/json.ts';
import type { Plan, VersionPlan, VersionsPlan } from '../../plan/step.ts';
import { meantBy } from '../../plan/words.ts';
import { Random } from '../requests/random.ts';
import type { ReplayableRequest } from '../session/replayable.ts';
import type { Template } from '../session/symbols.ts';
import type { VerifyOptions } from './options.ts';
import type { Ending } from './shrink.ts';
import { type Broken, Trial } from './trial.ts';

/**
 * The older version in which alone a break occurs: in a new session, the current version answers the same requests as
 * the document says, and the last one in the same way. Null where this is not so, or not known.
 */
export async function versionAlone(
  { subject, seed }: Pick<VerifyOptions, 'subject' | 'seed'>,
  acts: readonly ReplayableRequest[],
  { prediction: { endpoint, expected } }: Broken,
  ending: Ending,
): Promise<string | null> {
  const { versions } = subject.plan;
  const spoken = versions && acts.flatMap(({ template }) => olderIn(versions, template) ?? []).at(-1);
  if (!spoken) return null;
  const trial = await Trial.begin(subject, Random.of(seed, 0));
  let last: Broken['prediction'] | null = null;
  for (const act of acts) {
    if (ending.isCut()) return null;
    const sent = await trial.again({ ...act, template: inCurrent(subject.plan, act.template) });
    if (sent?.verdict.kind !== 'kept') return null;
    last = sent.verdict.prediction;
  }
  const isSame =
    last?.endpoint?.name === endpoint?.name &&
    last?.expected.status === expected.status &&
    last.expected.code === expected.code;
  return isSame ? spoken.name : null;
}

/** The older version that a request names; null where it names none. */
const olderIn = (versions: VersionsPlan, template: Template): VersionPlan | null =>
  versions.older.find(({ name }) => named(versions, template, name, versions.current) !== null) ?? null;

/** A request with its version replaced by another; null if the request names no version. */
function named({ by }: VersionsPlan, template: Template, from: string, to: string): Template | null {
  if (by.kind === 'path') {
    const [before, after] = [from, to].map((name) => `${by.prefix.replace('{version}', name)}/`);
    if (!template.target.startsWith(before ?? '')) return null;
    return { ...template, target: `${after}${template.target.slice(before?.length)}` };
  }
  const isOf = (name: string): boolean =>
    by.kind === 'header' ? name.toLowerCase() === by.header.toLowerCase() : /^(?:accept|content-type)$/i.test(name);
  const written = (name: string): string =>
    by.kind === 'header' ? name : by.template.replace('{version}', name).replace(/;\s*/, ';');
  const has = (value: string): boolean =>
    by.kind === 'header' ? value === from : spaceless(value).includes(written(from));
  if (!template.headers.some(([name, value]) => isOf(name) && has(value))) return null;
  const headers = template.headers.map(
    ([name, value]) =>
      [name, isOf(name) && has(value) ? spaceless(value).replaceAll(written(from), written(to)) : value] as const,
  );
  return { ...template, headers };
}

const spaceless = (value: string): string => value.replace(/;\s*/g, ';');

/** A request translated to the current version: the same fields and values by their names there. */
function inCurrent({ versions }: Plan, template: Template): Template {
  const older = versions && olderIn(versions, template);
  if (!older) return template;
  const current = named(versions, template, older.name, versions.current) ?? template;
  const names = new Map(
    Object.entries(older.names).flatMap(
      ([field, name]): Array<[string, string]> => (name === null ? [] : [[name, field.slice(field.indexOf('.') + 1)]]),
    ),
  );
  const words = new Map(
    older.words?.map((one) => {
      const field = one.field.slice(one.field.indexOf('.') + 1);
      return [older.names[one.field] ?? field, one] as const;
    }),
  );
  const value = (name: string, text: string): string => {
    const own = words.get(name);
    return (own && meantBy(own, text, false)) ?? text;
  };
  const [path = '', query] = current.target.split('?');
  const renamed = query?.split('&').map((one) => {
    const [name = '', ...rest] = one.split('=');
    return [names.get(name) ?? name, ...rest.map((text) => value(name, text))].join('=');
  });
  const parsed = typeof current.body === 'string' ? parseJson(Buffer.from(current.body)) : null;
  return {
    ...current,
    target: renamed ? `${path}?${renamed.join('&')}` : path,
    body: parsed?.ok ? JSON.stringify(translated(parsed.value as Json, names, value)) : current.body,
  };
}

/** A body with the names and values of the current version. */
function translated(
  body: Json,
  names: ReadonlyMap<string, string>,
  value: (name: string, text: string) => string,
): Json {
  if (Array.isArray(body)) return body.map((one) => translated(one as Json, names, value));
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, one]) => [
      names.get(name) ?? name,
      typeof one === 'string' ? value(name, one) : translated(one as Json, names, value),
    ]),
  );
}
