import { noBrowser } from '../chromium.ts';
import { IN_WHOLE } from '../share.ts';

const missing = noBrowser();

/** The options of a test that needs a browser: where none runs, the run says that it was not run, and why. */
export const IN_BROWSER = missing === null ? {} : { skip: missing };

/** The same of a test that only a whole run does. */
export const IN_BROWSER_WHOLE = missing === null ? IN_WHOLE : IN_BROWSER;
