import type { DocumentReport } from '../compiler/report-forms.ts';
import type { Contract } from '../contract/contract.ts';
import { contractOf } from '../contract/contract-of.ts';
import type { Plan } from '../plan/step.ts';
import type { Engine } from '../runtime/engine/engine.ts';
import type { Resource } from '../runtime/resources/rules.ts';
import type { Service } from '../runtime/service.ts';
import type { DocumentEditing } from './editing.ts';
import { ConsoleError } from './problem.ts';
import type { MigrationAnswer, Preview } from './protocol.ts';
import type { RecentRequests } from './recent-requests.ts';
import type { StatedDocument } from './refusal-statements.ts';

/** Previews the effects of another document, beside the running service. */
interface Trial {
  /** Null before the first preview. */
  readonly current: Preview | null;
  /** Begins a preview against the served plan. */
  begin(plan: Plan): void;
}

/** The data of the console: a running service, and its document. */
export interface ConsoleService {
  readonly service: Service;
  /** The served document. */
  readonly document: () => DocumentReport;
  /** The address of the service, from this machine. */
  readonly address: () => string;
  /** The state of the document on disk, compared with the served one. */
  readonly disk: () => MigrationAnswer['disk'];
  /** The preview of serving the document on disk. */
  readonly trial: Trial;
  /** Whether the service follows the document on disk. */
  readonly watch: boolean;
  /** Edits of the document; null if the service runs without `--edit`. */
  readonly editing: DocumentEditing | null;
  /** A number that increases with each served document. */
  readonly edition: () => number;
  readonly contracts: Contracts;
  /** The last requests. */
  readonly recent: RecentRequests;
  /** The version of Ninefold. */
  readonly ninefold: string;
}

/** The engine of the served document. Throws ConsoleError if no document is served. */
export function engineOf({ service }: ConsoleService): Engine {
  const { engine } = service;
  if (!engine) throw new ConsoleError('unavailable', 'The service starts or stops. Try again in a moment.');
  return engine;
}

/** The plan of the served document. */
export const planOf = (served: ConsoleService): Plan => engineOf(served).plan;

/** The served document, for finding the statements behind refusals. */
export const statingOf = (served: ConsoleService): StatedDocument => ({
  contract: served.contracts.of(planOf(served)),
  text: served.document().text,
});

/** A resource of the served document. Throws ConsoleError if it has no such resource. */
export function resourceOf(served: ConsoleService, name: string): Resource {
  const resource = engineOf(served).resources.get(name);
  if (!resource) throw new ConsoleError('not found', `The document has no resource “${name}”.`);
  return resource;
}

/** Caches the contracts of plans. */
export class Contracts {
  private readonly made = new WeakMap<Plan, Contract>();

  of(plan: Plan): Contract {
    const known = this.made.get(plan);
    if (known) return known;
    const contract = contractOf(plan);
    this.made.set(plan, contract);
    return contract;
  }
}

/** Removes the trees of expressions, which the page does not read; their text stays. */
export function withoutTrees<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (key, part: unknown) => (key === 'tree' ? undefined : part))) as T;
}
