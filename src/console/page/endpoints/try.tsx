import { useState } from 'preact/hooks';
import type { EndpointContract } from '../../../contract/endpoint.ts';
import type { TryAnswer, TryCaller, TryRequest } from '../../protocol.ts';
import { post } from '../app/api.ts';
import { useApp, useTask } from '../app/app.ts';
import { Failure } from '../parts/page-parts.tsx';
import { CallerFields, callerFor } from './caller.tsx';
import { Headers } from './headers.tsx';
import { Tried } from './tried.tsx';

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
  const [answer, setAnswer] = useState<TryAnswer | null>(null);
  const task = useTask();
  const send = (event: Event): void => {
    event.preventDefault();
    void task.run(async () => {
      const request = { method: sample.method, path, headers, body: body === '' ? null : body, caller };
      setAnswer(await post<TryAnswer>('/try', request satisfies TryRequest));
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
        {answer && !task.running && `Answered ${answer.status}`}
      </div>
      {answer && <Tried answer={answer} />}
    </section>
  );
}
