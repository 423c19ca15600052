import type { Draft, Field, Typed } from './draft.ts';
import { callerNames, Expressions, literal } from './expressions.ts';

const PATTERNS = ['^[a-c]{1,3}$', '^[A-Z]{2}-\\d{1,3}$', '[ab]', '^(?:x|yy)?z+$', '^[^@ ]{1,4}$'];
const STATES = ['open', 'shut', 'new', 'old', 'too-late', 'done'];

/** What a field holds, as the cells Type, Format and Allowed values say it. */
interface Content {
  readonly typed: Typed;
  readonly type: string;
  readonly format: string;
  readonly allowed: string;
}

/** Makes up what a field holds; `references` are the resources that it may point at. */
export function content(draft: Draft, references: readonly string[], nullable: boolean): Content {
  const { random } = draft;
  const kinds = [
    'text',
    'text',
    'pattern',
    'one of',
    'email',
    'uuid',
    'integer',
    'integer',
    'boolean',
    'timestamp',
    'timestamp',
  ];
  kinds.push('date', 'duration', 'decimal', 'list', 'list');
  const kind = random.pick([...kinds, ...references.flatMap(() => ['reference', 'reference'])]);
  const plain = (type: Typed['kind'], allowed = 'any', format = 'none', more: Partial<Typed> = {}): Content => ({
    typed: { kind: type, nullable, ...more },
    type,
    format,
    allowed,
  });
  switch (kind) {
    case 'text': {
      const most = random.pick([1, 3, 5, 20, 200]);
      const least = random.int(1, most);
      const length = random.chance(0.5) ? `at most ${most} characters` : `${least} to ${most} characters`;
      return plain('string', length);
    }
    case 'pattern':
      return plain('string', `\`/${random.pick(PATTERNS).replaceAll('|', '\\|')}/\``);
    case 'one of': {
      const oneOf = random.some(STATES, random.int(2, 4));
      return plain('string', `one of ${oneOf.join(', ')}`, 'none', { oneOf });
    }
    case 'email':
      return plain('string', `at most ${random.pick([20, 254])} characters`, 'email');
    case 'uuid':
      return plain('string', 'any', 'uuid', { uuid: true });
    case 'integer': {
      const least = random.pick([-5, 0, 1, 1, -9007199254740991]);
      const most = random.pick([5, 10, 100, 100_000, 9007199254740991]);
      return plain('integer', `${least} to ${most}`, 'none', { large: Math.max(-least, most) > 1e9 });
    }
    case 'reference': {
      const resource = random.pick(references);
      return { typed: { kind: 'row', nullable, resource }, type: resource, format: 'none', allowed: 'any' };
    }
    case 'timestamp':
      return plain('timestamp', random.chance(0.2) ? 'whole minutes' : 'any');
    case 'duration':
      return plain('duration', random.pick(['any', 'PT0S to P14D', 'PT1M to PT36H']));
    case 'decimal':
      return plain('decimal', random.pick(['0.00 to 99999.99', '-10.5 to 10.5', '0.000 to 1.000']));
    case 'list':
      return listed(draft, nullable);
    default:
      return plain(kind as 'boolean' | 'date');
  }
}

/** A list or a set of values. */
function listed({ random }: Draft, nullable: boolean): Content {
  const item = random.pick(['string', 'string', 'integer', 'boolean'] as const);
  const text = random.pick(['1 to 5 characters', 'one of a, b, c', 'at most 2 characters']);
  const each = { string: text, integer: '-2 to 9', boolean: 'any' }[item];
  const oneOf = item === 'string' && text.startsWith('one of') ? ['a', 'b', 'c'] : undefined;
  const of: Typed = { kind: item, nullable: false, oneOf };
  const most = random.pick(['at most 3 items', '1 to 4 items', '0 to 2 items']);
  const type = `${random.pick(['list of', 'set of'])} ${item}`;
  return { typed: { kind: 'list', nullable, of }, type, format: 'none', allowed: `${most}, each ${each}` };
}

