import type { Compiled } from '../compiler/compile.ts';
import { PART_HEADINGS, PART_ITEMS, PARTS, type PartItem, partAndItem } from '../plan/parts.ts';
import type { Finding } from '../syntax/diagnostic.ts';
import type { Facts } from './facts.ts';
import type { ImportedDocument } from './import-openapi.ts';
import { freeText } from './text.ts';

/** How often a file states an item, states that there is none, and leaves it open. */
interface ItemCount {
  readonly item: PartItem;
  /** The things that are counted, such as “endpoints”. */
  readonly of: string;
  readonly stated: number;
  readonly none: number;
  readonly notShown: number;
}

/** Counts the things that state an item, and those that state that there is none. */
function by<T>(
  all: readonly T[],
  of: string,
  isStated: (one: T) => boolean,
  isNone: (one: T) => boolean = () => false,
): Omit<ItemCount, 'item'> {
  const none = all.filter(isNone).length;
  const stated = all.filter((one) => !isNone(one) && isStated(one)).length;
  return { of, stated, none, notShown: all.length - stated - none };
}

/** Counts an item of the whole service. */
const once = (isStated: boolean): Omit<ItemCount, 'item'> => ({
  of: 'the service',
  stated: Number(isStated),
  none: 0,
  notShown: Number(!isStated),
});

/** The counts of the 31 items, in the order of the language. */
export function itemCounts(facts: Facts, { model }: Compiled): ItemCount[] {
  const fields = model.resources.list.flatMap((one) => one.fields);
  const parameters = model.endpoints.list.flatMap((one) => one.parameters);
  const values = [...fields, ...parameters];
  const { schemes } = model.authentication;
  const counts: Readonly<Record<PartItem, Omit<ItemCount, 'item'>>> = {
    'purpose/purpose': once(facts.hasDescription),
    'purpose/domain': once(false),
    'resources/resources': {
      of: 'objects with a name in bodies',
      stated: model.resources.list.length,
      none: 0,
      notShown: 0,
    },
    'resources/fields': { of: 'fields', stated: fields.length, none: 0, notShown: 0 },
    'resources/types': by(values, 'fields and parameters', ({ type }) => type !== null),
    'resources/formats': by(fields, 'fields', ({ format }) => format !== null),
    'resources/allowed values': by(values, 'fields and parameters', ({ allowed }) => allowed !== null),
    'states/states': once(false),
    'states/transitions': once(false),
    'endpoints/methods': by(facts.operations, 'operations', () => true),
    'endpoints/path shapes': by(facts.operations, 'operations', () => true),
    'endpoints/request payloads': by(facts.operations, 'operations', ({ hasRequest }) => hasRequest),
    'endpoints/response payloads': by(
      facts.operations,
      'operations',
      ({ hasAnswer }) => hasAnswer,
      (one) => one.hasEmptyAnswer,
    ),
    'authentication/scheme': by(facts.schemes, 'schemes', () => true),
    'authentication/credentials': by(facts.schemes, 'schemes', () => false),
    'authentication/headers': by(facts.schemes, 'schemes', ({ hasPlace }) => hasPlace),
    'authentication/scopes': by(
      schemes,
      'schemes',
      ({ scopes }) => scopes !== null,
      ({ scopes }) => scopes?.length === 0,
    ),
    'events/events': facts.webhooks ? { of: 'webhooks', stated: facts.webhooks, none: 0, notShown: 0 } : once(false),
    'events/webhooks': once(false),
    'events/notification kinds': facts.webhooks
      ? { of: 'webhooks', stated: facts.webhooks, none: 0, notShown: 0 }
      : once(false),
    'errors/error codes': once(false),
    'errors/status codes': by(facts.operations, 'operations', ({ hasError }) => hasError),
    'errors/error payload shape': by(facts.errors, 'answers from 400 on', ({ hasBody }) => hasBody),
    'limits/rate limits': once(false),
    'limits/size limits': once(false),
    'limits/time-outs': once(false),
    'limits/pagination bounds': once(false),
    'limits/defaults': once(false),
    'versioning/scheme': once(false),
    'versioning/current version': once(model.versioning.current !== null),
    'versioning/deprecation policy': once(false),
  };
  return PART_ITEMS.map((item) => ({ item, ...withOne(counts[item]) }));
}

/** An item of which nothing is there to count is not shown. */
const withOne = (count: Omit<ItemCount, 'item'>): Omit<ItemCount, 'item'> =>
  count.stated + count.none + count.notShown === 0 ? { ...count, of: 'the service', notShown: 1 } : count;

