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

function schemeOf(name: string, node: Node, places: Places): Scheme | null {
  const type = node.text('type');
  const scopes = scopesOf(name, node, places);
  const isKey = type === 'apiKey';
  const isJwt =
    type === 'http' && /^bearer$/i.test(node.text('scheme') ?? '') && /^jwt$/i.test(node.text('bearerFormat') ?? '');
  const header = isKey ? keyHeader(node) : null;
  const value: Header | null = isJwt ? { name: 'Authorization', scheme: 'Bearer', holds: 'token' } : header;
  if (isJwt) node.stateMembers('type', 'scheme', 'bearerFormat');
  else if (isKey) node.stateMembers('type');
  else
    for (const key of ['type', 'scheme', 'bearerFormat', 'flow', 'openIdConnectUrl'])
      node.get(key)?.leave('schemeKind');
  places.set(node.pointer, 'authentication', name);
  const kind = isKey ? ('API key' as const) : isJwt ? ('JWT' as const) : null;
  if (kind) places.set(node.pointer, 'authentication', name, '- Scheme');
  if (value) places.set(node.pointer, 'authentication', name, '- Header');
  return {
    ...nothing(CREDENTIAL_BULLETS),
    name,
    kind: hereIf(kind),
    header: hereIf(value),
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
