import { type Name, refuseRepeats, takeName } from '../syntax/names.ts';
import type { Phrase } from '../syntax/phrase.ts';
import type { Token } from '../syntax/tokens.ts';
import { keysOf } from '../text/own-members.ts';
import { oneSpaced } from '../text/white-space.ts';
import { ANSWER } from './answer.ts';
import { ASSIGNMENTS, type Assignment, assignments, assignmentsUpTo, printAssignments, VALUE } from './assignments.ts';
import {
  type AnyGrammar,
  code,
  constant,
  either,
  elseCode,
  flag,
  type Grammar,
  implied,
  isNamed,
  led,
  list,
  made,
  maybe,
  name,
  names,
  where as onlyWhere,
  optional,
  placed,
  sequence,
  shown,
  type ValueOf,
} from './grammar.ts';
import { joined } from './written.ts';

const RESOURCE = name('a resource', 'Resource');
const ROW = code('use', 'the name of a row in inline code', 'row');
const DECLARED = 'a name in inline code';
const ELSE = elseCode('error_code');

const condition = (sample: string) => code('expression', 'a condition in inline code', sample);

const sent = (sample: string) => code('expression', 'what was sent, in inline code', sample);

/** ``where `p` `` */
const where = (sample: string) => ({ where: optional('where', condition(sample)) });

/** `` `x`: R `` */
const named = (sample: string) => sequence({ as: code('declaration', DECLARED, sample) }, ':', { resource: RESOURCE });

const FIELD = code('expression', 'a field in inline code', 'field');

const NULLS = either(constant('nulls first', 'first'), constant('nulls last', 'last'));
/** The place of rows whose sort key is null: absent where the key is never null. */
const PLACE = { nulls: shown(maybe(NULLS), '') };
const FIRST = { nulls: either(NULLS, constant('first', null)) };

/** `` latest `k` first`` · ``earliest `k` nulls last`` */
const sortKey = (lead: string) =>
  either(
    sequence({ direction: constant(`${lead}latest`, 'latest') }, { by: FIELD }, FIRST),
    sequence({ direction: constant(`${lead}earliest`, 'earliest') }, { by: FIELD }, FIRST),
  );
const SORT_KEY = sortKey('');

/** Further keys, each after the word `then`; empty where there are none. */
const thenOf = <T>(word: string, key: Grammar<T>): Grammar<readonly T[]> =>
  made(
    shown(optional(word, list(key, word)), ''),
    (some) => some ?? [],
    (some) => (some.length > 0 ? some : null),
    Array.isArray,
  );

/**
 * ``, latest `k` first, then earliest `l` nulls last`` · ``, sorted by `k` `direction` ``: an order in fixed words, or
 * one that expressions choose.
 */
const SORTED_BY = sequence(
  { direction: constant(', sorted by', 'sorted') },
  { by: code('expression', 'what rows are sorted by in inline code', 'sort') },
  { way: code('expression', 'a direction in inline code', 'direction') },
  PLACE,
);
const FURTHER_KEYS = { then: thenOf(', then', SORT_KEY) };
const ORDER = sequence(either(SORTED_BY, sortKey(', ')), FURTHER_KEYS);

/** ``, best match first, then latest `k` first``: an order of a list, which may search for words. */
const LIST_ORDER = sequence(
  either(sequence({ direction: constant(', best match first', 'best') }), SORTED_BY, sortKey(', ')),
  FURTHER_KEYS,
);
export type OrderBy = ValueOf<typeof LIST_ORDER>;

/** ``, matching every word of `query.q`, the last as a prefix, without words all rows`` */
const MATCHING = led(
  ', matching',
  sequence(
    { words: either(constant('every word of', 'every'), constant('any word of', 'any')) },
    { query: code('expression', 'the text of a parameter in inline code', 'query.q') },
    { lastIsPrefix: either(constant(', the last as a prefix', true), constant(', whole words', false)) },
    { emptyMatches: either(constant(', without words all rows', true), constant(', without words no rows', false)) },
  ),
);
export type Matching = ValueOf<typeof MATCHING>;
export type FixedKey = ValueOf<typeof SORT_KEY>;

const SORTED = code('expression', 'what rows are sorted by in inline code', 'created_at');
/** A sort key whose direction the request chooses, unless it is stated. */
const TURNED_KEY = either(SORT_KEY, sequence({ direction: implied(null) }, { by: SORTED }, PLACE));
export type TurnedKey = ValueOf<typeof TURNED_KEY>;

/** ``by `priority` nulls last then earliest `created` first``: the keys behind a name that a request can sort by. */
export const SORT_KEYS = sequence('by', TURNED_KEY, { then: thenOf('then', TURNED_KEY) });
const LATEST = ', latest `field` first';

const MEMBER = code('use', 'a member of the groups in inline code', 'count');

/**
 * ``name `e`, name `e` ``: members of a group, up to the order of the groups or the word `all`. A member may be named
 * `latest`; the order has a word behind it, and of a member only `with` may follow.
 */
