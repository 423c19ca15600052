import { ANSWERS, FURTHER, ROWS, TEXTS } from './answers.ts';
import { AUDITS } from './audits.ts';
import { CALLERS, CLAIMS, PASSWORDS, SECRETS } from './callers.ts';
import { BRANCHED, COOKIES } from './cookies.ts';
import { EMITTED } from './emitted.ts';
import { DESCRIPTIONS, KEYS, PATHS, PRECONDITIONS, PROBLEMS, QUERIES, REDIRECTS, VALIDATING } from './endpoints.ts';
import type { Fault } from './fault.ts';
import { FILES } from './files.ts';
import { FORMS } from './forms.ts';
import { LETTERS } from './letters.ts';
import { COUNTED, GROUPS, LINKS, ORDERS, PAGES } from './lists.ts';
import { RATES } from './rates.ts';
import { BOUNDS, OF_REFERENCES } from './resources.ts';
import { SEARCHES } from './searches.ts';
import { TWO_FIELDS } from './two-fields.ts';
import { USERS } from './users.ts';
import { VERSIONED } from './versions.ts';
import { WEBHOOKS } from './webhooks.ts';

/** Services of which each keeps less than one statement of a document says. */
export const FAULTS: readonly Fault[] = [
  ...OF_REFERENCES,
  ...AUDITS,
  ...BOUNDS,
  ...PASSWORDS,
  ...SECRETS,
  ...CALLERS,
  ...CLAIMS,
  ...COOKIES,
  ...BRANCHED,
  ...USERS,
  ...LETTERS,
  ...KEYS,
  ...DESCRIPTIONS,
  ...PRECONDITIONS,
  ...REDIRECTS,
  ...VALIDATING,
  ...PATHS,
  ...QUERIES,
  ...PROBLEMS,
  ...TEXTS,
  ...FURTHER,
  ...ANSWERS,
  ...ROWS,
  ...FILES,
  ...FORMS,
  ...PAGES,
  ...ORDERS,
  ...LINKS,
  ...GROUPS,
  ...COUNTED,
  ...RATES,
  ...SEARCHES,
  ...WEBHOOKS,
  ...EMITTED,
  ...VERSIONED,
  ...TWO_FIELDS,
];
