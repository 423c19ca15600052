import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type Task, useTask } from '../app/app.ts';
import { Failure } from './page-parts.tsx';

interface Props {
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/** A dialog above the page. The browser keeps the focus in it, closes it by Escape and gives the focus back. */
export function Dialog({ title, close, children }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const now = useRef(close);
  now.current = close;
  // Before the next key, which is meant for the dialog.
  useLayoutEffect(() => {
    const dialog = element.current;
    if (!dialog) return;
    const closed = (): void => now.current();
    dialog.addEventListener('close', closed);
    dialog.showModal();
    return () => {
      // The event comes later, when its handler might close the next dialog.
      dialog.removeEventListener('close', closed);
      dialog.close();
    };
  }, []);
  return (
    <dialog ref={element} aria-labelledby="dialog-title">
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}

interface ConfirmProps extends Props {
  readonly action: string;
  readonly danger?: boolean;
  readonly running: boolean;
  readonly confirm: () => void;
}

/** A dialog that asks before something is done. */
export function Confirm({ title, close, children, action, danger = false, running, confirm }: ConfirmProps) {
  return (
    <Dialog title={title} close={close}>
      {children}
      <div class="dialog-actions">
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class={`button ${danger ? 'danger' : 'primary'}`} disabled={running} onClick={confirm}>
          {running ? 'Working …' : action}
        </button>
      </div>
    </Dialog>
  );
}

interface FormDialogProps {
  readonly title: string;
  /** The label of the submit button. */
  readonly action: string;
  readonly close: () => void;
  /** Submits the form; a refusal is shown in the dialog, which stays open. */
  readonly send: () => Promise<void>;
  readonly children: ComponentChildren;
}

/** A form in a dialog. */
export function FormDialog({ title, action, close, send, children }: FormDialogProps) {
  const task: Task = useTask();
  const submit = (event: Event): void => {
    event.preventDefault();
    void task.run(send);
  };
  return (
    <Dialog title={title} close={close}>
      <form class="form" onSubmit={submit}>
        {children}
        {task.error && <Failure error={task.error} />}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={task.running}>
            {task.running ? 'Working …' : action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
