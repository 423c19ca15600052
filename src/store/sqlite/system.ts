/** Counts of rates are in memory, and are kept over a stop: policy, key, count and when it ends. */
export const COUNTERS = {
  write: 'INSERT OR REPLACE INTO ninefold_counter VALUES (?, ?, ?, ?)',
  read: 'SELECT policy, key, count, ends_at FROM ninefold_counter',
  clear: 'DELETE FROM ninefold_counter',
} as const;