const MEMBERS = assignments(
  (phrase) => takeName(phrase, 'declaration', 'the name of a member'),
  'member',
  (phrase) => {
    const [name, value, next] = [phrase.peek(1), phrase.peek(2), phrase.peek(3)];
    if (value?.kind !== 'code') return name?.text === 'all';
    return ['latest', 'earliest'].includes(name?.text ?? '') && next?.kind === 'word' && next.text !== 'with';
  },
);

/** ``, latest `m` first`` · ``, earliest `m` first``: the member by which groups are ordered. */
const GROUP_ORDER = either(
  sequence({ direction: constant(', latest', 'latest') }, { by: MEMBER }, 'first'),
  sequence({ direction: constant(', earliest', 'earliest') }, { by: MEMBER }, 'first'),
);

/** ``with f `e`, g `e` ``; empty where the text has none. */
const withOf = (given: typeof ASSIGNMENTS): Grammar<readonly Assignment[]> =>
  made(
    optional('with', given),
    (some) => some ?? [],
    (some) => (some.length > 0 ? some : null),
    Array.isArray,
  );
const WITH = withOf(ASSIGNMENTS);

/** `, ignoring case`: texts that differ only in case are the same in a look-up, where the unique rule says so. */
const IGNORING_CASE = { ignoringCase: placed(shown(flag(', ignoring case'), '')) };

/** ``from `request` `` */
const FROM = optional('from', code('expression', '`request` in inline code', 'request'));

const NAMED_ROW = named('row');

/** `` `x`: R`` · `R`: the new row may be left without a name. */
const MADE: Grammar<{ readonly as: Token | null; readonly resource: Name }> = {
  read: (phrase) => {
    if (phrase.peek()?.kind === 'code') return NAMED_ROW.read(phrase);
    const resource = RESOURCE.read(phrase);
    return resource && { as: null, resource };
  },
  print: ({ as, resource }) => (as ? NAMED_ROW.print({ as, resource }) : RESOURCE.print(resource)),
  writes: (given) => typeof given === 'object' && given !== null && 'resource' in given,
  samples: ['Resource', ...NAMED_ROW.samples],
};

/** `` `x`: R`` · `` `x`, created `made`: R`` · `R`: the second name says whether the row is new. */
const ENSURED = either(
  onlyWhere(
    (phrase) => phrase.peek()?.kind === 'code' && phrase.peek(1)?.text === ',',
    sequence(
      { as: code('declaration', DECLARED, 'row') },
      { created: led(', created', code('declaration', DECLARED, 'made')) },
      ':',
      { resource: RESOURCE },
    ),
  ),
  sequence(MADE, { created: implied(null) }),
);

/** The heading of a scheme, which may be several words, up to one of `stops`. */
const heading = (...stops: readonly string[]): Grammar<Name> => ({
  read: (phrase) => {
    const token = phrase.words('use', stops, 'the heading of a scheme');
    return token ? { text: oneSpaced(token.text), from: token.from, to: token.to } : undefined;
  },
  print: ({ text }) => text,
  writes: isNamed,
  samples: ['Heading of the scheme'],
});

const HOLDER = code('expression', 'a row in inline code', 'row');

/** `with scopes a, b` · ``with scopes `e` `` · `without scopes`; null if the step states no scopes. */
const SCOPES = maybe(
  either(
    made(
      constant('without scopes', null),
      (): readonly Name[] => [],
      () => null,
      (given) => Array.isArray(given) && given.length === 0,
    ),
    led(
      'with scopes',
      either(code('expression', 'a list of scopes in inline code', 'scopes'), names('a scope', 'read')),
    ),
  ),
);

const RESULT = code('declaration', DECLARED, 'result');

/** ``with n `e`, giving `x` ``: the values that a handler takes, and the name of its result. */
const HANDLED: Grammar<{ readonly with: readonly Assignment[]; readonly as: Token | null }> = {
  read: (phrase) => {
    const given: Assignment[] = [];
    let gives = false;
    if (phrase.take('with'))
      do {
        gives = given.length > 0 && phrase.take('giving');
        if (gives) break;
        const field = takeName(phrase, 'use', 'what the handler takes');
        const value = field && VALUE.read(phrase);
        if (!field || !value) return undefined;
        given.push({ field, value });
      } while (phrase.mark(','));
    const fields = given.map(({ field }) => field);
    if (!gives) refuseRepeats(fields, phrase.findings);
    if (!gives && !phrase.take(', giving')) return { with: given, as: null };
    const as = RESULT.read(phrase);
    return as && { with: given, as };
  },
  print: (value) =>
    joined([
      value.with.length > 0 ? `with ${printAssignments(value.with)}` : '',
      value.as ? `, giving ${RESULT.print(value.as)}` : '',
    ]),
  writes: (given) => typeof given === 'object' && given !== null && 'with' in given,
  samples: ['with name `value`, giving `result`'],
};

/** ``day `e`, open `e` ``: the members of an event. */
const EMITTED = assignments((phrase) => takeName(phrase, 'use', 'a member of the event'), 'member');

/**
 * A grammar before which `words` are misplaced. Its reader looks for these words first, so that the message about a
 * misspelling can suggest them.
 */
