import { wireName } from '../wirename.ts';
import type { Contract, Stated } from './contract.ts';
import type { Random } from './random.ts';
import type { Broken, Framing, Sent } from './sent.ts';
import { type Customer, fullKey, type Order } from './world.ts';

/** A request in the making: what it is to say, before it is written down. */
export interface Draft {
  readonly endpoint: Stated;
  readonly caller: Customer;
  order: Order | null;
  method: string;
  path: string;
  /** The pieces of the query, as they are written. */
  query: string[];
  host: string[];
  authorization: string[];
  version: string[];
  accept: string[];
  type: string[];
  encoding: string[];
  key: string[];
  match: string[];
  headers: Array<[string, string]>;
  /** The fields of the body by the names of the document; null where there is no body. */
  fields: Map<string, unknown> | null;
  /** Members added as they are written. */
  extra: string[];
  /** A body instead of the fields. */
  raw: Buffer | null;
  /** White space is added to the body up to this size. */
  size: number;
  framing: Framing;
  broken: Broken | null;
  /** Names and numbers of the body written as JSON lets them be written too. */
  writing: 'plain' | 'escaped' | 'spaced' | 'exponents';
}

/** The version that a draft speaks, as far as the names of its fields go. */
export function spoken(contract: Contract, draft: Draft): string | null {
  const { versions } = contract.model.versioning;
  const one = versions.find((each) => each.name === draft.version[0]);
  return one?.state === 'deprecated' ? one.name : null;
}

/** The member’s or parameter’s name in the version that a draft speaks. */
export function nameIn(contract: Contract, draft: Draft, field: string): string | null {
  return wireName(contract.model.versioning, spoken(contract, draft), 'Order', field);
}

/** A request to an endpoint that has to succeed. */
export function validDraft(
  random: Random,
  endpoint: Stated,
  situation: { caller: Customer; order: Order | null; sku: string; key: string },
): Draft {
  const { caller, order } = situation;
  const access = endpoint.effective.settings.access!.value.name.text;
  const able = caller.keys.filter((one) => one.scopes.includes(access));
  const request = endpoint.effective.settings.request!.value;
  const idempotent = endpoint.effective.settings.idempotency!.value !== 'none';
  const fields = new Map<string, unknown>();
  const takes = (name: string): boolean => request !== 'none' && request.fields.some((field) => field.text === name);
  if (takes('sku')) fields.set('sku', situation.sku);
  if (takes('quantity')) fields.set('quantity', random.int(1, 100));
  if (takes('note') && random.chance(0.5)) fields.set('note', random.pick(NOTES));
  const matches = endpoint.effective.steps.some((step) => step.verb === 'Match');
  return {
    endpoint,
    caller,
    order,
    method: endpoint.method,
    path: `/${endpoint.path.map((part) => (part === '{id}' ? order!.id : part)).join('/')}`,
    query: [],
    host: ['orders.example'],
    authorization: [`Bearer ${able.length ? random.pick(able).key : fullKey(caller)}`],
    version: [],
    accept: [],
    type: request === 'none' ? [] : ['application/json'],
    encoding: [],
    key: idempotent ? [situation.key] : [],
    match: matches && order ? [order.etag] : [],
    headers: [],
    fields: request === 'none' ? null : fields,
    extra: [],
    raw: null,
    size: 0,
    framing: request === 'none' ? 'none' : 'length',
    broken: null,
    writing: 'plain',
  };
}

const NOTES = [
  '',
  'leave at the door',
  '  trimmed\t',
  '日本語 😀',
  'x'.repeat(500),
  '😀'.repeat(500),
  `${' '.repeat(600)}y`,
  '"\\/\b',
  'a\u0001b',
];

/** Writes a draft down. */
export function write(contract: Contract, draft: Draft): Sent {
  const list = (name: string, values: readonly string[]): Array<[string, string]> =>
    values.map((value) => [name, value]);
  const headers = [
    ...list('Host', draft.host),
    ...list('Authorization', draft.authorization),
    ...list('Orders-Version', draft.version),
    ...list('Accept', draft.accept),
    ...list('Content-Type', draft.type),
    ...list('Content-Encoding', draft.encoding),
    ...list('Idempotency-Key', draft.key),
    ...list('If-Match', draft.match),
    ...draft.headers,
  ];
  const query = draft.query.length ? `?${draft.query.join('&')}` : '';
  return {
    method: draft.method,
    target: draft.path + query,
    headers,
    body: bodyOf(contract, draft),
    framing: draft.framing,
    broken: draft.broken,
  };
}

function bodyOf(contract: Contract, draft: Draft): Buffer | null {
  if (!draft.raw && !draft.fields) return null;
  let body = draft.raw;
  if (!body) {
    const members = [...draft.fields!].flatMap(([field, value]) => {
      // A field that the version spoken doesn’t have is left out, unless the draft is wrong on purpose (`extra`).
      const name = nameIn(contract, draft, field);
      return name === null ? [] : [`${nameText(name, draft)}:${valueText(value, draft)}`];
    });
    const space = draft.writing === 'spaced' ? '\r\n\t ' : '';
    body = Buffer.from(`${space}{${space}${[...members, ...draft.extra].join(`${space},${space}`)}${space}}${space}`);
  }
  return body.length >= draft.size ? body : Buffer.concat([body, Buffer.alloc(draft.size - body.length, ' ')]);
}

const unit = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

function nameText(name: string, draft: Draft): string {
  return draft.writing === 'escaped' ? `"${name.split('').map(unit).join('')}"` : JSON.stringify(name);
}

/** JSON as written: a value that is a Raw stands as it is. */
function valueText(value: unknown, draft: Draft): string {
  if (value instanceof Raw) return value.text;
  if (draft.writing === 'exponents' && Number.isInteger(value)) return `${(value as number) / 10}E+1`;
  if (draft.writing === 'escaped' && typeof value === 'string') return `"${value.split('').map(unit).join('')}"`;
  return JSON.stringify(value);
}

/** A JSON text in the place of a value. */
export class Raw {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
