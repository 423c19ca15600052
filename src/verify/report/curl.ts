import { counted } from '../../text/units.ts';
import type { Exchange } from '../target/exchange.ts';
import { isExchange, type ReportedStep, type Sent } from './report.ts';
import { type Piece, runsOf, shellWord, showsAsText, writeCommand } from './shell.ts';
import type { StableTexts } from './stable.ts';
import type { NamedValue } from './values.ts';

/** Headers that curl writes itself, in the same way. */
const WRITTEN_BY_CURL: ReadonlySet<string> = new Set(['content-length', 'connection']);

/** The longest body that is written in the command line itself. */
const LONGEST_IN_LINE = 2000;

/**
 * The commands of a sequence for a POSIX shell, one step after the other: `$url` is the URL of the service, and
 * variables hold values of answers that later requests use. `base`: the path below which the service is.
 */
export function curlLines(sequence: readonly ReportedStep[], stable: StableTexts, base = ''): string[] {
  const { values } = stable;
  return sequence.flatMap((act, i) => {
    if (!isExchange(act)) {
      const given = values.find((one) => one.from === null && one.value === act.gives?.value);
      const derived = values.filter((one) => one.from === null && one.derived?.value === act.gives?.value);
      const text = stable.operatorText(act);
      const also = derived.map(({ name, derived }) => `; $${name} is the same ${derived?.by.words}`).join('');
      if (given) return [comment(`${text}; the result is $${given.name}${also}`)];
      return [comment(act.gives ? `${text}; the result is ${stable.text(act.gives.value)}` : text)];
    }
    const known = values.filter((one) => one.from === null || one.from.act < i);
    const words = (of: Sent): RequestWords => requestWords(of, known, base);
    if (act.together !== undefined) {
      const before = sequence[i - 1];
      if (before && isExchange(before) && before.together === act.together) return [];
      return togetherLines(groupFrom(sequence, i), words);
    }
    const told = values.filter((one) => one.from?.act === i);
    if (act.times !== undefined) return [repeated(curlLine(words(act), ['-i']), act.times), comment(outcomeOf(act))];
    return [...exchangeLines(words(act), told), comment(outcomeOf(act))];
  });
}

/** The exchanges of a group that begins at a place. */
function groupFrom(sequence: readonly ReportedStep[], at: number): Sent[] {
  const first = sequence[at];
  const out: Sent[] = [];
  for (const act of sequence.slice(at)) {
    if (!isExchange(act) || !first || !isExchange(first) || act.together !== first.together) break;
    out.push(act);
  }
  return out;
}

/** Requests that are sent at the same time. */
function togetherLines(group: readonly Sent[], words: (of: Sent) => RequestWords): string[] {
  const lines = group.map((one) => `${curlLine(words(one), ['-i'])} &`);
  const [first = ''] = lines;
  const isSame = lines.every((line) => line === first);
  const outcomes = [...new Set(group.map(outcomeOf))].map(
    (one) => `${group.filter((each) => outcomeOf(each) === one).length} of them: ${one}`,
  );
  return [
    comment(
      `${counted(group.length, 'request')} at the same time; the requests may not overlap each time: repeat if needed`,
    ),
    ...(isSame ? [`for i in $(seq ${group.length}); do ${first} done; wait`] : [...lines, 'wait']),
    comment(outcomes.join('; ')),
  ];
}

/** A shell loop that runs a line `times` times, and shows the end of its output. */
const repeated = (line: string, times: number): string => `for i in $(seq ${times}); do ${line}; done | tail -n 12`;

/** A shell comment; line ends in the text would end it. */
const comment = (text: string): string => `# ${text.replace(/[\r\n\u2028\u2029]+/g, ' ')}`;

/** The outcome of an exchange, in a few words. */
function outcomeOf({ outcome }: Exchange): string {
  return 'failed' in outcome ? `no answer: ${outcome.detail}` : `answers ${outcome.status}`;
}

/** The commands of a request, with those that keep values of its answer. */
function exchangeLines(request: RequestWords, told: readonly NamedValue[]): string[] {
  const headers = told.filter((one) => one.from?.header);
  const members = told.filter((one) => one.from?.path.length);
  const written = headers.map((one) => `%header{${one.from?.header}}`);
  if (told.length === 0) return [curlLine(request, ['-i'])];
  if (members.length === 0 && headers.length === 1)
    return [`${headers[0]?.name}=$(${curlLine(request, ['-o /dev/null', `-w '${written[0]}'`])})`];
  if (headers.length === 0 && members.length === 1)
    return [`${members[0]?.name}=$(${curlLine(request, [])} | jq -r ${jqPath(members[0])})`];
  // The body is followed by a line for each header.
  const options = written.length > 0 ? [`-w '${written.map((one) => `\\n${one}`).join('')}'`] : [];
  const body = `printf '%s\\n' "$answer" | ${"sed '$d' | ".repeat(written.length)}`;
  return [
    `answer=$(${curlLine(request, options)})`,
    ...members.map((one) => `${one.name}=$(${body}jq -r ${jqPath(one)})`),
    ...headers.map((one, i) => `${one.name}=$(printf '%s\\n' "$answer" | tail -n ${headers.length - i} | head -n 1)`),
  ];
}

