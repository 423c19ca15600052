import { isBelow, Paths } from '../../document/effective.ts';
import { pathStart, segmentsOf } from '../../document/paths.ts';
import type { Resolved } from '../../document/resolve.ts';
import type { Endpoint, Under } from '../../statements/endpoints.ts';
import { endpointsDiagnostics as d } from '../messages/endpoints.ts';

/** Checks the paths of `### Under`: each has endpoints below it, and their paths have the same names of parameters. */
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

/** Reports a path without endpoints below it. Its first segment that no endpoint shares may be misspelt. */
function checkLost(r: Resolved, under: Under): void {
  let at = r.once(served);
  for (const segment of segmentsOf(under.path, under.span.from)) {
    const children = segment.named ? at.named : at.plain;
    const next = children.get(segment.text);
    if (!next) {
      if (r.nearest(segment.text, children.keys()))
        r.unknown(segment, segment.named ? 'parameter' : 'path', children.keys());
      else r.notes.findings.push(d.report.underUnused(under.span, { path: under.path }));
      return;
    }
    at = next;
  }
}

/** A tree of the paths of the endpoints, by segment. */
interface Served {
  readonly plain: Map<string, Served>;
  readonly named: Map<string, Served>;
}

function served(r: Resolved): Served {
  const root: Served = { plain: new Map(), named: new Map() };
  for (const endpoint of r.model.endpoints.list) {
    let at = root;
    for (const segment of segmentsOf(endpoint.path, pathStart(endpoint))) {
      const children = segment.named ? at.named : at.plain;
      const next = children.get(segment.text) ?? { plain: new Map(), named: new Map() };
      children.set(segment.text, next);
      at = next;
    }
  }
  return root;
}

/** Reports an endpoint that is below the path except for a parameter's name: the steps would silently not apply. */
function checkNames(r: Resolved, under: Under, endpoint: Endpoint): void {
  if (isBelow(endpoint.path, under.path)) return;
  const above = segmentsOf(under.path, under.span.from);
  const path = segmentsOf(endpoint.path, pathStart(endpoint));
  for (const [i, { text: name }] of above.entries()) {
    const own = path[i];
    if (!own || own.text === name) continue;
    r.notes.findings.push(d.report.underNames(own, { found: own.text, under: under.path, name }));
    return;
  }
}
