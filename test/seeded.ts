import fc from 'fast-check';
import { SEED } from './share.ts';

/** fast-check with the seed of the run: what it makes up is the same each time, but in a whole run. */
fc.configureGlobal({ seed: SEED });

export { fc };
