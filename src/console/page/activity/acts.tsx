import { useState } from 'preact/hooks';
import type { ActShown, ActsAnswer } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { useAnswer } from '../app/app.ts';
import { Instant } from '../parts/instant.tsx';
import { Section } from '../parts/page-parts.tsx';
import { Table } from '../parts/table.tsx';
import { actOf } from './act-words.ts';

/** The number of changes that are listed at first: one act over selected rows makes many. */
const FIRST = 20;

/** The changes that operators have made in the console, newest first. */
export function Acts() {
  const { data } = useAnswer<ActsAnswer>('/acts');
  const [all, setAll] = useState(false);
  const acts = data?.acts ?? [];
  return (
    <Section id="acts" title="Changes in the console" note="the last 500 since the process started">
      {acts.length === 0 ? (
        <p class="muted">Nobody has changed anything here.</p>
      ) : (
        <Table caption="Changes in the console" labelledBy="acts" headings={['Change', 'Of', 'Operator', 'At']}>
          {acts.slice(0, all ? acts.length : FIRST).map((one, i) => (
            <ActRow key={i} act={one} />
          ))}
        </Table>
      )}
      {acts.length > FIRST && !all && (
        <p class="small">
          <button type="button" class="button small" onClick={() => setAll(true)}>
            Show all {acts.length}
          </button>
        </p>
      )}
    </Section>
  );
}

function ActRow({ act: { at, by, what, refused } }: { readonly act: ActShown }) {
  const { verb, of, row } = actOf(what);
  return (
    <tr>
      <td class="tight">
        <strong>{verb}</strong> {refused && <span class="tag bad">refused</span>}
      </td>
      <td class="tight">{row ? <a href={addresses.row(row.resource, row.id)}>{of}</a> : of}</td>
      <td class="tight">{by}</td>
      <td class="tight">
        <Instant at={at} />
      </td>
    </tr>
  );
}