const unlike = <T>(words: string, grammar: Grammar<T>): Grammar<T> => ({
  ...grammar,
  read: (phrase: Phrase) => {
    phrase.take(words);
    return grammar.read(phrase);
  },
});

/**
 * The statement after each verb, up to the full stop, or up to the colon of a verb that holds steps. The last sample of
 * each verb is the form that the finding about a misunderstood step shows.
 */
export const STEPS = {
  Find: sequence(
    named('row'),
    where('id == path.id'),
    IGNORING_CASE,
    { order: shown(maybe(ORDER), '') },
    either(
      sequence({ none: constant(', or none', true, 'or none') }, { code: implied(null) }),
      sequence({ none: implied(false) }, { code: ELSE }),
    ),
  ),
  List: sequence(
    named('rows'),
    where('condition'),
    { asParameters: shown(flag(', as the parameters say'), '') },
    { matching: shown(maybe(MATCHING), '') },
    { order: shown(maybe(LIST_ORDER), LATEST) },
    {
      bound: shown(
        maybe(either(constant(', in pages', 'pages'), constant(', all', 'all'), constant(', streamed', 'streamed'))),
        ', in pages',
      ),
    },
  ),
  Group: sequence(
    { as: code('declaration', DECLARED, 'groups') },
    ':',
    { every: placed(shown(flag('every'), '')) },
    { resource: RESOURCE },
    where('condition'),
    { by: led('by', shown(MEMBERS, 'status `status`')) },
    { with: shown(withOf(shown(MEMBERS, 'count `rows.size()`')), 'with count `rows.size()`') },
    { order: shown(maybe(GROUP_ORDER), ', latest `count` first') },
    { bound: shown(maybe(constant(', all', 'all')), ', all') },
  ),
  Authenticate: sequence(
    named('row'),
    where('email == request.email'),
    IGNORING_CASE,
    either(
      sequence({ secret: led(', secret', sent('request.secret')) }, { password: implied(null) }),
      sequence({ password: optional(', password', sent('request.password')) }, { secret: implied(null) }),
    ),
    { code: ELSE },
  ),
  Require: sequence({ test: condition('condition') }, { code: ELSE }),
  Validate: sequence({ what: constant('the body', 'body') }),
  Match: sequence(
    { header: constant('If-Match to', 'If-Match') },
    { to: code('expression', 'an expression in inline code', 'etag(row)') },
  ),
  Create: sequence(MADE, { from: FROM }, { with: WITH }),
  Ensure: sequence(
    ENSURED,
    { from: shown(FROM, '') },
    { with: withOf(assignmentsUpTo('ignoring')) },
    { condition: shown(optional('while', condition('status == "draft"')), '') },
    IGNORING_CASE,
  ),
  Change: sequence({ row: ROW }, { from: FROM }, { with: WITH }),
  Move: sequence(
    { row: ROW },
    either(
      sequence({ to: led('to', code('expression', 'a state in inline code', 'state')) }, { by: implied(null) }),
      sequence({ by: led('by', name('a transition', 'transition')) }, { to: implied(null) }),
    ),
    { with: shown(WITH, '') },
  ),
  Remove: sequence({ row: unlike('every', ROW) }),
  'Remove every': sequence({ resource: RESOURCE }, where('condition')),
  Run: sequence({ handler: name('a handler', 'handler') }, HANDLED),
  Emit: sequence({ event: name('an event', 'report.ready') }, { with: withOf(EMITTED) }),
  Issue: sequence(
    { as: code('declaration', DECLARED, 'token') },
    ':',
    { scheme: heading('for') },
    'for',
    { to: HOLDER },
    { scopes: shown(SCOPES, '') },
  ),
  Revoke: either(
    sequence('every', { scheme: heading('for') }, 'for', { of: HOLDER }),
    shown(sequence('the', { scheme: heading('sent') }, { of: constant('sent', null) })),
  ),
  Answer: ANSWER,
  If: sequence({ test: condition('condition') }),
  'For each': sequence(
    { as: code('declaration', DECLARED, 'row') },
    {
      over: either(
        sequence({ kind: constant('in', 'list') }, { list: code('expression', 'a list in inline code', 'rows') }),
        sequence({ kind: constant(':', 'rows') }, { resource: RESOURCE }, where('condition'), {
          order: shown(maybe(ORDER), LATEST),
        }),
      ),
    },
  ),
} as const satisfies Readonly<Record<string, AnyGrammar>>;

export type Verb = keyof typeof STEPS;

/** The verbs, as they are written. */
export const VERBS = keysOf(STEPS);

/** The subject of a `For each`: a list, or the rows of a resource in an order. */
export type Over = ValueOf<(typeof STEPS)['For each']>['over'];

/** Whether steps of a verb hold others, and so end with a colon. */
export const holdsSteps = (verb: Verb): verb is 'If' | 'For each' => verb === 'If' || verb === 'For each';

/** The text of a step from its verb and the statement after the verb. */
export const stepText = (verb: Verb, said: string): string => `${verb} ${said}${holdsSteps(verb) ? ':' : '.'}`;

/** How a step of a verb is written. */
export const formOf = (verb: Verb): string => stepText(verb, STEPS[verb].samples.at(-1) ?? '');
