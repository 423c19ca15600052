import type { ContractType } from '../../contract/types.ts';
import { deliveryHeaders, namesIn, patternOf, type SigningPlan } from '../../plan/webhook-signing.ts';
import type { Feature } from './runtime-text.ts';
import { comment, key, quote, WIDTH } from './words.ts';
import type { Writing } from './writing.ts';

/** Declares the type of the events of a stream. */
export function typesOfEvents(
  w: Pick<Writing, 'version' | 'types' | 'declared' | 'contract'>,
  preferred: string,
  names: readonly string[],
  { method, path }: { readonly method: string; readonly path: string },
): string {
  const envelope = w.contract.stream?.data === 'envelope' ? ['readonly timestamp: string'] : [];
  const id = 'readonly id: string | undefined';
  const name = w.types.name(preferred);
  const lines = unionOf(w, name, names, (data) => [...envelope, `readonly data: ${data}`, id]);
  w.declared.push(...comment([`An event of \`${method} ${path}\`.`]), ...lines, '');
  return name;
}

/** Declares the type of webhook events. Returns false if there are none. */
export function webhookEvents(w: Pick<Writing, 'version' | 'types' | 'declared'>): boolean {
  const events = w.version.events.filter((one) => one.notifiedBy.includes('webhook')).map((one) => one.name);
  if (events.length === 0) return false;
  const lines = unionOf(w, 'WebhookEvent', events, (data) => ['readonly timestamp: string', `readonly data: ${data}`]);
  w.declared.push('/** The event of a webhook. */', ...lines, '');
  return true;
}

/** The constants with which `verifyWebhook` reads signatures in a form of the document. */
export function signatureConstants(form: SigningPlan): string[] {
  const signed = namesIn(form.content);
  const read = deliveryHeaders(form).filter(({ value }) =>
    namesIn(value).some((name) => name === 'signature' || signed.includes(name)),
  );
  return [
    '/** The headers with the signature and the signed values of a webhook. */',
    'const SIGNED_HEADERS: Readonly<Record<string, RegExp>> = {',
    ...read.flatMap((one) => {
      const [name, pattern] = [`  ${key(one.name)}:`, `/${patternOf(one, form)}/,`];
      return name.length + 1 + pattern.length <= WIDTH ? [`${name} ${pattern}`] : [name, `    ${pattern}`];
    }),
    '};',
    '',
    '/** The text that HMAC-SHA256 signs. Values of the headers, and the body, replace the names in braces. */',
    `const SIGNED_TEXT = ${quote(form.content)};`,
    '',
  ];
}

/** The features with which webhooks are verified. */
export function webhookFeatures(form: SigningPlan | undefined): Feature[] {
  if (!form) return ['webhook', 'standard', 'timed', 'base64'];
  return [
    'webhook',
    'signed',
    ...(namesIn(form.content).includes('seconds') ? (['timed'] as const) : []),
    ...(form.rotation !== null && typeof form.rotation === 'object' ? (['rotated'] as const) : []),
    ...(form.encoding === 'base64' ? (['base64'] as const) : []),
  ];
}

function unionOf(
  { version, types, declared }: Pick<Writing, 'version' | 'types' | 'declared'>,
  name: string,
  events: readonly string[],
  membersOf: (data: string) => readonly string[],
): string[] {
  const parts = events.map((event) => {
    const payload: ContractType | undefined = version.events.find((one) => one.name === event)?.payload;
    const data = payload
      ? types.type(payload, `${event} data`, 'out', events.length === 1 ? '  ' : '      ')
      : 'unknown';
    return [`readonly type: ${quote(event)}`, ...membersOf(data)];
  });
  declared.push(...types.take());
  const [only] = parts;
  if (only && parts.length === 1) return [`export interface ${name} {`, ...only.map((one) => `  ${one};`), '}'];
  return [
    `export type ${name} =`,
    ...parts.flatMap((members, i) => {
      const end = i === parts.length - 1 ? ';' : '';
      const line = `  | { ${members.join('; ')} }${end}`;
      return line.length <= WIDTH && !line.includes('\n')
        ? [line]
        : ['  | {', ...members.map((one) => `      ${one};`), `    }${end}`];
    }),
  ];
}
