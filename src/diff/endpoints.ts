import type {
  AccessContract,
  BodyContract,
  DeprecationContract,
  EndpointContract,
  EndpointLimits,
  IdempotencyContract,
  PageContract,
  PreconditionsContract,
  UploadContract,
} from '../contract/endpoint.ts';
import { formType } from '../contract/forms.ts';
import type { MemberContract, ObjectContract } from '../contract/types.ts';
import { isEnough, neededText } from '../plan/callers.ts';
import { type EndpointFact, statementId } from '../plan/lines.ts';
import { JSON_TYPE, MERGE_PATCH_TYPE } from '../plan/media-types.ts';
import { pathNames } from '../plan/paths.ts';
import { showDuration, showSize } from '../text/units.ts';
import { answers } from './answers.ts';
import type { Side } from './causes.ts';
import { type Compare, flag, follows, listed, members, on, optional, same, value, words } from './compare.ts';
import { BREAKS, difference, type Here, KEEPS, stated, statedAt } from './difference.ts';
import { parameters } from './parameters.ts';
import { steps } from './steps.ts';
import { holder, type Values } from './values.ts';

/** Compares a limit that refuses requests beyond it; null means no limit. */
function bound<T extends object>(
  what: string,
  of: (one: T) => number,
  show: (one: number) => string,
): Compare<T | null> {
  const text = (one: T | null): string => (one ? show(of(one)) : 'none');
  return (old, next, here) => {
    const verdict = next && (old === null || of(next) < of(old)) ? BREAKS.refused : KEEPS.accepted;
    return value<string>(what, verdict)(text(old), text(next), stated(here, old, next));
  };
}

type Timeout = NonNullable<EndpointLimits['timeout']>;
type RequestSize = NonNullable<EndpointLimits['requestSize']>;

type Rate = EndpointLimits['rates'][number];

const rates = listed<Rate>({
  what: 'the rate for each',
  name: (one) => one.rate,
  compare: (old, next, here) =>
    members<Rate>({
      rate: follows('rates are compared by their names'),
      everyone: flag(
        `the rate ${next.rate} counts every request`,
        `the rate ${next.rate} counts requests without a caller`,
        {
          so: BREAKS.refused,
          not: KEEPS.accepted,
        },
      ),
    })(old, next, here),
  added: BREAKS.refused,
  removed: KEEPS.accepted,
});

const named: Compare<readonly Rate[]> = (old, next, here) => rates(old.map(everyone), next.map(everyone), here);
const everyone = (one: Rate): Rate => ({ ...one, everyone: true });

/** Compares the limits of an endpoint. A rate that only one document has is reported for the service. */
function limits(old: Side & Of, next: Side & Of): Compare<EndpointLimits> {
  const size = bound('the limit of the request size', (one: RequestSize) => one.bytes, showSize);
  const both = (list: EndpointLimits['rates']): Rate[] =>
    list.filter(({ rate }) => [old, next].every(({ contract }) => contract.rates.some(({ name }) => name === rate)));
  return members<EndpointLimits>({
    timeout: bound('the time-out', (one: Timeout) => one.milliseconds, showDuration),
    // If the endpoint has begun or stopped reading or refusing bodies, the comparisons of `body` and `unreadBody`
    // report this.
    requestSize: (was, is, here) =>
      Boolean(old.endpoint.body) === Boolean(next.endpoint.body) && old.endpoint.unreadBody === next.endpoint.unreadBody
        ? size(was, is, here)
        : [],
    // The requests that a rate counts follow from the access of the endpoint.
    rates: (was, is, here) =>
      (same(old.endpoint.access, next.endpoint.access) ? rates : named)(both(was), both(is), here),
  });
}

interface Of {
  readonly endpoint: EndpointContract;
}

const accessText = (access: AccessContract): string => (access.needs ? neededText(access.needs) : access.kind);

/**
 * Whether every caller that had access still has it: `anyone` excludes nobody, `any caller` no authenticated caller,
 * and scopes nobody whose scopes were enough.
 */
