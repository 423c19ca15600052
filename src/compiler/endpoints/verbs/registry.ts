import type { Step } from '../../statements/endpoints.ts';
import { ANSWER } from './answer.ts';
import { MATCH, REQUIRE, VALIDATE } from './conditions.ts';
import { ISSUE, REVOKE } from './credentials.ts';
import { EMIT } from './emit.ts';
import { AUTHENTICATE, FIND } from './find.ts';
import { GROUP } from './group.ts';
import { LIST } from './list.ts';
import { MOVE } from './move.ts';
import { FOR_EACH, IF } from './nested.ts';
import { RUN } from './run.ts';
import type { VerbModule } from './verb.ts';
import { CHANGE, CREATE, ENSURE, REMOVE, REMOVE_EVERY } from './writes.ts';

/** The modules of all verbs. The type makes a missing verb a compile-time error. */
const VERBS: { readonly [V in Step['verb']]: VerbModule<V> } = {
  Find: FIND,
  List: LIST,
  Group: GROUP,
  Authenticate: AUTHENTICATE,
  Require: REQUIRE,
  Match: MATCH,
  Validate: VALIDATE,
  Create: CREATE,
  Ensure: ENSURE,
  Change: CHANGE,
  Move: MOVE,
  Remove: REMOVE,
  'Remove every': REMOVE_EVERY,
  Run: RUN,
  Emit: EMIT,
  Issue: ISSUE,
  Revoke: REVOKE,
  Answer: ANSWER,
  If: IF,
  'For each': FOR_EACH,
};

/** The module of a verb. */
export const verbOf = (verb: Step['verb']): VerbModule<Step['verb']> =>
  VERBS[verb] as unknown as VerbModule<Step['verb']>;
