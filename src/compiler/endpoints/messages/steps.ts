import type { Entry } from '../../../syntax/diagnostic.ts';
import { bullet, row, step } from '../../../syntax/diagnostic.ts';

/** The message for a step whose rows are invisible to every caller of the endpoint, with the consequence. */
function hiddenResult({ verb, resource, endpoint }: Record<string, string>): string {
  const seen = `No caller of ${endpoint} may see the rows of ${resource} that this ${verb} is about`;
  return `${seen}, so ${HIDDEN[verb ?? ''] ?? 'the step never finds one'}`;
}

const HIDDEN: Readonly<Record<string, string>> = {
  List: 'the list is always empty',
  Group: 'there are never any groups',
  'For each': 'the steps within never run',
  'Remove every': 'it removes none',
};

const ABSENT: Readonly<Record<string, string>> = {
  List: 'The list is empty',
  Group: 'There are no groups',
  Find: 'This Find finds no row',
  Authenticate: 'This Authenticate finds no row',
  'For each': 'This step goes through no row',
  'Remove every': 'This step removes no row',
};

/** A field whose secret steps issue. */
const SECRET = row('secret', 'string', 'secret', '1 to 200 characters', 'steps', 'optional', 'no');

/** Findings about single verbs, about steps that contain steps, and about orders that a request chooses. */
export const STEPS = {
  emitRow: {
    severity: 'error',
    what: (p) =>
      `${p.event} is about a change of a row, which records it by itself. Remove this step, or write “a step emits it” under When.`,
    why: 'A step emits events that are about no row.',
  },
  emitMember: {
    severity: 'error',
    what: (p) =>
      `This step gives ${p.event} no value for its member ${p.member}. Write “with ${p.member}” and an expression, such as null.`,
    why: 'Every step that emits an event gives each of its members a value.',
    write: (p) => `${p.member} \`null\``,
  },
  emitValue: {
    severity: 'error',
    what: (p) =>
      `“${p.member}” is ${p.found}. A member of an event that a step emits takes a value without rows, such as a field of the row, or a list of such values.`,
    why: 'The event is about no row, so no statement says which of its readers may see the row.',
  },
  issuedElsewhere: {
    severity: 'error',
    what: (p) =>
      p.kind === 'HTTP Basic'
        ? `“${p.scheme}” is HTTP Basic: nobody issues or revokes the user name and the password of a row. Remove the step.`
        : `This step issues or revokes a credential of “${p.scheme}”, and the Credentials of the scheme do not name steps. Name them there, or remove the step.`,
    why: 'The bullet Credentials names everybody who issues and revokes credentials of the scheme.',
    write: (p) =>
      p.kind === 'HTTP Basic'
        ? null
        : bullet('Credentials', 'issued and revoked by steps, each for one Customer, kept as a hash'),
  },
  issueScopes: {
    severity: 'question',
    what: (p) => `Which scopes does this ${p.scheme} have? The scopes are ${p.scopes}.`,
    why: 'Issue ends with “with scopes a, b” or “without scopes”.',
    write: (p) => `with scopes ${p.scopes}`,
  },
  issueNoScopes: {
    severity: 'error',
    what: (p) =>
      `“${p.scheme}” has no scopes. Remove “with scopes …” or “without scopes”, or add a table of scopes to the scheme.`,
    why: 'A statement without effect hides a mistake.',
  },
  issueScopesBeyond: {
    severity: 'error',
    what: (p) =>
      `This list may have texts that are no scopes of “${p.scheme}”. State the allowed values of its items as some of: ${p.scopes}.`,
    why: 'A credential has only scopes that its scheme declares.',
  },
  issueNoSecret: {
    severity: 'error',
    what: (p) => `${p.field} is no secret. Give it the format secret, or name a scheme.`,
    why: 'Issue makes a credential of a scheme, or draws the secret of a row.',
    write: () => SECRET,
  },
  issueSecretTo: {
    severity: 'error',
    what: (p) =>
      `After “for” comes the name of a ${p.resource} that a step before has found or created, because ${p.field} is its secret.`,
    why: 'Issue draws the secret of one row, and changes the row.',
    write: (p) => step('Issue', `\`secret\`: ${p.field} for \`row\`.`),
  },
  issueSecretAgain: {
    severity: 'error',
    what: (p) => `Two steps draw ${p.field} for “${p.row}”, and only the last secret matches. Remove one Issue.`,
    why: 'A row has one secret: what is drawn before is given to somebody, and lets nobody in.',
  },
  issueSecretLost: {
    severity: 'error',
    what: (p) =>
      `A step before draws ${p.field} for “${p.row}”, and this step may remove that row or its secret. Move this step before the Issue, or remove one of them.`,
    why: 'The secret would be given to somebody, and let nobody in.',
  },
  issueKept: {
    severity: 'error',
    what: () => 'An endpoint that issues a credential has no idempotency keys. Write “none”.',
    why: 'The service would store the answer, and the credential in it.',
    write: () => bullet('Idempotency', 'none'),
  },
  issueCookie: {
    severity: 'error',
    what: (p) => p.what ?? '',
    why: 'The answer sets the cookie, and each cookie once (RFC 6265, section 4.1.1).',
  },
  issueUnused: {
    severity: 'error',
    what: (p) => `The answer does not show the credential “${p.name}”. Show it, or remove the Issue.`,
    why: 'Nobody could ever use the credential.',
    write: (p) => step('Answer', `201 with token: \`${p.name}\`.`),
  },
  issueUnshown: {
    severity: 'error',
    what: (p) =>
      `This Answer does not show the credential “${p.name}”, which a step before it issues. Show it here, too, or move the Issue into the branch of the other Answer.`,
    why: 'Nobody could ever use the credential.',
  },
  revokeToken: {
    severity: 'error',
    what: (p) => `“${p.scheme}” issues tokens, and a token cannot be revoked. Remove the step, or use API keys.`,
    why: 'The service stores nothing of a token. A token is valid until it expires.',
  },
  revokeSent: {
    severity: 'error',
    what: (p) =>
      `Revoke “sent” needs the key of the request, and ${p.endpoint} also runs without a key of “${p.scheme}”. Revoke “every” key of a row, or accept only this scheme.`,
    why: 'Without the key, the step would have no effect, and the client would not know.',
  },
  loginHidden: {
    severity: 'error',
    what: (p) =>
      `A request without credentials may see no row of ${p.resource}, so this Authenticate can never find one for whoever is not logged in yet. Let “Visible” of ${p.resource} (line ${p.line}) hold without a caller, or change the Access of ${p.endpoint}.`,
    why: 'Authenticate finds only rows that are visible to the request. “Shown” states the members that an answer has, and “where” the rows that a list has.',
    write: () => bullet('Visible', 'everyone'),
  },
  neverSeen: {
    severity: 'error',
    what: (p) =>
      `${hiddenResult(p)}. Change “Visible” of ${p.resource} (line ${p.line}), or the Access of ${p.endpoint}.`,
    why: 'Rows that are not visible to a request do not exist for its steps.',
  },
  absentCompared: {
    severity: 'question',
    what: (p) =>
      `${ABSENT[p.verb ?? ''] ?? ''} when a request does not send ${p.holder} “${p.name}”, because “${p.test}” is then never true. Which rows are meant then: all of them, or none?`,
    why: 'An optional value is null when it is not sent. `!has(…) || …` takes all rows then, and `has(…) && …` none. “Keeps rows where” filters only when its parameter is sent, and “else” under Presence gives a parameter another value.',
    write: (p) => `!has(${p.value}) || ${p.test}`,
  },
  noPassword: {
    severity: 'error',
    what: (p) => `No field of ${p.resource} is a ${p.is}. Add a field of the format ${p.is}, or remove the step.`,
    why: 'Authenticate compares the sent password, or the sent secret, with that of the row.',
    write: (p) =>
      p.is === 'secret'
        ? SECRET
        : row('password', 'string', 'password', '12 to 200 characters', 'request', 'always', 'no'),
  },
  passwordUnsaid: {
    severity: 'question',
    what: () => 'Which member of the request holds the password that this step verifies?',
    why: 'Authenticate ends with “, password” or “, secret”, and a member of the request.',
    write: () => ', password `request.password`',
  },
  answerNested: {
    severity: 'error',
    what: () => 'An Answer cannot be inside a For each. Move it out of the loop.',
    why: 'A request has one answer, and a loop may run any number of times.',
  },
  otherwiseAlone: {
    severity: 'error',
    what: () => 'An Otherwise comes directly after an If. The step before this one is not an If.',
    why: 'Otherwise holds the steps for the case that the condition of the If does not hold.',
    write: () => '1. If `…`:',
  },
  stepsMissing: {
    severity: 'question',
    what: () => 'Which steps run inside this step?',
    why: 'After the colon comes a numbered list of steps, indented.',
    write: () => '   1. Change `order`.',
    puts: 'below',
  },
  listNested: {
    severity: 'error',
    what: () => 'A List in pages cannot be nested in another step. Move it out, or write “all”.',
    why: 'The parameters of pages and the Answer need a list that every request reads.',
    write: () => ', all',
  },
  groupOrder: {
    severity: 'question',
    what: (p) => `In which order are the groups of ${p.resource} listed?`,
    why: 'Without an order, two requests could list the groups differently. The order names a member of the groups.',
    write: () => ', latest `count` first',
  },
  groupBound: {
    severity: 'question',
    what: (p) => `How many groups of ${p.resource} may the list have?`,
    why: 'A Group ends with “, all”. The limit “Whole list” states the number, and whether more groups are refused or left out.',
    write: () => ', all',
  },
  groupName: {
    severity: 'error',
    what: (p) =>
      `“${p.found}” is not a name of a member of a group. Such a name begins with a letter, followed by letters, digits and “_”.`,
    why: 'Expressions read the member by its name.',
  },
  groupValue: {
    severity: 'error',
    what: (p) =>
      `The member “${p.name}” of the groups is ${p.found}. A member of a group is text, a number, a boolean, a time or a duration.`,
    why: 'A group has no rows and no lists. A key that is a reference is the identity of the row.',
  },
  streamedNested: {
    severity: 'error',
    what: () => 'A List that is streamed cannot be nested in another step. Move it out.',
    why: 'The Answer needs a list that every request has.',
  },
  overList: {
    severity: 'error',
    what: (p) => `For each takes a list or the rows of a resource. This expression is ${p.found}.`,
    why: 'The nested steps run once for each item.',
    write: () => 'For each `order`: Order where `…`, earliest `created` first:',
  },
  overOrder: {
    severity: 'question',
    what: (p) => `In which order does For each go through the rows of ${p.resource}?`,
    why: 'The steps for one row can change the result of the steps for the next row.',
    write: () => ', earliest `created` first',
  },
  findOrder: {
    severity: 'error',
    what: (p) =>
      `At most one row of ${p.resource} matches this condition, so an order has no effect. Remove “latest … first” or “earliest … first”.`,
    why: 'A statement without effect hides a mistake.',
  },
  exactLookUp: {
    severity: 'notice',
    what: (p) =>
      `“==” is exact, and the unique rule of ${p.resource}.${p.field} ignores case: a ${p.resource} with “Ann” ${p.verb === 'Authenticate' ? 'cannot log in as “ann”' : 'is not found by “ann”'}, and nobody else can have “ann”. To find it, ${
        p.ignoring
          ? 'write “, ignoring case” after the condition'
          : `keep the text in small letters in a field that is unique, such as \`${p.field}_key\` with \`${p.field}.lower()\`, and compare that field with \`${p.value}\``
      }.`,
    why: 'A person writes the same address or name in other letters, and is refused.',
  },
  exactEnsure: {
    severity: 'notice',
    what: (p) =>
      `Ensure compares ${p.field} exactly, and the unique rule of ${p.resource}.${p.field} ignores case: where a ${p.resource} has “Ann”, an Ensure with “ann” does not find it, and the rule refuses the new row. To find it, end the step with “, ignoring case”.`,
    why: 'The same request in other letters is refused instead of finding the row.',
  },
  ensureUnique: {
    severity: 'error',
    what: (p) =>
      `This Ensure cannot find out whether the row of ${p.resource} exists. ${p.condition ? `The rule whose fields have values is for some rows only: end the step with “while \`${p.condition}\`”, or give` : 'Give'} a value to the identity, or to every field of a unique rule without “while”.`,
    why: 'An Ensure looks for the row with these values, and creates one only when there is none.',
    write: () => bullet('Unique', 'order and label'),
  },
  ensureWhile: {
    severity: 'error',
    what: (p) =>
      `This condition is not that of a unique rule of ${p.resource} whose fields all have values here. ${
        p.conditions ? `Such rules have: ${p.conditions}.` : 'No such rule has a condition: remove “while”.'
      }`,
    why: 'Ensure looks for a row by a unique rule, and repeats the condition of that rule.',
    write: () => bullet('Unique', 'customer and sku while `status == "draft"`'),
  },
  ensureOutside: {
    severity: 'error',
    what: (p) =>
      `\`${p.condition}\` may not hold for the row that this Ensure creates. Give ${p.fields} values with which it always holds.`,
    why: 'The unique rule would not count the new row, and each such request would create another one.',
  },
  ignoresNothing: {
    severity: 'error',
    what: (p) =>
      `“, ignoring case” has no effect: this ${p.verb} finds rows of ${p.resource} by no unique rule that ignores case. ${
        p.rules
          ? `The rules that do: ${p.rules}. ${p.verb === 'Ensure' ? 'Give a value to' : 'Compare with “==”'} every field of one of them, or remove “, ignoring case”.`
          : 'Remove it, or write “ignoring case” in the rule.'
      }`,
    why: 'A look-up ignores case only where no two rows can differ in case alone.',
  },
  ignoresEither: {
    severity: 'error',
    what: (p) =>
      `Several rows of ${p.resource} could match this condition ignoring case, since the rules ${p.rules} ignore the case of different fields. Compare the fields of one rule alone.`,
    why: 'The look-up has to match one row at most.',
  },
  ignoresStored: {
    severity: 'error',
    what: (p) =>
      `“, ignoring case” cannot compare with \`${p.value}\`, which is read from another row. Find that row in a step before, and compare with its field.`,
    why: 'The case of the compared text is folded before the rows are looked up.',
  },
  moveTo: {
    severity: 'error',
    what: (p) =>
      p.states
        ? `The expression may be any string. ${p.field} takes only ${p.states}.`
        : `The expression may be any string, and no transition leads to a state of ${p.field}. Add a transition.`,
    why: 'Every value of the expression has to be a state that a transition leads to. A parameter of the type of the field has only these values.',
    write: (p) => row('state', 'query', `${p.field}`, 'any', 'always'),
  },
  moveFields: {
    severity: 'error',
    what: (p) => `${p.states} of ${p.fields}. Name the transition: Move … by ….`,
    why: 'A Move changes one field of the row, and the states do not say which.',
    write: (p) => `Move \`${p.row}\` by ${p.by}`,
  },
  moveNowhere: {
    severity: 'error',
    what: (p) =>
      `No transition without a time leads to “${p.state}”. Add one to the table of transitions, or move to another state.`,
    why: 'A step moves a row only by a transition that is stated.',
  },
  moveTwice: {
    severity: 'error',
    what: (p) => `Two transitions lead from “${p.from}” to “${p.state}”. Name the transition: Move … by ….`,
    why: 'The two transitions can have different guards and different steps.',
    write: () => 'Move `order` by place',
  },
  moveRefusals: {
    severity: 'error',
    what: (p) =>
      `The transitions to “${p.state}” have different codes under Otherwise: ${p.codes}. Use one code, or name the transition: Move … by ….`,
    why: 'A row may be in a state that none of these transitions starts from. The document does not say which of the codes the client then receives.',
  },
  validateNothing: {
    severity: 'error',
    what: (p) => `${p.endpoint} has no body to validate. Remove this step, or state a Request.`,
    why: 'A statement without effect hides a mistake.',
  },
  validateNested: {
    severity: 'error',
    what: () => 'This step is one of the endpoint’s own, not below another step, below a path, or of a transition.',
    why: 'The body is validated once, for all steps that follow.',
  },
  validateFirst: {
    severity: 'error',
    what: () => 'No step comes before this one, so that the body is validated before the first step anyway. Remove it.',
    why: 'A statement without effect hides a mistake.',
  },
  validateAfter: {
    severity: 'error',
    what: (p) => `“${p.verb}” cannot come before “Validate the body”. These verbs can: ${p.verbs}.`,
    why: 'A request with faults in its body changes nothing, and is never answered with a success.',
  },
  bodyUnvalidated: {
    severity: 'error',
    what: () => 'This step reads `request` before the body is validated. Move it behind “Validate the body”.',
    why: 'Before it is validated, the body may hold any value.',
  },
  requestItems: {
    severity: 'question',
    what: (p) => `How many items may “${p.member}” have?`,
    why: 'Without a bound, one request could create any number of rows.',
    write: () => ', 1 to 50 items',
  },
  orderNulls: {
    severity: 'question',
    what: (p) => `“${p.key}” can be null. Are rows without it before all others, or after them?`,
    why: 'A sort key that can be null ends with “nulls first” or “nulls last”.',
    write: (p) => `\`${p.key}\` nulls last`,
  },
  orderNeverNull: {
    severity: 'error',
    what: (p) =>
      `“${p.key}” is never null here, so “nulls ${p.nulls}” has no effect. ${p.first ? 'Write “first” in its place.' : 'Remove it.'}`,
    why: 'A statement without effect hides a mistake.',
  },
  orderTwice: {
    severity: 'error',
    what: (p) => `The order has the sort key “${p.key}” twice. The second has no effect; remove it.`,
    why: 'A statement without effect hides a mistake.',
  },
  orderFixed: {
    severity: 'error',
    what: (p) => `The condition gives all rows the same “${p.key}”, so this sort key has no effect. Remove it.`,
    why: 'A statement without effect hides a mistake.',
  },
  orderIdle: {
    severity: 'error',
    what: (p) =>
      `No two of these rows are equal in ${p.rule}, which is unique, so the sort key “${p.key}” after it has no effect. Remove it.`,
    why: 'A statement without effect hides a mistake.',
  },
  sortNulls: {
    severity: 'error',
    what: (p) => `“nulls ${p.nulls}” belongs to a sort key. Write it after the keys under “Sort” that can be null.`,
    why: 'The names under “Sort” have keys of their own, some of which are never null.',
  },
  sortFixed: {
    severity: 'error',
    what: (p) =>
      `All sort keys of “${p.name}” have a direction of their own, so the direction of the request has no effect. Leave out “latest” or “earliest” at the key that the request turns.`,
    why: 'A statement without effect hides a mistake.',
  },
  sortWay: {
    severity: 'error',
    what: () => 'The direction of an order takes only “asc” and “desc”. This expression may be another value.',
    why: 'Every value that a client may send has to be a direction.',
    write: () => row('direction', 'query', 'string', 'one of asc, desc', 'else `"asc"`'),
  },
  sortChoice: {
    severity: 'error',
    what: () =>
      '“sorted by” takes a field of the rows, or a parameter that lists its values with “one of …” and is always present. This expression is neither.',
    why: 'Every value that a client may send has to name an order of the rows.',
    write: () => row('sort', 'query', 'string', 'one of created, updated', 'else `"created"`'),
  },
  sortMissing: {
    severity: 'question',
    what: (p) => `A request asks for rows sorted by “${p.name}”. By which field does the service sort them?`,
    why: 'The bullet Sort gives each value of the parameter a field or an expression.',
    write: (p) => bullet('Sort', `${p.name} by \`…\``),
  },
  sortUnused: {
    severity: 'error',
    what: () =>
      '“Sort” has no effect: no List or For each of this endpoint is sorted by a parameter. Remove it, or write “sorted by”.',
    why: 'A statement without effect hides a mistake.',
    write: () => ', sorted by `query.sort` `query.direction`',
  },
} satisfies Record<string, Entry>;