/** The report card of an API, as a page of Markdown. */
export function reportPage(compiled: Compiled, { facts, unsaid }: ImportedDocument): string {
  const counts = itemCounts(facts, compiled);
  const questions = compiled.findings.filter(({ severity }) => severity === 'question');
  const shown = counts.filter(({ stated, none }) => stated + none > 0).length;
  const title = freeText(facts.title).replaceAll('<', '‹');
  const number = (value: number): string => value.toLocaleString('en');
  const rows = counts.map(({ item, of, stated, none, notShown }) => {
    const [part, name] = partAndItem(item);
    return `| ${PART_HEADINGS[part]} | ${name} | ${of} | ${number(stated)} | ${number(none)} | ${number(notShown)} |`;
  });
  const byPart = PARTS.map(
    ([part, heading]) => [heading, questions.filter((one) => partOf(one) === part).length] as const,
  );
  const reasons = [...Map.groupBy(unsaid, ({ reason }) => reason)].sort(([, a], [, b]) => b.length - a.length);
  return [
    `# ${title}: what its description states`,
    `OpenAPI ${facts.version}, ${counted(facts.operations.length, 'operation')}. Of the 31 items of a whole description of a service, the file states something of ${shown}, and nothing of ${31 - shown}. ${counted(questions.length, 'question')} about what a caller meets ${questions.length === 1 ? 'stays' : 'stay'} open.`,
    '## The 31 items',
    '| Part | Item | Counted | Stated | Stated as absent | Not shown |\n| --- | --- | --- | ---: | ---: | ---: |',
    '## The questions',
    `| Part | Questions |\n| --- | ---: |\n${byPart.map(([heading, count]) => `| ${heading} | ${number(count)} |`).join('\n')}`,
    ...often(questions, number),
    '### Ten of them',
    striking(questions)
      .map((one, i) => `${i + 1}. ${one}`)
      .join('\n'),
    '## What the file states and a document does not',
    'OpenAPI can say these, and the language of Ninefold cannot, or cannot from the file alone.',
    `| Places | Reason |\n| ---: | --- |\n${reasons.map(([reason, list]) => `| ${number(list.length)} | ${reason.replaceAll('|', '\\|')} |`).join('\n')}`,
    'Made by `ninefold import openapi --report`. The same file gives the same page.',
  ]
    .map((block) => (block.startsWith('| Part | Item') ? `${block}\n${rows.join('\n')}` : block))
    .filter((block) => block !== '')
    .join('\n\n')
    .concat('\n');
}

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

/** A question without the name of the item that it asks for. */
const plain = (message: string): string => freeText(message.replace(/^[^:.?]+: not shown\. /, '')).replaceAll('<', '‹');

/** The part that a question belongs to: the first word of its code, or the part that an item is in. */
const partOf = ({ code, part }: Finding): string => part ?? code.split('/')[0] ?? '';

/** The most kinds of questions that the page counts. */
const MOST_KINDS = 12;

/** The kinds of questions that stay open most often, each with one of them. */
function often(questions: readonly Finding[], number: (value: number) => string): string[] {
  const kinds = Map.groupBy(questions, ({ code, params }) => `${code} ${params.column ?? params.key ?? ''}`);
  const asked = [...kinds.values()].filter((all) => all.length > 1).sort((a, b) => b.length - a.length);
  const rows = asked.slice(0, MOST_KINDS).map((all) => {
    const [first] = all;
    const heading = PARTS.find(([part]) => part === partOf(first!))?.[1] ?? '';
    return `| ${number(all.length)} | ${heading} | ${kindText(first!).replaceAll('|', '\\|')} |`;
  });
  if (rows.length === 0) return [];
  return ['### The most frequent', `| Times | Part | One of them |\n| ---: | --- | --- |\n${rows.join('\n')}`];
}

/** A question, for readers of the file who have not seen the document. */
const kindText = ({ message }: Finding): string =>
  plain(
    message.replace(
      / has a blank cell under “([^”]+)”\..*/,
      ': the file says nothing of what a document states under “$1”.',
    ),
  );

/**
 * Questions by their code, and by the key of the bullet that would answer them: first those whose answer changes what
 * happens to a caller's data, then those about access, failures and limits.
 */
const STRIKING: readonly string[] = [
  'endpoints/setting Idempotency',
  'resources/visible',
  'endpoints/setting Preconditions on writes',
  'errors/outcome',
  'limits/rate-limits',
  'limits/time-outs',
  'limits/size-limits',
  'states/states',
  'resources/no-identity',
  'authentication/credentials',
  'versioning/deprecation-policy',
  'limits/pagination-bounds',
  'endpoints/setting Access',
  'resources/part Null in requests',
  'resources/part Unknown fields',
  'endpoints/setting Unknown parameters',
  'endpoints/setting Conditional requests',
  'events/events',
  'authentication/caller',
  'errors/error-codes',
];

/** The first of each kind, and how many there are of it. */
function striking(questions: readonly Finding[]): string[] {
  const keyOf = ({ code, suggestion }: Finding): string => {
    const [, key] = /^- ([^:]+):/.exec(suggestion ?? '') ?? [];
    return key === undefined || !/setting|part$/.test(code) ? code : `${code} ${key}`;
  };
  const byKey = Map.groupBy(questions, keyOf);
  return STRIKING.flatMap((key) => {
    const [first, ...more] = byKey.get(key) ?? [];
    const others = more.length ? ` (And ${counted(more.length, 'question')} like it.)` : '';
    return first ? [`${plain(first.message)}${others}`] : [];
  }).slice(0, 10);
}
