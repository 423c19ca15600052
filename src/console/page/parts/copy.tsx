import { useState } from 'preact/hooks';

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
      {state === 'failed' && <span class="muted">Select it and copy it by hand: the browser refused.</span>}
    </>
  );
}