/** A value that a field’s cells allow, written out; null where there is none to write. */
export function constant(draft: Draft, { typed, allowed }: Pick<Content, 'typed' | 'allowed'>): string | null {
  const { random } = draft;
  if (typed.nullable && random.chance(0.2)) return 'null';
  const bounds = /^(-?\d+) to (-?\d+)(?: (characters))?$/.exec(allowed);
  if (allowed === 'whole minutes') return null;
  switch (typed.kind) {
    case 'integer':
      return String(Math.min(Number(bounds![2]), Math.max(Number(bounds![1]), random.int(-2, 6))));
    case 'boolean':
      return String(random.chance(0.5));
    case 'timestamp':
      return random.pick(['now()', 'now() + duration("24h")', 'now() - duration("90m")']);
    case 'row':
    case 'date':
    case 'decimal':
      return null;
    case 'duration':
      return random.pick(['duration("1h")', 'duration("90m")']);
    case 'list':
      if (allowed.startsWith('1') || typed.of!.kind !== 'string') return null;
      return random.pick(['[]', '["a"]', '["b", "a"]']);
    default:
      if (typed.uuid) return 'uuid()';
      if (typed.oneOf) return literal(random.pick(typed.oneOf));
      if (bounds) return literal('a'.repeat(Number(bounds[1])));
      return /^at most/.test(allowed) && !/254|20/.test(allowed) ? literal('a') : null;
  }
}

/** An identity, for rows that requests create or the operator adds. */
export function identity(draft: Draft, created: boolean): Field {
  const { random } = draft;
  const name = random.pick(['id', 'number', 'key']);
  const giving = created ? 'request' : 'operator';
  const common = { name, format: 'none', unique: 'identity' };
  const kind = random.pick(
    created
      ? ['made', 'made', 'made', 'uuid', 'integer', 'pattern', 'sequence']
      : ['uuid', 'integer', 'pattern', 'made', 'sequence'],
  );
  const uuid: Typed = { kind: 'string', nullable: false, uuid: true };
  if (kind === 'made')
    return { ...common, typed: uuid, type: 'string', format: 'uuid', allowed: 'any', given: ['on create `uuid()`'] };
  if (kind === 'uuid')
    return { ...common, typed: uuid, type: 'string', format: 'uuid', allowed: 'any', given: [giving] };
  if (kind === 'sequence') {
    const typed: Typed = { kind: 'integer', nullable: false };
    return { ...common, typed, type: 'integer', allowed: 'any', given: ['sequence'] };
  }
  if (kind === 'integer') {
    const typed: Typed = { kind: 'integer', nullable: false };
    return { ...common, typed, type: 'integer', allowed: `1 to ${random.pick([9, 40])}`, given: [giving] };
  }
  const typed: Typed = { kind: 'string', nullable: false };
  return { ...common, typed, type: 'string', allowed: '`/^[a-e]\\d$/`', given: [giving] };
}

/** Makes up where a field’s values come from when a row is created, and later. */
export function givings(draft: Draft, field: Omit<Field, 'given' | 'unique'>, created: boolean): string[] {
  const { random } = draft;
  const { typed } = field;
  if (!created) return ['operator'];
  const moment = (): string | null => {
    const names = typed.kind === 'row' || random.chance(0.2) ? callerNames(draft) : [];
    const fits = names.filter(
      (one) =>
        one.typed.kind === typed.kind &&
        one.typed.resource === typed.resource &&
        typed.kind === 'row' &&
        !one.typed.nullable,
    );
    return fits.length ? random.pick(fits).text : constant(draft, field);
  };
  const on = random.chance(0.25) ? moment() : null;
  if (on !== null && on !== 'null') {
    const changes = random.chance(0.4) && !on.startsWith('caller') && on !== 'uuid()' ? [`on change \`${on}\``] : [];
    return [`on create \`${on}\``, ...changes];
  }
  const written = !['date', 'decimal', 'list'].includes(typed.kind) && field.allowed !== 'whole minutes';
  const assignable = written && (typed.kind !== 'row' || typed.nullable || typed.resource === draft.caller);
  if (assignable && random.chance(0.15)) return ['steps'];
  const otherwise = random.chance(0.3) ? constant(draft, field) : null;
  return [otherwise === null || otherwise === 'null' ? 'request' : `request, else \`${otherwise}\``];
}

export { Expressions };
