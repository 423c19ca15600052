import { AUTHENTICATION, SCHEME } from '../../src/language/authentication.ts';
import { ENDPOINT, ENDPOINTS } from '../../src/language/endpoints.ts';
import { STREAM, WEBHOOK } from '../../src/language/events.ts';
import type { AnyGrammar } from '../../src/language/grammar.ts';
import { HANDLER } from '../../src/language/handlers.ts';
import { LIMIT_BULLETS } from '../../src/language/limits.ts';
import { RESOURCE, RESOURCES } from '../../src/language/resources.ts';
import { SCHEDULE } from '../../src/language/schedules.ts';
import { MACHINE, STATES } from '../../src/language/states.ts';
import { VERSIONING } from '../../src/language/versioning.ts';

const PLACES: Readonly<Record<string, Readonly<Record<string, { readonly value: AnyGrammar }>>>> = {
  authentication: AUTHENTICATION,
  scheme: SCHEME,
  endpoints: ENDPOINTS,
  endpoint: ENDPOINT,
  handler: HANDLER,
  schedule: SCHEDULE,
  webhook: WEBHOOK,
  stream: STREAM,
  limits: LIMIT_BULLETS,
  resources: RESOURCES,
  resource: RESOURCE,
  states: STATES,
  machine: MACHINE,
  versioning: VERSIONING,
};

/** The bullets that the language describes by a grammar, each under the name of its place. */
export const STATEMENTS: ReadonlyArray<{ readonly name: string; readonly value: AnyGrammar }> = Object.entries(
  PLACES,
).flatMap(([place, bullets]) =>
  Object.entries(bullets).map(([key, { value }]) => ({ name: `${place} ${key}`, value })),
);
