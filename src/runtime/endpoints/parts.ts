import { isUtf8 } from 'node:buffer';
import { header } from '../../http/headers.ts';
import { boundaryIn, MultipartReader, type PartEvent, type PartHead } from '../../http/multipart.ts';
import { pointer } from '../../http/nested-json.ts';
import { FILE_MEMBERS, type FilePlan } from '../../plan/files.ts';
import type { PartsPlan } from '../../plan/step.ts';
import { addTo } from '../../text/lists.ts';
import type { Refusal } from '../context/refusal.ts';
import type { RequestContext } from '../context/request-context.ts';
import type { Errors } from '../errors/refusal.ts';
import type { Files, FileWriter, Upload } from '../files/files.ts';
import { refusedBody, UNRECEIVED } from './body.ts';

/** The dependencies of a reader of parts. */
interface PartsContext {
  readonly errors: Errors;
  readonly files: Files;
  /** Returns the names of the parts that hold values, in the version of a request. */
  names(x: RequestContext): ReadonlySet<string>;
}

/**
 * Compiles the reader of a form of several parts (RFC 7578): its files are stored while they arrive, in whatever order,
 * and `body` becomes the texts of its other parts, as of another form.
 */
export function partsReader(plan: PartsPlan, most: number, c: PartsContext) {
  return async (x: RequestContext): Promise<Refusal | null> => {
    x.isForm = true;
    // A request that begins anew has received its parts; one without a body has none.
    if (!x.received && x.body === undefined) {
      x.awaitsBody = true;
      const refusal = await new Parts(plan, x, c).receive(most);
      x.awaitsBody = false;
      if (refusal) return refusedBody(x, refusal);
    }
    if (x.received) x.body = x.received.form;
    return x.received?.refusal ?? null;
  };
}

/** The text by which a repeated request is known to have sent the same files. */
export const canonicalFiles = ({ received }: RequestContext): string =>
  JSON.stringify(
    [...(received?.uploads ?? [])]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([field, upload]) => [field, ...FILE_MEMBERS.map((member) => upload[member])]),
  );

/** The part that is being read. */
type Part =
  | { readonly kind: 'file'; readonly file: FilePlan; readonly head: PartHead; writer: FileWriter | null; size: number }
  | { readonly kind: 'value'; readonly name: string; readonly pieces: Buffer[] | null };

/** The parts of one request, as they arrive. */
class Parts {
  private readonly plan: PartsPlan;
  private readonly x: RequestContext;
  private readonly c: PartsContext;
  private readonly names: ReadonlySet<string>;
  private readonly reader: MultipartReader;
  private readonly uploads = new Map<string, Upload>();
  private readonly values = new Map<string, string[]>();
  /** How many bytes have arrived, and how many of them are bytes of files. */
  private arrived = 0;
  private ofFiles = 0;
  private part: Part | null = null;
  private refusal: Refusal | null = null;
  /** Whether nothing more is taken: the client may have gone while bytes were stored. */
  private isOver = false;

  constructor(plan: PartsPlan, x: RequestContext, c: PartsContext) {
    this.plan = plan;
    this.x = x;
    this.c = c;
    this.names = c.names(x);
    this.reader = new MultipartReader(boundaryIn(header(x.incoming.rawHeaders, 'content-type')!)!);
  }

