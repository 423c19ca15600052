import type { BulletPlace } from '../../language/bullets.ts';
import { emptySection, type Section, type Text } from '../../syntax/markdown.ts';
import type { Mark, Notes } from '../../syntax/phrase.ts';
import { readAuthentication } from '../authentication/read.ts';
import { readScheme } from '../authentication/read-scheme.ts';
import { readHandler } from '../endpoints/handlers/read.ts';
import { readEndpoints, readSettings } from '../endpoints/read.ts';
import { readErrors } from '../errors/read.ts';
import { readEvents, readStream, readWebhook } from '../events/read.ts';
import { readLimits } from '../limits/read.ts';
import { readPurpose } from '../purpose/read.ts';
import { readResources, readRules } from '../resources/read.ts';
import { readMachine, readStates } from '../states/read.ts';
import { readVersioning } from '../versioning/read.ts';

type Reader = (section: Section, notes: Notes) => unknown;

const READERS: Readonly<Record<BulletPlace, Reader>> = {
  purpose: readPurpose,
  resources: readResources,
  resource: readRules,
  states: readStates,
  machine: readMachine,
  endpoints: readEndpoints,
  endpoint: readSettings,
  handler: (section, notes) => readHandler(section, { text: 'one', from: 0, to: 0 }, notes),
  authentication: readAuthentication,
  scheme: readScheme,
  events: readEvents,
  webhook: readWebhook,
  stream: readStream,
  errors: readErrors,
  limits: readLimits,
  versioning: readVersioning,
};

/** A heading that is valid for every place; only the reader of states reads it. */
const HEADING = 'Order.status';

/**
 * The names in a bullet's value that are not words of the language, if the bullet is read as one of `place`; null if it
 * is not understood there.
 */
export function namesUsed(place: BulletPlace, key: string, value: string): readonly string[] | null {
  const bullet = `${key}: ${value}`;
  const source = `${bullet}\n${HEADING}`;
  const text = (from: number, to: number): Text => ({ source, from, to, inTable: false });
  const span = { from: 0, to: bullet.length };
  const notes: Notes & { readonly marks: Mark[] } = { findings: [], marks: [] };
  READERS[place](
    {
      ...emptySection(3, text(bullet.length + 1, source.length), span),
      bullets: [{ key: text(0, key.length), value: text(key.length + 2, bullet.length), span }],
    },
    notes,
  );
  if (notes.findings.some(({ severity, standing }) => severity === 'error' && standing !== 'idle')) return null;
  const inValue = notes.marks.filter(({ from, to }) => from > key.length && to <= span.to);
  const textOf = ({ from, to }: Mark): string => source.slice(from, to);
  // A value with two words of the language is certainly a statement, even if its names are not declared.
  if (inValue.filter((mark) => mark.role === 'word' && /\w/.test(textOf(mark))).length > 1) return [];
  return inValue.flatMap((mark) => (mark.role === 'use' && source[mark.from - 1] !== '`' ? textOf(mark) : []));
}
