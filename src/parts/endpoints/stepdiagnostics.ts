import type { Entry } from '../../source/diagnostic.ts';

/** What can be wrong with steps that hold others, with the newer verbs, and with requests in a member. */
export const STEPS = {
  issuedElsewhere: {
    severity: 'error',
    what: (p) => `Steps don’t issue credentials of “${p.scheme}”.`,
    why: 'Who issues and revokes them is said by the scheme.',
    write: () => '- Credentials: issued and revoked by steps, each for one Customer, kept as a hash',
  },
  issueScopes: {
    severity: 'question',
    what: (p) => `How far does this ${p.scheme} reach?`,
    why: 'The scheme has scopes, and none is given without being named.',
    write: (p) => `with scopes ${p.scopes}`,
  },
  issueNoScopes: {
    severity: 'error',
    what: (p) => `“${p.scheme}” has no scopes.`,
    why: 'It would be a statement without effect.',
  },
  issueKept: {
    severity: 'error',
    what: () => 'The answer would be kept for its idempotency key, and with it the credential.',
    why: 'A credential is told once and kept by nobody but its holder.',
    write: () => '- Idempotency: none',
  },
  issueUnused: {
    severity: 'error',
    what: (p) => `“${p.name}” is told to nobody.`,
    why: 'A credential can only be told by the answer to the request that has it issued.',
    write: (p) => `1. Answer 201 with token: \`${p.name}\`.`,
  },
  revokeToken: {
    severity: 'error',
    what: (p) => `“${p.scheme}” has tokens, which cannot be taken back.`,
    why: 'A token is good until its time is over; nothing of it is kept that could be revoked.',
  },
  revokeSent: {
    severity: 'error',
    what: (p) => `Requests to ${p.endpoint} may be sent without a key of “${p.scheme}”.`,
    why: 'There would be nothing to revoke, and nobody would be told.',
  },
  noPassword: {
    severity: 'error',
    what: (p) => `No field of ${p.resource} is a password.`,
    why: 'Authenticate compares what was sent with the password of the row that it finds.',
    write: () => '| password | string | password | 12 to 200 characters | request | always | no |',
  },
  passwordUnsaid: {
    severity: 'question',
    what: () => 'Which password is compared?',
    why: 'Authenticate takes the password that the request brings.',
    write: () => ', password `request.password`',
  },
  answerNested: {
    severity: 'error',
    what: () => 'An answer stands inside another step.',
    why: 'Every request that is not refused gets the same answer: it is the last step, and in no other.',
  },
  otherwiseAlone: {
    severity: 'error',
    what: () => 'There is no If right before this Otherwise.',
    why: 'Otherwise holds the steps for the case that an If does not take.',
    write: () => '1. If `…`:',
  },
  stepsMissing: {
    severity: 'question',
    what: () => 'Which steps are taken here?',
    why: 'After the colon, the steps stand in a numbered list of their own, further to the right.',
    write: () => '   1. Change `order`.',
  },
  listNested: {
    severity: 'error',
    what: () => 'A list in pages stands inside another step.',
    why: 'The parameters of the pages and the answer speak of one list that is always read.',
  },
  overList: {
    severity: 'error',
    what: (p) => `For each goes through a list, and this is ${p.found}.`,
    why: 'Its steps are taken once for each member.',
    write: () => 'For each `order`: Order where `…`, earliest `created` first:',
  },
  overOrder: {
    severity: 'question',
    what: (p) => `In which order does For each go through the rows of ${p.resource}?`,
    why: 'What its steps do to one row can matter to the next.',
    write: () => ', earliest `created` first',
  },
  findOrder: {
    severity: 'error',
    what: (p) => `One ${p.resource} at most matches this, so there is nothing to order.`,
    why: 'An order that decides nothing is a statement without effect.',
  },
  ensureUnique: {
    severity: 'error',
    what: (p) => `Nothing tells whether this ${p.resource} is there already.`,
    why: 'An Ensure gives every field of the identity, or of a unique rule without a condition: the row with their values is the one it ensures.',
    write: () => '- Unique: order and label',
  },
  moveTo: {
    severity: 'error',
    what: (p) => `This could be any text, and ${p.field} has the states that are listed.`,
    why: 'Each state that a step moves to has to be one that a transition leads to.',
    write: (p) => `| state | query | ${p.field} | any | always |`,
  },
  moveNowhere: {
    severity: 'error',
    what: (p) => `No transition that a step can make leads to “${p.state}”.`,
    why: 'A move to it would have no refusal stated.',
  },
  moveTwice: {
    severity: 'error',
    what: (p) => `Two transitions lead from “${p.from}” to “${p.state}”.`,
    why: 'Which of them a move makes decides what else it changes.',
    write: () => 'Move `order` by place',
  },
  moveRefusals: {
    severity: 'error',
    what: (p) => `The transitions to “${p.state}” are refused as ${p.codes}.`,
    why: 'From a state that none of them starts from, it would not be clear which refusal is meant.',
  },
  itemBounds: {
    severity: 'error',
    what: () => 'The most is less than the least.',
    why: 'No list of items would be allowed.',
    write: () => '1 to 50 items',
  },
  requestItems: {
    severity: 'question',
    what: (p) => `How many items may “${p.member}” hold?`,
    why: 'Without a bound, one request could make any number of rows.',
    write: () => ', 1 to 50 items',
  },
  sortWay: {
    severity: 'error',
    what: () => 'A direction is “asc” or “desc”, as the request says or written out, and this is something else.',
    why: 'The rows go up or down, and every value that can come has to say which.',
    write: () => '| direction | query | string | one of asc, desc | else `"asc"` |',
  },
  sortChoice: {
    severity: 'error',
    what: () =>
      'What rows are sorted by is a field of theirs, or a parameter that lists its values and is always there.',
    why: 'Every value that can come has to say what the rows are sorted by.',
    write: () => '| sort | query | string | one of created, updated | else `"created"` |',
  },
  sortMissing: {
    severity: 'question',
    what: (p) => `What are the rows sorted by where the request says “${p.name}”?`,
    why: 'Each value that can be sent stands for something that rows have.',
    write: (p) => `- Sort: ${p.name} by \`…\``,
  },
  sortUnused: {
    severity: 'error',
    what: () => 'No list of this endpoint is sorted by one of these names.',
    why: 'They would be accepted and ignored.',
    write: () => ', sorted by `query.sort` `query.direction`',
  },
} satisfies Record<string, Entry>;
