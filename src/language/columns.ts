import { SCOPE } from './authentication.ts';
import { PARAMETER } from './endpoints.ts';
import { ERROR, PAYLOAD_MEMBER } from './errors.ts';
import { CONTENT, WHEN } from './events.ts';
import { ARGUMENT_FORMS } from './handlers.ts';
import { LIMIT } from './limits.ts';
import { FIELD } from './resources.ts';
import { formsOf } from './statement.ts';
import { TRANSITION } from './states.ts';
import { VERSION } from './versioning.ts';

/**
 * The columns of the language's tables, with samples of their cells. At least one sample has every part that such a
 * cell can have. The first column names the subject of a row.
 */

/** Examples of a bullet's value or a cell, as a document writes it. There are none where any text is understood. */
export type Forms = readonly string[];

/** A table by its first column. */
export const TABLES = {
  field: { Field: ['quantity', 'address.street'], ...formsOf(FIELD) },
  transition: formsOf(TRANSITION),
  parameter: formsOf(PARAMETER),
  takes: { Takes: ['quantity'], ...ARGUMENT_FORMS },
  gives: { Gives: ['price'], ...ARGUMENT_FORMS },
  scope: { Scope: SCOPE.samples, 'Lets the caller': [] },
  claim: { Claim: ['tenant'], ...ARGUMENT_FORMS },
  event: {
    Event: ['order.placed'],
    When: WHEN.samples,
    Payload: CONTENT.samples,
    'Notified by': ['webhook, stream'],
  },
  error: formsOf(ERROR),
  payload: formsOf(PAYLOAD_MEMBER),
  limit: { Limit: LIMIT.samples, Value: [], 'Applies to': [] },
  version: formsOf(VERSION),
} as const satisfies Readonly<Record<string, Readonly<Record<string, Forms>>>>;

/** The form of a cell, for a reader who does not know it: ` · ` separates examples of its values. */
export const cellLesson = (forms: Forms): string => `Such a cell is written: ${forms.join(' · ')}`;
