import { pathSegment } from '../../../text/path-segment.ts';
import type { FileField, ResourceSummary, RowShown } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { fileAddress } from '../app/api.ts';
import { Copy } from '../parts/copy.tsx';
import { shortBytes } from '../parts/words.ts';

interface Props {
  readonly resource: ResourceSummary;
  readonly file: FileField;
  readonly row: RowShown;
}

/** The address from which a browser saves the bytes of a field. */
const downloadOf = (resource: string, id: string, field: string): string =>
  fileAddress(`/rows/${pathSegment(resource)}/${pathSegment(id)}/files/${pathSegment(field)}`);

interface SizeProps {
  readonly resource: string;
  readonly id: string;
  readonly field: string;
  readonly size: number;
}

/** The size of a file in a list, as a link that saves the file. */
export function FileSize({ resource, id, field, size }: SizeProps) {
  return (
    <a href={downloadOf(resource, id, field)} title={`${size} bytes`} download>
      <span class="unseen">Download {field}, </span>
      {shortBytes(size)}
    </a>
  );
}

/** The bytes of a field: their media type and size, a download, and the endpoints that replace them. */
export function FileValue({ resource, file: { name, taken }, row: { id, values } }: Props) {
  const [type, size, sha256] = ['type', 'size', 'sha256'].map((member) => values[`${name}.${member}`]);
  const there = typeof size === 'number';
  return (
    <div class="file">
      {there ? (
        <>
          <span>
            {String(type)}, <span title={`${size} bytes`}>{shortBytes(size)}</span>
          </span>
          <span class="muted small">
            SHA-256 <code>{String(sha256)}</code> <Copy text={String(sha256)} what="the SHA-256" />
          </span>
        </>
      ) : (
        <span class="absent">no file</span>
      )}
      <span class="actions">
        {there && (
          <a class="button small" href={downloadOf(resource.name, id, name)} download>
            Download<span class="unseen"> {name}</span>
          </a>
        )}
        {taken.map((endpoint) => (
          <a
            key={endpoint}
            class="button small"
            href={addresses.endpoint(endpoint, { resource: resource.name, row: id })}
          >
            {there ? 'Replace by' : 'Send by'} {endpoint}
          </a>
        ))}
      </span>
    </div>
  );
}