const opens = (old: AccessContract, next: AccessContract): boolean =>
  next.kind === 'anyone' ||
  (next.kind === 'any caller' && old.kind !== 'anyone') ||
  Boolean(old.needs && next.needs && isEnough(old.needs, next.needs));

const credentials = words('the credentials that are taken:', {
  all: 'the credentials that are taken',
  added: KEEPS.accepted,
  removed: BREAKS.refused,
});

/** Compares the access to an endpoint. A scheme that only one document has is reported for the service. */
const access =
  ({ contract: before }: Side, { contract: after }: Side): Compare<AccessContract> =>
  (old, next, here) => {
    const both = (list: readonly string[]): string[] =>
      list.filter((one) => [before, after].every(({ schemes }) => schemes.some(({ name }) => name === one)));
    const taken: Compare<readonly string[]> = (was, is, at) => credentials(both(was), both(is), at);
    if (accessText(old) !== accessText(next)) {
      const open = opens(old, next);
      // Callers with credentials of a removed scheme still lose access.
      const lost = open ? old.schemes.filter((one) => !next.schemes.includes(one)) : [];
      return [
        ...value('access', open ? KEEPS.accepted : BREAKS.refused, accessText)(old, next, here),
        ...taken(lost, [], here),
      ];
    }
    return members<AccessContract>({
      kind: follows('it is the same'),
      needs: follows('it is the same'),
      schemes: taken,
      withoutCredentials: flag(
        'a request without credentials is answered',
        'a request without credentials is refused',
        {
          so: KEEPS.accepted,
          not: BREAKS.refused,
        },
      ),
    })(old, next, here);
  };

const presenceOf = ({ name, presence }: MemberContract) => ({ name, presence });
const FOLLOWS = follows('its members are compared');
const required = flag('a body is required now', 'the body is optional now', {
  so: BREAKS.refused,
  not: KEEPS.accepted,
});

/** Keeps only the last line of a body, which states its members; the lines before it hold for all bodies. */
const itsOwnLine = (one: BodyContract): BodyContract => ({ ...one, lines: one.lines.slice(-1) });

function unlined({ lines: _, ...one }: BodyContract): Omit<BodyContract, 'lines'> {
  return one;
}

/** Compares the bytes that a body is. Their media types are those of the body. */
const upload: Compare<UploadContract | undefined> = (old, next, here) => {
  // Bytes have other media types than a body with members, which tells.
  if (!old || !next) return [];
  return members<UploadContract>({
    field: follows('the field is the one of the row that shows the bytes'),
    max: value('the greatest number of bytes', (was, is) => (is < was ? BREAKS.refused : KEEPS.accepted), showSize),
    firstBytes: value('the first bytes', (_, is) => (is === 'checked' ? BREAKS.refused : KEEPS.accepted)),
  })(old, next, here);
};

/** Compares request bodies. The media type of a version follows from the version. */
function body(values: Values, { version: was }: Side, { version: is }: Side): Compare<BodyContract> {
  const mediaTypes = words('the body may have the media type', { added: KEEPS.accepted, removed: BREAKS.refused });
  return (old, next, here) => {
    const patched = old.patch !== next.patch;
    const versioned = [was.mediaType, is.mediaType];
    const own = (list: readonly string[]): string[] => {
      const all = list.map((one) => (versioned.includes(one) ? JSON_TYPE : one));
      return [...new Set(all)].filter((one) => !(patched && one === MERGE_PATCH_TYPE));
    };
    // Where only one of both takes JSON, the rest is compared as in a form.
    const [takesJson, nextTakesJson] = [old, next].map((one) => own(one.mediaTypes).includes(JSON_TYPE));
    const shared = (type: ObjectContract): ObjectContract => (takesJson === nextTakesJson ? type : formType(type));
    const at: Here = { ...here, lines: [old.lines, next.lines] };
    return members<Omit<BodyContract, 'lines'>>({
      mediaTypes: (a, b) => mediaTypes(own(a), own(b), at),
      // A body is optional if all its members are. If the presence of members differs, their comparison reports it.
      required: same(old.type.members.map(presenceOf), next.type.members.map(presenceOf)) ? required : FOLLOWS,
      patch: flag('each field of the body is optional now', 'the fields of the body are no longer all optional', {
        so: BREAKS.otherwise,
        not: BREAKS.refused,
      }),
      bytes: upload,
      type: (a, b) => values.objects(shared(a), shared(b), 'request', at, holder('the body', old.patch, next.patch)),
    })(unlined(old), unlined(next), at);
  };
}

