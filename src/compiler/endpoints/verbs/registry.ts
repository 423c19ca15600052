import type { Step } from '../../statements/endpoints.ts';
import { ANSWER } from './answer.ts';
import { AUTHENTICATE } from './authenticate.ts';
import { CHANGE } from './change.ts';
import { CREATE, ENSURE } from './create.ts';
import { FIND } from './find.ts';
import { FOR_EACH } from './for-each.ts';
import { IF } from './if.ts';
import { ISSUE, REVOKE } from './issue.ts';
import { LIST } from './list.ts';
import { MATCH } from './match.ts';
import { MOVE } from './move.ts';
import { REMOVE, REMOVE_EVERY } from './remove.ts';
import { REQUIRE } from './require.ts';
import { RUN } from './run.ts';
import type { VerbModule } from './verb.ts';

/** The modules of all verbs. The type makes a missing verb a compile-time error. */
const VERBS: { readonly [V in Step['verb']]: VerbModule<V> } = {
  Find: FIND,
  List: LIST,
  Authenticate: AUTHENTICATE,
  Require: REQUIRE,
  Match: MATCH,
  Create: CREATE,
  Ensure: ENSURE,
  Change: CHANGE,
  Move: MOVE,
  Remove: REMOVE,
  'Remove every': REMOVE_EVERY,
  Run: RUN,
  Issue: ISSUE,
  Revoke: REVOKE,
  Answer: ANSWER,
  If: IF,
  'For each': FOR_EACH,
};

/** The module of a verb. */
export const verbOf = (verb: Step['verb']): VerbModule<Step['verb']> =>
  VERBS[verb] as unknown as VerbModule<Step['verb']>;
