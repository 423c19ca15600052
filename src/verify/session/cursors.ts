import { decodeSegment } from '../../http/query.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { type Answer, headerOf } from '../target/exchange.ts';

/** The cursors in an answer. */
export function cursorsIn({ body, headers }: Answer, { state }: Oracle): string[] {
  const links = [...(headerOf(headers, 'Link') ?? '').matchAll(/[?&][^=&>]+=([^&>]*)/g)];
  const texts = [
    ...[...body.toString().matchAll(/"([^"\\]{8,})"/g)].map(([, text]) => text ?? ''),
    ...links.map(([, value]) => decodeSegment(value ?? '') ?? ''),
  ];
  return texts.filter((text) => state.draws.meaningOf('cursor', text) !== null);
}
