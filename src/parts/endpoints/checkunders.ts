import type { Resolved } from '../../model/resolve.ts';
import { nearest } from '../../source/suggest.ts';
import { endpointsDiagnostics as d } from './diagnostics.ts';
import { isBelow, Paths } from './effective.ts';
import { pathStart, type Segment, segmentsOf } from './headings.ts';
import type { Endpoint, Under } from './model.ts';

/** Checks the paths whose steps come first: each leads to an endpoint, and to every endpoint it seems to. */
export function checkUnders(r: Resolved): void {
  const { unders, list } = r.model.endpoints;
  const paths = new Paths(unders);
  const found = list.map((endpoint) => ({ endpoint, above: paths.above(endpoint.path) }));
  const led = new Set(
    found.flatMap(({ endpoint, above }) => above.filter((under) => isBelow(endpoint.path, under.path))),
  );
  for (const under of unders) if (!led.has(under)) checkLost(r, under);
  for (const { endpoint, above } of found)
    for (const under of above) if (led.has(under)) checkNames(r, under, endpoint);
}

/** No endpoint stands below: the first segment that none of them shares is the one that is misspelt, if any is. */
function checkLost(r: Resolved, under: Under): void {
  let paths = r.model.endpoints.list.map((endpoint) => segmentsOf(endpoint.path, pathStart(endpoint)));
  for (const [i, segment] of segmentsOf(under.path, under.span.from).entries()) {
    const candidates = paths.flatMap((path) => path[i] ?? []).filter((other) => other.named === segment.named);
    if (!candidates.some((other) => other.text === segment.text)) {
      const texts = candidates.map((other) => other.text);
      if (nearest(segment.text, texts)) r.unknown(segment, segment.named ? 'parameter' : 'path', texts);
      else r.notes.findings.push(d.report.underUnused(under.span, { path: under.path }));
      return;
    }
    paths = paths.filter((path) => path[i] && same(path[i], segment));
  }
}

const same = (a: Segment, b: Segment): boolean => a.named === b.named && a.text === b.text;

/** An endpoint whose path is below but for the name of a parameter would go without the steps, unseen. */
function checkNames(r: Resolved, under: Under, endpoint: Endpoint): void {
  if (isBelow(endpoint.path, under.path)) return;
  const above = segmentsOf(under.path, under.span.from);
  const path = segmentsOf(endpoint.path, pathStart(endpoint));
  const i = above.findIndex((segment, k) => segment.text !== path[k]!.text);
  const params = { found: path[i]!.text, under: under.path, name: above[i]!.text };
  r.notes.findings.push(d.report.underNames(path[i]!, params));
}
