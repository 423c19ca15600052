import type { ComponentChildren } from 'preact';
import { type Task, useTask } from '../app/app.ts';
import { Dialog } from './dialog.tsx';
import { Failure } from './page-parts.tsx';

interface Props {
  readonly title: string;
  /** The label of the submit button. */
  readonly action: string;
  readonly close: () => void;
  /** Submits the form; a refusal is shown in the dialog, which stays open. */
  readonly send: () => Promise<void>;
  readonly children: ComponentChildren;
}

/** A form in a dialog. */
export function FormDialog({ title, action, close, send, children }: Props) {
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
