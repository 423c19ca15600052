import * as t from '../../../expression/tree/types.ts';
import { HANDLER } from '../../../language/handlers.ts';
import { factsOf } from '../../../language/statement.ts';
import type { InsideStep } from '../../../plan/step.ts';
import { bullet, type Written } from '../../../syntax/diagnostic.ts';
import { allSteps, heldAs } from '../../document/all-steps.ts';
import { objectOf, parameterType } from '../../document/parameter-types.ts';
import type { Resolved } from '../../document/resolve.ts';
import { checkAttempts } from '../../events/check-attempts.ts';
import { kindsOfParameter } from '../../resources/bounds.ts';
import { hashedUse } from '../../resources/check-passwords.ts';
import type { Handler, HandlerSteps, Parameter } from '../../statements/endpoints.ts';
import { Checking } from '../check/checking.ts';
import { checkParameter } from '../check/parameters.ts';
import { handlersDiagnostics as d } from '../messages/handlers.ts';
import type { CheckEach } from '../verbs/verb.ts';

/** The steps after a handler has answered, and those after it has failed. */
export interface CheckedHandler {
  readonly answers: readonly InsideStep[];
  readonly failing: readonly InsideStep[];
}

/** Checks handlers: their inputs, outputs, failures and the steps after them. Returns the settled steps. */
export function checkHandlers(r: Resolved, checkEach: CheckEach): ReadonlyMap<Handler, CheckedHandler> {
  const out = new Map<Handler, CheckedHandler>();
  for (const handler of r.model.endpoints.handlers) {
    checkStated(r, handler);
    for (const field of [...handler.takes, ...handler.gives]) {
      checkParameter(r, field);
      refusePassword(r, field);
      // Handlers get and return JSON: the document must state the JSON form of each type used.
      for (const kind of kindsOfParameter(field)) r.answeredKinds.add(kind);
      if (field.presence?.value === 'else')
        r.notes.findings.push(d.report.handlerElse(field.presence, { name: field.name.text }));
    }
    if (handler.kind?.value === 'pure') for (const code of handler.fails?.value ?? []) r.code(code, 'step', ['none']);
    const answers = handler.answers ? checkHeld(r, handler, handler.answers, 'answers', checkEach) : [];
    const failing = handler.failing ? checkHeld(r, handler, handler.failing, 'fails', checkEach) : [];
    if (answers && failing) out.set(handler, { answers, failing });
    r.afterAll(() => {
      const { text } = handler.name;
      if (!r.handlersUsed.has(text) && !r.isSuggested(text))
        r.notes.findings.push(d.report.handlerUnused(handler.name, { name: text }));
    });
  }
  return out;
}

/**
 * Reports a password or a secret among the inputs or outputs: inputs may be stored in a queue, and only the row may
 * hold one.
 */
function refusePassword(r: Resolved, field: Parameter): void {
  const { type } = field;
  const of = parameterType(r, field);
  if (type?.value.kind !== 'field' || of.kind !== 'password') return;
  const path = `${type.value.resource.text}.${type.value.field.text}`;
  r.notes.findings.push(hashedUse(type, path, of.secret === true, 'reach a handler'));
}

const HANDLER_FACTS = factsOf(HANDLER);

function checkStated(r: Resolved, handler: Handler): void {
  const ask = (said: unknown, what: string, write: string | Written): void => {
    if (!said)
      r.notes.findings.push(d.report.handlerSays(handler.span, { name: handler.name.text, bullet: what }, null, write));
  };
  for (const { key, member, write } of HANDLER_FACTS)
    if (member !== 'attempts') ask(handler[member], key, written(write, handler));
  checkAttempts(handler.attempts, r.notes.findings);
  const outside = handler.kind?.value === 'outside';
  if (outside) {
    ask(handler.attempts, 'Attempts', bullet('Attempts', HANDLER.Attempts.fact.write));
    ask(handler.answers, `When ${handler.name.text} answers`, `#### When ${handler.name.text} answers`);
    ask(handler.failing, `When ${handler.name.text} fails`, `#### When ${handler.name.text} fails`);
  } else if (handler.kind) {
    if (handler.gives.length === 0)
      r.notes.findings.push(d.report.handlerGives(handler.span, { name: handler.name.text }));
    const only = [handler.attempts, handler.answers?.span, handler.failing?.span];
    for (const one of only) if (one) r.notes.findings.push(d.report.handlerOutside(one, { name: handler.name.text }));
  }
  const file = handler.file?.value;
  if (file !== undefined && (!/\.(?:ts|mts|js|mjs)$/.test(file) || /^[/\\]|^[a-z]+:|\.\./i.test(file)))
    r.notes.findings.push(d.report.handlerFile(handler.file, { found: file, name: handler.name.text }));
}

const written = ({ text, states }: Written, { name }: Handler): Written => ({
  text: text.replace('{handler}', () => name.text),
  states,
});

/** Checks the steps after a handler, which run without a request. */
function checkHeld(
  r: Resolved,
  handler: Handler,
  held: HandlerSteps,
  when: 'answers' | 'fails',
  checkEach: CheckEach,
): readonly InsideStep[] | null {
  const one = heldAs(handler, held, when);
  for (const step of one.every)
    if (step.does.byRequest) r.notes.findings.push(d.report.handlerVerb(step.span, { verb: step.verb }));
  const names = new Map<string, t.Type>([['given', objectOf(r, handler.takes)]]);
  if (when === 'answers') names.set('answer', objectOf(r, handler.gives));
  else names.set('failure', failureType(handler));
  const before = r.notes.findings.length;
  const steps = r.within(one.endpoint.name, () => checkEach(new Checking(r, one, names, false), held.steps));
  // Any endpoint may run the handler, so the findings concern every endpoint.
  const found = r.notes.findings.splice(before);
  r.notes.findings.push(...found.map((finding) => ({ ...finding, endpoints: null })));
  const credentials = r.once(handedCredentials).get(handler.name.text);
  for (const name of credentials ?? [])
    if (readsGiven(steps, name)) r.notes.findings.push(d.report.handlerCredential(held.span, { name }));
  return steps;
}

/** The values that steps hand to each handler as credentials that they have issued, by the handler’s name. */
function handedCredentials(r: Resolved): ReadonlyMap<string, ReadonlySet<string>> {
  const out = new Map<string, Set<string>>();
  for (const { one } of r.once(allSteps)) {
    const issued = new Set(one.every.flatMap((step) => (step.verb === 'Issue' ? [step.as.text] : [])));
    for (const step of one.every) {
      if (step.verb !== 'Run') continue;
      const handed = step.with.filter(({ value }) => issued.has(value.text.trim())).map(({ field }) => field.text);
      out.set(step.handler.text, new Set([...(out.get(step.handler.text) ?? []), ...handed]));
    }
  }
  return out;
}

/** Whether an expression in steps after a handler reads one of the values that the handler was given. */
function readsGiven(data: unknown, name: string): boolean {
  if (typeof data !== 'object' || data === null) return false;
  const { op, of, member } = data as { op?: unknown; of?: { op?: unknown; name?: unknown }; member?: unknown };
  if (op === 'get' && of?.op === 'name' && of.name === 'given' && member === name) return true;
  return Object.values(data).some((part) => readsGiven(part, name));
}

/** The type of `failure`: one of the stated failures, or null if every attempt has failed in another way. */
function failureType(handler: Handler): t.Type {
  const oneOf = (handler.fails?.value ?? []).map((name) => name.text);
  return { ...t.STRING, oneOf, owner: `${handler.name.text}’s failures`, nullable: true };
}
