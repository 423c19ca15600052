import { header, sameIgnoringCase } from '../../http/headers.ts';

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

/** The methods that Node reads of RTSP alone (RFC 2326): of HTTP it refuses them by itself. */
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

/** Other methods behind whose target Node reads another protocol's name too: RTSP's, and Icecast's for SOURCE. */
const SHARED: readonly string[] = ['GET', 'POST', 'OPTIONS'];

/** What a request line may say of its protocol. */
const PROTOCOL = /^ +[^ \r\n]+ +([A-Za-z]+)\/\d\.\d\r?\n/;

/**
 * RFC 9112, section 2.3: whether a request is one of HTTP/1.1, or of HTTP/1.0. Node takes `RTSP/1.0` and `ICE/1.0` for
 * HTTP and doesn't tell, so that whoever looks has to read the line again: `read` gives the bytes in which the head
 * ended, or null. What is neither that nor the first request of its connection, `GET /x RTSP/1.1` behind others, is none
 * that any protocol has.
 */
export function isHttp(
  { method = '', httpVersion }: Pick<Head, 'httpVersion'> & { readonly method?: string | undefined },
  first: boolean,
  read: () => Buffer | null,
): boolean {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return false;
  if (SHARED.includes(method)) return (httpVersion === '1.1' && !first) || namesHttp(method, read()) !== false;
  return method === 'SOURCE' ? namesHttp(method, read()) === true : !OF_RTSP.includes(method);
}

/** Whether a line with a method names HTTP among what was read; null where there is no such line. */
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

/** RFC 9112, section 3.2.2, and RFC 9110, section 4.2.4: a target in absolute form names a host as Host does, and no user. */
export function targetIsSound(target: string): boolean {
  const authority = target.startsWith('/') ? null : authorityOf(target);
  return authority === null || HOST.test(authority);
}

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
