import { takeName } from '../../../syntax/names.ts';
import type { Phrase } from '../../../syntax/phrase.ts';
import type { Access } from '../../statements/endpoints.ts';

/** What Access may say, for a message. */
const ACCESS = '“anyone”, “any” and a resource, or one scope';

/** `orders:read`, a scope; `any Customer`; or `anyone` */
export function readAccess(value: Phrase): Access | null {
  const at = value.peek()?.from ?? value.text.to;
  if (value.take('anyone')) return { kind: 'anyone', name: { text: 'anyone', from: at, to: at + 'anyone'.length } };
  // No resource has a name with a colon, so that it is what comes after such a scope that is wrong.
  const scope = value.peek()?.text.includes(':');
  const kind =
    value.peek(1) && value.peek(1)?.text !== '.' && !scope
      ? (value.take('any') || value.fail(ACCESS)) && 'any'
      : 'scope';
  if (!kind) return null;
  const name = takeName(value, 'use', kind === 'any' ? 'a resource' : ACCESS);
  return name && { kind, name };
}

/** The same after other words, where a comma may follow it. */
export function takeAccess(value: Phrase): Access | null {
  const at = value.peek()?.from ?? value.text.to;
  if (value.take('anyone')) return { kind: 'anyone', name: { text: 'anyone', from: at, to: at + 'anyone'.length } };
  const any = value.peek(1)?.kind === 'word' && value.take('any');
  const name = takeName(value, 'use', any ? 'a resource' : ACCESS);
  return name && { kind: any ? 'any' : 'scope', name };
}
