import type { Endpoint, Tag } from '../compiler/statements/endpoints.ts';
import { ENDPOINT } from '../language/endpoints.ts';
import type { Node } from './node.ts';
import type { Operation } from './operations.ts';
import type { Places } from './places.ts';
import { here, LONGEST_NAME, named } from './resources.ts';
import { isSayable } from './sayable.ts';

/** A tag of the file, with the name that the document has for it. */
interface Used {
  readonly name: string;
  readonly tag: Tag;
}

/** The tags of operations. */
export class Tags {
  private readonly used = new Map<string, Used>();
  private readonly places: Places;

  constructor(places: Places) {
    this.places = places;
  }

  /** An endpoint with the first tag of its operation. */
  given(endpoint: Endpoint, { node }: Operation): Endpoint {
    const [first, ...others] = node.get('tags')?.items() ?? [];
    for (const one of others) one.leave('oneTag');
    const tag = first && this.use(first);
    if (!tag) return endpoint;
    this.places.set(first.pointer, 'endpoints', `\`${endpoint.name}\``, '- Tag');
    return { ...endpoint, settings: { ...endpoint.settings, tag: here(named(tag.name)) } };
  }

  /** The tag at a place; null where the language cannot say it. A tag of several words has hyphens between them. */
  private use(node: Node): Used | null {
    const text = typeof node.value === 'string' ? node.value : '';
    const name = (text.match(/[\p{L}\p{N}_]+/gu) ?? []).join('-').slice(0, LONGEST_NAME);
    const known = this.used.get(text);
    const isTaken = !known && [...this.used.values()].some((one) => one.name === name);
    if (isTaken || !isSayable(ENDPOINT.Tag.value, named(name))) {
      node.leave('tagName');
      return null;
    }
    if (name === text) node.state();
    else node.leave('tagName');
    const used = known ?? { name, tag: { name: named(name), span: this.places.span() } };
    this.used.set(text, used);
    if (!known) this.places.set(node.pointer, 'endpoints', `Tag ${name}`);
    return used;
  }

  /**
   * The tags that have headings: those that are no resources. `describe`: adds the description of a tag as prose below
   * a heading.
   */
  headings(root: Node, resources: readonly string[], describe: (node: Node, name: string, tag: Tag) => void): Tag[] {
    for (const node of root.get('tags')?.items() ?? []) {
      const used = this.used.get(node.text('name') ?? '');
      if (!used) node.leave('tagUnused');
      else {
        if (used.name === node.text('name')) node.stateMembers('name');
        else node.get('name')?.leave('tagName');
        this.places.set(`${node.pointer}/name`, 'endpoints', `Tag ${used.name}`);
        describe(node, used.name, used.tag);
      }
    }
    return [...this.used.values()].flatMap(({ name, tag }) => (resources.includes(name) ? [] : [tag]));
  }
}
