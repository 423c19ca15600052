import type { Db } from './database.ts';
import type { Events } from './events.ts';
import type { FileStore } from './files.ts';
import type { Idempotency } from './idempotency.ts';
import type { MailQueue } from './mail.ts';
import type { Pages } from './pages.ts';
import type { TicketStore } from './ticket-store.ts';

/** What the routes share. */
export interface Service {
  readonly db: Db;
  readonly path: string;
  readonly events: Events;
  readonly tickets: TicketStore;
  readonly pages: Pages;
  readonly idempotency: Idempotency;
  readonly mail: MailQueue;
  readonly files: FileStore;
}

/** Whether SQLite has refused a statement because of a unique index. */
export const isTaken = (error: unknown): boolean =>
  (error as { code?: string }).code === 'SQLITE_CONSTRAINT_UNIQUE' ||
  (error as { code?: string }).code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
