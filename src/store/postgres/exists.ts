import { readAddress } from './address.ts';
import { enter } from './pooler.ts';

/** Whether a database has ever stored rows of a document. Rejects with StoreError where it cannot be reached. */
export async function isStoredAt(url: string): Promise<boolean> {
  const link = await enter(readAddress(url));
  try {
    const [[there] = []] = (await link.send({ text: "SELECT to_regclass('ninefold_meta') IS NOT NULL" })).rows;
    if (!there) return false;
    const made = "SELECT EXISTS (SELECT 1 FROM ninefold_meta WHERE key LIKE 'table %')";
    return (await link.send({ text: made })).rows[0]?.[0] === true;
  } finally {
    await link.close();
  }
}
