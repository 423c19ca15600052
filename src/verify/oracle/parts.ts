import { isUtf8 } from 'node:buffer';
import { MultipartReader, type PartHead } from '../../http/multipart.ts';
import { pointer } from '../../http/nested-json.ts';
import type { FilePlan } from '../../plan/files.ts';
import type { BeforeStep, PartsPlan, PayloadPlan } from '../../plan/step.ts';
import { addTo } from '../../text/lists.ts';
import type { Content } from './content.ts';
import { byCondition, type Refusal } from './refusal.ts';

/** The reader's side of a form of several parts: the content that takes it, and its refusals. */
interface PartsReading {
  readonly content: Content;
  readonly malformed: () => Refusal;
  readonly tooLarge: () => Refusal;
  /** Notes that a file was sent twice. */
  readonly repeated: () => void;
  /** Throws if bytes do not begin as those of their type. */
  readonly firstBytes: (payload: PayloadPlan, file: FilePlan, type: string, bytes: Buffer) => void;
}

/** Reads the parts of a form in their order; returns the texts of those that are no file. Throws the first refusal. */
export function readParts(
  bytes: Buffer,
  boundary: string,
  { payload, parameters }: Extract<BeforeStep, { do: 'validate body' }>,
  parts: PartsPlan,
  by: PartsReading,
): unknown {
  const reader = new MultipartReader(boundary);
  const names = by.content.partNames(payload, parameters);
  const values = new Map<string, string[]>();
  const fileOf = (head: PartHead): FilePlan | undefined => parts.files.find(({ field }) => field === head.name);
  let head: PartHead | null = null;
  let pieces: Buffer[] = [];
  let ofFiles = 0;
  for (const event of reader.push(bytes)) {
    if (event.kind === 'malformed') throw by.malformed();
    if (event.kind === 'bytes') pieces.push(event.bytes);
    if (event.kind === 'head') {
      head = event.head;
      pieces = [];
      checkHead(head, fileOf(head) ?? null, names, by);
    }
    if (event.kind !== 'end' || !head) continue;
    const whole = Buffer.concat(pieces);
    const file = fileOf(head);
    if (file && payload) takeFile(payload, file, head, whole, by);
    else if (names.has(head.name) && !isUtf8(whole)) throw by.malformed();
    else addTo(values, head.name, names.has(head.name) ? whole.toString() : '');
    if (file) ofFiles += whole.length;
  }
  if (bytes.length - ofFiles > parts.most) throw by.tooLarge();
  if (!reader.isWhole) throw by.malformed();
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all]));
}

function checkHead(head: PartHead, file: FilePlan | null, names: ReadonlySet<string>, by: PartsReading): void {
  if (!head.isIdentity) throw byCondition('unsupported encoding');
  if (!file) {
    if (names.has(head.name) && head.type !== 'text/plain') throw byCondition('unsupported media type');
    return;
  }
  if (head.filename === '') return;
  mustBeFirst(file, by);
  if (!file.mediaTypes.includes(head.type ?? '')) throw byCondition('unsupported media type');
}

function mustBeFirst({ field }: FilePlan, by: PartsReading): void {
  if (!by.content.files.has(field)) return;
  by.repeated();
  throw byCondition('invalid request', { faults: [{ place: 'pointer', name: pointer(field), code: 'repeated' }] });
}

/** Takes a file; one without bytes and with an empty name is that of an input without a chosen file. */
function takeFile(
  payload: PayloadPlan,
  file: FilePlan,
  { filename, type }: PartHead,
  bytes: Buffer,
  by: PartsReading,
): void {
  if (filename === '' && bytes.length === 0) return;
  mustBeFirst(file, by);
  if (type === null || !file.mediaTypes.includes(type)) throw byCondition('unsupported media type');
  if (bytes.length > file.most) throw by.tooLarge();
  by.firstBytes(payload, file, type, bytes);
  by.content.takeFile(payload, file, type, bytes);
}
