import * as t from '../../../expression/types.ts';
import type { Resolved } from '../../../model/resolve.ts';
import { kindsOfParameter } from '../../resources/bounds.ts';
import { resourcesDiagnostics } from '../../resources/diagnostics.ts';
import { Checking, type Of } from '../check/checking.ts';
import { checkParameter, parameterType } from '../checkparameters.ts';
import type { Effective } from '../effective.ts';
import { everyStep, NO_SETTINGS, type Parameter, type Step } from '../model.ts';
import { handlersDiagnostics as d } from './diagnostics.ts';
import type { Handler, Held } from './model.ts';

/** What a request brings, and what it is answered with: nobody asks for what follows a handler. */
const OF_REQUESTS: ReadonlyArray<Step['verb']> = ['List', 'Match', 'Authenticate', 'Issue', 'Answer'];

export type CheckEach = (c: Checking, steps: readonly Step[]) => void;

/** Checks handlers: what they take and give, how they may fail, and what follows. */
export function checkHandlers(r: Resolved, checkEach: CheckEach): void {
  for (const handler of r.model.endpoints.handlers) {
    checkStated(r, handler);
    for (const field of [...handler.takes, ...handler.gives]) {
      checkParameter(r, field);
      refusePassword(r, field);
      // Its values stand as in requests and answers: the part has to say how.
      for (const kind of kindsOfParameter(field)) r.answeredKinds.add(kind);
      if (field.presence?.value === 'else')
        r.notes.findings.push(d.report.handlerElse(field.presence, { name: field.name.text }));
    }
    if (handler.kind?.value === 'pure') for (const code of handler.fails?.value ?? []) r.code(code, 'step', ['none']);
    if (handler.answers) checkHeld(r, handler, handler.answers, 'answers', checkEach);
    if (handler.failing) checkHeld(r, handler, handler.failing, 'fails', checkEach);
    r.afterAll(() => {
      const { text } = handler.name;
      if (!r.handlersUsed.has(text) && !r.meant(text))
        r.notes.findings.push(d.report.handlerUnused(handler.name, { name: text }));
    });
  }
}

/** What a handler is run with may be queued, and so kept; and nothing but the row learns anything of a password. */
function refusePassword(r: Resolved, field: Parameter): void {
  const { type } = field;
  if (type?.value.kind !== 'field' || parameterType(r, field).kind !== 'password') return;
  const params = { field: `${type.value.resource.text}.${type.value.field.text}`, use: 'reach a handler' };
  r.notes.findings.push(resourcesDiagnostics.report.passwordUse(type, params));
}

function checkStated(r: Resolved, handler: Handler): void {
  const ask = (said: unknown, bullet: string, write: string): void => {
    if (!said) r.notes.findings.push(d.report.handlerSays(handler.span, { name: handler.name.text, bullet, write }));
  };
  ask(handler.kind, 'Kind', '- Kind: pure');
  ask(handler.file, 'File', `- File: \`${handler.name.text}.ts\``);
  ask(handler.fails, 'Fails with', '- Fails with: none');
  ask(handler.within, 'Within', '- Within: 2 seconds');
  const outside = handler.kind?.value === 'outside';
  if (outside) {
    ask(handler.delays, 'Attempts', '- Attempts: 3, after 5 seconds, 1 minute');
    ask(handler.answers, `When ${handler.name.text} answers`, `#### When ${handler.name.text} answers`);
    ask(handler.failing, `When ${handler.name.text} fails`, `#### When ${handler.name.text} fails`);
  } else if (handler.kind) {
    if (handler.gives.length === 0)
      r.notes.findings.push(d.report.handlerGives(handler.span, { name: handler.name.text }));
    const only = [handler.delays, handler.answers?.span, handler.failing?.span];
    for (const one of only) if (one) r.notes.findings.push(d.report.handlerOutside(one, { name: handler.name.text }));
  }
  const file = handler.file?.value;
  if (file !== undefined && (!/\.(?:ts|mts|js|mjs)$/.test(file) || /^[/\\]|^[a-z]+:|\.\./i.test(file)))
    r.notes.findings.push(d.report.handlerFile(handler.file, { found: file }));
}

