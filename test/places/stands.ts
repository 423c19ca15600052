import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files that hold nothing of a plan: they compute conditions, or describe the kinds of steps. */
const WITHOUT_PLAN: readonly string[] = ['audience.ts', 'caller-condition.ts', 'givings.ts', 'step-kinds.ts'];

const PLAN = join(import.meta.dirname, '..', '..', 'src', 'plan');

/**
 * Every member of a plan that is an expression, by its file and what it belongs to: what runs is a plan, so an expression
 * that stands nowhere here is never computed.
 */
export function expressionsOfPlans(): string[] {
  const out: string[] = [];
  for (const file of readdirSync(PLAN).sort()) {
    if (WITHOUT_PLAN.includes(file)) continue;
    const text = readFileSync(join(PLAN, file), 'utf8');
    let owner = '';
    const members =
      /^(?:export )?(?:interface|type) (\w+)|readonly (?:do|kind): '([^']+)'|(\w+): (?:readonly )?Expr\b/gm;
    for (const [, declared, literal, member] of text.matchAll(members)) {
      owner = declared ?? literal ?? owner;
      if (member === undefined) continue;
      const path = `${owner}.${member}`;
      out.push(out.includes(path) ? `another ${path}` : path);
    }
  }
  return out;
}

/** Where each of them is tried, by the names of places; or why it can hold no function. */
export const STANDS: Readonly<Record<string, readonly string[] | string>> = {
  'FromPlan.value': 'it is `request`, or an object in it',
  'GivenPlan.value': ['a value of a Create', 'a value of an Ensure', 'a value of a Change', 'a value for a handler'],
  'KeyPlan.while': 'it is the condition of a unique rule, as the rule has it',
  'OrderKey.by': ['an order', 'an order of a Find'],
  'ChosenOrder.sorted': ['an order that a request chooses'],
  'TurnedKey.by': ['a key of an order that a request chooses'],
  'ChosenOrder.direction': ['a direction that a request chooses'],
  'list.list': ['a list of a For each'],
  'rows.where': ['a condition of a For each'],
  'find.where': ['a condition of a Find'],
  'list streamed.where': 'it is compiled as that of a List of all rows',
  'list.where': ['a condition of a list'],
  'ListFilter.where': ['a filter of a parameter'],
  'group.where': ['a condition of a Group'],
  'MemberPlan.value': ['a key of a Group', 'an aggregate of a Group'],
  'verify.where': ['a condition of an Authenticate'],
  'verify.password': 'it is a password whole: `check` refuses any other expression of one',
  'require.test': ['a Require'],
  'match.to': 'it is an entity tag: `check` refuses anything but `etag(row)`',
  'move to.to': ['a Move to a state'],
  'issue.scopesBy': ['the scopes of a credential that a step issues'],
  'issue.to': ['whom a step issues a credential for'],
  'revoke.of': ['whose credentials a step revokes'],
  'remove every.where': ['a Remove every'],
  'if.test': ['an If'],
  'SchemePlan.while': ['the condition of callers'],
  'RatePlan.count': ['the number of a rate'],
  'ColumnPlan.otherwise': ['a default'],
  'UniquePlan.condition': ['the condition of a rule that is unique'],
  'GivingPlan.value': ['on create', 'on change', 'on a transition'],
  'Timing.instant': ['the instant of a transition'],
  'TransitionPlan.guard': ['a guard'],
  'EventPlan.instant': ['the instant of an event'],
  'EventPlan.condition': ['the condition of an event'],
  'EmittedPlan.visible': 'it is compiled as other conditions about readers and callers are',
  'ResourcePlan.value': ['a derived field', 'the payload of an event', 'what a stream sends'],
  'ResourcePlan.visible': ['Visible'],
  'ResourcePlan.test': ['Holds'],
  'OverlapPlan.start': ['where No overlap begins'],
  'OverlapPlan.end': ['where No overlap ends'],
  'OverlapPlan.condition': ['the condition of No overlap'],
  'ViewMember.value': 'it is a field, or a derived field, which is tried where it is shown',
  'PairPlan.value': ['what is told of an error'],
  'PairPlan.key': ['what is told of an error'],
  'value.value': ['what is told of an error'],
  'ReceiversPlan.where': [
    'what a receiver hears of, by the row of the event',
    'what a receiver hears of, by its own fields',
  ],
  'ParameterPlan.otherwise': ['a parameter that is not sent'],
  'ShownPlan.value': ['an answer', 'an aggregate'],
  'text.value': ['text of an answer'],
  'file.bytes': 'it is a member of a field of bytes, whole',
  'file.type': 'it is a member of a field of bytes, whole',
  'file.size': 'it is a member of a field of bytes, whole',
  'file.sha256': 'it is a member of a field of bytes, whole',
  'file.name': 'it is compiled as other texts that are sent',
  'answer.value': ['a header of an answer'],
};

/** Whether a plan holds a computed expression in a member that is called so. */
export function computes(plan: unknown, member: string): boolean {
  if (typeof plan !== 'object' || plan === null) return false;
  return Object.entries(plan).some(
    ([name, value]) => (name === member && JSON.stringify(value)?.includes('"call"')) || computes(value, member),
  );
}
