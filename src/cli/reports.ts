import { dirname } from 'node:path';
import { lookAt } from '../store/paths.ts';
import { oneLine } from '../text/visible.ts';
import { jsonReport } from '../verify/report/json.ts';
import { junitReport } from '../verify/report/junit.ts';
import type { Report } from '../verify/report/report.ts';
import { textReport } from '../verify/report/text.ts';
import { wfcReport } from '../verify/report/wfc.ts';
import { EXIT, type Io } from './io.ts';
import { WriteError, writeWhole } from './write-whole.ts';

/** Where a report goes. */
interface ReportOptions {
  readonly json?: boolean;
  readonly junit?: string;
  readonly wfc?: string;
}

/** Why a report could not be written in the end, as far as that is known before; null where nothing is in the way. */
export function placeProblem({ junit, wfc }: ReportOptions): string | null {
  for (const [option, path] of Object.entries({ junit, wfc })) {
    if (path === undefined) continue;
    if (path === '') return `--${option} names no file.`;
    if (lookAt(path, true)?.isDirectory()) return `--${option}: “${path}” is a directory. Name a file in it.`;
    if (!lookAt(dirname(path), true)?.isDirectory())
      return `--${option}: “${path}” can’t be written: there is no directory “${dirname(path)}”.`;
  }
  return null;
}

/** Writes the report to the files that are named, and prints it. */
export function printReport(report: Report, { json, junit, wfc }: ReportOptions, io: Io): void {
  io.out(json ? jsonReport(report) : textReport(report));
  const files = [
    [junit, junitReport],
    [wfc, wfcReport],
  ] as const;
  for (const [path, text] of files) {
    if (path === undefined) continue;
    try {
      writeWhole(path, text(report));
    } catch (error) {
      if (!(error instanceof WriteError)) throw error;
      io.err(`error: ${oneLine(error.message)}\n`);
      io.exit(EXIT.wrongUse);
    }
  }
}
