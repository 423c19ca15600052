import type { TryAnswer, TryPart } from '../../protocol.ts';
import type { Content } from './content.ts';

/** Headers that curl writes itself. */
const BY_CURL: ReadonlySet<string> = new Set(['content-length', 'host']);

/** A tried request as a command for a POSIX shell, with `$KEY` in place of the key that the console has hidden. */
export function curlOf(sent: TryAnswer['sent'], address: string, { body, file, parts }: Content): string {
  const [method = 'GET', path = '/'] = sent.line.split(' ');
  // Of a form of several parts, curl makes the boundary.
  const own = (name: string): boolean =>
    BY_CURL.has(name.toLowerCase()) || (parts !== null && /^content-type$/i.test(name));
  const words = [
    method === 'HEAD' ? 'curl -I' : method === 'GET' ? 'curl -i' : `curl -i -X ${method}`,
    // Without it, curl takes “.” and “..” out of the path.
    ...(/\/\.{1,2}(?:[/?]|$)/.test(path) ? ['--path-as-is'] : []),
    quoted(address + path),
    ...sent.headers.flatMap(([name, value]) => (own(name) ? [] : `-H ${header(name, value)}`)),
    ...(file ? [`--data-binary ${quoted(`@${file.name}`)}`] : []),
    ...(parts ?? []).map(partOf),
    ...(body === null || file || parts ? [] : [`--data-binary ${quoted(body)}`]),
  ];
  return words.join(' \\\n  ');
}

/** A part of a form. With `-F`, curl would read a file for a text that begins with “@” or “<”. */
function partOf({ name, text = '', file }: TryPart): string {
  if (!file) return `--form-string ${quoted(`${name}=${text}`)}`;
  const path = `"${file.name.replace(/["\\]/g, '\\$&')}"`;
  return `-F ${quoted(`${name}=@${path};type=${file.type}`)}`;
}

/** A word that the shell takes as it is. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A header; curl sends one without a value where a semicolon ends it. */
const header = (name: string, value: string): string =>
  value === '' ? quoted(`${name};`) : quoted(`${name}: ${value}`).replaceAll('…', `'"$KEY"'`);
