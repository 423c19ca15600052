import { header, sameIgnoringCase } from './headers.ts';

/** What the head of a request says of how it is to be read. */
interface Head {
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  readonly httpVersion: string;
}

/** RFC 9112, section 6.3: a request with neither a length nor a coding has no body. */
export function isBodiless({ rawHeaders }: Head): boolean {
  const length = header(rawHeaders, 'content-length');
  return (length === undefined || length === '0') && header(rawHeaders, 'transfer-encoding') === undefined;
}

/** RFC 9112, section 3.2: a request has one Host, unless it is older than 1.1, and it names a host and perhaps a port. */
export function hostIsSound({ rawHeaders, httpVersion }: Head): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!sameIgnoringCase(rawHeaders[at]!, 'host')) continue;
    hosts++;
    if (!HOST.test(rawHeaders[at + 1]!)) return false;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

/** RFC 9112, section 6.3: where the last coding isn’t `chunked`, nobody can tell where the request ends. */
export function codingIsSound({ rawHeaders, httpVersion }: Head): boolean {
  const coding = header(rawHeaders, 'transfer-encoding');
  return coding === undefined || (httpVersion !== '1.0' && /(?:^|,)[ \t]*chunked[ \t]*$/i.test(coding));
}

/** `uri-host [":" port]` (RFC 3986, section 3.2.2), or nothing. */
const HOST = /^(?:\[[0-9A-Fa-f:.v]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/;

/** The host that a target in absolute form names, in place of Host (RFC 9112, section 3.2.2); null for others. */
export function authorityOf(target: string): string | null {
  return ABSOLUTE.exec(target)?.[1] ?? null;
}

const ABSOLUTE = /^https?:\/\/([^/?#]+)/i;

/** A target in absolute form stands for the path and query in it (RFC 9112, section 3.2.2); others stay. */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const absolute = ABSOLUTE.exec(target);
  if (!absolute) return target;
  const rest = target.slice(absolute[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
