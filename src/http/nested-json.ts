/** Groups members by the first part of their dotted names, in order of first occurrence. */
function byFirst<M extends { readonly name: string }>(members: readonly M[]): Map<string, M[]> {
  const out = new Map<string, M[]>();
  for (const member of members) {
    const [first = ''] = member.name.split('.');
    const together = out.get(first) ?? [];
    out.set(first, together);
    together.push(member);
  }
  return out;
}

const rest = (name: string): string => name.slice(name.indexOf('.') + 1);

/** A member of a JSON object. `write` returns its value as JSON, or null to leave the member out. */
interface WrittenMember<S> {
  readonly name: string;
  readonly write: (from: S) => string | null;
}

/** Compiles members to a writer of a JSON object; dotted names nest, and an object that would be empty is left out. */
export function objectWriter<S>(members: ReadonlyArray<WrittenMember<S>>): (from: S) => string {
  const parts = [...byFirst(members)].map(([first, together]) => {
    const prefix = `${JSON.stringify(first)}:`;
    const [one] = together;
    if (one && one.name === first) return { prefix, write: one.write };
    const inner = objectWriter(together.map(({ name, write }) => ({ name: rest(name), write })));
    const write = (from: S): string | null => {
      const text = inner(from);
      return text === '{}' ? null : text;
    };
    return { prefix, write };
  });
  return (from) => {
    let out = '';
    for (const { prefix, write } of parts) {
      const text = write(from);
      if (text !== null) out += `${out && ','}${prefix}${text}`;
    }
    return `{${out}}`;
  };
}

/**
 * The position of each member of an object: its index, or the positions within an object of its own for dotted names.
 */
export type Places = ReadonlyMap<string, number | Places>;

/** Returns the positions of members by their names, in order; null marks a name that is absent. */
export function placesOf(names: ReadonlyArray<string | null>): Places {
  const members = names.flatMap((name, i) => (name === null ? [] : [{ name, i }]));
  return placed(members);
}

function placed(members: ReadonlyArray<{ readonly name: string; readonly i: number }>): Places {
  const out = new Map<string, number | Places>();
  for (const [first, together] of byFirst(members)) {
    const [one] = together;
    if (one && one.name === first) out.set(first, one.i);
    else out.set(first, placed(together.map(({ name, i }) => ({ name: rest(name), i }))));
  }
  return out;
}

/** Every member at or below a place, each with the JSON Pointer to it. */
export function* membersAt(place: number | Places, at: string): Generator<readonly [member: number, at: string]> {
  if (typeof place === 'number') yield [place, at];
  else for (const [name, one] of place) yield* membersAt(one, at + pointer(name));
}

/** Returns the JSON Pointer (RFC 6901) to the member with a name; a dotted name is a path. */
export function pointerTo(name: string): string {
  return name
    .split('.')
    .map((part) => pointer(part))
    .join('');
}

/** A JSON Pointer to a member. An answer holds no half of a surrogate pair (RFC 7493, section 2.1). */
export const pointer = (name: string): string =>
  /[~/]/.test(name) ? `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`.toWellFormed() : `/${name.toWellFormed()}`;
