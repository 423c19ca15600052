import type { Contract, VersionContract } from '../contract/contract.ts';
import { nearest } from '../text/suggest.ts';
import { oneLine } from '../text/visible.ts';
import { EXIT, type Io } from './io.ts';

/**
 * Returns the requested version. If it does not exist, or is retired and `retired` is false, ends the command and
 * returns null.
 */
export function versionOf(
  { versions, document }: Contract,
  name: string | null,
  io: Io,
  { retired = false } = {},
): VersionContract | null {
  const [current] = versions;
  const found = name === null ? current : versions.find((one) => one.name === name);
  if (found && (retired || found.status !== 'retired')) return found;
  const of = versions.filter((one) => retired || one.status !== 'retired');
  const names = of.flatMap((one) => (one.name === null ? [] : [one.name]));
  if (found) wrong(`version ${name} is retired, and the service no longer answers it`, name ?? '', names, io);
  else if (names.length === 0) wrong(`${document} has no versions`, '', [], io);
  else wrong(`there is no version “${name}”`, name ?? '', names, io);
  return null;
}

/** Prints the problem with an argument, and the nearest allowed value, or all of them. */
export function wrong(problem: string, name: string, names: readonly string[], io: Io): void {
  const near = nearest(name, names);
  const list = near || names.length === 0 ? '.' : `. There are:\n${names.map((one) => `  ${one}`).join('\n')}`;
  io.err(`error: ${oneLine(problem)}${near ? `: did you mean “${near}”?` : list}\n`);
  io.exit(EXIT.wrongUse);
}
