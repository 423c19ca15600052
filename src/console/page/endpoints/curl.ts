import type { TryAnswer } from '../../protocol.ts';

/** Headers that curl writes itself. */
const BY_CURL: ReadonlySet<string> = new Set(['content-length', 'host']);

/** A tried request as a command for a POSIX shell, with `$KEY` in place of the key that the console has hidden. */
export function curlOf(sent: TryAnswer['sent'], address: string, body: string | null): string {
  const [method = 'GET', path = '/'] = sent.line.split(' ');
  const words = [
    method === 'HEAD' ? 'curl -I' : method === 'GET' ? 'curl -i' : `curl -i -X ${method}`,
    quoted(address + path),
    ...sent.headers.flatMap(([name, value]) => (BY_CURL.has(name.toLowerCase()) ? [] : `-H ${header(name, value)}`)),
    ...(body === null ? [] : [`--data-binary ${quoted(body)}`]),
  ];
  return words.join(' \\\n  ');
}

/** A word that the shell takes as it is. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A header; curl sends one without a value where a semicolon ends it. */
const header = (name: string, value: string): string =>
  value === '' ? quoted(`${name};`) : quoted(`${name}: ${value}`).replaceAll('…', `'"$KEY"'`);
