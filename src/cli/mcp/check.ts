import type { Compiled } from '../../compiler/compile.ts';
import { renderFinding, renderMore, renderSummary } from '../../compiler/render.ts';
import { KeyError } from '../../runtime/authentication/signing-keys.ts';
import { StoreError } from '../../store/store.ts';
import { SetupError } from '../../verify/setup/failures.ts';
import { triedText, tryDocument } from '../testing/life.ts';
import { clipped, pageOf } from './pages.ts';
import { namedFindings } from './questions.ts';
import { Refusal } from './refusal.ts';

/** The findings of a document in short, or those of one code in full. */
export async function checkText(compiled: Compiled, code: string | undefined, page: number): Promise<string> {
  const blocks = code === undefined ? inShort(compiled) : inFull(compiled, code);
  const more = renderMore(compiled);
  const head = [renderSummary(compiled, false), ...(more ? [more] : []), ''];
  return pageOf([...head, ...blocks, ...(await requestsFound(compiled))], page);
}

function inShort(compiled: Compiled): string[] {
  const findings = namedFindings(compiled).map(({ name, finding }) => {
    const write =
      finding.suggestion === null ? '' : `\n  write: ${clipped(finding.suggestion).replaceAll('\n', '\n  ')}`;
    return `${finding.severity} ${name} ${clipped(finding.message)}${write}`;
  });
  const notices = compiled.notices.map(({ code, span, message }) => {
    const at = compiled.lines.position(span?.from ?? 0).line;
    return `notice ${code}:${at} ${clipped(message)}`;
  });
  return [...findings, ...notices];
}

function inFull(compiled: Compiled, code: string): string[] {
  const all = [...compiled.findings, ...compiled.notices];
  const found = all.filter((one) => one.code === code);
  if (found.length > 0) return found.map((one) => `${renderFinding(compiled, one, false)}\n`);
  const codes = [...new Set(all.map((one) => one.code))].slice(0, 20);
  throw new Refusal(
    `The document has no finding “${clipped(code, 100)}”.${codes.length ? ` It has ${codes.join(', ')}.` : ''}`,
  );
}

/** The result of the search for a request that leads to each endpoint, once nothing is open. */
async function requestsFound(compiled: Compiled): Promise<string[]> {
  const { plan, findings } = compiled;
  if (!plan || findings.length > 0) return [];
  try {
    const found = await tryDocument({ ...compiled, plan });
    return found ? [triedText(compiled.name, found).trimEnd()] : [];
  } catch (error) {
    if (!(error instanceof SetupError || error instanceof StoreError || error instanceof KeyError)) throw error;
    return [`No request was looked for: ${error.message}`];
  }
}
