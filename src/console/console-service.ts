import type { DocumentReport } from '../compiler/report.ts';
import type { Plan } from '../plan/step.ts';
import type { Engine } from '../runtime/engine/engine.ts';
import type { Resource } from '../runtime/resources/rules.ts';
import type { Service } from '../runtime/service.ts';
import type { Contracts } from './contracts.ts';
import { ConsoleError } from './problem.ts';
import type { MigrationAnswer, Preview } from './protocol.ts';
import type { StatedDocument } from './refusal-statements.ts';

/** Works out what another document would change, beside the service. */
interface Trial {
  /** Null before it was begun. */
  readonly current: Preview | null;
  /** Begins, against the plan in force. */
  begin(plan: Plan): void;
}

/** What the console shows: a service that runs, and the document that it runs by. */
export interface ConsoleService {
  readonly service: Service;
  /** The document in force. */
  readonly document: () => DocumentReport;
  /** Where callers reach the service, from this machine. */
  readonly address: () => string;
  /** The document on disk against the one in force. */
  readonly disk: () => MigrationAnswer['disk'];
  /** What would become of the rows, were the document on disk served. */
  readonly trial: Trial;
  /** Whether the service follows the document on disk. */
  readonly watch: boolean;
  /** A number that goes up with each document that is put in force. */
  readonly edition: () => number;
  readonly contracts: Contracts;
  /** The version of Ninefold. */
  readonly ninefold: string;
}

/** The engine of the document in force. Throws ConsoleError where no document is. */
export function engineOf({ service }: ConsoleService): Engine {
  const { engine } = service;
  if (!engine) throw new ConsoleError('unavailable', 'The service starts or stops. Try again in a moment.');
  return engine;
}

/** The plan of the document in force. */
export const planOf = (served: ConsoleService): Plan => engineOf(served).plan;

/** The document in force, as what states refusals. */
export const statingOf = (served: ConsoleService): StatedDocument => ({
  contract: served.contracts.of(planOf(served)),
  text: served.document().text,
});

/** A resource of the document in force. Throws ConsoleError where it has no such resource. */
export function resourceOf(served: ConsoleService, name: string): Resource {
  const resource = engineOf(served).resources.get(name);
  if (!resource) throw new ConsoleError('not found', `The document has no resource “${name}”.`);
  return resource;
}
