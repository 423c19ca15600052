import type { AnswerBody, AnswerContract, EndpointContract, HeaderContract } from '../contract/endpoint.ts';
import type { ContractType } from '../contract/types.ts';
import { headerBroughtAbout, isCaused, recoded, type Side } from './causes.ts';
import { type Compare, flag, follows, listed, members, optional, same, value } from './compare.ts';
import { BREAKS, difference, KEEPS, type Verdict } from './difference.ts';
import { holder, type Values } from './values.ts';

/** The key of an answer: its cause, and the text of the cause if an endpoint can have several causes of that kind. */
function keyOf({ because: { kind, name, text } }: AnswerContract): string {
  const several =
    kind === 'step' || kind === 'rule' || kind === 'parameter' || kind === 'stream' || name === 'rate exceeded';
  return several ? `${kind} ${name} ${text}` : `${kind} ${name}`;
}

const called = ({ status, code, because }: AnswerContract): string =>
  `${status}${code === null ? '' : ` ${code}`} (${because.text})`;

/** The prefix of messages about an answer; empty for a success. */
const whatOf = ({ because }: AnswerContract): string =>
  because.kind === 'success' ? '' : `${because.kind === 'condition' ? because.name : because.text}: `;

/**
 * Compares the answers of an endpoint. Most differences follow from a fact that is compared elsewhere and reported
 * there: codes of conditions, rules and transitions, access, rates, parameters and bodies. Only the remaining
 * differences are reported here.
 */
export function answers(values: Values, old: Side, next: Side): Compare<EndpointContract['answers']> {
  const compareAnswers = listed<Keyed>({
    what: 'the answer',
    name: ({ key }) => key,
    show: called,
    compare: answer(values, old, next),
    added: BREAKS.unknown,
    removed: KEEPS.known,
    order: null,
  });
  return (was, is, here) => {
    const several = [was, is].some((list) => list.filter(isSuccess).length > 1);
    const [before, after] = [keyed(was, several), keyed(is, several)];
    const known = (one: Keyed, others: readonly Keyed[]): boolean =>
      others.some(({ key }) => key === one.key) || !isCaused(one, old, next);
    return compareAnswers(
      before.filter((one) => known(one, after)),
      after.filter((one) => known(one, before)),
      here,
    );
  };
}

/** An answer with the key by which it is compared. */
type Keyed = AnswerContract & { readonly key: string };

const isSuccess = ({ because }: AnswerContract): boolean => because.kind === 'success';

/** Answers with their keys: of several successes, the status, and a number where a status has several. */
function keyed(list: readonly AnswerContract[], several: boolean): readonly Keyed[] {
  const statuses = new Map<number, number>();
  return list.map((one) => {
    if (!several || !isSuccess(one)) return { ...one, key: keyOf(one) };
    const number = (statuses.get(one.status) ?? 0) + 1;
    statuses.set(one.status, number);
    return { ...one, key: `${keyOf(one)} ${one.status} ${number}` };
  });
}

/** Compares two answers with the same cause. */
function answer(values: Values, old: Side, next: Side): Compare<Keyed> {
  return (was, is, here) => {
    const success = is.because.kind === 'success';
    if (!success && same(was, is)) return [];
    const what = whatOf(is);
    const coded = isCaused(was, old, next) || recoded(was.code, old, next) || recoded(is.code, old, next);
    return members<Keyed>({
      key: FOLLOWS,
      status: coded && !success ? FOLLOWS : value(`${what}the status`, BREAKS.unknown, String),
      code: coded ? FOLLOWS : value(`${what}the code`, BREAKS.unknown),
      title: coded ? FOLLOWS : value(`${what}the title`, KEEPS.words),
      because: success
        ? value('the condition of the answer', BREAKS.otherwise, ({ text }) => text)
        : follows('its purpose is compared where it is stated'),
      headers: headers(what, old, next),
      body: success ? optional('the answer’s body', body(values, old, next), BODY) : errorBody(what, old, next),
    })(was, is, here);
  };
}

const FOLLOWS = follows('the code, or the cause of the answer, is compared');
const BODY = { added: BREAKS.unreadable, removed: BREAKS.missing } as const;

