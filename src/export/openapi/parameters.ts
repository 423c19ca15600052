import type {
  EndpointContract,
  IdempotencyContract,
  PageContract,
  ParameterContract,
} from '../../contract/endpoint.ts';
import type { Expression } from '../../contract/types.ts';
import { type Fn, unfolded } from '../../expression/tree/expression.ts';
import { unversionedName } from '../../plan/versions.ts';
import { showDuration } from '../../text/units.ts';
import { codeSpan } from '../code-span.ts';
import { type JsonObject, present } from '../json.ts';
import type { Use } from '../schema.ts';
import { sentAs, successOf } from './examples.ts';
import type { Exporting } from './exporting.ts';
import { listParameterText } from './list-facts.ts';
import { shownName } from './shown-name.ts';

/** The meaning of a parameter that no row of the document states. */
function roleText({ page, idempotency, preconditions }: EndpointContract, one: ParameterContract): string {
  switch (one.role) {
    case 'stated':
      return '';
    case 'page size':
      return page?.size.beyond === 'left out'
        ? `The number of items of a page. A larger number than ${page.size.most} counts as ${page.size.most}.`
        : 'The number of items of a page.';
    case 'page place':
      return `The position of the page in the list.${placeText(page)}`;
    case 'idempotency key':
      return `A key that the client chooses: the service executes the same request with the same key once, and repeats its first answer.${idempotency ? keptText(idempotency) : ''}`;
    case 'precondition':
      return `RFC 9110, section 13.${preconditions?.of ? ' Compared with the answer to GET.' : ''}`;
    case 'range':
      return 'The part of the file that the client asks for, and the entity tag that the file must still have (RFC 9110, sections 14.2 and 13.1.5).';
    case 'version':
      return 'The API version of the request.';
    case 'last event':
      return 'The id of the last event that the client has read: the stream continues after it.';
  }
}

function placeText(page: PageContract | null): string {
  if (!page) return '';
  const next = page.payload?.find(({ value }) => value === 'next')?.name;
  return [
    next === undefined ? '' : ` ${codeSpan(next)} of a page is the position of the next one.`,
    page.by === 'identity' ? ' It is the identity of the last item before the page.' : '',
    page.links.length ? ` The header \`Link\` has the addresses of other pages: ${page.links.join(', ')}.` : '',
  ].join('');
}

function keptText({ keptMilliseconds, answersBelow, replayed }: IdempotencyContract): string {
  const marked = replayed
    ? ` A repeated answer has the header ${codeSpan(`${replayed.name}: ${replayed.value}`)}.`
    : '';
  return ` Answers with a status below ${answersBelow} are repeated for ${showDuration(keptMilliseconds)}.${marked}`;
}

/** Every parameter of an operation. */
export function parametersOf(x: Exporting, endpoint: EndpointContract): JsonObject[] {
  return endpoint.parameters.map((one) => parameterOf(x, endpoint, one));
}

function parameterOf(x: Exporting, endpoint: EndpointContract, one: ParameterContract): JsonObject {
  const { refersTo, keeps, name } = one;
  const at = `${endpoint.name} ${one.in}.${name}`;
  if (refersTo !== null) x.notes.add('refers to', at);
  if (keeps) x.notes.add('keeps', at);
  const use: Use = { way: 'in', patch: false, text: true, at };
  const list = one.type.kind === 'list' || one.type.kind === 'set';
  // Facts about the value are in the description of the parameter, where readers show them.
  const { description: ofValue, ...schema } = x.schemas.annotated(schemaOf(x, endpoint, one, use), one, use);
  const texts = [
    roleText(endpoint, one),
    refersTo === null || !isShown(x, refersTo) ? '' : `An existing ${refersTo}.`,
    keeps ? filterText(x, keeps) : '',
    listParameterText(x, endpoint, name),
    typeof ofValue === 'string' ? ofValue : '',
  ].filter((text) => text !== '');
  const sent = successOf(x, endpoint)?.request.parameters.get(`${one.in} ${name}`);
  return present({
    name,
    in: one.in,
    description: texts.length ? texts.join(' ') : undefined,
    required: versionRequired(x, one) || undefined,
    // Items are separated by commas.
    style: list && one.in === 'query' ? 'form' : undefined,
    explode: list && one.in === 'query' ? false : undefined,
    schema,
    example: sent === undefined ? undefined : sentAs(schema, sent),
    'x-ninefold-refers-to': refersTo ?? undefined,
    'x-ninefold-keeps': keeps?.text,
  });
}

const isShown = ({ version }: Exporting, resource: string): boolean =>
  version.shapes.some((one) => one.resource === resource);

const COMPARISONS: Readonly<Partial<Record<Fn, string>>> = {
  '==': 'is the value',
  '!=': 'is not the value',
  '<': 'is less than the value',
  '<=': 'is at most the value',
  '>': 'is greater than the value',
  '>=': 'is at least the value',
  contains: 'contains the value',
  startsWith: 'begins with the value',
  endsWith: 'ends with the value',
};

const FILTERS = 'Filters the list.';

/** The items that a parameter keeps, where one field that callers see is compared with the value. */
function filterText({ version }: Exporting, { tree }: Expression): string {
  const text = tree.op === 'call' ? COMPARISONS[tree.fn] : undefined;
  if (tree.op !== 'call' || text === undefined) return FILTERS;
  const [field, value] = tree.args.map(unfolded);
  const name = value?.op === 'get' && field ? shownName(version, field) : null;
  return name === null ? FILTERS : `Only items whose ${codeSpan(name)} ${text}.`;
}

/** A version has to be named, except the one of requests that name none. */
function versionRequired({ contract, version }: Exporting, { role, required }: ParameterContract): boolean {
  if (role !== 'version') return required;
  return unversionedName(contract.versioning, contract.versions[0]?.name ?? null) !== version.name;
}

function schemaOf(x: Exporting, { page }: EndpointContract, one: ParameterContract, use: Use): JsonObject {
  const schema = x.schemas.of(one.type, use);
  if (one.role === 'version' && x.version.name !== null) return { type: 'string', enum: [x.version.name] };
  if (one.role === 'page size' && page) return { ...schema, default: page.size.standard };
  return schema;
}
