import { useState } from 'preact/hooks';
import type { EndpointContract } from '../../../contract/endpoint.ts';
import type { ContractType } from '../../../contract/types.ts';
import type { TryFile, TryPart } from '../../protocol.ts';
import { shortBytes } from '../parts/words.ts';
import type { Content } from './content.ts';

interface Props {
  readonly endpoint: EndpointContract;
  readonly content: Content;
  readonly change: (content: Content) => void;
}

/** The form fields for the body of a request. */
export function BodyFields({ endpoint, content, change }: Props) {
  const { body, file, parts } = content;
  if (endpoint.body?.bytes)
    return (
      <FileField
        id="try-file"
        label="File"
        types={endpoint.body.mediaTypes}
        file={file}
        change={(next) => change({ ...content, file: next })}
      />
    );
  if (parts)
    return <PartFields endpoint={endpoint} parts={parts} change={(next) => change({ ...content, parts: next })} />;
  if (endpoint.body === null && body === null) return null;
  const text = body ?? '';
  return (
    <div class="field">
      <label for="try-body">Body</label>
      <textarea
        id="try-body"
        spellcheck={false}
        rows={Math.min(Math.max(text.split('\n').length, 4), 16)}
        value={text}
        onInput={({ currentTarget: { value } }) => change({ ...content, body: value === '' ? null : value })}
      />
    </div>
  );
}

interface PartsProps {
  readonly endpoint: EndpointContract;
  readonly parts: readonly TryPart[];
  readonly change: (parts: readonly TryPart[]) => void;
}

/** The parts of a form, in the order of the document; a part that is left out can be added. */
function PartFields({ endpoint, parts, change }: PartsProps) {
  const members = endpoint.body?.type.members ?? [];
  const put = (at: number, part: TryPart | null): void =>
    change(parts.flatMap((one, i) => (i === at ? (part ? [part] : []) : [one])));
  return (
    <fieldset class="field">
      <legend>Parts of the form</legend>
      {parts.map((part, i) => {
        const types = typesOf(members.find(({ name }) => name === part.name)?.type);
        const id = `try-part-${i}`;
        return (
          <div class="part-row" key={`${part.name} ${i}`}>
            {types ? (
              <FileField
                id={id}
                label={part.name}
                types={types}
                file={part.file ?? null}
                change={(file) => put(i, { name: part.name, file })}
              />
            ) : (
              <div class="field">
                <label for={id}>{part.name}</label>
                <input
                  id={id}
                  class="input"
                  value={part.text ?? ''}
                  onInput={(event) => put(i, { name: part.name, text: event.currentTarget.value })}
                />
              </div>
            )}
            <button
              type="button"
              class="button small"
              aria-label={`Leave out ${part.name}`}
              onClick={() => put(i, null)}
            >
              ×
            </button>
          </div>
        );
      })}
      <div class="actions">
        {members.map(({ name, type }) => (
          <button
            key={name}
            type="button"
            class="button small"
            onClick={() => change([...parts, typesOf(type) ? { name, file: NO_FILE } : { name, text: '' }])}
          >
            Add {name}
          </button>
        ))}
      </div>
    </fieldset>
  );
}

const NO_FILE: TryFile = { name: 'empty', type: 'application/octet-stream', base64: '' };

/** The media types of a file, or of the files of a list; null of any other value. */
function typesOf(type: ContractType | undefined): readonly string[] | null {
  if (type?.kind === 'list' || type?.kind === 'set') return typesOf(type.of);
  return type?.kind === 'bytes' ? type.mediaTypes : null;
}

interface FileProps {
  readonly id: string;
  readonly label: string;
  /** The media types that the document allows. */
  readonly types: readonly string[];
  readonly file: TryFile | null;
  readonly change: (file: TryFile) => void;
}

/** The most bytes of a file, which a request holds as base64. */
const MOST_BYTES = 5_500_000;

/** A field for a file, which is sent as its bytes. */
function FileField({ id, label, types, file, change }: FileProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const choose = async (chosen: File | undefined): Promise<void> => {
    if (!chosen) return;
    if (chosen.size > MOST_BYTES) {
      setProblem(`The console sends files up to ${shortBytes(MOST_BYTES)}. Send this one by curl.`);
      return;
    }
    setProblem(null);
    const base64 = await base64Of(chosen);
    change({ name: chosen.name, type: chosen.type || (types[0] ?? 'application/octet-stream'), base64 });
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="input"
        type="file"
        aria-describedby={`${id}-hint`}
        onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
      />
      <p class="hint" id={`${id}-hint`}>
        {file ? `${file.name}, ${shortBytes(bytesOf(file))}, ${file.type}. ` : ''}
        Allowed: {types.join(', ')}.
      </p>
      {problem && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

/** The number of bytes of a file. */
const bytesOf = ({ base64 }: TryFile): number => (base64.length / 4) * 3 - (/=*$/.exec(base64)?.[0].length ?? 0);

function base64Of(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
  reader.onerror = () => reject(reader.error ?? new Error('The file cannot be read.'));
  reader.readAsDataURL(file);
  return promise;
}