/** The body of a success; the media type of a version follows from the version. */
function body(values: Values, old: Side, next: Side): Compare<AnswerBody> {
  const form = ({ version }: Side, one: string): string => (one === version.mediaType ? 'JSON' : one);
  return members<AnswerBody>({
    mediaType: (was, is, here) =>
      value<string>('the media type of the answer', BREAKS.unreadable)(form(old, was), form(next, is), here),
    type: (was, is, here) => {
      const [a, b] = [itemsOf(was, old), itemsOf(is, next)];
      // The comparison of pages reports the format of pages and the number of items.
      if (a || b) return a && b ? values.types(a, b, 'answer', here, '', holder('the answer')) : [];
      return values.types(was, is, 'answer', here, '', holder('the answer'));
    },
    // The body of a page has no expression.
    expression: (was, is, here) =>
      Boolean(old.endpoint?.page) === Boolean(next.endpoint?.page)
        ? value<AnswerBody['expression']>('the answered value', BREAKS.otherwise)(was, is, here)
        : [],
    nullable: flag('the answer may be null', 'the answer is never null', { so: BREAKS.missing, not: KEEPS.known }),
  });
}

/** The type of the items of a page; null if the answer is no page. */
function itemsOf(type: ContractType, { endpoint }: Side): ContractType | null {
  if (!endpoint?.page) return null;
  const path = endpoint.page.payload?.find((one) => one.value === 'items')?.name.split('.') ?? [];
  const list = path.reduce<ContractType | undefined>(
    (one, name) => (one?.kind === 'object' ? one.members.find((each) => each.name === name)?.type : undefined),
    type,
  );
  return list?.kind === 'list' ? list.of : null;
}

/** Compares the body of an error. A change of the common error format is reported once, by the comparison of errors. */
function errorBody(what: string, old: Side, next: Side): Compare<AnswerBody | null> {
  return (was, is, here) => {
    if (same(was, is) || !same(old.contract.errors.payload, next.contract.errors.payload)) return [];
    return [difference(here, `${what}the body is another`, BREAKS.unreadable)];
  };
}

/**
 * The verdict on a changed header: breaking, except for added names in `Vary`, which only make caches store more
 * variants.
 */
const headerVerdict =
  (name: string) =>
  (was: string | null, is: string | null): Verdict => {
    if (name.toLowerCase() !== 'vary') return BREAKS.unknown;
    const names = (list: string | null): string[] => (list ?? '').toLowerCase().split(', ');
    return names(was).every((one) => names(is).includes(one)) ? KEEPS.unused : BREAKS.otherwise;
  };

/** Compares the headers of an answer. Most differences follow from facts that are compared elsewhere. */
function headers(what: string, old: Side, next: Side): Compare<AnswerContract['headers']> {
  const compareHeaders = listed<HeaderContract>({
    what: `${what}the header`,
    name: (one) => one.name.toLowerCase(),
    show: (one) => one.name,
    compare: (was, is, here) =>
      members<HeaderContract>({
        name: follows('headers are compared by their names, whatever case they have'),
        presence: headerBroughtAbout(is.name, old, next)
          ? FOLLOWS
          : value(`${what}the header ${is.name} is there`, (_a, b) =>
              b === 'sometimes' ? BREAKS.missing : KEEPS.known,
            ),
        value: headerBroughtAbout(is.name, old, next)
          ? FOLLOWS
          : value(`${what}the header ${is.name}`, headerVerdict(is.name)),
        expression: value(`${what}the value of the header ${is.name}`, BREAKS.otherwise),
      })(was, is, here),
    added: KEEPS.unused,
    removed: BREAKS.missing,
    order: null,
  });
  return (was, is, here) => {
    const own = (one: HeaderContract, others: readonly HeaderContract[]): boolean =>
      others.some(({ name }) => name.toLowerCase() === one.name.toLowerCase()) ||
      one.expression !== null ||
      !headerBroughtAbout(one.name, old, next);
    const [before, after] = [was.filter((one) => own(one, is)), is.filter((one) => own(one, was))];
    return compareHeaders(before, after, here);
  };
}
