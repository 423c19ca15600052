import { useState } from 'preact/hooks';
import type { ReceiverRotated, ReceiverShown, RotateSecretRequest } from '../../protocol.ts';
import { post } from '../app/api.ts';
import { FormDialog } from '../parts/form-dialog.tsx';

interface Props {
  readonly receiver: ReceiverShown;
  readonly close: () => void;
  readonly done: (rotated: ReceiverRotated) => void;
}

/** A form that replaces the secret of a receiver. The operator enters how long the old secret stays valid. */
export function RotateForm({ receiver, close, done }: Props) {
  const [oldSecretFor, setOldSecretFor] = useState('');
  const send = async (): Promise<void> => {
    const body: RotateSecretRequest = { oldSecretFor };
    done(await post<ReceiverRotated>(`/receivers/${encodeURIComponent(receiver.id)}/rotate`, body));
  };
  return (
    <FormDialog title="Rotate the secret" action="Rotate" close={close} send={send}>
      <p>Until the old secret ends, both sign each delivery to {receiver.url}, and either of them verifies it.</p>
      <div class="field">
        <label for="old-secret-for">The old secret stays valid for</label>
        <input
          id="old-secret-for"
          class="input"
          required
          placeholder="24h, 7 days, or 0"
          value={oldSecretFor}
          onInput={(event) => setOldSecretFor(event.currentTarget.value)}
        />
      </div>
    </FormDialog>
  );
}
