import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface Props {
  readonly title: string;
  readonly secret: string;
  readonly what: string;
  readonly children: ComponentChildren;
}

/** Something that can be seen once. It gets the focus, so that nobody misses it. */
export function Secret({ title, secret, what, children }: Props) {
  const element = useRef<HTMLElement>(null);
  useEffect(() => element.current?.focus(), [secret]);
  return (
    <section class="notice ok" ref={element} tabIndex={-1} aria-label={title}>
      <p>
        <strong>{title}</strong>
      </p>
      <div class="secret">
        <code>{secret}</code>
        <Copy text={secret} what={what} />
      </div>
      <p class="muted">{children}</p>
    </section>
  );
}

/** Puts a text on the clipboard, and says so. */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const copy = (): void => {
    // Over plain HTTP, a browser has a clipboard on this machine's own addresses alone.
    const { clipboard } = navigator as { readonly clipboard?: Clipboard };
    const written = clipboard?.writeText(text) ?? Promise.reject();
    written.then(
      () => setState('copied'),
      () => setState('failed'),
    );
  };
  return (
    <>
      <button
        type="button"
        class="button small"
        aria-label={`Copy ${what}`}
        onClick={copy}
        onBlur={() => setState('idle')}
      >
        {state === 'copied' ? 'Copied' : 'Copy'}
      </button>
      <span class="unseen" role="status">
        {state === 'copied' && 'Copied'}
      </span>
      {state === 'failed' && (
        <span class="muted">The browser refused to copy. Select the text and copy it by hand.</span>
      )}
    </>
  );
}
