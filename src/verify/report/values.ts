import { isTextTooDeep } from '../judge/depth.ts';
import type { Answer, Exchange } from '../target/exchange.ts';
import { DERIVATIONS, type Derivation, placeOfWord } from './derived-value.ts';
import { isExchange, type ReportedStep } from './report.ts';

/** A value that differs between runs, with its name in the report. */
export interface NamedValue {
  /** The name of a shell variable. */
  readonly name: string;
  readonly value: string;
  /** The derivation from that value, where a request does not send the value unchanged. */
  readonly derived?: { readonly by: Derivation; readonly value: string } | undefined;
  /**
   * The origin of the value: the step of the sequence, and the place in its answer; null where the operator gives the
   * value.
   */
  readonly from: Origin | null;
}

interface Origin {
  /** The place of the exchange in the sequence. */
  readonly act: number;
  readonly header: string | null;
  /** The path to the value in the JSON body; empty for a header. */
  readonly path: readonly (string | number)[];
}

/** The shortest value that is followed: a shorter one may be equal by chance, such as the number of a row. */
const SHORTEST = 6;

/** How deep an answer’s body is looked into. */
const DEEPEST = 6;

/** Headers whose values later requests use. */
const HEADERS: readonly string[] = ['etag', 'location'];

/**
 * The values of a sequence that differ from run to run and that later requests use: values of the operator, and of
 * answers (identities, entity tags, cursors, credentials).
 */
export function valuesOf(sequence: readonly ReportedStep[]): NamedValue[] {
  const names = new Names();
  const out: NamedValue[] = [];
  const known = (value: string): boolean => out.some((one) => one.value === value);
  for (const [act, one] of sequence.entries()) {
    if (!isExchange(one)) {
      if (!one.gives || one.gives.value.length < SHORTEST || known(one.gives.value)) continue;
      const { name, value } = one.gives;
      out.push({ name: names.of(name), value, from: null });
      for (const by of derivationsIn(sequence, value))
        if (!known(by.of(value)))
          out.push({ name: names.of(`${name}_${by.suffix}`), value: by.of(value), derived: { by, value }, from: null });
      continue;
    }
    // A line that is run in the background, or many times, keeps nothing.
    if ('failed' in one.outcome || one.together !== undefined || one.times !== undefined) continue;
    const later = sequence.slice(act + 1).filter(isExchange);
    const earlier = sequence.slice(0, act + 1).filter(isExchange);
    for (const { value, header, path, hint } of toldBy(one.outcome)) {
      const sent = earlier.some((each) => holds(each, value));
      if (known(value) || sent || !later.some((each) => holds(each, value))) continue;
      // A Location that ends in an identity is derived from that identity.
      if (header !== null && out.some((each) => each.from?.act === act && value.includes(each.value))) continue;
      out.push({ name: names.of(hint), value, from: { act, header, path } });
    }
    for (const { value, header, path, hint } of toldBy(one.outcome)) {
      if (header !== null || earlier.some((each) => holds(each, value))) continue;
      for (const by of derivationsIn(later, value)) {
        const made = by.of(value);
        if (known(made) || earlier.some((each) => holds(each, made))) continue;
        out.push({
          name: names.of(`${hint}_${by.suffix}`),
          value: made,
          derived: { by, value },
          from: { act, header, path },
        });
      }
    }
  }
  return out;
}

/** The ways in which requests send a value changed. */
function derivationsIn(sequence: readonly ReportedStep[], value: string): Derivation[] {
  const requests = sequence.filter(isExchange);
  return DERIVATIONS.filter(({ of }) => {
    const made = of(value);
    return made !== value && made.length >= SHORTEST && requests.some((one) => holdsWord(one, made));
  });
}

/** Whether a request has a value that is no part of a longer one. */
function holdsWord({ request: { target, headers, body } }: Exchange, value: string): boolean {
  const texts = [target, ...headers.map(([, one]) => one), body?.toString('latin1') ?? ''];
  return texts.some((text) => placeOfWord(text, value) >= 0);
}

interface Told {
  readonly value: string;
  readonly header: string | null;
  readonly path: readonly (string | number)[];
  /** The name for the value. */
  readonly hint: string;
}

/** The values of an answer that may be used later, in a fixed order. */
function* toldBy({ headers, body }: Answer): Generator<Told> {
  let json: unknown;
  try {
    json = isTextTooDeep(body) ? null : JSON.parse(body.toString('utf8'));
  } catch {
    json = null;
  }
  yield* textsIn(json, []);
  for (const [name, value] of headers)
    if (HEADERS.includes(name.toLowerCase()) && value.length >= SHORTEST)
      yield { value, header: name.toLowerCase(), path: [], hint: name.toLowerCase() };
}

function* textsIn(json: unknown, path: readonly (string | number)[]): Generator<Told> {
  if (typeof json === 'string' && json.length >= SHORTEST) {
    const name = path.findLast((one) => typeof one === 'string');
    yield { value: json, header: null, path, hint: String(name ?? 'value') };
  }
  if (typeof json !== 'object' || json === null || path.length >= DEEPEST) return;
  const entries: Iterable<readonly [string | number, unknown]> = Array.isArray(json)
    ? json.entries()
    : Object.entries(json);
  for (const [key, value] of entries) yield* textsIn(value, [...path, key]);
}

/** Whether a request holds a value: in its target, a header or its body. */
function holds({ request }: Exchange, value: string): boolean {
  const { target, headers, body } = request;
  if (target.includes(value) || headers.some(([, one]) => one.includes(value))) return true;
  return body?.includes(value) ?? false;
}

/** Names of shell variables, each once: `id`, then `id_2`. */
class Names {
  private readonly counts = new Map<string, number>();

  of(hint: string): string {
    const plain = hint
      .replace(/[^A-Za-z0-9]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .toLowerCase();
    const name = /^[a-z]/.test(plain) ? plain : `value_${plain}`.replace(/_+$/, '');
    // Names that are reserved by the shell, or that the report uses itself.
    const base = ['url', 'path', 'home', 'ifs', 'answer'].includes(name) ? `${name}_value` : name;
    const count = (this.counts.get(base) ?? 0) + 1;
    this.counts.set(base, count);
    return count === 1 ? base : `${base}_${count}`;
  }
}
