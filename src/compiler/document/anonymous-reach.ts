import { addTo } from '../../text/lists.ts';
import type { Effective } from './effective.ts';
import type { Resolved } from './resolve.ts';

/**
 * Over-approximates the resources whose `Visible` and derived fields an anonymous request to an endpoint can evaluate.
 * The set has the resources that the endpoint names, the resources that these name in turn, and those of all events at
 * an endpoint with a stream. An expression needs the name of a resource, or a reference to it, to read its rows.
 */
export function reachedBy(r: Resolved, { settings, every, parameters }: Effective): ReadonlySet<string> {
  const { mentioned, pointing } = r.once(mentions);
  const reached = new Set<string>();
  const visit = (names: Iterable<string>): void => {
    for (const name of names) {
      if (reached.has(name)) continue;
      reached.add(name);
      visit(mentioned.get(name) ?? []);
    }
  };
  const { words } = new Words().add([settings, every, parameters]);
  visit([...mentioned.keys()].filter((name) => words.has(name)));
  if (words.has('caller')) visit(r.model.authentication.schemes.flatMap(({ caller }) => caller?.text ?? []));
  if (every.some((step) => step.verb === 'Answer' && step.stream)) visit(told(r));
  // A removal also removes or changes the rows that refer to the row.
  if (every.some((step) => step.verb === 'Remove')) for (const name of reached) visit(pointing.get(name) ?? []);
  return reached;
}

/** The resources of events. */
const told = ({ model: { events } }: Resolved): string[] =>
  events.list.flatMap(({ when, payload }) => [when, payload].flatMap((part) => part?.resource.text ?? []));

/** Every resource with those that its statements and its states name, and with those that name it. */
function mentions(r: Resolved) {
  const resources = r.model.resources.list;
  const mentioned = new Map<string, readonly string[]>();
  const pointing = new Map<string, string[]>();
  for (const resource of resources) {
    const own = resource.name.text;
    const { words } = new Words().add([resource, r.machines(own)]);
    const others = resources.map(({ name }) => name.text).filter((name) => name !== own && words.has(name));
    mentioned.set(own, others);
    for (const other of others) addTo(pointing, other, own);
  }
  return { mentioned, pointing };
}

/** The words in the texts of statements. */
class Words {
  readonly words = new Set<string>();

  add(part: unknown): this {
    if (typeof part === 'string') for (const [word] of part.matchAll(/[\p{L}\p{N}_]+/gu)) this.words.add(word);
    else if (typeof part === 'object' && part !== null)
      // A text knows the whole document as its source.
      for (const [key, one] of Object.entries(part)) if (key !== 'source') this.add(one);
    return this;
  }
}