function jqPath(value: NamedValue | undefined): string {
  const steps = (value?.from?.path ?? []).map((one) => `[${JSON.stringify(one)}]`).join('');
  const plain = (value?.from?.path ?? []).every((one) => typeof one === 'string' && /^[A-Za-z_]\w*$/.test(one));
  const path = plain ? (value?.from?.path ?? []).map((one) => `.${one}`).join('') : `.${steps}`;
  const { by, value: whole } = value?.derived ?? {};
  return shellWord([Buffer.from(by ? `${path} | ${by.jq(whole ?? '')}` : path)], true);
}

/** The text before `curl`, and its options for the request. */
interface RequestWords {
  readonly before: string;
  readonly words: readonly string[];
}

const curlLine = ({ before, words }: RequestWords, options: readonly string[]): string =>
  `${before}curl ${['-sS', ...options, ...words].join(' ')}`;

function requestWords({ request }: Exchange, known: readonly NamedValue[], base: string): RequestWords {
  const { method, target, headers, body } = request;
  const words: string[] = [];
  if (method === 'HEAD') words.push('--head');
  else if (method !== 'GET' || body !== null) words.push(`-X ${shellWord([Buffer.from(method, 'latin1')])}`);
  const place = pieces(Buffer.from(target, 'latin1'), known);
  if (isPlainTarget(target)) words.push(shellWord([{ variable: 'url' }, ...place]));
  else words.push(`--request-target ${shellWord([Buffer.from(base, 'latin1'), ...place])}`, '"$url"');
  const sent = headers.filter(([name]) => !WRITTEN_BY_CURL.has(name.toLowerCase()));
  for (const [name, value] of sent) words.push(`-H ${headerWord(name, value, known)}`);
  if (body === null) return { before: '', words };
  // Without these, curl names a media type of forms.
  if (!sent.some(([name]) => name.toLowerCase() === 'content-type')) words.push("-H 'Content-Type:'");
  const held = pieces(body, known);
  const inLine = body.length <= LONGEST_IN_LINE && showsAsText(body, true) && runsOf(body).length === 1;
  if (request.late !== undefined) {
    const [begins, ends] = [pieces(body.subarray(0, -1), known), pieces(body.subarray(-1), known)];
    const first = body.length > 1 ? `${writeCommand(begins)}; ` : '';
    const before = `{ ${first}sleep ${request.late / 1000}; ${writeCommand(ends)}; } | `;
    return {
      before,
      words: [...words, `-H 'Content-Length: ${body.length}'`, "-H 'Transfer-Encoding:'", "-H 'Expect:'", '-T -'],
    };
  }
  if (inLine) return { before: '', words: [...words, `--data-raw ${shellWord(held, true)}`] };
  return { before: `${writeCommand(held)} | `, words: [...words, '--data-binary @-'] };
}

/** Whether curl sends a target unchanged: it drops fragments, removes dot segments, and expands brackets. */
const isPlainTarget = (target: string): boolean =>
  /^\/[\w\-.~!$&'()*+,;=:@%/?"<>^`]*$/.test(target) && !/\/\.{1,2}(?:[/?]|$)/.test(target);

/** A header without a value is written with a semicolon, or curl leaves it out. */
function headerWord(name: string, value: string, known: readonly NamedValue[]): string {
  if (value === '') return shellWord([Buffer.from(`${name};`, 'latin1')]);
  return shellWord([Buffer.from(`${name}: `, 'latin1'), ...pieces(Buffer.from(value, 'latin1'), known)]);
}

/**
 * Splits bytes into text and references to shell variables for known values. Where several values match, the longest is
 * replaced.
 */
function pieces(bytes: Buffer, known: readonly NamedValue[]): Piece[] {
  const found = [...known].sort((a, b) => b.value.length - a.value.length).find((one) => bytes.includes(one.value));
  if (!found) return [bytes];
  const at = bytes.indexOf(found.value);
  const end = at + Buffer.byteLength(found.value);
  return [...pieces(bytes.subarray(0, at), known), { variable: found.name }, ...pieces(bytes.subarray(end), known)];
}
