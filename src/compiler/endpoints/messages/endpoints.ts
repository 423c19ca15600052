import { ENDPOINT_VALUES, PARAMETER, SETTINGS } from '../../../language/endpoints.ts';
import { blanksOf, factsOf } from '../../../language/statement.ts';
import { blankCell, bullet, graded, row } from '../../../syntax/diagnostic.ts';
import { ANSWERS } from './answers.ts';
import { BYTES } from './bytes.ts';
import { FORMS } from './forms.ts';
import { PATHS } from './paths.ts';
import { STEPS } from './steps.ts';

/** The questions about missing settings of an endpoint, by setting: each is about a request that a client sends. */
const QUESTIONS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(factsOf(SETTINGS).map(({ key, what }) => [key, what])),
  'Request of GET':
    'The body of a GET has no meaning (RFC 9110, section 9.3.1), and no bullet `Request` applies to {endpoint}. Does the document state that it is none?',
  'Conditional requests of writes':
    'A client sends {endpoint} an If-Match or If-None-Match, and the document has no GET, whose answers could have an ETag. Does the document state that these headers have no effect?',
};

/**
 * The message for a step that needs one row and whose condition several rows may match. It names the unique rule that
 * almost applies, or else all unique rules of the resource.
 */
function severalRows(p: Readonly<Record<string, string>>): string {
  const problem = `Several rows of ${p.resource} can match this condition`;
  const order = p.order ? ', or add an order such as “latest `created_at` first”' : '';
  if (p.condition) {
    const test = /\|\||\?/.test(p.condition) ? `(${p.condition})` : p.condition;
    return `${problem}: ${p.rule} is unique only while \`${p.condition}\` (line ${p.line}). Add \`&& ${test}\`${order}.`;
  }
  const unique = p.keys
    ? `${p.resource} is unique by ${p.keys}. Compare one of these with “==”`
    : `${p.resource} has no unique field`;
  return `${problem}. ${unique}${order}, or state that what the condition compares is unique (column “Unique”).`;
}

/** Findings about blank cells, and about statements without effect. */
const STANDINGS = {
  blank: ['blankCell'],
  idle: [
    'parameterUnused',
    'filterUnused',
    'requestUnread',
    'underUnused',
    'tagUnused',
    'settingUnused',
    'ignoredAnyway',
    'methodUnused',
    'issueUnused',
    'sortUnused',
    'formUnused',
  ],
} as const;

