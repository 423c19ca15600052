import { useState } from 'preact/hooks';
import type { SchemeContract } from '../../../contract/contract.ts';
import type { AccessContract, EndpointContract } from '../../../contract/endpoint.ts';
import type { ServiceAnswer, TryAnswer, TryCaller, TryRequest } from '../../protocol.ts';
import { post } from '../app/api.ts';
import { useApp, useTask } from '../app/app.ts';
import { Checks } from '../parts/checks.tsx';
import { Copy } from '../parts/copy.tsx';
import { Failure } from '../parts/page-parts.tsx';
import { Refusal, Status } from '../parts/refusal.tsx';
import { RowPicker } from '../parts/row-picker.tsx';
import { shortTime } from '../parts/words.ts';
import { curlOf } from './curl.ts';

interface Props {
  readonly sample: TryRequest;
  readonly endpoint: EndpointContract;
}

/** A form that sends one request as a caller of one's choice. */
export function Try({ sample, endpoint }: Props) {
  const [path, setPath] = useState(sample.path);
  const [headers, setHeaders] = useState(sample.headers);
  const [body, setBody] = useState(sample.body ?? '');
  const { service } = useApp();
  const [caller, setCaller] = useState<TryCaller | null>(() => sample.caller ?? callerFor(endpoint.access, service));
  const [answer, setAnswer] = useState<{ readonly came: TryAnswer; readonly content: string | null } | null>(null);
  const task = useTask();
  const send = (event: Event): void => {
    event.preventDefault();
    void task.run(async () => {
      const content = body === '' ? null : body;
      const request = { method: sample.method, path, headers, body: content, caller };
      setAnswer({ came: await post<TryAnswer>('/try', request satisfies TryRequest), content });
    });
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
        {(endpoint.body !== null || body !== '') && (
          <div class="field">
            <label for="try-body">Body</label>
            <textarea
              id="try-body"
              spellcheck={false}
              rows={Math.min(Math.max(body.split('\n').length, 4), 16)}
              value={body}
              onInput={(event) => setBody(event.currentTarget.value)}
            />
          </div>
        )}
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
function Tried({ answer, content }: { readonly answer: TryAnswer; readonly content: string | null }) {
  const { service } = useApp();
  const { status, headers, body, bodyCut, milliseconds, refusal, sent, revoked } = answer;
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
      {body === '' ? (
        <p class="muted">The answer has no body.</p>
      ) : (
        <pre class="block" tabIndex={0} role="group" aria-label="Body of the answer">
          {pretty(body)}
        </pre>
      )}
      {bodyCut && <p class="muted small">The console shows only the beginning of this answer.</p>}
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
        <Curl text={curlOf(sent, service.address, content)} />
      </details>
      {!revoked && (
        <p class="notice bad" role="alert">
          The console could not revoke the key of this request. Revoke it under Keys.
        </p>
      )}
    </div>
  );
}

function Curl({ text }: { readonly text: string }) {
  return (
    <>
      <pre class="block" tabIndex={0} role="group" aria-label="The request for curl">
        {text}
      </pre>
      <p class="muted small">
        <code>$KEY</code> is a key of the caller. <Copy text={text} what="the command" />
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

interface CallerProps {
  readonly caller: TryCaller | null;
  readonly access: AccessContract;
  readonly change: (caller: TryCaller | null) => void;
}

/** The initial caller of the form: the first scheme that the endpoint accepts, without a row. */
function callerFor(access: AccessContract, service: ServiceAnswer): TryCaller | null {
  if (access.kind === 'anyone') return null;
  const fit = service.schemes.find((one) => one.issuedBy.includes('operator') && access.schemes.includes(one.name));
  return fit ? { scheme: fit.name, id: '', scopes: scopesFor(access, fit) } : null;
}

/** The scopes of a scheme that an endpoint needs: all, or the first where one is enough. */
function scopesFor({ needs }: AccessContract, { scopes }: SchemeContract): string[] {
  const fit = scopes.flatMap(({ name }) => (needs?.scopes.includes(name) ? [name] : []));
  return needs?.all ? fit : fit.slice(0, 1);
}

/** The form fields for the caller of a request: none, or a row with scopes. */
function CallerFields({ caller, access, change }: CallerProps) {
  const { service } = useApp();
  const schemes = service.schemes.filter((one) => one.issuedBy.includes('operator'));
  const scheme = schemes.find((one) => one.name === caller?.scheme);
  const choose = (name: string): void => {
    const chosen = schemes.find((one) => one.name === name);
    change(chosen ? { scheme: chosen.name, id: caller?.id ?? '', scopes: scopesFor(access, chosen) } : null);
  };
  if (schemes.length === 0) return null;
  return (
    <>
      <div class="field">
        <label for="try-caller">Caller</label>
        <select id="try-caller" value={caller?.scheme ?? ''} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">nobody: without credentials</option>
          {schemes.map((one) => (
            <option key={one.name} value={one.name}>
              {one.caller}, by {one.name}
            </option>
          ))}
        </select>
      </div>
      {caller && scheme && (
        <>
          <RowPicker
            id="try-holder"
            label={`${scheme.caller} that calls`}
            resource={scheme.caller}
            value={caller.id}
            change={(id) => change({ ...caller, id })}
          />
          {scheme.scopes.length > 0 && (
            <Checks
              legend="Scopes"
              names={scheme.scopes.map((one) => one.name)}
              chosen={caller.scopes}
              change={(scopes) => change({ ...caller, scopes })}
            />
          )}
          <p class="muted small">The console issues a key for this request and revokes it afterwards.</p>
        </>
      )}
    </>
  );
}