const idempotency: Compare<IdempotencyContract> = members<IdempotencyContract>({
  header: value('the header of idempotency keys', BREAKS.refused),
  required: flag('the idempotency key is required now', 'the idempotency key is optional now', {
    so: BREAKS.refused,
    not: KEEPS.accepted,
  }),
  keptMilliseconds: value(
    'the time that answers are kept for a key',
    (was, is) => (is < was ? BREAKS.otherwise : KEEPS.accepted),
    showDuration,
  ),
  replayed: value(
    'the header of repeated answers',
    (was) => (was ? BREAKS.missing : KEEPS.unused),
    (one) => (one ? `${one.name}: ${one.value}` : 'none'),
  ),
  answersBelow: value('the status below which answers are kept for a key', BREAKS.otherwise, String),
});

/**
 * Compares the treatment of a precondition. A request whose precondition was ignored may be refused now, or the
 * reverse.
 */
const precondition = (name: string): Compare<PreconditionsContract['ifMatch']> =>
  value(name, (was, is) => {
    if (is === 'required' || is === 'refused') return BREAKS.refused;
    if (is === 'ignored') return was === 'refused' ? KEEPS.accepted : BREAKS.otherwise;
    return was === 'ignored' ? BREAKS.otherwise : KEEPS.accepted;
  });

const judged: Compare<PreconditionsContract> = members<PreconditionsContract>({
  ifMatch: precondition('If-Match'),
  ifNoneMatch: precondition('If-None-Match'),
  ifUnmodifiedSince: precondition('If-Unmodified-Since'),
  of: value('the GET whose entity tag preconditions are about', BREAKS.otherwise, (one) => one ?? 'none'),
  to: value('the value that If-Match is compared with', BREAKS.otherwise, (one) =>
    one ? `\`${one.text}\`` : 'the entity tag of the answer',
  ),
});

/** Compares conditional requests, including the step that evaluates If-Match. */
const preconditions: Compare<PreconditionsContract | null> = (old, next, here) => {
  if (old && next) {
    // One statement of the document determines all members, and the entity tag if none is ignored.
    const { ifNoneMatch, ifUnmodifiedSince, of, to } = old;
    if (old.ifMatch !== next.ifMatch) return judged(old, { ...next, ifNoneMatch, ifUnmodifiedSince, of, to }, here);
    // A change from the tag of a row to the tag of an answer is one difference.
    return judged(old, !old.to === !next.to ? next : { ...next, of: old.of }, here);
  }
  const [one] = [old, next].filter((each) => each !== null);
  // Without entity tags in answers, no client can send preconditions.
  if (!one || one.ifMatch === 'ignored') return [];
  if (one.ifMatch === 'refused') {
    const text = `a request with If-Match, If-None-Match or If-Unmodified-Since is ${old ? 'no longer refused' : 'refused now'}`;
    return [difference(stated(here, old, next), text, old ? KEEPS.accepted : BREAKS.refused)];
  }
  const required = one.ifMatch === 'required';
  // An ignored entity tag is evaluated now, or the reverse.
  const verdict = !old && required ? BREAKS.refused : BREAKS.otherwise;
  const [now, before] = required
    ? ['If-Match is required now', 'If-Match is no longer required']
    : ['If-Match and If-None-Match are judged now', 'If-Match and If-None-Match are no longer judged'];
  return [difference(stated(here, old, next), old ? before : now, verdict)];
};

