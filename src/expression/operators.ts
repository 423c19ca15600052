import type { Expr, Fn } from './expr.ts';
import { daysAfter, daysBetween, FIRST, LAST } from './library/days.ts';
import { exact, Overflow } from './overflow.ts';
import { codePoints } from './text.ts';
import type { Type } from './types.ts';
import { compareText, type Frame, type Value } from './value.ts';

type Evaluate = (frame: Frame) => unknown;
type Gives = (frame: Frame) => Value;

/** Compiles operators and the functions that SQL has too: on numbers, text and lists, by what they are called with. */
export function operatorOf(fn: Fn, args: readonly Expr[], a: Evaluate, b: Evaluate): Gives {
  switch (fn) {
    case '<':
    case '<=':
    case '>':
    case '>=':
      return orderOf(fn, args[0]!.type, a, b);
    case '+':
    case '-':
      return sumOf(fn, args, a, b);
    case '*':
      return (f) => exact((a(f) as number) * (b(f) as number));
    case '/':
      return (f) => divided(a(f) as number, b(f) as number);
    case '%':
      return (f) => rest(a(f) as number, b(f) as number);
    case 'negate':
      return (f) => 0 - (a(f) as number);
    case 'rescale': {
      const factor = 10 ** rescaledBy(args[0]!, args[1]!);
      return (f) => {
        const value = a(f) as number | null;
        return value === null ? null : exact(value * factor);
      };
    }
    case 'size':
      return sizeOf(args[0]!.type, a);
    case 'sum':
      return (f) => (a(f) as readonly number[]).reduce((all, one) => exact(all + one), 0);
    case 'contains':
      return (f) => (a(f) as string).includes(b(f) as string);
    case 'startsWith':
      return (f) => (a(f) as string).startsWith(b(f) as string);
    case 'endsWith':
      return (f) => (a(f) as string).endsWith(b(f) as string);
    default:
      throw new Error(`“${fn}” is not compiled`);
  }
}

/** How many digits more a decimal is given: what it has now, and the scale that it is to have. */
export function rescaledBy(value: Expr, scale: Expr): number {
  const has = value.type.kind === 'decimal' ? value.type.scale : 0;
  return Number(scale.op === 'const' ? scale.value : has) - has;
}

function orderOf(fn: '<' | '<=' | '>' | '>=', type: Type, a: Evaluate, b: Evaluate): Gives {
  if (type.kind === 'string') {
    const compare = (f: Frame): number => compareText(a(f) as string, b(f) as string);
    if (fn === '<') return (f) => compare(f) < 0;
    if (fn === '<=') return (f) => compare(f) <= 0;
    return fn === '>' ? (f) => compare(f) > 0 : (f) => compare(f) >= 0;
  }
  if (fn === '<') return (f) => (a(f) as number) < (b(f) as number);
  if (fn === '<=') return (f) => (a(f) as number) <= (b(f) as number);
  return fn === '>' ? (f) => (a(f) as number) > (b(f) as number) : (f) => (a(f) as number) >= (b(f) as number);
}

function sumOf(fn: '+' | '-', args: readonly Expr[], a: Evaluate, b: Evaluate): Gives {
  const [kind, other] = args.map((arg) => arg.type.kind);
  if (kind === 'string') return (f) => (a(f) as string) + (b(f) as string);
  if (kind === 'list') return (f) => [...(a(f) as Value[]), ...(b(f) as Value[])];
  if (kind === 'date' && other === 'date') return both(a, b, daysBetween);
  if (kind === 'date') return both(a, b, fn === '+' ? daysAfter : (day, days: number) => daysAfter(day, -days));
  const sum: (f: Frame) => number =
    fn === '+' ? (f) => (a(f) as number) + (b(f) as number) : (f) => (a(f) as number) - (b(f) as number);
  const instant = [kind, other].filter((one) => one === 'timestamp').length === 1;
  return instant ? (f) => instantIn(sum(f)) : (f) => exact(sum(f));
}

/** SQL is given what is tested for null before it can ask: what is computed of null is null. */
function both<B>(a: Evaluate, b: Evaluate, does: (x: string, y: B) => Value): Gives {
  return (f) => {
    const [x, y] = [a(f), b(f)];
    return x === null || y === null ? null : does(x as string, y as B);
  };
}

function instantIn(instant: number): number {
  if (!(instant >= FIRST && instant <= LAST)) throw new Overflow('An instant went beyond the years 1 to 9999');
  return instant;
}

/** Cut towards zero; null where nothing can be divided by it. */
function divided(a: number, b: number): number | null {
  return b === 0 ? null : exact(Math.trunc(a / b) + 0);
}

function rest(a: number, b: number): number | null {
  return b === 0 ? null : (a % b) + 0;
}

function sizeOf(type: Type, a: Evaluate): Gives {
  if (type.kind === 'list') return (f) => (a(f) as readonly Value[]).length;
  if (type.kind === 'map') return (f) => (a(f) as ReadonlyMap<string, Value>).size;
  return (f) => codePoints(a(f) as string);
}