/** What a handler takes, gives or was run with, as expressions see it. */
export function objectOf(r: Resolved, fields: readonly Parameter[]): t.ObjectType {
  const members = Object.fromEntries(fields.map((field) => [field.name.text, parameterType(r, field)]));
  return { kind: 'object', members, nulls: [], nullable: false };
}

/** What follows a handler, as steps are checked and planned: like an endpoint without a request. */
export function heldAs(handler: Handler, held: Held, when: 'answers' | 'fails'): Effective {
  const { steps, span } = held;
  const name = `When ${handler.name.text} ${when}`;
  const endpoint = { name, method: '', path: '', settings: NO_SETTINGS, parameters: [], steps, span };
  return { endpoint, settings: NO_SETTINGS, steps, every: [...everyStep(steps)], parameters: [] };
}

/** Every list of steps that follows a handler. */
export function everyHeld(r: Resolved): readonly Effective[] {
  return r.model.endpoints.handlers.flatMap((handler) => [
    ...(handler.answers ? [heldAs(handler, handler.answers, 'answers')] : []),
    ...(handler.failing ? [heldAs(handler, handler.failing, 'fails')] : []),
  ]);
}

function checkHeld(r: Resolved, handler: Handler, held: Held, when: 'answers' | 'fails', checkEach: CheckEach): void {
  const one = heldAs(handler, held, when);
  for (const step of one.every)
    if (OF_REQUESTS.includes(step.verb)) r.notes.findings.push(d.report.handlerVerb(step.span, { verb: step.verb }));
  const names = new Map<string, t.Type>([['given', objectOf(r, handler.takes)]]);
  if (when === 'answers') names.set('answer', objectOf(r, handler.gives));
  else names.set('failure', failureType(handler));
  const before = r.notes.findings.length;
  r.within(one.endpoint.name, () => checkEach(new Checking(r, one, names, false), held.steps));
  // Any endpoint may run the handler: what is unsaid of it stands in the way of each.
  const found = r.notes.findings.splice(before);
  r.notes.findings.push(...found.map((finding) => ({ ...finding, endpoints: null })));
}

/** How it has failed: one of the ways that it states, or null where every attempt has failed otherwise. */
export function failureType(handler: Handler): t.Type {
  const oneOf = (handler.fails?.value ?? []).map((name) => name.text);
  return { ...t.STRING, oneOf, owner: `${handler.name.text}’s failures`, nullable: true };
}

/** Run: a handler that there is, given all that it takes. */
export function checkRun(c: Checking, step: Of<'Run'>): void {
  const all = c.r.model.endpoints.handlers;
  const handler = all.find((one) => one.name.text === step.handler.text);
  if (!handler) {
    c.r.unknown(
      step.handler,
      'handler',
      all.map((one) => one.name.text),
    );
    if (step.as) c.nameRow(step.as, t.UNKNOWN);
    return;
  }
  c.r.handlersUsed.add(handler.name.text);
  const { text } = handler.name;
  for (const given of step.with) {
    const field = handler.takes.find((one) => one.name.text === given.field.text);
    if (!field)
      c.r.unknown(
        given.field,
        `value that ${text} takes`,
        handler.takes.map((one) => one.name.text),
      );
    c.type(given.value, field ? parameterType(c.r, field) : null, `“${given.field.text}”`);
  }
  for (const field of handler.takes)
    if (field.presence?.value === 'always' && !step.with.some((given) => given.field.text === field.name.text))
      c.findings.push(d.report.handlerTakes(step.span, { name: text, field: field.name.text }, [c.endpoint]));
  const pure = handler.kind?.value === 'pure';
  if (handler.kind && pure !== (step.as !== null))
    c.findings.push(
      pure ? d.report.handlerGiving(step.span, { name: text }) : d.report.handlerQueued(step.as, { name: text }),
    );
  if (step.as) c.nameRow(step.as, objectOf(c.r, handler.gives));
}
