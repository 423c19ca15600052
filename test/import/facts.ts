import { ownMember } from '../../src/text/own-members.ts';
import { Random } from '../../src/verify/requests/random.ts';

/** A value of a file that has no members, with its place. */
interface Leaf {
  readonly pointer: string;
  readonly key: string;
  readonly value: unknown;
}

const stepOf = (key: string): string =>
  key
    .replaceAll('~', '~0')
    .replaceAll('/', '~1')
    .replace(/[%<>\s\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u00AD\u200B\u2060\uFEFF]/gu, encodeURIComponent);

/** Every value without members. */
export function leavesOf(root: unknown): Leaf[] {
  const out: Leaf[] = [];
  const go = (value: unknown, pointer: string, key: string): void => {
    if (typeof value !== 'object' || value === null) out.push({ pointer, key, value });
    else for (const [name, member] of Object.entries(value)) go(member, `${pointer}/${stepOf(name)}`, name);
  };
  go(root, '#', '');
  return out;
}

/** Picks some of a list, by a seed. */
export function pickedFrom(seed: number): <T>(all: readonly T[], count: number) => T[] {
  const random = new Random(seed);
  return (all, count) => (all.length <= count ? [...all] : Array.from({ length: count }, () => random.pick(all)));
}

/** The value at a JSON Pointer in the form of a fragment. */
export function valueAt(root: unknown, pointer: string): unknown {
  const keys = pointer.split('/').slice(1);
  return keys.reduce<unknown>((at, step) => {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof at === 'object' && at !== null && Object.hasOwn(at, key)
      ? (at as Record<string, unknown>)[key]
      : undefined;
  }, root);
}

/** A place and all places above it. */
function* upwards(pointer: string): Generator<string> {
  for (let at = pointer; at.length > 1; at = at.slice(0, at.lastIndexOf('/'))) yield at;
}

/** Whether a fact is listed, or a document states it: its text is in the statements, as the language writes it. */
export function isInDocument({ pointer, key, value }: Leaf, text: string, listed: ReadonlySet<string>): boolean {
  for (const at of upwards(pointer)) if (listed.has(at)) return true;
  const written = writtenAs(pointer, key, value);
  if (written === null) return false;
  const statements = text.replace(/<!--[\s\S]*?-->/g, '').replace(/\s+/g, ' ');
  return written.some((one) => statements.includes(one));
}

const TYPES: Readonly<Record<string, readonly string[]>> = {
  string: [
    '| string |',
    '| timestamp |',
    '| date |',
    '| duration |',
    'of string',
    'of timestamp',
    'of date',
    'of duration',
  ],
  integer: ['| integer |', 'of integer'],
  number: ['| decimal |', 'of decimal'],
  boolean: ['| boolean |', 'of boolean'],
  array: ['list of'],
  object: ['Request:', 'Shown:', '| Field |', 'map of', 'Payload:', '| body |'],
  null: ['optional'],
  oauth2: ['### '],
  apiKey: ['API key'],
  http: ['JWT', 'HTTP Basic'],
  basic: ['HTTP Basic'],
};
const FORMATS: Readonly<Record<string, string>> = { 'date-time': 'timestamp', int32: ' to ', int64: ' to ' };

/** The texts of which a document has one that states a fact; null for a fact that no statement holds. */
function writtenAs(pointer: string, key: string, value: unknown): readonly string[] | null {
  const text = `${value}`;
  if (/\/(?:enum|required)\/\d+$/.test(pointer)) return value === null ? ['optional'] : [text];
  if (/\/(?:flows|securityDefinitions)\/[^/]+\/scopes\/[^/]+$/.test(pointer)) return [key];
  if (/\/type\/\d+$/.test(pointer)) return ownMember(TYPES, text) ?? null;
  if (/\/(?:consumes|produces)\/\d+$/.test(pointer)) return null;
  if (/\/tags\/\d+$/.test(pointer)) return [`- Tag: ${text}`];
  if (/^#\/tags\/\d+\/name$/.test(pointer)) return [`- Tag: ${text}`];
  if (/\/schemes\/\d+$/.test(pointer)) return [`${text}://`];
  if (/\/security\/\d+\/[^/]+\/\d+$/.test(pointer)) return [text];
  switch (key) {
    case '$ref':
    case 'openapi':
    case 'swagger':
      return [''];
    case 'type':
      return ownMember(TYPES, text) ?? null;
    case 'format':
      return [ownMember(FORMATS, text) ?? text];
    case 'description':
    case 'summary':
      return [text.trim().replace(/\s+/g, ' ').slice(0, 12), text.trim().split(/\s/)[0] ?? ''];
    case 'in':
      return text === 'body' || text === 'formData' ? ['Request:'] : [`| ${text} |`, '{key}'];
    case 'name':
      return [`| ${text} |`, `${text}: {key}`, 'Request:', `| ${text.replace(/[^A-Za-z0-9_]+/g, '_')} |`];
    case 'default':
      return [`\`${JSON.stringify(value)}\``.replaceAll('|', '\\|')];
    case 'required':
      return ['always', 'optional', 'else ', 'Request:'];
    case 'nullable':
      return ['optional', 'always'];
    case 'pattern':
      return [`/${text.replaceAll('|', '\\|')}/`];
    case 'minLength':
    case 'maxLength':
    case 'minItems':
    case 'maxItems':
      return [` ${text} characters`, ` ${text} items`, `${text} to `, 'at most '];
    case 'readOnly':
    case 'writeOnly':
    case 'explode':
    case 'style':
    case 'collectionFormat':
    case 'uniqueItems':
      return [''];
    case 'url':
    case 'host':
    case 'basePath':
      return [text.replace(/\/$/, '')];
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
    case 'multipleOf':
      return [' to '];
    case 'const':
    case 'version':
      return [text];
    case 'title':
      return [text.trim().replace(/\s+/g, ' ').slice(0, 8)];
    case 'scheme':
      return ['Bearer', 'HTTP Basic'];
    case 'bearerFormat':
      return ['JWT'];
    default:
      return null;
  }
}
