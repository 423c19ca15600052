import { orEmpty } from './common-values.ts';
import { PARAMETER } from './endpoints.ts';
import { ATTEMPTS } from './events.ts';
import { constant, either, names, oneOf, quoted, shortDuration } from './grammar.ts';
import { type BulletStatements, formsOf, type Stated } from './statement.ts';
import { PRESENCE } from './values.ts';

/** `### Handler quote` */
export const HANDLER = {
  Kind: {
    member: 'kind',
    value: oneOf('pure', 'outside'),
    fact: {
      what: 'is it “pure” (a function that runs inside the transaction), or “outside” (it calls other services, after the transaction)?',
      write: 'pure',
    },
  },
  /** The TypeScript or JavaScript module, by its path from the document; it exports a function of the handler’s name. */
  File: {
    member: 'file',
    value: quoted('a path in inline code', 'handlers/price.ts'),
    fact: { what: 'in which file is it?', write: '`{handler}.ts`' },
  },
  /** How it may refuse: an empty list means that it doesn’t. */
  'Fails with': {
    member: 'fails',
    value: orEmpty(either(constant('none', null), names('a code, or none', 'no_price, too_late'))),
    fact: { what: 'with which codes can it fail? Write codes, or “none”.', write: 'none' },
  },
  /** How long one run may take, in milliseconds. */
  Within: {
    member: 'within',
    value: shortDuration('100 milliseconds'),
    fact: { what: 'how long may one run take?', write: '2 seconds' },
  },
  /** The delays before the second and later attempts of an outside one, in milliseconds. */
  Attempts: {
    member: 'attempts',
    value: ATTEMPTS,
    fact: {
      what: 'how often does the service try to run it, and after which delays?',
      write: '3, after 5 seconds, 1 minute',
    },
  },
} as const satisfies BulletStatements;

export type HandlerBullets = Stated<typeof HANDLER>;

const { Type, 'Allowed values': allowed } = formsOf(PARAMETER);

/** The cells of a value that a handler takes or gives. */
export const ARGUMENT_FORMS = { Type, 'Allowed values': allowed, Presence: PRESENCE.samples };
