import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Copy } from './copy.tsx';

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
