import { type Evaluate, layoutOf, toJavaScript } from '../../expression/javascript.ts';
import { type Expr, mapParts } from '../../expression/tree/expression.ts';
import { emptyFrame, type Frame, type Value } from '../../expression/values/value.ts';
import { objectWriter } from '../../http/nested-json.ts';
import { FAULT, type Fault, type Outcome } from '../../plan/conditions.ts';
import type { ErrorMemberPlan, ErrorValuePlan, ManyPlan } from '../../plan/step.ts';
import { addTo } from '../../text/lists.ts';
import { ownMember } from '../../text/own-members.ts';
import type { FaultAt } from '../context/request-context.ts';

/** Writes the payload of one code for its faults. */
export type PayloadWriter = (faults: readonly FaultAt[]) => string;

/** Writes a value for all faults of the error, or for the fault in the frame; null where the value is missing. */
type Writer = (frame: Frame, faults: readonly Frame[]) => string | null;

const MEMBERS = Object.keys(FAULT);

/** The members of a fault are read like those of a request: both are lists of values. */
const LAYOUT = layoutOf('A payload is computed from its error alone', {
  member: (_object, name) => MEMBERS.indexOf(name),
});

/** Compiles the payload of one code: all that is constant for the code is computed here. */
export function payloadWriter(
  members: readonly ErrorMemberPlan[],
  outcome: Outcome,
  columns: Readonly<Record<string, string | null>>,
  missing: 'left out' | 'null',
  texts: Readonly<Record<Fault, string>>,
): PayloadWriter {
  const known: Readonly<Record<string, Value>> = { ...columns, ...outcome };
  const write = membersWriter(members, known, missing);
  const none = emptyFrame(0, '');
  return (faults) =>
    write(
      none,
      faults.map((fault) => ({ ...none, request: faultValues(fault, texts) })),
    );
}

/** In the order of `FAULT`. */
function faultValues({ place, name, code }: FaultAt, texts: Readonly<Record<Fault, string>>): Value[] {
  const at = (one: FaultAt['place']): string | null => (place === one ? name : null);
  return [fieldOf(place, name), code, texts[code], at('pointer'), at('parameter'), at('header')];
}

/** Returns the steps of a JSON Pointer joined by dots; the name of a parameter or header. */
function fieldOf(place: FaultAt['place'], name: string): string {
  if (place !== 'pointer') return name;
  const steps = name.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')).join('.');
}

function membersWriter(
  members: readonly ErrorMemberPlan[],
  known: Readonly<Record<string, Value>>,
  missing: 'left out' | 'null',
): (frame: Frame, faults: readonly Frame[]) => string {
  const none = missing === 'null' ? 'null' : null;
  const write = objectWriter(
    members.map(({ name, value }) => {
      const one = valueWriter(value, known, missing);
      return { name, write: ({ frame, faults }: PayloadFrame) => one(frame, faults) ?? none };
    }),
  );
  return (frame, faults) => write({ frame, faults });
}

/** The values from which the members of an error payload are computed. */
interface PayloadFrame {
  readonly frame: Frame;
  readonly faults: readonly Frame[];
}

function valueWriter(
  plan: ErrorValuePlan,
  known: Readonly<Record<string, Value>>,
  missing: 'left out' | 'null',
): Writer {
  switch (plan.kind) {
    case 'value': {
      const value = compile(plan.value, known);
      return (frame) => text(value(frame));
    }
    case 'object':
      return membersWriter(plan.members, known, missing);
    case 'objects': {
      const one = membersWriter(plan.members, known, missing);
      return (_frame, faults) => `[${faults.map((fault) => one(fault, [])).join(',')}]`;
    }
    case 'list': {
      const value = compile(plan.value, known);
      const otherwise = plan.otherwise && compile(plan.otherwise.value, known);
      return (frame, faults) => {
        const values = faults.length
          ? faults.map((fault) => text(value(fault)))
          : [otherwise && text(otherwise(frame))];
        return `[${values.filter((one) => one !== null).join(',')}]`;
      };
    }
    case 'map':
      return mapWriter(plan, known);
  }
}

/** Groups values by key, in the order in which the keys first occur. */
function mapWriter(plan: ManyPlan, known: Readonly<Record<string, Value>>): Writer {
  const pair = { value: compile(plan.value, known), key: compile(plan.key!, known) };
  const { otherwise } = plan;
  const single = otherwise && { value: compile(otherwise.value, known), key: compile(otherwise.key!, known) };
  return (frame, faults) => {
    const groups = new Map<string, string[]>();
    const add = (from: typeof pair, at: Frame): void => {
      const [key, value] = [from.key(at), text(from.value(at))];
      if (key === null || value === null) return;
      addTo(groups, String(key), value);
    };
    for (const fault of faults) add(pair, fault);
    if (single && faults.length === 0) add(single, frame);
    return `{${[...groups].map(([key, values]) => `${JSON.stringify(key)}:[${values.join(',')}]`).join(',')}}`;
  };
}

function text(value: ReturnType<Evaluate>): string | null {
  return value === null ? null : JSON.stringify(value);
}

function compile(expr: Expr, known: Readonly<Record<string, Value>>): Evaluate {
  return toJavaScript(settled(expr, known), LAYOUT);
}

/** Returns an expression with the constants of the error in place of their names; a fault is read like a request. */
function settled(expr: Expr, known: Readonly<Record<string, Value>>): Expr {
  if (expr.op === 'get' && expr.of.op === 'name' && expr.of.name === 'error')
    return { op: 'const', value: (ownMember(known, expr.member) ?? null) as string | number | null, type: expr.type };
  if (expr.op === 'name' && expr.name === 'fault') return { ...expr, name: 'request' };
  return mapParts(expr, (part) => settled(part, known));
}
