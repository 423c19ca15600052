import type { ContractType } from '../../contract/types.ts';
import { comment, quote, WIDTH } from './words.ts';
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
  w.declared.push(...comment([`What \`${method} ${path}\` sends.`]), ...lines, '');
  return name;
}

/** Declares the type of webhook events. Returns false if there are none. */
export function webhookEvents(w: Pick<Writing, 'version' | 'types' | 'declared'>): boolean {
  const events = w.version.events.filter((one) => one.notifiedBy.includes('webhook')).map((one) => one.name);
  if (events.length === 0) return false;
  const lines = unionOf(w, 'WebhookEvent', events, (data) => ['readonly timestamp: string', `readonly data: ${data}`]);
  w.declared.push('/** The events of webhooks. */', ...lines, '');
  return true;
}

function unionOf(
  { version, types, declared }: Pick<Writing, 'version' | 'types' | 'declared'>,
  name: string,
  events: readonly string[],
  membersOf: (data: string) => readonly string[],
): string[] {
  const parts = events.map((event) => {
    const payload: ContractType | undefined = version.events.find((one) => one.name === event)?.payload;
    const data = payload ? types.type(payload, `${event} data`, 'out', '  ') : 'unknown';
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
      return line.length <= WIDTH ? [line] : ['  | {', ...members.map((one) => `      ${one};`), `    }${end}`];
    }),
  ];
}
