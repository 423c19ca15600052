import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ApiError } from '../app/api.ts';
import { type Answer, useApp } from '../app/app.ts';
import { Refusal } from './refusal.tsx';

interface HeadProps {
  readonly title: string;
  /** Actions beside the heading. */
  readonly children?: ComponentChildren;
  /** The breadcrumb above the heading. */
  readonly above?: ComponentChildren;
  /** A line below the heading. */
  readonly below?: ComponentChildren;
}

/** The heading of a view, which gets the focus when the view is opened. */
export function Head({ title, children, above, below }: HeadProps) {
  const { service } = useApp();
  useEffect(() => {
    document.title = `${title} · ${service.title}`;
  }, [title, service.title]);
  return (
    <header class="head">
      {above && <p class="above">{above}</p>}
      <div class="head-line">
        <h1 tabIndex={-1}>{title}</h1>
        {children && <div class="actions">{children}</div>}
      </div>
      {below && <p class="below">{below}</p>}
    </header>
  );
}

interface LoadedProps<T> {
  readonly answer: Answer<T>;
  readonly children: (data: T) => ComponentChildren;
  /** The description of the loaded data. */
  readonly what: string;
}

/** Renders loaded data; a placeholder until it arrives, and an error message if loading fails. */
export function Loaded<T>({ answer, children, what }: LoadedProps<T>) {
  if (answer.data !== null)
    return (
      <>
        {answer.error && <Failure error={answer.error} again={answer.again} />}
        {children(answer.data)}
      </>
    );
  if (answer.error) return <Failure error={answer.error} again={answer.again} />;
  return <Loading what={what} />;
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <div class="loading" role="status">
      <span class="unseen">Loading {what} …</span>
      <span class="bar" />
      <span class="bar" />
      <span class="bar" />
    </div>
  );
}

/** An error message, with the lines of the document that state the refusal. */
export function Failure({ error, again }: { readonly error: ApiError; readonly again?: () => void }) {
  const { refusal } = error.problem;
  return (
    <div class="notice bad" role="alert">
      {!refusal?.title && <p>{error.message}</p>}
      {refusal && <Refusal refusal={refusal} />}
      {again && (
        <p>
          <button type="button" class="button" onClick={again}>
            Try again
          </button>
        </p>
      )}
    </div>
  );
}

/** A text in which backquotes enclose code. */
export function WithCode({ text }: { readonly text: string }) {
  return <>{text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>;
}

/** The placeholder of an empty list, with a hint. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <div class="muted">{children}</div>}
    </div>
  );
}

/** A section of a view with a heading. */
export function Section({
  title,
  note,
  id,
  children,
}: {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly id: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="section" aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>{title}</h2>
        {note && <span class="muted">{note}</span>}
      </div>
      {children}
    </section>
  );
}