  /** Receives the form; resolves to its refusal. Rejects with StoreError. */
  async receive(most: number): Promise<Refusal | null> {
    const { x, c, values, uploads } = this;
    try {
      const outcome = await c.files.received(x.incoming, most, x.deadline, (piece) => this.take(piece));
      this.isOver = true;
      const refusal = outcome === 'whole' ? this.ended() : this.refused(outcome);
      if (refusal) {
        await this.drop();
        return refusal;
      }
    } catch (error) {
      await this.drop();
      throw error;
    }
    const form = Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all]));
    x.received = { uploads, form };
    return null;
  }

  private refused(outcome: 'refused' | 'too large' | 'too slow' | 'broken off'): Refusal {
    return outcome === 'refused' ? this.refusal! : this.c.errors.condition(UNRECEIVED[outcome]);
  }

  private ended(): Refusal | null {
    const { errors } = this.c;
    if (!this.reader.isWhole) return errors.condition('malformed request');
    // The request has been answered meanwhile, and nothing else lets go of its bytes.
    return Date.now() > this.x.deadline ? errors.condition('time-out') : null;
  }

  /** Lets go of all bytes that have arrived. */
  private async drop(): Promise<void> {
    const { files } = this.c;
    this.isOver = true;
    if (this.part?.kind === 'file') await this.part.writer?.drop();
    for (const { id } of this.uploads.values()) await files.drop(id);
  }

  private take(piece: Buffer): Promise<boolean> | null {
    this.arrived += piece.length;
    return this.takeFrom(this.reader.push(piece), 0);
  }

  private refuse(refusal: Refusal): Promise<boolean> {
    this.refusal = refusal;
    return Promise.resolve(false);
  }

  /** Takes the events from one on; a promise only where bytes are stored, or nothing more is wanted. */
  private takeFrom(events: readonly PartEvent[], from: number): Promise<boolean> | null {
    for (let i = from; i < events.length; i++) {
      if (this.isOver) return Promise.resolve(false);
      const taken = this.takeEvent(events[i]!);
      if (taken) return taken.then((isWanted) => isWanted && (this.takeFrom(events, i + 1) ?? true));
    }
    // Heads, boundaries and values are held in memory, or are work without a file.
    const isMore = this.arrived - this.ofFiles > this.plan.most;
    return isMore ? this.refuse(this.c.errors.condition('request too large')) : null;
  }

  private takeEvent(event: PartEvent): Promise<boolean> | null {
    switch (event.kind) {
      case 'head':
        return this.begin(event.head);
      case 'bytes':
        return this.part!.kind === 'file' ? this.takeBytes(this.part!, event.bytes) : this.takeText(event.bytes);
      case 'end':
        return this.end();
      case 'malformed':
        return this.refuse(this.c.errors.condition('malformed request'));
    }
  }

  private begin(head: PartHead): Promise<boolean> | null {
    const { errors } = this.c;
    const file = this.plan.files.find(({ field }) => field === head.name);
    if (!head.isIdentity) return this.refuse(errors.condition('unsupported encoding'));
    if (!file) {
      const isText = head.type === 'text/plain';
      if (!isText && this.names.has(head.name)) return this.refuse(errors.condition('unsupported media type'));
      // A part that nothing reads is not kept.
      this.part = { kind: 'value', name: head.name, pieces: this.names.has(head.name) ? [] : null };
      return null;
    }
    this.part = { kind: 'file', file, head, writer: null, size: 0 };
    return isUnchosen(head) ? null : this.write(this.part);
  }

  /** Begins to store a file, the only one of its field, whose type has to be one of the field. */
  private write(part: Part & { kind: 'file' }): Promise<boolean> | null {
    const { head, file } = part;
    const { errors, files } = this.c;
    if (this.uploads.has(file.field)) {
      const fault = { place: 'pointer', name: pointer(file.field), code: 'repeated' } as const;
      return this.refuse(errors.condition('invalid request', [fault]));
    }
    if (head.type === null || !file.mediaTypes.includes(head.type))
      return this.refuse(errors.condition('unsupported media type'));
    part.writer = files.begin({ type: head.type, checked: file.checked, deadline: this.x.deadline });
    return null;
  }

  private takeBytes(part: Part & { kind: 'file' }, bytes: Buffer): Promise<boolean> | null {
    const { errors } = this.c;
    part.size += bytes.length;
    this.ofFiles += bytes.length;
    if (part.size > part.file.most) return this.refuse(errors.condition('request too large'));
    const refused = part.writer ? null : this.write(part);
    if (refused) return refused;
    return part.writer!.take(bytes)?.then((isOfType) => isOfType || this.refuseType()) ?? null;
  }

  private refuseType(): Promise<boolean> {
    return this.refuse(this.c.errors.condition('unsupported media type'));
  }

  private takeText(bytes: Buffer): null {
    if (this.part?.kind === 'value') this.part.pieces?.push(bytes);
    return null;
  }

  private end(): Promise<boolean> | null {
    const part = this.part!;
    if (part.kind === 'file') return part.writer ? this.endFile(part.file, part.writer) : this.endPart();
    const bytes = Buffer.concat(part.pieces ?? []);
    if (!isUtf8(bytes)) return this.refuse(this.c.errors.condition('malformed request'));
    addTo(this.values, part.name, bytes.toString());
    return this.endPart();
  }

  private endPart(): null {
    this.part = null;
    return null;
  }

  private async endFile({ field }: FilePlan, writer: FileWriter): Promise<boolean> {
    const upload = await writer.end();
    this.part = null;
    if (upload === null) return this.refuseType();
    if (upload === 'too slow') return this.refuse(this.c.errors.condition('time-out'));
    this.uploads.set(field, upload);
    return true;
  }
}

/**
 * Whether a part may be that of an HTML form in which no file was chosen: it has an empty name, and then no bytes. Such a
 * part counts as not sent.
 */
const isUnchosen = ({ filename }: PartHead): boolean => filename === '';
