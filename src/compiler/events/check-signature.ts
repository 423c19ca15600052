import { headerIn, namesIn } from '../../plan/webhook-signing.ts';
import type { Finding } from '../../syntax/diagnostic.ts';
import { listed } from '../../text/suggest.ts';
import type { Webhook } from '../statements/events.ts';
import { eventsDiagnostics as d } from './messages.ts';

/** The headers that a delivery has anyway, or that HTTP itself defines. */
const OWN: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const OF_CONTENT = ['id', 'seconds', 'body'];
const OF_HEADERS = ['id', 'type', 'seconds', 'timestamp', 'signature'];

/**
 * Checks a signature in a form of the document: a receiver can verify it with what the delivery carries, and one
 * signature fits one delivery alone.
 */
export function checkSignature({ signature, receivers }: Webhook): Finding[] {
  if (!signature || signature.value === 'Standard Webhooks') return [];
  const { content, header, others, rotation } = signature.value;
  if (receivers?.value === 'operator' && rotation === null) return [d.report.signatureRotation(signature)];
  if (receivers && receivers.value !== 'operator' && rotation !== null) return [d.report.rotationUnused(signature)];
  const stated = [header, ...(others ?? [])].map((text) => [text, headerIn(text)] as const);
  const strange = stated.flatMap(([text, one]) => (one ? [] : [text]));
  if (strange.length > 0) return strange.map((header) => d.report.signatureHeader(signature, { header }));
  const all = stated.flatMap(([, one]) => one ?? []);
  const [own] = all;
  const carried = all.flatMap(({ value }) => namesIn(value));
  const faults: string[] = [];
  const known = (text: string, names: readonly string[]): void => {
    const left = text.replace(/\{[a-z]+\}/g, (name) => (names.includes(name.slice(1, -1)) ? '' : name));
    if (/[{}]/.test(left))
      faults.push(`“${text}” has other names in braces than ${listed(names.map((one) => `{${one}}`))}`);
    if (/[^\x20-\x7e]/.test(text)) faults.push(`“${text}” has other characters than those of ASCII`);
  };
  known(content, OF_CONTENT);
  for (const { value } of all) known(value, OF_HEADERS);
  const signed = namesIn(content);
  if (signed.indexOf('body') !== signed.length - 1 || !content.endsWith('{body}'))
    faults.push('The signed text does not end with {body}, or has it twice');
  if (new Set(signed).size < signed.length) faults.push('The signed text has a value twice');
  if (/\}[A-Za-z0-9_-]*\{/.test(content)) faults.push('The signed text has no sign such as “.” between two values');
  if (own && namesIn(own.value).filter((one) => one === 'signature').length !== 1)
    faults.push(`${own.name} does not have {signature} once`);
  for (const { name, value } of all.slice(1))
    if (namesIn(value).includes('signature')) faults.push(`${name} has {signature}, too`);
  for (const { name, value } of all) {
    const names = namesIn(value);
    if (new Set(names).size < names.length) faults.push(`${name} has a value twice`);
    if (/\}\{/.test(value)) faults.push(`${name} has no text between two values`);
    if (OWN.has(name.toLowerCase())) faults.push(`${name} is a header with another meaning`);
  }
  for (const one of signed)
    if (one !== 'body' && !carried.includes(one)) faults.push(`No header has {${one}}, which is signed`);
  if (!carried.includes('id')) faults.push('No header has {id}, by which a receiver knows an event that comes again');
  const names = all.map(({ name }) => name.toLowerCase());
  if (new Set(names).size < names.length) faults.push('A header is stated twice');
  return faults.map((fault) => d.report.signatureForm(signature, { fault }));
}