export const endpointsDiagnostics = graded('endpoints', STANDINGS, {
  ...STEPS,
  ...ANSWERS,
  ...PATHS,
  ...FORMS,
  ...BYTES,
  ...ENDPOINT_VALUES,
  heading: {
    severity: 'error',
    effects: ['hides a section'],
    what: (p) =>
      p.nearest
        ? `“${p.found}” is not a method: did you mean “${p.nearest}”? The methods are ${p.methods}.`
        : `“${p.found}” is not a method and a path. The methods are ${p.methods}.`,
    why: 'The heading of an endpoint is a method, a space and a path, in inline code.',
    write: (p) => p.nearest || '### `GET /orders/{id}`',
  },
  none: {
    severity: 'question',
    what: () => 'Which requests does the service answer? The document has no endpoint.',
    why: 'Ninefold has no defaults.',
    write: () => '### `GET /orders`',
  },
  setting: {
    severity: 'question',
    what: (p) => (QUESTIONS[p.key ?? ''] ?? '').replace('{endpoint}', () => p.endpoint ?? ''),
    why: 'Ninefold has no defaults. A bullet under `## Endpoints` applies to every endpoint.',
    write: (p) => p.write ?? null,
  },
  blankCell: blankCell(
    (p) => `${p.parameter}`,
    blanksOf(PARAMETER),
    'A parameter states its type, its allowed values and its presence.',
  ),
  pathParameter: {
    severity: 'question',
    effects: ['told once'],
    what: (p) => `Which values may a client send as “{${p.name}}” in ${p.endpoint}?`,
    why: 'Each path parameter has a row in the table Parameter, In, Type, Allowed values, Presence, Otherwise, under the endpoint, or above the first endpoint for all.',
    write: (p) => row(`${p.name}`, 'path', `${p.type}`, 'any', 'always', `${p.code}`),
  },
  parameterUnused: {
    severity: 'error',
    what: (p) => `No step and no filter uses the parameter “${p.name}”. Use it, or remove it.`,
    why: 'A statement without effect hides a mistake.',
  },
  separated: {
    severity: 'question',
    what: (p) => `“${p.name}” is a list in one text. How does a client separate its items?`,
    why: 'After the type comes “, separated by commas”.',
    write: () => ', separated by commas',
  },
  mapInText: {
    severity: 'error',
    what: (p) => `“${p.name}” is a map. Only parameters in the body can be maps.`,
    why: 'An address or a header has no form for a map.',
  },
  notSeparated: {
    severity: 'error',
    what: (p) => `“${p.name}” is not a list or a set. Remove “separated by commas”.`,
    why: 'A statement without effect hides a mistake.',
  },
  parameterPlace: {
    severity: 'error',
    what: (p) =>
      `“${p.name}” cannot be in the ${p.place} here. A path parameter needs a path with {${p.name}}; a parameter of the query or the body belongs under its endpoint.`,
    why: 'No request could send the parameter.',
  },
  pathPresence: {
    severity: 'error',
    what: (p) => `“${p.name}” is part of the path. Its presence is “always”.`,
    why: 'A request without it has another path.',
    write: () => 'always',
  },
  pageParameter: {
    severity: 'error',
    what: (p) => `“Pages” already uses the parameter “${p.name}”. Choose another name.`,
    why: 'A query parameter has one meaning.',
  },
  elseBeyond: {
    severity: 'error',
    what: (p) => `The “else” value of “${p.name}” is not one of its allowed values.`,
    why: 'The value applies when a client does not send the parameter, so a client has to be allowed to send it.',
  },
  filterUnused: {
    severity: 'error',
    what: (p) =>
      `This condition filters no list: no List of this endpoint says “as the parameters say”. Write the words into the step that “${p.name}” filters, or empty this cell.`,
    why: 'A statement without effect hides a mistake.',
  },
  filterUnread: {
    severity: 'error',
    what: (p) =>
      `The parameter “${p.name}” decides by this condition which rows stay, and the condition does not read it.`,
    why: 'The value that a client sends would have no effect.',
  },
  nameTaken: {
    severity: 'error',
    what: (p) => `The steps of ${p.endpoint} already use the name “${p.name}”. Choose another name.`,
    why: 'A name has one meaning.',
  },
  stepName: {
    severity: 'error',
    effects: ['misnames'],
    what: (p) => `“${p.found}” is not a name for a row. A name is a letter, then letters, digits and “_”.`,
    why: 'Expressions of later steps use the name.',
  },
  findWhere: {
    severity: 'question',
    what: (p) => `By which values does this step find one ${p.resource}?`,
    why: 'A Find compares the identity, or every field of a unique rule; or it names an order (“latest”, “earliest”).',
    write: (p) => `where \`${p.identity} == path.${p.identity}\``,
  },
  findNotUnique: {
    severity: 'error',
    what: severalRows,
    why: 'A Find or an Authenticate takes one row.',
  },
  findCode: {
    severity: 'question',
    what: (p) => `Which code does a client receive when no ${p.resource} is found?`,
    why: 'A Find ends with “, else” and a code, or with “or none”.',
    write: () => ', else not_found',
  },
  requireCode: {
    severity: 'question',
    what: () => 'Which code does a client receive when this condition does not hold?',
    why: 'A Require ends with “, else” and a code.',
    write: () => ', else code_of_the_error',
  },
  listOrder: {
    severity: 'question',
    what: (p) => `In which order are the rows of ${p.resource} listed?`,
    why: 'Without an order, two requests could list the rows differently.',
    write: (p) => `, latest \`${p.field}\` first`,
  },
  searchFields: {
    severity: 'question',
    effects: ['told once'],
    what: (p) => `In which fields of ${p.resource} do Lists look for words?`,
    why: 'A List says “matching”. The bullet Search names the fields, and says how their text becomes words.',
    write: (p) => bullet('Search', `${p.field}; in no language; accents ignored`),
  },
  searchQuery: {
    severity: 'error',
    what: (p) =>
      `“${p.query}” cannot be a query. A query is one parameter of the endpoint: a string of at most 200 characters.`,
    why: 'Each word of a query is looked up, so that a long query would cost more than a request may.',
  },
  bestWithout: {
    severity: 'error',
    what: () => '“best match first” needs a query. Add “, matching every word of” and a parameter, or another order.',
    why: 'Only a row that matches a query has points.',
  },
  listBound: {
    severity: 'question',
    what: (p) => `Does this List answer the rows of ${p.resource} in pages, or all of them?`,
    why: 'A List ends with “, in pages”, “, all” or, where the Answer is CSV or NDJSON, “, streamed”.',
    write: () => ', in pages',
  },
  orderBy: {
    severity: 'error',
    what: () =>
      'A sort key is a field, a derived field or another expression on the rows that has one value. It cannot be a row (order by one of its fields), a list, a set or a map, and cannot use now().',
    why: 'The order has to give every row a place, and to stay the same while a client reads the pages.',
  },
  orderLength: {
    severity: 'error',
    what: (p) =>
      `A cursor of this list would hold ${p.how}; at most 1,000 characters are allowed. Order by a shorter field, or state a shorter length.`,
    why: 'A cursor holds the order and the identity of a row, and is part of an address.',
  },
  listedTwice: {
    severity: 'error',
    what: () => 'This is a second List in pages. An endpoint has at most one; write “all” at the other.',
    why: 'The parameters of pages apply to one list.',
  },
  notARow: {
    severity: 'error',
    effects: ['names a stranger'],
    what: (p) => {
      if (p.found === 'caller')
        return '“caller” is not a row of a step here. A Find by its identity gives the row a name.';
      return `“${p.found}” is not a row of a step here${p.nearest ? `: did you mean “${p.nearest}”?` : '.'}`;
    },
    why: 'Change, Move and Remove take a row that an earlier step has found or created.',
    write: (p) => p.nearest || null,
  },
  fromRequest: {
    severity: 'error',
    what: (p) =>
      `A ${p.verb} takes values from \`request\`, a member of it with fields of a resource, or an item of such a list. This is none of them.`,
    why: 'Each field receives the value of the same name.',
    write: () => '`request`',
  },
  fromAnother: {
    severity: 'error',
    what: (p) =>
      `\`${p.from}\` holds fields of ${p.of}, and this ${p.verb} writes a row of ${p.resource}. Name ${p.of} here, or request fields of ${p.resource}.`,
    why: 'Each field receives the value of the same name, and the fields of another resource have other types and rules.',
  },
  requestUnread: {
    severity: 'error',
    what: (p) => `No step reads “${p.field}” of the request. Use it, or remove it from Request.`,
    why: 'A statement without effect hides a mistake.',
  },
  requestMissing: {
    severity: 'question',
    what: (p) => `Which fields may the body of ${p.endpoint} have?`,
    why: 'A step takes values from the request.',
    write: (p) => bullet('Request', `${p.resource} with …`),
  },
  notGivenBy: {
    severity: 'error',
    what: (p) =>
      `${p.field} cannot be given by ${p.source}. Add that source under “Given by”, or remove the field here.`,
    why: 'The column “Given by” lists every source of a field.',
  },
  moveUnknown: {
    severity: 'error',
    what: (p) => `${p.resource} has no states, so its rows cannot move.`,
    why: 'Only a row with states has transitions.',
  },
  afterRemove: {
    severity: 'error',
    what: (p) => `An earlier step may have removed “${p.name}”.`,
    why: 'A removed row can be neither changed nor answered.',
  },
  unknownScope: {
    severity: 'error',
    effects: ['names a stranger'],
    what: (p) =>
      `There is no scope “${p.found}”${p.nearest ? `: did you mean “${p.nearest}”?` : '.'} ${p.scopes ? `The scopes are ${p.scopes}. ` : ''}To let anybody call, write “anyone”.`,
    why: 'Access takes “anyone”, “any” and a resource, or a scope that a scheme declares.',
    write: (p) => p.nearest || null,
  },
  scopesApart: {
    severity: 'error',
    what: (p) => `No scheme has all scopes of “${p.access}”. Name scopes of one scheme, or join them with “or”.`,
    why: 'Nobody could call the endpoint.',
  },
  accessUncalled: {
    severity: 'error',
    what: (p) =>
      `“${p.access}” needs callers, and the document has none. Remove this Access, or state a scheme under “Authentication”.`,
    why: 'Without a scheme, anybody may call every endpoint.',
  },
  accessOfAnother: {
    severity: 'error',
    what: (p) => `No caller is a row of ${p.resource}. Callers are rows of ${p.caller}.`,
    why: 'Nobody could call the endpoint.',
    write: (p) => `any ${p.caller}`,
  },
  underUnused: {
    severity: 'error',
    what: (p) => `No endpoint has a path at or below ${p.path}. Correct the path, or remove the heading.`,
    why: 'These steps would never run.',
  },
  tagUnused: {
    severity: 'error',
    what: (p) =>
      `No endpoint has the tag ${p.name}. Write \`- Tag: ${p.name}\` under an endpoint, or remove the heading.`,
    why: 'No description would have the tag.',
  },
  tagTaken: {
    severity: 'error',
    what: (p) =>
      `${p.name} is a resource, and its endpoints have it as their tag already. Give the tag another name, or remove the heading.`,
    why: 'The prose of the resource describes its tag.',
  },
  underEmpty: {
    severity: 'question',
    what: (p) => `Which steps run first at every endpoint below ${p.path}?`,
    why: 'The heading has no steps.',
    write: () => '1. Find `order`: Order where `id == path.id`, else order_not_found.',
    puts: 'below',
  },
  underNames: {
    severity: 'error',
    what: (p) => `This path has “{${p.found}}” where ${p.under} has “{${p.name}}”. Use one name.`,
    why: 'The steps under the one path would not run at the other.',
    write: (p) => p.name ?? null,
  },
  sunsetBefore: {
    severity: 'error',
    what: (p) =>
      `${p.endpoint} would be refused before it is deprecated. The date after “until” is later than the one after “from”.`,
    why: 'Callers need the time between the two to move to another endpoint (RFC 9745, section 4).',
  },
  sunsetUndated: {
    severity: 'error',
    what: (p) =>
      `${p.endpoint} answers without an end, so its answers have no header Sunset. State “, until” with a date and a code, or only “with header Deprecation (RFC 9745)”.`,
    why: 'The header Sunset (RFC 8594) holds the date from which the endpoint no longer answers.',
  },
  settingUnused: {
    severity: 'error',
    what: (p) => `This “${p.key}” has no effect: every endpoint has its own, or needs none. Remove it.`,
    why: 'A statement without effect hides a mistake.',
    puts: 'removal',
  },
  preconditionsUnstated: {
    severity: 'notice',
    what: (p) =>
      `No GET of the address has an ETag, so a request to ${p.endpoint} with If-Match, If-None-Match or If-Unmodified-Since is answered as without it. “Preconditions without an ETag: ignored” says so, and “refused” refuses the request.`,
    why: 'A client that sends If-Match wants no change unless it matches (RFC 9110, section 13.1.1).',
    write: () => bullet('Preconditions without an ETag', 'ignored'),
  },
  methodUnused: {
    severity: 'error',
    what: (p) =>
      `This “${p.key}” has no effect: the document has no endpoint with ${p.method}, or each has its own “Idempotency”. Remove it.`,
    why: 'A statement without effect hides a mistake.',
    puts: 'removal',
  },
  ignoredAnyway: {
    severity: 'error',
    what: (p) =>
      `This “${p.key}: ignored” has no effect: the bullet is about writes at addresses ${p.key === 'Preconditions on writes' ? 'whose GET has an ETag' : 'without an ETag'}, and the document has none, or “Conditional requests: none” says already that preconditions are ignored. Remove it.`,
    why: 'A statement without effect hides a mistake.',
    puts: 'removal',
  },
  settingRepeated: {
    severity: 'error',
    what: (p) =>
      `This “${p.key}” repeats ${p.of ? `“${p.of}”` : 'the one'} under “Endpoints”. Remove it, or change it.`,
    why: 'A reader looks for a difference.',
  },
  safeWrites: {
    severity: 'error',
    what: (p) => `${p.endpoint} changes rows. ${p.method} may only read: use POST, PUT, PATCH or DELETE.`,
    why: 'GET and QUERY are safe (RFC 9110, section 9.2.1): caches, crawlers and browsers repeat and prefetch them.',
    write: () => '### `POST /orders`',
  },
  queryWithoutBody: {
    severity: 'error',
    what: (p) => `${p.endpoint} has no body. State the fields of its Request, or parameters in the body, or use GET.`,
    why: 'The body of a QUERY is the query (RFC 10008).',
    write: () => bullet('Request', 'Order with sku'),
  },
  requestOnSafe: {
    severity: 'error',
    what: (p) =>
      `${p.endpoint} cannot have a request: the body of a ${p.method} has no meaning. Write “none”, or use parameters.`,
    why: 'Proxies and servers may drop or refuse such a body (RFC 9110, section 9.3.1).',
    write: () => bullet('Request', 'none'),
  },
  changeNothing: {
    severity: 'error',
    what: (p) => `This Change gives no field of ${p.resource} a value. Add “from” or “with”, or remove the step.`,
    why: 'A step without effect hides a mistake.',
  },
  cannotFail: {
    severity: 'error',
    what: () =>
      'This condition always holds, so it decides nothing. Remove the step that asks for it, or write another condition.',
    why: 'A step without effect hides a mistake.',
  },
  idempotencyCaller: {
    severity: 'error',
    what: (p) =>
      `Idempotency keys are stored for each caller, and ${p.who}. Write “none”${p.place ? ` under ${p.place}` : ''}.`,
    why: 'Two clients with the same key would receive each other’s answers.',
    write: () => bullet('Idempotency', 'none'),
  },
  filterMissing: {
    severity: 'error',
    what: () =>
      '“as the parameters say” has no effect: no parameter of this endpoint has a filter under “Keeps rows where”. Add one, or remove the words.',
    why: 'A statement without effect hides a mistake.',
  },
  idempotencyUnsafe: {
    severity: 'error',
    effects: ['may be answered unread'],
    what: (p) =>
      `${p.endpoint} changes no rows, so it needs no idempotency key. Write “none”${p.place ? ` under ${p.place}` : ''}.`,
    why: 'A client may repeat such a request anyway.',
    write: () => bullet('Idempotency', 'none'),
  },
});
