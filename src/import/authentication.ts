import type { Authentication, Scheme, Scope } from '../compiler/statements/authentication.ts';
import { CREDENTIAL_BULLETS, SCOPE, TOKEN_BULLETS } from '../language/authentication.ts';
import { isFieldName, READ_ALREADY } from '../language/header-fields.ts';
import { nothing } from '../language/statement.ts';
import { isObject } from '../text/own-members.ts';
import type { Node } from './node.ts';
import type { Places } from './places.ts';
import { hereIf, named } from './resources.ts';
import { isSayable } from './sayable.ts';
import { freeText, isUnchanged } from './text.ts';

const AT = { from: 0, to: 0 };

/** Reads the schemes of security. */
export function authenticationOf(root: Node, places: Places): Authentication {
  const all = root.get('securityDefinitions') ?? root.find('components', 'securitySchemes');
  const schemes = (all?.members() ?? []).flatMap(([name, use]) => {
    const node = use.resolved();
    if (!node) return [];
    if (!/^[\p{L}\p{N}](?:[\p{L}\p{N} _-]*[\p{L}\p{N}])?$/u.test(name)) {
      use.leave('schemeKind');
      return [];
    }
    return schemeOf(name, node, places) ?? [];
  });
  return { none: false, unaccepted: null, origins: null, schemes };
}

type Header = NonNullable<Scheme['header']>['value'];

/** A kind of scheme that the language has, with the header of its credentials and the facts that state both. */
interface Kind {
  readonly kind: NonNullable<Scheme['kind']>['value'];
  readonly header: Header | null;
  readonly facts: readonly string[];
}

/** The kind of a scheme; null for one that the language does not have. */
function kindOf(node: Node): Kind | null {
  const [type, scheme] = [node.text('type'), node.text('scheme')?.toLowerCase()];
  if (type === 'apiKey') return { kind: 'API key', header: keyHeader(node), facts: ['type'] };
  // Swagger 2.0 has a type of its own.
  if (type === 'basic' || (type === 'http' && scheme === 'basic')) return BASIC;
  const isJwt = type === 'http' && scheme === 'bearer' && /^jwt$/i.test(node.text('bearerFormat') ?? '');
  return isJwt ? JWT : null;
}

const BASIC: Kind = {
  kind: 'HTTP Basic',
  header: { name: 'Authorization', scheme: 'Basic', holds: 'credentials' },
  facts: ['type', 'scheme'],
};
const JWT: Kind = {
  kind: 'JWT',
  header: { name: 'Authorization', scheme: 'Bearer', holds: 'token' },
  facts: ['type', 'scheme', 'bearerFormat'],
};

function schemeOf(name: string, node: Node, places: Places): Scheme | null {
  const scopes = scopesOf(name, node, places);
  const found = kindOf(node);
  if (found) node.stateMembers(...found.facts);
  else
    for (const key of ['type', 'scheme', 'bearerFormat', 'flow', 'openIdConnectUrl'])
      node.get(key)?.leave('schemeKind');
  places.set(node.pointer, 'authentication', name);
  if (found) places.set(node.pointer, 'authentication', name, '- Scheme');
  if (found?.header) places.set(node.pointer, 'authentication', name, '- Header');
  return {
    ...nothing(CREDENTIAL_BULLETS),
    name,
    kind: hereIf(found?.kind ?? null),
    header: hereIf(found?.header ?? null),
    caller: null,
    condition: null,
    tokens: { ...nothing(TOKEN_BULLETS), subject: null, scopesIn: null },
    scopes,
    claims: [],
    span: AT,
  };
}

/** The header of a key; null where the language has no such place, which is listed. */
function keyHeader(node: Node): Header | null {
  const name = node.text('name') ?? '';
  const isTaken = READ_ALREADY.includes(name.toLowerCase()) || name.toLowerCase() === 'cookie';
  if (node.text('in') !== 'header' || isTaken || !isFieldName(name)) {
    node.get('in')?.leave('keyPlace');
    node.get('name')?.leave('keyPlace');
    return null;
  }
  node.stateMembers('in', 'name');
  return { name, scheme: null, holds: 'key' };
}

/** The scopes of all flows of a scheme of OAuth 2; null where it states none. */
function scopesOf(scheme: string, node: Node, places: Places): Scope[] | null {
  const flows = node
    .get('flows')
    ?.members()
    .map(([, flow]) => flow) ?? [node];
  const lists = flows.flatMap((flow) => flow.get('scopes') ?? []);
  if (lists.length === 0) return null;
  const out = new Map<string, Scope>();
  for (const [name, use] of lists.flatMap((list) => list.members())) {
    const title = typeof use.value === 'string' ? freeText(use.value) : '';
    if (/[\s`|,;]/.test(name) || /[.:]$/.test(name) || !isSayable(SCOPE, { text: name, ...AT }) || /\\\|/.test(title)) {
      use.leave('fieldName');
      continue;
    }
    if (use.isPlain() && (typeof use.value !== 'string' || isUnchanged(use.value))) use.state();
    if (out.has(name)) continue;
    places.set(use.pointer, 'authentication', scheme, 'Scope', name);
    out.set(name, { name: named(name), permits: title, span: AT });
  }
  if (out.size === 0 && !lists.every((list) => isObject(list.value) && list.members().length === 0)) return null;
  for (const list of lists) if (isObject(list.value) && list.members().length === 0) list.state();
  if (out.size === 0) places.set(lists[0]?.pointer ?? node.pointer, 'authentication', scheme, '- Scopes');
  return [...out.values()];
}
