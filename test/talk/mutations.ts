import { answersOf } from '../../src/plan/answered.ts';
import type { Plan } from '../../src/plan/step.ts';
import { type Draft, drop, GONE, put, resourceOf, speak, stepOf, wireName, written } from './draft.ts';
import type { Making } from './values.ts';
import { odd } from './values.ts';

/** One way to make a request another, mostly a wrong one. */
export interface Mutation {
  readonly name: string;
  change(draft: Draft): void;
}

const header =
  (name: string, value: string) =>
  (draft: Draft): void => {
    draft.headers = [...draft.headers.filter(([one]) => one.toLowerCase() !== name.toLowerCase()), [name, value]];
  };

/** Every way to make a request of an endpoint another one. */
export function mutationsOf(draft: Draft, plan: Plan, making: Making): Mutation[] {
  return [
    ...ofCredentials(plan),
    ...ofVersions(plan),
    ...ofForm(draft, plan),
    ...ofParameters(draft, making),
    ...ofBody(draft, plan, making),
    ...ofKeys(draft),
    ...ofConditions(draft),
    ...ofPages(draft),
    ...ofAddress(),
    ...[2000, 20_000, 100_000].map((late) => ({
      name: `${late} ms late`,
      change: (draft: Draft) => {
        draft.late = late;
      },
    })),
  ];
}

function ofCredentials({ schemes }: Plan): Mutation[] {
  return [...new Set(schemes.map((scheme) => scheme.header))].flatMap((name) =>
    [
      ['no credentials', GONE],
      ['an empty credential', ''],
      ['an unknown key', `${schemes[0]!.scheme ?? ''} nf_abcdefghijkl_${'x'.repeat(43)}`.trim()],
      ['another kind of credential', 'Basic YTpi'],
      ['a token of nobody', `${schemes[0]!.scheme ?? ''} eyJhbGciOiJub25lIn0.e30.`.trim()],
    ].map(([what, value]) => ({ name: `${what}`, change: header(name, value!) })),
  );
}

function ofVersions({ versions }: Plan): Mutation[] {
  if (!versions) return [];
  const names = [...versions.older.map((one) => one.name), versions.current, '1999-01-01', 'x', '', GONE];
  return names.map((name) => ({ name: `version ${name}`, change: (draft) => speak(draft, versions, name) }));
}

function ofForm({ endpoint }: Draft, plan: Plan): Mutation[] {
  const out: Mutation[] = ['text/html', 'application/json;q=0', '*/*', 'application/problem+json'].map((type) => ({
    name: `Accept ${type}`,
    change: header('Accept', type),
  }));
  const most = (stepOf(endpoint, 'read body') ?? stepOf(endpoint, 'refuse body'))?.most ?? 1000;
  const raw = (name: string, text: string): Mutation => ({
    name,
    change: (draft) => {
      draft.raw = text;
    },
  });
  out.push(
    { name: 'text/plain', change: header('Content-Type', 'text/plain') },
    { name: 'merge-patch', change: header('Content-Type', 'application/merge-patch+json') },
    { name: 'another charset', change: header('Content-Type', 'application/json; charset=latin1') },
    { name: 'no content type', change: header('Content-Type', GONE) },
    { name: 'gzip', change: header('Content-Encoding', 'gzip') },
    { name: 'identity', change: header('Content-Encoding', 'identity') },
    { name: 'no length', change: header('Content-Length', GONE) },
    raw('an empty body', ''),
    raw('no JSON', '{"a":'),
    raw('a list', '[]'),
    raw('null', 'null'),
    raw('a member twice', '{"a":1,"a":2}'),
    raw('an object', '{}'),
    raw('more than is taken', `{"a":"${'x'.repeat(Math.min(most, 2 << 20))}"}`),
    raw('nested', '['.repeat(1000)),
  );
  const [browser] = plan.browsers?.origins === 'any' ? ['https://a.example'] : (plan.browsers?.origins ?? []);
  for (const origin of new Set([browser ?? 'https://a.example', 'https://b.example', 'null']))
    out.push(
      { name: `Origin ${origin}`, change: header('Origin', origin) },
      {
        name: `preflight from ${origin}`,
        change: (draft) => {
          header('Origin', origin)(draft);
          header('Access-Control-Request-Method', draft.method)(draft);
          draft.method = 'OPTIONS';
          draft.body = undefined;
        },
      },
    );
  return out;
}

