import { catalogue } from '../../source/diagnostic.ts';
import { STEPS } from './stepdiagnostics.ts';

export const endpointsDiagnostics = catalogue('endpoints', {
  ...STEPS,
  heading: {
    severity: 'error',
    what: (p) =>
      p.nearest
        ? `“${p.found}” is not a method: did you mean “${p.nearest}”?`
        : `“${p.found}” is not a method and a path. The methods are ${p.methods}.`,
    why: 'An endpoint is headed by one of the methods that are served, a space and a path.',
    write: (p) => p.nearest || '### `GET /orders/{id}`',
  },
  path: {
    severity: 'error',
    what: (p) => `“${p.found}” is not a path that can be served.`,
    why: 'A path is `/` and segments, each of letters, digits and `-._~`, or a parameter such as `{id}`, named once.',
    write: () => '/orders/{id}',
  },
  pathLength: {
    severity: 'error',
    what: (p) => `This path is longer than ${p.most} characters.`,
    why: 'Servers and what stands before them refuse requests whose addresses are as long.',
  },
  none: {
    severity: 'question',
    what: () => 'The document has no endpoint.',
    why: 'There is nothing to serve.',
    write: () => '### `GET /orders`',
  },
  setting: {
    severity: 'question',
    what: (p) => `What is the rule on “${p.key}” at ${p.endpoint}?`,
    why: 'It shows in what the endpoint takes or answers. A bullet under `## Endpoints` speaks for all of them.',
    write: (p) => p.write ?? null,
  },
  blankCell: {
    severity: 'question',
    what: (p) => `${p.parameter} says nothing under “${p.column}”.`,
    why: 'What a parameter takes, and whether it has to be there, is its contract.',
  },
  pathParameter: {
    severity: 'question',
    what: (p) => `What is “{${p.name}}” in ${p.endpoint}?`,
    why: 'Each parameter of a path has a type and allowed values: a row of the table Parameter, In, Type, Allowed values, Presence, Otherwise, which stands under the endpoint, or above the first for all.',
    write: (p) => `| ${p.name} | path | ${p.type} | any | always | ${p.code} |`,
  },
  parameterUnused: {
    severity: 'error',
    what: (p) => `Nothing uses the parameter “${p.name}”.`,
    why: 'It would be accepted and ignored.',
  },
  separated: {
    severity: 'question',
    what: (p) => `How are the items of “${p.name}” told apart?`,
    why: 'An address holds one text, and there are several ways to write a list in it.',
    write: () => ', separated by commas',
  },
  mapInText: {
    severity: 'error',
    what: (p) => `“${p.name}” is a map, and stands where only text can.`,
    why: 'The language has no way of writing a map in an address or a header.',
  },
  notSeparated: {
    severity: 'error',
    what: (p) => `“${p.name}” holds no items that commas could separate.`,
    why: 'It would be accepted and ignored.',
  },
  parameterPlace: {
    severity: 'error',
    what: (p) => `“${p.name}” cannot stand in the ${p.place} here.`,
    why: 'A path parameter belongs to a path that names it, and one in the query or the body to one endpoint.',
  },
  pathPresence: {
    severity: 'error',
    what: (p) => `“${p.name}” is part of the path, so it is always there.`,
    why: 'Without it, the path is another one.',
    write: () => 'always',
  },
  pageParameter: {
    severity: 'error',
    what: (p) => `“${p.name}” is a parameter of the pages already.`,
    why: 'One name in a query means one thing.',
  },
  answerStatus: {
    severity: 'error',
    what: (p) => `${p.status} is not the status of a success.`,
    why: 'A success is answered with 200 to 299; refusals are errors with a code.',
    write: () => '200',
  },
  answersBelow: {
    severity: 'error',
    what: (p) => `${p.status} is not a bound on statuses.`,
    why: 'The answers that are kept lie below it.',
    write: () => '500',
  },
  streamStatus: {
    severity: 'error',
    what: (p) => `A stream is answered with 200, and this says ${p.status}.`,
    why: 'Readers of server-sent events take no other status (WHATWG HTML).',
    write: () => '200',
  },
  streamKept: {
    severity: 'error',
    what: () => 'An endpoint that answers with the stream keeps no answers for idempotency keys.',
    why: 'A stream has no end, so that there is nothing to keep.',
    write: () => '- Idempotency: none',
  },
  streamWrites: {
    severity: 'error',
    what: () => 'An endpoint that answers with the stream changes rows.',
    why: 'A reader asks again whenever its connection breaks, and would change them again.',
  },
  noAnswer: {
    severity: 'question',
    what: (p) => `What does ${p.endpoint} answer?`,
    why: 'The last step of an endpoint is its answer.',
    write: () => '1. Answer 204.',
  },
  answerLast: {
    severity: 'error',
    what: () => 'Steps stand after the answer.',
    why: 'The answer is always the last step: what comes after would never run.',
  },
  entityTag: {
    severity: 'error',
    what: (p) => `${p.what} holds an entity tag, and this is none.`,
    why: 'Any other text can’t be matched (RFC 9110, section 8.8.3).',
    write: () => '`etag(order)`',
  },
  twoValidators: {
    severity: 'error',
    what: (p) =>
      `${p.endpoint} answers with a strong ETag of the whole answer already, so it cannot state ${p.header}.`,
    why: 'With two, a caller could not tell by which one a condition is judged (RFC 9110, section 13.2.2).',
    write: () => '- Conditional requests: none',
  },
  matchConditional: {
    severity: 'error',
    what: (p) => `${p.endpoint} matches If-Match against the ETag of its answer already.`,
    why: 'One header would be held against two tags (RFC 9110, section 13.1.1).',
    write: () => '- Conditional requests: none',
  },
  bodyStatus: {
    severity: 'error',
    what: (p) => `A ${p.status} answer ${p.has}.`,
    why: '204 and 205 have no body (RFC 9110, section 15.3), and other successes say what theirs is.',
  },
  elseBeyond: {
    severity: 'error',
    what: (p) => `What stands for “${p.name}” where it is not sent is not among its allowed values.`,
    why: 'A value that nobody may send cannot be what is meant by sending none.',
  },
  nameTaken: {
    severity: 'error',
    what: (p) => `“${p.name}” already means something in the steps of ${p.endpoint}.`,
    why: 'One name means one thing.',
  },
  stepName: {
    severity: 'error',
    what: (p) => `“${p.name}” cannot name a row.`,
    why: 'A name in a step is a letter, then letters, digits and `_`.',
  },
  findWhere: {
    severity: 'question',
    what: (p) => `Which ${p.resource} is found?`,
    why: 'A Find gives one row: it has to match an identity or a unique rule.',
    write: (p) => `where \`${p.identity} == path.${p.identity}\``,
  },
  findNotUnique: {
    severity: 'error',
    what: (p) => `Several rows of ${p.resource} could match this.`,
    why: 'A Find matches a unique rule, so that it is clear which row it gives.',
  },
  findCode: {
    severity: 'question',
    what: (p) => `What happens when no ${p.resource} is found?`,
    why: 'The refusal is not stated.',
    write: () => ', else not_found',
  },
  requireCode: {
    severity: 'question',
    what: () => 'Which error answers when this does not hold?',
    why: 'The refusal is not stated.',
    write: () => ', else code_of_the_error',
  },
  listOrder: {
    severity: 'question',
    what: (p) => `In which order are the rows of ${p.resource} listed?`,
    why: 'Pages need an order that stays the same.',
    write: (p) => `, latest \`${p.field}\` first`,
  },
  listBound: {
    severity: 'question',
    what: (p) => `How many rows of ${p.resource} are answered at most?`,
    why: 'Without a bound, the answer grows with the data.',
    write: () => ', in pages',
  },
  orderBy: {
    severity: 'error',
    what: () => 'A list is ordered by a field of its own that is always present.',
    why: 'The order has to be kept by the store, and to have a place for every row.',
  },
  orderLength: {
    severity: 'error',
    what: (p) => `A cursor would have to hold ${p.how}: what the rows are in order by, and their identity.`,
    why: 'It stands in the address of the next page, which has room for no more than 1,000 characters of text.',
  },
  listedTwice: {
    severity: 'error',
    what: () => 'An endpoint answers at most one list in pages.',
    why: 'The parameters of the pages speak of one list.',
  },
  notARow: {
    severity: 'error',
    what: (p) => `“${p.name}” is not a row of a step here${p.nearest ? `: did you mean “${p.nearest}”?` : '.'}`,
    why: 'Change, Move and Remove take a row that an earlier step has found or created.',
    write: (p) => p.nearest || null,
  },
  fromRequest: {
    severity: 'error',
    what: (p) => `A ${p.verb} takes its values from what the request holds of a resource, and this is something else.`,
    why: 'Each field of it is filled by the field of the same name.',
    write: () => '`request`',
  },
  requestUnread: {
    severity: 'error',
    what: (p) => `Nothing reads “${p.field}” of the request.`,
    why: 'It would be accepted and ignored.',
  },
  requestMissing: {
    severity: 'question',
    what: (p) => `What does the request of ${p.endpoint} hold?`,
    why: 'A step takes values from it.',
    write: (p) => `- Request: ${p.resource} with …`,
  },
  notGivenBy: {
    severity: 'error',
    what: (p) => `${p.field} is not given by ${p.source}.`,
    why: 'The column “Given by” says where a field’s value comes from, and every writer keeps to it.',
  },
  moveUnknown: {
    severity: 'error',
    what: (p) => `${p.resource} has no states.`,
    why: 'Only a row with states can move.',
  },
  afterRemove: {
    severity: 'error',
    what: (p) => `“${p.name}” may have been removed by an earlier step.`,
    why: 'A row that is gone can be neither changed nor answered.',
  },
  header: {
    severity: 'error',
    what: (p) =>
      `The header “${p.name}” can’t be set by an answer${p.nearest ? `: did you mean “${p.nearest}”?` : '.'}`,
    why: 'An answer may set Location, ETag, Cache-Control, Content-Language, Link, Last-Modified and Vary.',
    write: (p) => p.nearest || null,
  },
  unknownScope: {
    severity: 'error',
    what: (p) => `There is no scope “${p.found}”${p.nearest ? `: did you mean “${p.nearest}”?` : '.'}`,
    why: 'Access names a scope that a scheme declares.',
    write: (p) => p.nearest || null,
  },
  accessOfAnother: {
    severity: 'error',
    what: (p) => `No caller is ${p.resource}: each is ${p.caller}.`,
    why: 'Access would be for nobody.',
    write: (p) => `any ${p.caller}`,
  },
  underUnused: {
    severity: 'error',
    what: (p) => `No endpoint stands below ${p.path}.`,
    why: 'Its steps would never run.',
  },
  underEmpty: {
    severity: 'question',
    what: (p) => `What comes first at every endpoint below ${p.path}?`,
    why: 'The heading states nothing without steps.',
    write: () => '1. Find `order`: Order where `id == path.id`, else order_not_found.',
  },
  underNames: {
    severity: 'error',
    what: (p) => `“{${p.found}}” stands where ${p.under} says “{${p.name}}”.`,
    why: 'The two paths are the same but for this name, and the steps under the one would not run at the other.',
    write: (p) => p.name ?? null,
  },
  settingUnused: {
    severity: 'error',
    what: (p) => `No endpoint takes its “${p.key}” from here.`,
    why: 'It would be accepted and ignored.',
  },
  settingRepeated: {
    severity: 'error',
    what: (p) => `“${p.key}” says here what the part says already.`,
    why: 'It changes nothing. Where both are meant, one of them is enough.',
  },
  safeWrites: {
    severity: 'error',
    what: (p) => `${p.endpoint} changes rows, and ${p.method} only reads.`,
    why: 'Caches, crawlers and browsers repeat and prefetch a GET because it is safe (RFC 9110, section 9.2.1).',
    write: () => '### `POST /orders`',
  },
  requestOnSafe: {
    severity: 'error',
    what: (p) => `${p.endpoint} cannot have a request: the body of a ${p.method} means nothing.`,
    why: 'Proxies and servers may drop it or refuse it (RFC 9110, section 9.3.1).',
    write: () => '- Request: none',
  },
  changeNothing: {
    severity: 'error',
    what: (p) => `This changes no field of ${p.resource}.`,
    why: 'A step without effect is a statement without effect.',
  },
  cannotFail: {
    severity: 'error',
    what: () => 'This always holds.',
    why: 'A requirement that refuses nothing is a statement without effect.',
  },
  listAnswered: {
    severity: 'error',
    what: (p) => `“${p.name}” is a list in pages, and a page is answered as a whole.`,
    why: 'Its items and the way to the next page stand where “Pages” says.',
    write: (p) => `with \`${p.name}\``,
  },
  answerValue: {
    severity: 'error',
    what: (p) => `An answer cannot hold ${p.found}.`,
    why: 'It holds rows as they are shown, text, numbers, true and false, times, lists of these, and null.',
  },
  headerName: {
    severity: 'error',
    what: (p) => `“${p.found}” cannot name this header.`,
    why: 'Header names are tokens (RFC 9110, section 5.1), and each header means one thing.',
    write: () => '`Idempotency-Key`',
  },
  idempotencyCaller: {
    severity: 'error',
    what: (p) => `Keys are kept for each caller, and ${p.who}.`,
    why: 'Two clients with the same key would get each other’s answers.',
    write: () => '- Idempotency: none',
  },
  filterMissing: {
    severity: 'error',
    what: () => 'No parameter of this endpoint says which rows it keeps.',
    why: '“as the parameters say” would have no effect.',
  },
  idempotencyUnsafe: {
    severity: 'error',
    what: (p) => `${p.endpoint} changes nothing, so an idempotency key has nothing to protect.`,
    why: 'Repeating it is safe already.',
    write: () => '- Idempotency: none',
  },
  answerAs: {
    severity: 'error',
    what: (p) => `A view shows rows, and this is ${p.found}.`,
    why: 'A view is one of the forms in which the rows of a resource are shown.',
  },
});
