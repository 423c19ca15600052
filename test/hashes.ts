import { createHook } from 'node:async_hooks';

/** Counts the scrypt jobs that are begun while something runs. */
export async function hashesBegun(work: () => Promise<unknown>): Promise<number> {
  let begun = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'SCRYPTREQUEST') begun++;
    },
  }).enable();
  await work();
  hook.disable();
  return begun;
}
