import type { DocumentAnswer, EndpointSettled, FindingShown, ItemCoverage } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { useAnswer, useApp } from '../app/app.ts';
import { Head, Loaded } from '../parts/page-parts.tsx';
import { counted, fileName } from '../parts/words.ts';
import { Question } from './beside.tsx';
import { Source } from './source.tsx';

/** The view of the document: its lines with their open questions, and the state of the 31 items. */
export function DocumentView() {
  const { service, place } = useApp();
  const answer = useAnswer<DocumentAnswer>('/document');
  const line = Number(place.query.get('line'));
  return (
    <>
      <Head title="Document" below={<Below answer={answer.data} />}>
        {service.edit && (
          <a class="button" href={addresses.edit(line)}>
            Edit
          </a>
        )}
      </Head>
      <Loaded answer={answer} what={service.document}>
        {(document) => (
          <div class="document">
            <Sidebar document={document} />
            <div class="document-text">
              {document.findings
                .filter((one) => one.line === null)
                .map((one, i) => (
                  <Question key={i} finding={one} />
                ))}
              <Source document={document} chosen={line > 0 ? line : null} />
            </div>
          </div>
        )}
      </Loaded>
    </>
  );
}

function Below({ answer }: { readonly answer: DocumentAnswer | null }) {
  const { service } = useApp();
  const settled = service.endpoints - service.unsettled;
  return (
    <>
      {fileName(service.document)} · {settled} of {counted(service.endpoints, 'endpoint')} served ·{' '}
      {service.questions === 0 ? 'no open questions' : counted(service.questions, 'open question')}
      {answer?.changedOnDisk && (
        <>
          {' · '}
          <a href={addresses.migration()}>the file on disk has changed</a>
        </>
      )}
    </>
  );
}

const LISTED = 60;

function Sidebar({ document }: { readonly document: DocumentAnswer }) {
  const notices = document.findings.filter((one) => one.severity === 'notice');
  const open = document.findings.filter((one) => one.severity !== 'notice');
  const waiting = document.endpoints.filter((one) => !one.settled);
  return (
    <aside class="document-side" aria-label="Questions and coverage">
      <Findings title="Open questions" list={open} />
      <Findings title="Notices" list={notices} />
      {waiting.length > 0 && (
        <details>
          <summary>
            <h2>Not served</h2> <span class="note">{waiting.length}</span>
          </summary>
          <ol class="question-list">
            {waiting.slice(0, LISTED).map((one) => (
              <Waiting key={one.endpoint} one={one} />
            ))}
          </ol>
        </details>
      )}
      <Coverage items={document.items} />
    </aside>
  );
}

function Findings({ title, list }: { readonly title: string; readonly list: readonly FindingShown[] }) {
  if (list.length === 0) return null;
  return (
    <details open>
      <summary>
        <h2>{title}</h2> <span class="note warn">{list.length}</span>
      </summary>
      <ol class="question-list">
        {list.slice(0, LISTED).map(({ line, message, severity }, i) => (
          <li key={i}>
            <a href={addresses.document(line)} class={severity}>
              <span class="number">{line ?? '–'}</span>
              <span>{message}</span>
            </a>
          </li>
        ))}
      </ol>
      {list.length > LISTED && <p class="muted">and {list.length - LISTED} more, beside their lines</p>}
    </details>
  );
}

function Waiting({ one: { endpoint, line } }: { readonly one: EndpointSettled }) {
  return (
    <li>
      <a href={addresses.document(line)}>
        <span class="number">{line ?? '–'}</span>
        <span>{endpoint}</span>
      </a>
    </li>
  );
}

/** The nine parts and their items: stated, stated absent, or not shown. */
function Coverage({ items }: { readonly items: readonly ItemCoverage[] }) {
  const parts = Map.groupBy(items, (one) => one.part);
  const missing = items.filter((one) => one.state === 'not shown').length;
  return (
    <details open={window.matchMedia('(min-width: 1101px)').matches}>
      <summary>
        <h2>Coverage</h2>{' '}
        <span class={`note${missing ? ' warn' : ''}`}>
          {items.length - missing} of {items.length}
        </span>
      </summary>
      <ol class="coverage">
        {[...parts].map(([part, of]) => (
          <li key={part}>
            <h3>{part}</h3>
            <ul>
              {of.map(({ item, state, line }) => (
                <li key={item}>
                  {line === null ? <span>{item}</span> : <a href={addresses.document(line)}>{item}</a>}
                  <span class={`state ${state === 'not shown' ? 'missing' : state}`}>
                    {state === 'stated' ? <Tick /> : state}
                  </span>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** Stated. */
function Tick() {
  return (
    <svg viewBox="0 0 12 12" width="12" height="12" role="img" aria-label="stated">
      <path d="M2 6.5 4.8 9.2 10 3.2" fill="none" stroke="currentColor" stroke-width="1.6" />
    </svg>
  );
}
