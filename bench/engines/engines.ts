import { DIRECTUS, DIRECTUS_11 } from './directus/engine.ts';
import type { Engine } from './engine.ts';
import { FEATHERS } from './feathers/engine.ts';
import { JSON_SERVER } from './json-server/engine.ts';
import { LOOPBACK } from './loopback/engine.ts';
import { STRAPI } from './strapi/engine.mts';

/** Every engine, in the order in which they are listed. */
export const ENGINES: readonly Engine[] = [JSON_SERVER, FEATHERS, LOOPBACK, DIRECTUS, DIRECTUS_11, STRAPI];
