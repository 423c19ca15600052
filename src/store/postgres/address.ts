import type pg from 'pg';
import { StoreError } from '../store.ts';

/** The number of a node’s connections, unless the address has `pool_max_conns`. */
const CONNECTIONS = 10;
const PORT = '5432';

/** One server of an address. */
export interface Host {
  readonly config: pg.ClientConfig;
  /** The server’s address without its password, for messages. */
  readonly where: string;
}

/** The address of a database, and the properties of connections to it. */
export interface Address {
  /** The servers, of which one accepts changes at a time. */
  readonly hosts: readonly Host[];
  readonly where: string;
  readonly connections: number;
  /** True where only a server that accepts changes can be used, and no standby. */
  readonly mustWrite: boolean;
  /** The server that was used last. */
  last: Host;
  /** The latest timeline of any server so far: PostgreSQL begins a new timeline with each promotion. */
  timeline: number;
}

/** The accepted values of `target_session_attrs`; servers that accept no changes would be useless. */
const ATTRIBUTES: ReadonlySet<string> = new Set(['any', 'read-write', 'primary']);

const SCHEME = /^([a-z][a-z\d+.-]*:)\/\//i;
const PARTS = /^[a-z]+:\/\/(?:([^/?#]*)@)?([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/i;

const refusal = (message: string): StoreError => new StoreError('failed', message);

/** Parses an address; the password may come from PGPASSWORD instead. Throws StoreError where the address is invalid. */
export function readAddress(url: string): Address {
  const scheme = SCHEME.exec(url)?.[1]?.toLowerCase();
  const parts = PARTS.exec(url);
  if (!scheme) throw refusal(NO_URL);
  if (scheme !== 'postgres:' && scheme !== 'postgresql:')
    throw refusal(`The address of a store begins with postgres://, not with “${scheme}//”.`);
  if (!parts) throw refusal(NO_URL);
  const [, user = null, authority = '', path = '', query = ''] = parts;
  const parameters = new URLSearchParams(query);
  const taken = (name: string): string | null => {
    const value = parameters.get(name);
    parameters.delete(name);
    return value;
  };
  const most = taken('pool_max_conns');
  if (most !== null && !/^[1-9]\d{0,3}$/.test(most))
    throw refusal('pool_max_conns in the address of the store is a number of connections, 1 to 9999.');
  const attributes = taken('target_session_attrs');
  if (attributes !== null && !ATTRIBUTES.has(attributes))
    throw refusal(
      `target_session_attrs in the address of the store is read-write, primary or any, not “${attributes}”: a node needs a server that accepts changes.`,
    );
  const places = placesOf(authority, parameters);
  let database: string;
  try {
    database = decodeURIComponent(path.slice(1));
  } catch {
    throw refusal('The name of the database in the address of the store is not percent-encoded UTF-8.');
  }
  const rest = parameters.size ? `?${parameters}` : '';
  const hosts = places.map((place): Host => {
    const connectionString = `${scheme}//${user === null ? '' : `${user}@`}${place}${path}${rest}`;
    const at = parsed(connectionString);
    const where = `The database “${database}” at ${decodeURIComponent(at.hostname)}:${at.port || PORT}`;
    return { config: { connectionString: at.href, application_name: 'ninefold' }, where };
  });
  const all = hosts.map(({ where }) => where.slice(where.lastIndexOf(' at ') + 4));
  return {
    hosts,
    where: `The database “${database}” at ${all.join(',')}`,
    connections: most === null ? CONNECTIONS : Number(most),
    mustWrite: hosts.length > 1 || attributes === 'read-write' || attributes === 'primary',
    last: hosts[0]!,
    timeline: 0,
  };
}

const NO_URL =
  'The address of the store is not a URL such as postgres://user@host:5432/database, or postgres://user@host1:5432,host2:5432/database for several servers.';

function parsed(url: string): URL {
  try {
    return new URL(url);
  } catch {
    throw refusal(NO_URL);
  }
}

/** The servers of an address by the rules of libpq: in the authority, or in the parameters `host` and `port`. */
function placesOf(authority: string, parameters: URLSearchParams): string[] {
  const [host, port] = [parameters.get('host'), parameters.get('port')];
  // The driver itself handles a single host.
  if (!authority.includes(',') && !host?.includes(',')) return [authority];
  parameters.delete('host');
  parameters.delete('port');
  const given = host === null ? authority.split(',') : host.split(',').map(inUrl);
  if (port === null) return given;
  const ports = port.split(',');
  if (ports.length !== 1 && ports.length !== given.length)
    throw refusal(
      `The address of the store has ${given.length} hosts and ${ports.length} ports: give one port, or one for each host.`,
    );
  return given.map((one, i) => {
    const own = ports[ports.length === 1 ? 0 : i];
    return own ? `${one.replace(/:\d*$/, '')}:${own}` : one;
  });
}

/**
 * A host from a parameter in the notation of URLs: the path of a socket is escaped, and an IPv6 address has brackets.
 */
function inUrl(host: string): string {
  if (host.startsWith('/')) return encodeURIComponent(host);
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host || 'localhost';
}