function ofParameters(draft: Draft, making: Making): Mutation[] {
  const parameters = stepOf(draft.endpoint, 'read parameters');
  const texts = (values: readonly unknown[]): string[] => [
    ...new Set(values.filter((value) => value !== null && typeof value !== 'object').map(written)),
  ];
  const query = (parameters?.query ?? []).flatMap(({ name, rule }): Mutation[] => [
    ...[...texts(odd(making, rule)), ...(rule.oneOf ?? [])].map((value) => ({
      name: `${name}=${value.slice(0, 20)}`,
      change: ({ query }: Draft) =>
        void query.splice(0, query.length, ...query.filter(([one]) => one !== name), [name, value]),
    })),
    {
      name: `without ${name}`,
      change: (one) => {
        one.query = one.query.filter(([other]) => other !== name);
      },
    },
    { name: `${name} twice`, change: (one) => void one.query.push([name, 'a'], [name, 'a']) },
  ]);
  const path = (parameters?.path ?? []).flatMap(({ name, rule }): Mutation[] =>
    [...texts(odd(making, rule)).filter((value) => value !== ''), making.random.uuid(), '999999'].map((value) => ({
      name: `path ${name} ${value.slice(0, 20)}`,
      change: (one) => void one.path.set(name, value),
    })),
  );
  const headers = (parameters?.header ?? []).flatMap(({ name, rule }): Mutation[] =>
    [...texts(odd(making, rule)).filter((value) => /^[\x21-\x7e]*$/.test(value)), GONE].map((value) => ({
      name: `${name}: ${value.slice(0, 20)}`,
      change: header(name, value),
    })),
  );
  return [
    ...query,
    ...path,
    ...headers,
    { name: 'unknown parameter', change: (one) => void one.query.push(['more', '1']) },
  ];
}

function ofBody({ endpoint }: Draft, plan: Plan, making: Making): Mutation[] {
  const step = stepOf(endpoint, 'validate body');
  if (!step) return [];
  const { payload } = step;
  const inside = (draft: Draft): Record<string, unknown> => {
    const held = payload?.member ? draft.body?.[payload.member] : draft.body;
    return ((Array.isArray(held) ? held[0] : held) ?? {}) as Record<string, unknown>;
  };
  const out: Mutation[] = [
    { name: 'unknown member', change: (draft) => void Object.assign(draft.body ?? {}, { more: 1 }) },
    { name: 'unknown member inside', change: (draft) => void Object.assign(inside(draft), { more: 1 }) },
    {
      name: '__proto__',
      change: (draft) => {
        draft.raw = '{"__proto__":{"a":1},"constructor":1}';
      },
    },
  ];
  const member = (
    name: string,
    rule: Parameters<typeof odd>[1],
    at: (draft: Draft) => Record<string, unknown>,
  ): void => {
    out.push({ name: `without ${name}`, change: (draft) => drop(at(draft), name) });
    for (const value of [...odd(making, rule), ...(rule.oneOf ?? [])])
      out.push({
        name: `${name} ${JSON.stringify(value)?.slice(0, 20)}`,
        change: (draft) => put(at(draft), name, value),
      });
  };
  for (const { name, rule } of step.parameters) member(name, rule, (draft) => draft.body ?? {});
  if (!payload) return out;
  const resource = resourceOf(plan, payload.resource);
  for (const field of payload.fields)
    member(
      wireName(plan, null, resource.name, field)!,
      resource.columns.find((one) => one.name === field)!.rule,
      inside,
    );
  if (payload.items && payload.member) {
    const many = (name: string, count: number): Mutation => ({
      name,
      change: (draft) => void Object.assign(draft.body ?? {}, { [payload.member!]: Array(count).fill(inside(draft)) }),
    });
    out.push(many('no items', 0), many('two alike', 2), many('too many items', Math.min(payload.items.max + 1, 2000)));
  }
  return out;
}

function ofKeys({ endpoint }: Draft): Mutation[] {
  const step = stepOf(endpoint, 'claim key');
  if (!step) return [];
  return [GONE, '', 'again', 'again', '"again"', 'a b', 'x'.repeat(300)].map((key) => ({
    name: `key ${key.slice(0, 20)}`,
    change: header(step.header, key),
  }));
}

function ofConditions({ endpoint }: Draft): Mutation[] {
  const values = ['*', '"nothing"', 'W/"1"', '"1", "2", "3"', 'x', GONE, GONE, GONE];
  const matched =
    endpoint.inside.some((step) => step.do === 'match') || answersOf(endpoint).some(({ conditional }) => conditional);
  const names = matched ? ['If-Match', 'If-None-Match'] : ['If-None-Match'];
  return names.flatMap((name) => values.map((value) => ({ name: `${name} ${value}`, change: header(name, value) })));
}

function ofPages({ endpoint }: Draft): Mutation[] {
  const page = stepOf(endpoint, 'read page')?.page;
  if (!page) return [];
  const asked = (name: string, value: string): Mutation => ({
    name: `${name}=${value}`,
    change: (draft) => {
      draft.query = [...draft.query.filter(([one]) => one !== name), [name, value]];
    },
  });
  const sizes = ['0', '1', '2', String(page.most), String(page.most + 1), 'x', '01', ''];
  const places = ['0', '1', '2', '5', 'x', '', 'A'.repeat(60)];
  return [...sizes.map((size) => asked(page.limit, size)), ...places.map((place) => asked(page.place, place))];
}

function ofAddress(): Mutation[] {
  const method = (name: string): Mutation => ({
    name,
    change: (draft) => {
      draft.method = name;
      if (name === 'HEAD') draft.body = undefined;
    },
  });
  return ['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'POST', 'GET'].map(method);
}