type Told = NonNullable<PageContract['payload']>;

const payloadText = (told: PageContract['payload']): string =>
  told ? told.map((one) => `${one.name} \`page.${one.value}\``).join(', ') : 'the items alone';

const pagePayload: Compare<PageContract['payload']> = (old, next, here) => {
  if (!old || !next) return value('the payload of pages', BREAKS.unreadable, payloadText)(old, next, here);
  return listed<Told[number]>({
    what: 'the page’s member',
    name: (one) => one.name,
    compare: (was, is, at) => value(`the page’s member ${is.name}`, BREAKS.unreadable)(was.value, is.value, at),
    added: KEEPS.unused,
    removed: BREAKS.missing,
  })(old, next, here);
};

/** Compares the format of pages; `stated` gives the place of an endpoint's statement. */
const page = (stated: (fact: 'pages' | 'Page size') => (here: Here) => Here): Compare<PageContract> => {
  const [form, size] = [stated('pages'), stated('Page size')];
  return members<PageContract>({
    by: on(form, value('the kind of pages', BREAKS.otherwise)),
    size: members<PageContract['size']>({
      parameter: on(form, value('the parameter of a page’s size', BREAKS.refused)),
      standard: on(size, value('the default page size', BREAKS.otherwise, String)),
      most: on(
        size,
        value('the maximum page size', (was, is) => (is < was ? BREAKS.refused : KEEPS.accepted), String),
      ),
      beyond: on(
        size,
        value('a page size above the maximum', (_was, is) => (is === 'refused' ? BREAKS.refused : BREAKS.otherwise)),
      ),
    }),
    place: on(form, value('the parameter of a page’s place', BREAKS.refused)),
    links: on(
      form,
      words('the links to pages:', { all: 'the links to pages', added: KEEPS.unused, removed: BREAKS.missing }),
    ),
    payload: on(form, pagePayload),
  });
};

type Until = DeprecationContract['until'];

const untilText = (until: Until): string => (until ? `${until.date}, as ${until.code}` : 'none');

/** Whether requests are refused earlier than before, or from a date on where they were not. */
const endsSooner = (old: Until, next: Until): boolean => next !== null && (old === null || next.date < old.date);

const ANNOUNCED = { so: KEEPS.unused, not: BREAKS.missing } as const;

const bothDeprecated: Compare<DeprecationContract> = members<DeprecationContract>({
  from: value('the date of its deprecation', KEEPS.words),
  until: value(
    'the date from which requests are refused',
    (was, is) =>
      endsSooner(was, is) ? BREAKS.refused : was && is && was.code !== is.code ? BREAKS.unknown : KEEPS.accepted,
    untilText,
  ),
  headers: members<DeprecationContract['headers']>({
    deprecation: flag('answers have Deprecation', 'answers have no Deprecation', ANNOUNCED),
    sunset: flag('answers have Sunset', 'answers have no Sunset', ANNOUNCED),
  }),
});

/** Compares the deprecation of an endpoint. */
const deprecation: Compare<DeprecationContract | null> = (old, next, here) => {
  if (old && next) return bothDeprecated(old, next, here);
  const at = stated(here, old, next);
  if (old) return [difference(at, 'it is no longer deprecated', KEEPS.accepted)];
  if (!next) return [];
  const { from, until } = next;
  if (!until) return [difference(at, `it is deprecated from ${from}`, KEEPS.accepted)];
  const end = `requests are refused from ${until.date} as ${until.code}`;
  return [difference(at, `it is deprecated from ${from}, and ${end}`, BREAKS.refused)];
};

/** Compares the callers to whom descriptions show an endpoint. */
const audience = value<EndpointContract['audience']>(
  'the audience of its descriptions',
  (_, next) => (next === undefined ? KEEPS.unused : BREAKS.missing),
  (one) =>
    one === undefined
      ? 'everybody'
      : one === 'none'
        ? one
        : (one.needs && neededText(one.needs)) || one.schemes.join(' or '),
);

