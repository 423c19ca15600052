import type { Type } from '../../expression/types.ts';
import type { Row, Value } from '../../expression/value.ts';
import type { AnswerStep, PagePlan, ResourcePlan, WirePlan } from '../../plan/step.ts';
import type { Answer } from '../../serve/exchange.ts';
import { type Compiled, type Expressions, evaluate, type Names } from '../../serve/layout.ts';
import type { Program } from '../../store/store.ts';
import type { Errors } from '../errors/enforce.ts';
import { rowWriter, type ValueForm, valueWriter } from '../resources/shown.ts';
import type { Speech } from '../versioning/enforce.ts';
import { conditionally } from './conditional.enforce.ts';
import type { Run } from './steps/context.ts';

interface AnswerContext {
  readonly expressions: Expressions;
  readonly wire: WirePlan;
  readonly names: Names;
  readonly page: PagePlan | null;
  readonly errors: Errors;
  resource(name: string): ResourcePlan;
}

/** Takes the answer's values at the end of the transaction and writes them as JSON, in the version asked for. */
export type Answering = (run: Run) => Program<Answer>;

/** Compiles the last step of an endpoint. */
export function compileAnswer(plan: AnswerStep, c: AnswerContext): Answering {
  const headers = plan.headers.map((one) => ({ name: one.name, value: c.expressions.compile(one.value, c.names) }));
  const body = compileBody(plan, c);
  const { status } = plan;
  const answering: Answering = function* answer(run) {
    const out: string[] = [];
    for (const one of headers)
      out.push(one.name, fieldValue(one.name, (yield* evaluate(one.value, run.work.frame)) as string));
    if (!body) return { status, headers: out, body: null };
    out.push('Content-Type', 'application/json');
    return { status, headers: out, body: yield* body(run) };
  };
  return plan.conditional ? conditionally(answering, c.errors) : answering;
}

/**
 * A header’s value holds visible ASCII with spaces between (RFC 9110, section 5.5), and Location, a URI, no spaces:
 * anything else is percent-encoded.
 */
function fieldValue(name: string, text: string): string {
  const good = name === 'Location' ? /^[\x21-\x7e]*$/ : /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;
  return good.test(text) ? text : encodeURI(text).replace(/[\s\x7f]/g, encodeURIComponent);
}

type Writing = (run: Run) => Program<string>;

function compileBody(plan: AnswerStep, c: AnswerContext): Writing | null {
  const { body } = plan;
  if (!body) return null;
  if (body.kind === 'row') {
    const value = c.expressions.compile(body.value, c.names);
    const write = perVersion(c.resource(body.resource), c.wire);
    return function* row(run) {
      return write(run.x.speech)((yield* evaluate(value, run.work.frame)) as Row);
    };
  }
  if (body.kind === 'page') return compilePage(body.list, c.resource(body.resource), c);
  const members = body.members.map((member) => ({
    prefix: `${JSON.stringify(member.name)}:`,
    value: c.expressions.compile(member.value, c.names),
    write: memberWriter(member.value.type, c),
  }));
  return function* object(run) {
    let out = '';
    for (const member of members) {
      const text = member.write(run, yield* evaluate(member.value as Compiled, run.work.frame));
      if (text !== null) out += `${out && ','}${member.prefix}${text}`;
    }
    return `{${out}}`;
  };
}

/** The writer of a resource's shown form, made once for each version. */
function perVersion(resource: ResourcePlan, wire: WirePlan): (speech: Speech) => (row: Row) => string {
  const writers = new Map<string, (row: Row) => string>();
  return (speech) => {
    const known = writers.get(speech.version);
    if (known) return known;
    const made = rowWriter(resource, speech, wire);
    writers.set(speech.version, made);
    return made;
  };
}

function compilePage(list: string, resource: ResourcePlan, c: AnswerContext): Writing {
  const slot = c.names.vars.indexOf(list);
  const write = perVersion(resource, c.wire);
  const nextNull = c.wire.missing === 'null';
  // biome-ignore lint/correctness/useYield: an answer is a program even where it makes no call
  return function* page(run) {
    const rows = run.work.frame.vars[slot] as Row[];
    const one = write(run.x.speech);
    let items = '';
    for (const row of rows) items += (items && ',') + one(row);
    let out = '';
    for (const member of c.page!.payload) {
      const next = run.next === null ? (nextNull ? 'null' : null) : `"${run.next}"`;
      const value = member.value === 'items' ? `[${items}]` : next;
      if (value !== null) out += `${out && ','}${JSON.stringify(member.name)}:${value}`;
    }
    return `{${out}}`;
  };
}

function memberWriter(type: Type, c: AnswerContext): (run: Run, value: unknown) => string | null {
  const missing = c.wire.missing === 'null' ? 'null' : null;
  if (type.kind === 'row') {
    const write = perVersion(c.resource(type.resource), c.wire);
    return (run, value) => (value === null ? missing : write(run.x.speech)(value as Row));
  }
  const write = valueWriter(formOf(type), c.wire);
  return (_run, value) => (value === null ? missing : write(value as Exclude<Value, null>));
}

/** The form of what an expression computes; what has none of its own stands in JSON as it is. */
function formOf(type: Type): ValueForm {
  if (type.kind === 'list') return { kind: 'list', scale: null, items: formOf(type.of) };
  if (type.kind === 'decimal') return { kind: 'decimal', scale: type.scale, items: null };
  const kind = type.kind === 'timestamp' || type.kind === 'duration' ? type.kind : 'text';
  return { kind, scale: null, items: null };
}
