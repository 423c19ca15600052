import { type Answer, headerOf } from '../../src/verify/target/exchange.ts';

/** An answer made wrong in one way, to see whether that is noticed. */
export interface Alteration {
  readonly name: string;
  /** Null where an answer can’t be made wrong in this way. */
  alter(answer: Answer): Answer | null;
}

type Members = Record<string, unknown>;

/** Changes the body; undefined leaves it as it is. */
const body = (name: string, change: (value: unknown) => unknown): Alteration => ({
  name,
  alter: (answer) => {
    if (answer.body.length === 0) return null;
    const value: unknown = JSON.parse(answer.body.toString());
    const changed = change(value);
    if (changed === undefined || JSON.stringify(changed) === JSON.stringify(value)) return null;
    return { ...answer, body: Buffer.from(JSON.stringify(changed)) };
  },
});

/** Changes the members of the body, or of the first item of the list that it is. */
const members = (name: string, change: (all: Members) => Members | undefined): Alteration => {
  const object = (value: unknown): unknown => {
    if (!Array.isArray(value)) return typeof value === 'object' && value ? change(value as Members) : undefined;
    const first = value.length ? object(value[0]) : undefined;
    return first === undefined ? undefined : [first, ...value.slice(1)];
  };
  return body(name, object);
};

const isError = ({ status }: Answer): boolean => status >= 400;
const ofErrors = (one: Alteration): Alteration => ({
  ...one,
  alter: (said) => (isError(said) ? one.alter(said) : null),
});

const without = (name: string): Alteration => ({
  name: `without ${name}`,
  alter: (answer) =>
    headerOf(answer.headers, name) === null
      ? null
      : { ...answer, headers: answer.headers.filter(([one]) => one.toLowerCase() !== name.toLowerCase()) },
});

const withHeader = (name: string, value: string): Alteration => ({
  name: `with ${name}`,
  alter: (answer) =>
    headerOf(answer.headers, name) === null ? { ...answer, headers: [...answer.headers, [name, value]] } : null,
});

const textsIn = (all: Members): string[] => Object.keys(all).filter((name) => typeof all[name] === 'string');
const numbersIn = (all: Members): string[] => Object.keys(all).filter((name) => typeof all[name] === 'number');

/** Ways in which an answer can say something that its document doesn’t. */
export const ALTERATIONS: readonly Alteration[] = [
  { name: 'another status', alter: (answer) => ({ ...answer, status: answer.status === 200 ? 202 : 418 }) },
  { name: 'a failure', alter: (answer) => ({ ...answer, status: 500 }) },
  {
    name: 'a body that is no JSON',
    alter: (answer) => (answer.body.length ? { ...answer, body: answer.body.subarray(1) } : null),
  },
  { name: 'no body', alter: (answer) => (answer.body.length ? { ...answer, body: Buffer.alloc(0) } : null) },
  members('a member more', (all) => ({ ...all, surprise: 1 })),
  members('a member less', (all) => Object.fromEntries(Object.entries(all).slice(1))),
  members('a member by another name', (all) =>
    Object.fromEntries(Object.entries(all).map(([name, value], i) => [i === 0 ? `${name}x` : name, value])),
  ),
  members('a text for a number', (all) => {
    const [name] = numbersIn(all);
    return name === undefined ? undefined : { ...all, [name]: String(all[name]) };
  }),
  members('a number larger by one', (all) => {
    const name = numbersIn(all).find((one) => one !== 'status');
    return name === undefined ? undefined : { ...all, [name]: Number(all[name]) + 1 };
  }),
  members('null for a text', (all) => {
    const [name] = textsIn(all);
    return name === undefined ? undefined : { ...all, [name]: null };
  }),
  body('a list in a list', (value) => [value]),
  ofErrors(members('another code', (all) => ('code' in all ? { ...all, code: 'oops' } : undefined))),
  ofErrors(members('another title', (all) => ('title' in all ? { ...all, title: 'Oops' } : undefined))),
  ofErrors(members('no faults', ({ errors, ...rest }) => (errors === undefined ? undefined : rest))),
  ofErrors(
    members('a fault elsewhere', ({ errors, ...rest }) =>
      Array.isArray(errors) && errors.length && 'code' in errors[0]
        ? { ...rest, errors: [{ ...errors[0], code: errors[0].code === 'missing' ? 'unknown' : 'missing' }] }
        : undefined,
    ),
  ),
  ...['Content-Type', 'ETag', 'Location', 'Allow', 'WWW-Authenticate', 'RateLimit', 'Deprecation', 'Sunset'].map(
    without,
  ),
  withHeader('X-Powered-By', 'Express'),
  withHeader('Server', 'ninefold'),
  withHeader('Access-Control-Allow-Origin', '*'),
  withHeader('Retry-After', '1'),
  withHeader('Set-Cookie', 'a=b'),
  withHeader('ETag', '"a"'),
  withHeader('Allow', 'GET'),
];
