import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { EndpointContract } from '../../../contract/endpoint.ts';
import type { TryAnswer, TryCaller, TryRequest } from '../../protocol.ts';
import { post } from '../app/api.ts';
import { useApp, useTask } from '../app/app.ts';
import { Copy } from '../parts/copy.tsx';
import { Failure } from '../parts/page-parts.tsx';
import { Refusal, Status } from '../parts/refusal.tsx';
import { shortBytes, shortTime } from '../parts/words.ts';
import { BodyFields } from './body-fields.tsx';
import { CallerFields, callerFor } from './caller-fields.tsx';
import { type Content, contentOf } from './content.ts';
import { curlOf } from './curl.ts';

interface Props {
  readonly sample: TryRequest;
  readonly endpoint: EndpointContract;
}

/** A form that sends one request as a caller of one's choice. */
export function Try({ sample, endpoint }: Props) {
  const [path, setPath] = useState(sample.path);
  const [headers, setHeaders] = useState(sample.headers);
  const [content, setContent] = useState<Content>(() => contentOf(sample));
  const { service } = useApp();
  const [caller, setCaller] = useState<TryCaller | null>(() => sample.caller ?? callerFor(endpoint.access, service));
  const [answer, setAnswer] = useState<{ readonly came: TryAnswer; readonly content: Content } | null>(null);
  const task = useTask();
  const send = (event: Event): void => {
    event.preventDefault();
    void task.run(async () => {
      const request = { method: sample.method, path, headers, ...content, caller };
      setAnswer({ came: await post<TryAnswer>('/try', request satisfies TryRequest), content });
    });
  };
  // The media type of a file that is the whole body is in a header.
  const setBody = (next: Content): void => {
    const type = next.file?.type;
    if (type !== undefined && type !== content.file?.type)
      setHeaders(headers.map(([name, value]) => [name, /^content-type$/i.test(name) ? type : value]));
    setContent(next);
  };
  return (
    <section class="try card" aria-labelledby="try">
      <h2 id="try">Try it</h2>
      <form class="form" onSubmit={send}>
        <CallerFields caller={caller} access={endpoint.access} change={setCaller} />
        <div class="field">
          <label for="try-path">{sample.method} path</label>
          <input
            id="try-path"
            class="input mono"
            value={path}
            spellcheck={false}
            onInput={(event) => setPath(event.currentTarget.value)}
          />
        </div>
        <Headers headers={headers} change={setHeaders} />
        <BodyFields endpoint={endpoint} content={content} change={setBody} />
        <div class="form-row">
          <button type="submit" class="button primary" disabled={task.running}>
            {task.running ? 'Sending …' : 'Send'}
          </button>
          {endpoint.writes && <span class="muted small">This changes rows of the service.</span>}
        </div>
      </form>
      {task.error && <Failure error={task.error} />}
      <div role="status" class="unseen">
        {answer && !task.running && `Answered ${answer.came.status}`}
      </div>
      {answer && <Tried answer={answer.came} content={answer.content} />}
    </section>
  );
}

type Header = readonly [name: string, value: string];

interface HeadersProps {
  readonly headers: readonly Header[];
  readonly change: (headers: readonly Header[]) => void;
}

/** The headers of a request, one in a row. */
function Headers({ headers, change }: HeadersProps) {
  const put = (at: number, header: Header | null): void =>
    change(headers.flatMap((one, i) => (i === at ? (header ? [header] : []) : [one])));
  return (
    <fieldset class="field">
      <legend>Headers</legend>
      {headers.map(([name, value], i) => (
        <div class="header-row" key={i}>
          <input
            class="input mono"
            aria-label={`Name of header ${i + 1}`}
            value={name}
            spellcheck={false}
            onInput={(event) => put(i, [event.currentTarget.value, value])}
          />
          <input
            class="input mono"
            aria-label={`Value of ${name || `header ${i + 1}`}`}
            value={value}
            spellcheck={false}
            onInput={(event) => put(i, [name, event.currentTarget.value])}
          />
          <button
            type="button"
            class="button small"
            aria-label={`Leave out ${name || `header ${i + 1}`}`}
            onClick={() => put(i, null)}
          >
            ×
          </button>
        </div>
      ))}
      <div>
        <button type="button" class="button small" onClick={() => change([...headers, ['', '']])}>
          Add a header
        </button>
      </div>
    </fieldset>
  );
}

/** The response to a tried request, with the lines of the document that refused it. */
function Tried({ answer, content }: { readonly answer: TryAnswer; readonly content: Content }) {
  const { service } = useApp();
  const { status, headers, milliseconds, refusal, sent, revoked, call } = answer;
  return (
    <div class="tried">
      <h3>
        <Status status={status} /> <span class="muted">in {shortTime(milliseconds)}</span>
      </h3>
      {refusal && (
        <div class={`notice ${status >= 500 ? 'bad' : 'warn'}`}>
          <Refusal refusal={{ ...refusal, status: null }} />
        </div>
      )}
      <Body answer={answer} />
      <details>
        <summary>Headers of the answer</summary>
        <HeaderList headers={headers} />
      </details>
      <details>
        <summary>The request as it was sent</summary>
        <p>
          <code>{sent.line}</code>
        </p>
        <HeaderList headers={sent.headers} />
      </details>
      <details>
        <summary>The request for curl</summary>
        <Program
          text={curlOf(sent, service.address, content)}
          what="The request for curl"
          note={
            <>
              <code>$KEY</code> is the credential of the caller.
            </>
          }
        />
      </details>
      {call !== null && (
        <details>
          <summary>The request as a call of the client</summary>
          <Program
            text={call}
            what="The request as a call of the client"
            note={
              <>
                Of the client that <code>ninefold export client</code> writes. <code>key</code> is the credential of the
                caller.
              </>
            }
          />
        </details>
      )}
      {!revoked && (
        <p class="notice bad" role="alert">
          The console could not revoke the key of this request. Revoke it under Keys.
        </p>
      )}
    </div>
  );
}

/** The body of an answer: text, or the number of bytes. */
function Body({ answer: { body, bytes, bodyCut, headers } }: { readonly answer: TryAnswer }) {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  if (bytes === 0) return <p class="muted">The answer has no body.</p>;
  if (body.includes('\uFFFD'))
    return (
      <p class="muted">
        The answer is {bodyCut ? 'more than ' : ''}
        {shortBytes(bytes)} of {type || 'an unstated type'}.
      </p>
    );
  return (
    <>
      <pre class="block" tabIndex={0} role="group" aria-label="Body of the answer">
        {pretty(body)}
      </pre>
      {bodyCut && <p class="muted small">The console shows only the beginning of this answer.</p>}
    </>
  );
}

interface ProgramProps {
  readonly text: string;
  readonly what: string;
  readonly note: ComponentChildren;
}

/** The request as a text to copy. */
function Program({ text, what, note }: ProgramProps) {
  return (
    <>
      <pre class="block" tabIndex={0} role="group" aria-label={what}>
        {text}
      </pre>
      <p class="muted small">
        {note} <Copy text={text} what={what.toLowerCase()} />
      </p>
    </>
  );
}

function HeaderList({ headers }: { readonly headers: TryAnswer['headers'] }) {
  return (
    <dl class="headers">
      {headers.map(([name, value], i) => (
        <div key={i}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Indents JSON; other text stays unchanged. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