/** The names of the parameters in a path. */
const pathParameters = (name: string): string => pathNames(name).join(', ');

/** The steps without those that treat preconditions of every request, which are compared as preconditions. */
const unmatched = (list: EndpointContract['steps']): EndpointContract['steps'] =>
  list.filter((one) => one.do !== 'preconditions' && (one.do !== 'match' || one.under.length > 0));

/** Whether a step refuses requests because a list has too many rows. */
const refusedPages =
  ({ answers: all }: EndpointContract) =>
  ({ lines }: EndpointContract['steps'][number]): boolean =>
    all.some(({ because, lines: of }) => because.name === 'page refused' && lines.some((one) => of.includes(one)));

/** Compares an endpoint, in one version of each document. */
export function endpoint(values: Values, before: Side, after: Side): Compare<EndpointContract> {
  return (old, next, here) => {
    const [was, is] = [
      { ...before, endpoint: old },
      { ...after, endpoint: next },
    ];
    const stated = (fact: EndpointFact) => (one: Here) =>
      statedAt(one, statementId.endpoint(old.name, fact), statementId.endpoint(next.name, fact));
    return members<EndpointContract>({
      // Endpoints are compared by method and path, so a changed name is that of a path parameter.
      name: value('the name of a path parameter', KEEPS.words, pathParameters),
      method: follows('endpoints are compared by method and path'),
      path: follows('endpoints are compared by method and path, and the scheme of versions says what stands before it'),
      head: on(
        stated('HEAD'),
        flag('HEAD is answered', 'HEAD is no longer answered', { so: KEEPS.accepted, not: BREAKS.refused }),
      ),
      access: access(was, is),
      parameters: parameters(values, next.unknownParameters),
      unknownParameters: on(
        stated('unknown parameters'),
        value('an unknown parameter', (_was, how) => (how === 'refused' ? BREAKS.refused : KEEPS.accepted)),
      ),
      body: (a, b, at) =>
        optional('the body of a request', body(values, was, is), {
          // A body that was sent nevertheless was ignored, and is read now.
          added: (one) =>
            one.required ? BREAKS.refused : old.unreadBody === 'ignored' ? BREAKS.otherwise : KEEPS.accepted,
          removed: next.unreadBody === 'ignored' ? BREAKS.otherwise : BREAKS.refused,
        })(a && itsOwnLine(a), b && itsOwnLine(b), at),
      // If only one document reads a body, the comparison of `body` reports it.
      unreadBody: (a, b, at) =>
        a === null || b === null
          ? []
          : value<string>('a body that is not read', b === 'refused' ? BREAKS.refused : KEEPS.accepted)(
              a,
              b,
              stated('unread bodies')(at),
            ),
      limits: limits(was, is),
      idempotency: (a, b, at) =>
        optional(`the idempotency key, which is ${(a ?? b)?.required ? 'required' : 'optional'},`, idempotency, {
          added: (one) => (one.required ? BREAKS.refused : KEEPS.accepted),
          removed: BREAKS.otherwise,
        })(a, b, at),
      preconditions,
      page: optional('the form of pages', page(stated), { added: BREAKS.unreadable, removed: BREAKS.unreadable }),
      deprecation: (a, b, at) => deprecation(a ?? null, b ?? null, stated('deprecated')(at)),
      audience: on(stated('audience'), audience),
      tag: on(
        stated('tag'),
        value<string | undefined>('its tag in descriptions', KEEPS.words, (one) => one ?? 'that of its resource'),
      ),
      writes: follows('its steps say whether it changes rows'),
      everyRow: value(
        'the list of resources of which every row counts, also rows that the caller may not see,',
        BREAKS.otherwise,
        (one) => one?.join(', ') ?? 'none',
      ),
      lists: follows('the steps say which rows a list has, in which order, and how many'),
      steps: (a, b, at) => steps('', refusedPages(next))(unmatched(a), unmatched(b), at),
      answers: answers(values, was, is),
    })(old, next, here);
  };
}
