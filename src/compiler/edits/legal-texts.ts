import { AUTHENTICATION, SCHEME } from '../../language/authentication.ts';
import type { BulletPlace } from '../../language/bullets.ts';
import type { TABLES } from '../../language/columns.ts';
import { ENDPOINT, ENDPOINTS, PARAMETER } from '../../language/endpoints.ts';
import { ERROR, ERRORS, PAYLOAD_MEMBER } from '../../language/errors.ts';
import { EVENTS, STREAM, WEBHOOK } from '../../language/events.ts';
import type { AnyGrammar } from '../../language/grammar.ts';
import { HANDLER } from '../../language/handlers.ts';
import { LIMIT_BULLETS } from '../../language/limits.ts';
import { PURPOSE_BULLETS } from '../../language/purpose.ts';
import { FIELD, RESOURCE, RESOURCES } from '../../language/resources.ts';
import { SCHEDULE } from '../../language/schedules.ts';
import type { Statements } from '../../language/statement.ts';
import { MACHINE, STATES, TRANSITION } from '../../language/states.ts';
import { VERSION, VERSIONING } from '../../language/versioning.ts';
import { type Notes, Phrase, type Role } from '../../syntax/phrase.ts';
import { ownMember } from '../../text/own-members.ts';

/** The statements that are bullets, by the place that they belong to. */
const BULLETS: Readonly<Record<BulletPlace, Statements>> = {
  purpose: PURPOSE_BULLETS,
  resources: RESOURCES,
  resource: RESOURCE,
  states: STATES,
  machine: MACHINE,
  endpoints: ENDPOINTS,
  endpoint: ENDPOINT,
  handler: HANDLER,
  schedule: SCHEDULE,
  authentication: AUTHENTICATION,
  scheme: SCHEME,
  events: EVENTS,
  webhook: WEBHOOK,
  stream: STREAM,
  errors: ERRORS,
  limits: LIMIT_BULLETS,
  versioning: VERSIONING,
};

/** The statements that are cells, by the tables whose columns have a grammar. */
const COLUMNS: { readonly [T in keyof typeof TABLES]?: Statements } = {
  field: FIELD,
  transition: TRANSITION,
  parameter: PARAMETER,
  error: ERROR,
  payload: PAYLOAD_MEMBER,
  version: VERSION,
};

/** The values of a bullet that every document may state: those of words of the language alone. */
export const fixedValues = (place: BulletPlace, key: string): string[] =>
  fixedTexts(ownMember(BULLETS[place], key)?.value);

/** The cells of a column that every document may state: those of words of the language alone. */
export const fixedCells = (table: keyof typeof TABLES, column: string): string[] =>
  fixedTexts(ownMember(COLUMNS[table] ?? {}, column)?.value);

/** Samples of the value of a bullet: at least one has every part that such a value can have. */
export const samplesOfBullet = (place: BulletPlace, key: string): readonly string[] =>
  ownMember(BULLETS[place], key)?.value.samples ?? [];

/** Samples of the cells of a column. */
export const samplesOfColumn = (table: keyof typeof TABLES, column: string): readonly string[] =>
  ownMember(COLUMNS[table] ?? {}, column)?.value.samples ?? [];

/** Whether a bullet takes any text. */
export const isFreeText = (place: BulletPlace, key: string): boolean =>
  ownMember(BULLETS[place], key)?.value.samples.some((text) =>
    rolesOf(ownMember(BULLETS[place], key)!.value, text)?.includes('free'),
  ) ?? false;

/** The samples of a grammar that name nothing of a document: neither names nor numbers nor texts nor expressions. */
function fixedTexts(grammar: AnyGrammar | undefined): string[] {
  return (grammar?.samples ?? []).filter(
    (text) => text !== '' && rolesOf(grammar!, text)?.every((role) => role === 'word'),
  );
}

/** The roles of the words of a text; null where the grammar does not read it. */
function rolesOf(grammar: AnyGrammar, text: string): Role[] | null {
  const notes: Notes = { findings: [], marks: [] };
  const phrase = new Phrase({ source: text, from: 0, to: text.length, inTable: false }, notes);
  grammar.read(phrase);
  return phrase.end() ? notes.marks.map(({ role }) => role) : null;
}
