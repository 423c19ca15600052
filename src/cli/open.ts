import type { Compiled } from '../compiler/compile.ts';
import { renderFinding } from '../compiler/render.ts';
import type { Plan } from '../plan/step.ts';
import { KeyError } from '../runtime/authentication/signing-keys.ts';
import { HandlerError } from '../runtime/endpoints/handlers/thread.ts';
import { Engine } from '../runtime/engine/engine.ts';
import { ListenError } from '../runtime/http/listening.ts';
import { Operator } from '../runtime/operator.ts';
import { OperatorError } from '../runtime/operator-error.ts';
import { PathError, whyOf } from '../store/paths.ts';
import { RefusedError, type Store, StoreError } from '../store/store.ts';
import { baseUrl } from '../text/address.ts';
import { counted } from '../text/units.ts';
import { acts, jsonText, oneLine } from '../text/visible.ts';
import { loadDocument } from './document.ts';
import { EXIT, type Io } from './io.ts';
import { mustBeStored, openStore, type Place } from './stores.ts';

/** The plan of a settled document; otherwise prints the findings, exits with 1 and returns null. */
export function settledPlan(compiled: Compiled, settledOnly: boolean, io: Io): Plan | null {
  const blocking = settledOnly
    ? compiled.findings.filter((finding) => finding.severity === 'error')
    : compiled.findings;
  if (compiled.plan && blocking.length === 0) return compiled.plan;
  for (const finding of blocking.length ? blocking : compiled.findings)
    io.err(`${renderFinding(compiled, finding, io.color)}\n\n`);
  io.err(`${whyNot(compiled, settledOnly)}\n`);
  io.exit(EXIT.findings);
  return null;
}

/** Describes the numbers of errors and questions of a document; empty if there are none. */
export function findingCounts({ findings }: Compiled): string {
  const errors = findings.filter((finding) => finding.severity === 'error').length;
  const kinds = [
    [errors, 'error'],
    [findings.length - errors, 'question'],
  ] as const;
  return kinds.flatMap(([number, kind]) => (number ? counted(number, kind) : [])).join(' and ');
}

function whyNot(compiled: Compiled, settledOnly: boolean): string {
  const errors = compiled.findings.some((finding) => finding.severity === 'error');
  const counts = findingCounts(compiled);
  if (compiled.model.endpoints.list.length === 0)
    return `Nothing is served: ${compiled.name} has no endpoint${counts && ` (${counts})`}.`;
  const settled = compiled.endpoints.filter((endpoint) => endpoint.settled).length;
  const state = `${settled} of ${compiled.endpoints.length} endpoints are settled (${counts})`;
  if (errors || settledOnly || settled === 0) return `Nothing is served: ${state}.`;
  return `Nothing is served: ${state}. With --settled-only, these endpoints are served, and the others answer 501.`;
}

export const notAnAddress = (text: string): string =>
  `“${text}” is not an http or https URL without a user, a query or a fragment, such as https://api.example.com.`;

/** The reason why a plan cannot run at the address that the operator has given; null if it can. */
export function addressProblem(plan: Plan, given: string | null, used = plan.address.used): string | null {
  const { url } = plan.address;
  if (url !== null && given !== null && given !== url) return `the document states another address: ${url}.`;
  if (used && url === null && given === null) {
    const [compared] = plan.schemes.flatMap(({ cookie, basic }) =>
      cookie ? ['cookies'] : basic ? ['HTTP Basic'] : [],
    );
    const why = compared
      ? `requests with ${compared} have to come from the service’s own origin`
      : 'the document uses service.url';
    return `${why}: give the public address with --url.`;
  }
  return null;
}

/**
 * Runs one of the operator’s commands on the rows of a document, whether or not a server runs. A command that creates
 * no rows (`makes`) creates no store.
 */
export async function withOperator(
  file: string,
  options: Place & { readonly url?: string; readonly makes?: boolean },
  io: Io,
  work: (operator: Operator) => Promise<void>,
): Promise<void> {
  const compiled = loadDocument(file, io);
  const plan = compiled && settledPlan(compiled, true, io);
  if (!plan) return;
  const given = options.url === undefined ? null : baseUrl(options.url);
  const wrong = options.url !== undefined && given === null ? notAnAddress(options.url) : null;
  const problem = wrong ?? addressProblem(plan, given, plan.address.usedByRows);
  if (problem) {
    io.err(`error: ${oneLine(problem)}\n`);
    io.exit(EXIT.wrongUse);
    return;
  }
  let store: Store | null = null;
  try {
    if (options.makes === false) await mustBeStored(options);
    store = await openStore(options, plan, 'command');
    await work(new Operator(await Engine.start(plan, store, plan.address.url ?? given)));
  } catch (error) {
    reportFailure(error, options, io);
  } finally {
    await store?.close();
  }
}

/** Remedies for a data directory that cannot be used. */
const REMEDIES: Partial<Record<StoreError['kind'], string>> = {
  busy: '. Another process uses it: try again.',
  full: '. Make room on the disk, and run the command again.',
  unreadable: '. Use another --data, or restore a backup with --replace.',
};

/** Prints why a command failed, and sets its exit code. */
export function reportFailure(error: unknown, place: Place, io: Io): void {
  if (error instanceof OperatorError) {
    io.err(`error: ${oneLine(error.message)}\n`);
    io.exit(error.wrongUse ? EXIT.wrongUse : EXIT.findings);
  } else if (error instanceof KeyError || error instanceof HandlerError) {
    io.err(`error: ${oneLine(error.message)}\n`);
    io.exit(EXIT.wrongUse);
  } else if (error instanceof PathError || error instanceof ListenError || error instanceof RefusedError) {
    io.err(`error: ${oneLine(error.message)}\n`);
    io.exit(EXIT.unavailable);
  } else if (error instanceof StoreError && error.kind === 'unsynced') {
    io.err(`error: ${error.message}\nThe change may be lost. Check the disk, and run the command again.\n`);
    io.exit(EXIT.unsynced);
  } else if (error instanceof StoreError) {
    const remedy = place.store === undefined ? REMEDIES[error.kind] : undefined;
    const message = remedy === undefined ? error.message : error.message.replace(/\.$/, '') + remedy;
    const which = place.store === undefined ? `the store in ${place.data}` : 'the store';
    io.err(`error: ${oneLine(`${which} can’t be used: ${message}`)}\n`);
    io.exit(EXIT.unavailable);
  } else if (whyOf(error) !== null) {
    const { path } = error as NodeJS.ErrnoException;
    io.err(
      `error: ${oneLine(`${path === undefined ? 'the system refuses it' : `“${path}” can’t be used`}: ${whyOf(error)}.`)}\n`,
    );
    io.exit(EXIT.unavailable);
  } else throw error;
}

/** Prints rows as JSON, or as text with one line for each. */
export function printRows(rows: readonly object[], json: boolean, empty: string, io: Io): void {
  if (json) {
    io.out(`${jsonText(rows, 2)}\n`);
    return;
  }
  if (rows.length === 0) io.out(`${empty}\n`);
  for (const row of rows) {
    const fields = Object.entries<unknown>({ ...row }).filter(([, value]) => value !== null && value !== undefined);
    io.out(`${fields.map(([name, value]) => `${name}=${cell(value)}`).join('  ')}\n`);
  }
}

/** Formats a value as one word: unchanged if it is unambiguous, otherwise as JSON. */
function cell(value: unknown): string {
  if (Array.isArray(value)) return value.map(cell).join(',') || 'none';
  return typeof value === 'string' && /^[^\s",]+$/.test(value) && !acts(value) ? value : jsonText(value);
}
