import type { Authentication } from '../parts/authentication/model.ts';
import type { Endpoints } from '../parts/endpoints/model.ts';
import type { Errors } from '../parts/errors/model.ts';
import type { Events } from '../parts/events/model.ts';
import type { Limits } from '../parts/limits/model.ts';
import type { Purpose } from '../parts/purpose/model.ts';
import type { Resources } from '../parts/resources/model.ts';
import type { States } from '../parts/states/model.ts';
import type { Versioning } from '../parts/versioning/model.ts';
import type { Name } from '../source/read.ts';
import type { Saying } from './sentences.ts';

/** What a document says, part by part: the first waist. Everything in it knows where it stands; nothing in it runs. */
export interface Model {
  readonly title: Name | null;
  readonly purpose: Purpose;
  readonly resources: Resources;
  readonly states: States;
  readonly endpoints: Endpoints;
  readonly authentication: Authentication;
  readonly events: Events;
  readonly errors: Errors;
  readonly limits: Limits;
  readonly versioning: Versioning;
  /** The sentences that say of items that they are `none` or `not shown`. */
  readonly sayings: readonly Saying[];
}
