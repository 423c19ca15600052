import { checkMade } from '../check/new-row.ts';
import { makesRow, type VerbModule } from './verb.ts';

/** Create `x`: R from e with f e. The name may be left out. */
export const CREATE: VerbModule<'Create'> = {
  does: makesRow,
  check(c, step) {
    const made = checkMade(c, step);
    return made && { do: 'create', ...made };
  },
};
