import { useState } from 'preact/hooks';
import type { Done, KeyShown } from '../../protocol.ts';
import { post } from '../app/api.ts';
import { useTask } from '../app/app.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Failure } from '../parts/page-parts.tsx';

/** Revokes a key: from then on, requests with it are refused. */
export function Revoke({ one, changed }: { readonly one: KeyShown; readonly changed: () => void }) {
  const [open, setOpen] = useState(false);
  const task = useTask();
  if (one.revoked !== null) return null;
  const close = (): void => {
    setOpen(false);
    task.clear();
  };
  const revoke = (): void =>
    void task.run(async () => {
      await post<Done>(`/keys/${encodeURIComponent(one.id)}/revoke`, {});
      setOpen(false);
      changed();
    });
  return (
    <>
      <button type="button" class="button small danger" aria-label={`Revoke ${one.id}`} onClick={() => setOpen(true)}>
        Revoke
      </button>
      {open && (
        <Confirm title="Revoke this key?" action="Revoke" danger close={close} running={task.running} confirm={revoke}>
          <p>
            Requests with the key <code>{one.id}</code> are refused from now on. You can’t undo the revocation.
          </p>
          {task.error && <Failure error={task.error} />}
        </Confirm>
      )}
    </>
  );
}
