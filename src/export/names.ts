/** Makes names unique: a name that is in use gets a number. */
export class Names {
  private readonly taken = new Set<string>();

  once(name: string): string {
    let own = name;
    for (let n = 2; this.taken.has(own); n++) own = `${name}${n}`;
    this.taken.add(own);
    return own;
  }
}

/** A name as components of OpenAPI may be called. */
export const componentName = (name: string): string => name.replace(/[^A-Za-z0-9._-]+/g, '-');
