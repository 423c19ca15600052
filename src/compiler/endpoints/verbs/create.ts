import { checkMade } from '../check/new-row.ts';
import { readMaking } from './phrases.ts';
import { makesRow, type VerbModule } from './verb.ts';

/** Create `x`: R from e with f e. The name may be left out. */
export const CREATE: VerbModule<'Create'> = {
  form: 'Create `row`: Resource from `request` with field `value`.',
  read: readMaking,
  does: makesRow,
  check(c, step) {
    const made = checkMade(c, step);
    return made && { do: 'create', ...made };
  },
};
