import type { Versioning } from '../compiler/statements/versioning.ts';
import { PURPOSE_BULLETS, type Purpose } from '../language/purpose.ts';
import { nothing } from '../language/statement.ts';
import { VERSIONING } from '../language/versioning.ts';
import { baseUrl } from '../text/address.ts';
import type { Node } from './node.ts';
import type { Places } from './places.ts';
import { here, hereIf } from './resources.ts';
import { isSayable } from './sayable.ts';
import { freeText, isUnchanged } from './text.ts';

/** A sentence of the language about an item, or a bullet, which has no effect in a bullet of another. */
const LIKE_STATEMENT = /:\s+(?:none|not\s+shown)\b|(?:^|[^\w\s])\s*[A-Z][A-Za-z -]*:(?:\s|$)/im;

/** A longer description is documentation of several subjects. */
const LONGEST_PURPOSE = 500;

/** Reads what the service is for, and its address. */
export function purposeOf(root: Node, places: Places): Purpose {
  const purpose = purposeText(root, places);
  const address = addressOf(root, places);
  return {
    ...nothing(PURPOSE_BULLETS),
    purpose: hereIf(purpose),
    address: address === null ? null : here({ kind: 'stated' as const, url: address }),
  };
}

function purposeText(root: Node, places: Places): string | null {
  for (const key of ['summary', 'description']) {
    const node = root.find('info', key);
    const text = typeof node?.value === 'string' ? node.value.trim() : '';
    const plain = freeText(text);
    const isParagraph = !/\n\s*\n|^\s*(?:[#|>*+-]|\d+[.)]|```)/m.test(text);
    if (
      !node ||
      !isUnchanged(text) ||
      LIKE_STATEMENT.test(text) ||
      !isParagraph ||
      plain.length > LONGEST_PURPOSE ||
      plain === ''
    )
      continue;
    if (!isSayable(PURPOSE_BULLETS.Purpose.value, plain)) continue;
    node.state();
    places.set(node.pointer, 'purpose', '', '- Purpose');
    return plain;
  }
  return null;
}

function addressOf(root: Node, places: Places): string | null {
  if (root.file.version === '2.0') return oldAddressOf(root, places);
  const servers = root.get('servers');
  const [server, ...more] = servers?.items() ?? [];
  const url = server?.text('url') ?? null;
  const address = url === null || more.length > 0 || server?.get('variables') ? null : baseUrl(url);
  if (address === null) {
    servers?.leave('servers');
    return null;
  }
  server?.stateMembers('url');
  places.set(`${server?.pointer}/url`, 'purpose', '', '- Address');
  return address;
}

function oldAddressOf(root: Node, places: Places): string | null {
  const schemes = root.get('schemes')?.items() ?? [];
  const [scheme] = schemes;
  const basePath = root.get('basePath')?.value ?? '';
  const [host, base] = [root.text('host'), typeof basePath === 'string' ? basePath : '{}'];
  const address = schemes.length === 1 && host !== null ? baseUrl(`${scheme?.value}://${host}${base}`) : null;
  const keys = ['schemes', 'host', 'basePath'];
  if (address === null) {
    for (const key of keys) root.get(key)?.leave('servers');
    return null;
  }
  root.stateMembers(...keys.filter((key) => root.get(key)));
  places.set('#/host', 'purpose', '', '- Address');
  return address;
}

/** Reads the version of the API. */
export function versioningOf(root: Node, places: Places): Versioning {
  const node = root.find('info', 'version');
  const text = typeof node?.value === 'string' ? node.value : '';
  const isOfApi = root.file.version === '2.0';
  const isStated = isOfApi && isSayable(VERSIONING['Current version'].value, { text, from: 0, to: 0 });
  if (node && !isStated) node.leave(isOfApi ? 'versionName' : 'versionOfDocument');
  if (node && isStated) {
    node.state();
    places.set(node.pointer, 'versioning', '', '- Current version');
  }
  const none = { none: false, scheme: null, header: null, vary: false, without: null, policy: null, versions: [] };
  return { ...none, current: isStated ? here(text) : null };
}
