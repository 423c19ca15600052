import { sameIgnoringCase } from '../../http/headers.ts';

/**
 * The members of a request's head that decide how its body is read and its trace continued. The values of a repeated
 * header are joined with `, ` (RFC 9110, section 5.3).
 */
export interface Head {
  length: string | undefined;
  coding: string | undefined;
  traceparent: string | undefined;
  hosts: number;
  /** Whether each Host is a host with an optional port. */
  namesHosts: boolean;
  upgrades: boolean;
  /** Whether the request has a header that names its client, as proxies send it; a client may send it, too. */
  tellsOfClient: boolean;
}

/** Reads the head from Node's `rawHeaders`, in one pass: a pass for each header would take several times as long. */
export function headOf(rawHeaders: readonly string[]): Head {
  const head: Head = {
    length: undefined,
    coding: undefined,
    traceparent: undefined,
    hosts: 0,
    namesHosts: true,
    upgrades: false,
    tellsOfClient: false,
  };
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    const value = rawHeaders[at + 1]!;
    switch (name.length) {
      case 'host'.length:
        if (!sameIgnoringCase(name, 'host')) break;
        head.hosts++;
        head.namesHosts &&= HOST.test(value);
        break;
      case 'upgrade'.length:
        head.upgrades ||= sameIgnoringCase(name, 'upgrade');
        break;
      case 'forwarded'.length:
        head.tellsOfClient ||= sameIgnoringCase(name, 'forwarded');
        break;
      case 'x-forwarded-for'.length:
        head.tellsOfClient ||= sameIgnoringCase(name, 'x-forwarded-for');
        break;
      case 'traceparent'.length:
        if (sameIgnoringCase(name, 'traceparent')) head.traceparent = joined(head.traceparent, value);
        break;
      case 'content-length'.length:
        if (sameIgnoringCase(name, 'content-length')) head.length = joined(head.length, value);
        break;
      case 'transfer-encoding'.length:
        if (sameIgnoringCase(name, 'transfer-encoding')) head.coding = joined(head.coding, value);
        break;
    }
  }
  return head;
}

const joined = (before: string | undefined, value: string): string =>
  before === undefined ? value : `${before}, ${value}`;

/** Whether a request has no body: it has neither a length nor a coding (RFC 9112, section 6.3). */
export const isBodiless = ({ length, coding }: Head): boolean =>
  (length === undefined || length === '0') && coding === undefined;

/**
 * Whether a request has a valid Host (RFC 9112, section 3.2): exactly one, with an optional port; HTTP/1.0 may have
 * none.
 */
export const hostIsSound = ({ hosts, namesHosts }: Head, httpVersion: string): boolean =>
  namesHosts && (hosts === 1 || (hosts === 0 && httpVersion === '1.0'));

/** Whether the last coding of a request is `chunked` (RFC 9112, section 6.3): with another, its end is unknown. */
export const codingIsSound = ({ coding }: Head, httpVersion: string): boolean =>
  coding === undefined || (httpVersion !== '1.0' && /(?:^|,)[ \t]*chunked[ \t]*$/i.test(coding));

/** The RTSP methods that Node parses (RFC 2326); it refuses them in HTTP requests by itself. */
const OF_RTSP: readonly string[] = [
  'DESCRIBE',
  'ANNOUNCE',
  'SETUP',
  'PLAY',
  'PAUSE',
  'TEARDOWN',
  'GET_PARAMETER',
  'SET_PARAMETER',
  'REDIRECT',
  'RECORD',
  'FLUSH',
];

/** Methods after which Node also accepts another protocol's name: RTSP, and ICE for SOURCE (Icecast). */
const SHARED: readonly string[] = ['GET', 'POST', 'OPTIONS'];

/** The protocol in the rest of a request line. */
const PROTOCOL = /^ +[^ \r\n]+ +([A-Za-z]+)\/\d\.\d\r?\n/;

/**
 * Whether a request is HTTP/1.1 or HTTP/1.0 (RFC 9112, section 2.3). Node parses `RTSP/1.0` and `ICE/1.0` as HTTP and
 * doesn't report the difference, so the request line is read again: `read` returns the bytes in which the head ended,
 * or null. Later HTTP/1.1 requests of a connection are not read again: `GET /x RTSP/1.1` behind others is a request of
 * no protocol.
 */
export function isHttp(
  { method = '', httpVersion }: { readonly method?: string | undefined; readonly httpVersion: string },
  first: boolean,
  read: () => Buffer | null,
): boolean {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return false;
  if (SHARED.includes(method)) return (httpVersion === '1.1' && !first) || namesHttp(method, read()) !== false;
  return method === 'SOURCE' ? namesHttp(method, read()) === true : !OF_RTSP.includes(method);
}

/** Whether a request line with the method names HTTP among the bytes; null where there is no such line. */
function namesHttp(method: string, read: Buffer | null): boolean | null {
  let known: boolean | null = null;
  const text = read?.toString('latin1') ?? '';
  for (let at = text.indexOf(method); at >= 0; at = text.indexOf(method, at + 1)) {
    if (at > 0 && text[at - 1] !== '\n') continue;
    const protocol = PROTOCOL.exec(text.slice(at + method.length))?.[1];
    if (protocol === 'HTTP') return true;
    if (protocol !== undefined) known = false;
  }
  return known;
}

/** `uri-host [":" port]` (RFC 3986, section 3.2.2), or nothing. */
const HOST = /^(?:\[[0-9A-Fa-f:.v]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/;

/**
 * Whether a target in absolute form names a host with an optional port and no user (RFC 9112, section 3.2.2; RFC 9110,
 * section 4.2.4).
 */
export function targetIsSound(target: string): boolean {
  const authority = target.startsWith('/') ? null : authorityOf(target);
  return authority === null || HOST.test(authority);
}

/**
 * Returns the host of a target in absolute form, which replaces Host (RFC 9112, section 3.2.2); null for other targets.
 */
export function authorityOf(target: string): string | null {
  return ABSOLUTE.exec(target)?.[1] ?? null;
}

const ABSOLUTE = /^https?:\/\/([^/?#]+)/i;

/**
 * Returns the path and query of a target in absolute form (RFC 9112, section 3.2.2); other targets are returned as they
 * are.
 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const absolute = ABSOLUTE.exec(target);
  if (!absolute) return target;
  const rest = target.slice(absolute[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
