import { TIME_ZONES } from '../expression/library/zone-names.ts';
import { isWebhookSecret } from '../expression/values/secret.ts';
import type { Fault } from '../plan/conditions.ts';
import type { TextFormat } from '../plan/value-forms.ts';

/**
 * A text format: the check by its standard, and the fault of a text that fails it. Each check is linear in the text.
 */
interface FormatRule {
  readonly fault: Fault;
  readonly test: (text: string) => boolean;
}

/** The addr-spec of HTML’s `<input type=email>` (WHATWG HTML, “valid e-mail address”), which is linear to match. */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

export const FORMATS: Readonly<Record<TextFormat, FormatRule>> = {
  email: { fault: 'not_email', test: (text) => EMAIL.test(text) },
  uri: { fault: 'not_uri', test: isUri },
  hostname: { fault: 'not_hostname', test: isHostname },
  ipv4: { fault: 'not_ipv4', test: isIpv4 },
  ipv6: { fault: 'not_ipv6', test: isIpv6 },
  'webhook secret': { fault: 'not_webhook_secret', test: isWebhookSecret },
  'time zone': { fault: 'not_time_zone', test: (text) => TIME_ZONES.has(text) },
};

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** Whether a text is a host name (RFC 1123, 2.1): one that ends in a number would be read as an IPv4 address. */
export function isHostname(text: string): boolean {
  if (text.length > 253) return false;
  const labels = text.split('.');
  return labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1)!);
}

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);

/**
 * Whether a text is an address in four decimal numbers (RFC 3986, IPv4address). Leading zeros are refused, since some
 * parsers read them as octal.
 */
export function isIpv4(text: string): boolean {
  return IPV4.test(text);
}

/** An address in the text forms of RFC 4291, 2.2, without a zone. */
export function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1)!;
  let count = groups.flat().length;
  const tail = last.at(-1);
  if (tail?.includes('.')) {
    if (!isIpv4(tail)) return false;
    last.pop();
    count += 1;
  }
  if (!groups.flat().every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  return halves.length === 2 ? count <= 7 : count === 8;
}

const UNRESERVED = "A-Za-z0-9._~!$&'()*+,;=\\-";
const pieces = (more: string): RegExp => new RegExp(`^(?:[${UNRESERVED}${more}]|%[0-9A-Fa-f]{2})*$`);
const PATH = pieces(':@/');
const QUERY = pieces(':@/?');
const USER = pieces(':');
const NAME = pieces('');
const FUTURE = /^v[0-9a-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+$/i;

/** A URI (RFC 3986, the rule of that name): absolute, and in ASCII, with everything else percent-encoded. */
export function isUri(text: string): boolean {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(text);
  if (!scheme) return false;
  let rest = text.slice(scheme[0].length);
  const hash = rest.indexOf('#');
  if (hash >= 0) {
    if (!QUERY.test(rest.slice(hash + 1))) return false;
    rest = rest.slice(0, hash);
  }
  const mark = rest.indexOf('?');
  if (mark >= 0) {
    if (!QUERY.test(rest.slice(mark + 1))) return false;
    rest = rest.slice(0, mark);
  }
  if (!rest.startsWith('//')) return PATH.test(rest);
  const slash = rest.indexOf('/', 2);
  const authority = rest.slice(2, slash < 0 ? undefined : slash);
  return isAuthority(authority) && (slash < 0 || PATH.test(rest.slice(slash)));
}

/** `user@host:port`; the host a name or an address. */
function isAuthority(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at >= 0 && !USER.test(text.slice(0, at))) return false;
  const [, host = '', port] = /^(.*?)(?::(\d*))?$/s.exec(text.slice(at + 1))!;
  if (host.startsWith('[')) {
    if (!host.endsWith(']')) return false;
    const literal = host.slice(1, -1);
    return isIpv6(literal) || FUTURE.test(literal);
  }
  return NAME.test(host) && (port === undefined || port.length <= 5);
}
