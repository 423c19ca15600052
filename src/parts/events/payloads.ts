import type { ResourcePlan } from '../../plan/step.ts';
import type { Speech, Versions } from '../versioning/enforce.ts';

/** Payloads in the words of a version: they are stored in the current one. */
export class Payloads {
  private readonly versions: Versions;
  private readonly about = new Map<string, string>();

  constructor(versions: Versions, resources: readonly ResourcePlan[]) {
    this.versions = versions;
    for (const resource of resources) for (const event of resource.events) this.about.set(event.name, resource.name);
  }

  /** The payload of an event with its fields called as a version calls them. */
  inVersion(type: string, data: string, speech: Speech): string {
    const resource = this.about.get(type);
    if (speech === this.versions.current || resource === undefined) return data;
    const members = Object.entries(JSON.parse(data) as Record<string, unknown>).flatMap(([field, value]) => {
      const name = speech.wire(resource, field);
      return name === null ? [] : [[name, value] as const];
    });
    return JSON.stringify(Object.fromEntries(members));
  }
}
