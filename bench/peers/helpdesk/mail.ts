import { randomUUIDv7 } from 'node:crypto';
import type { Statement } from 'better-sqlite3';
import type { Db } from './database.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const TIME_OUT = 10 * SECOND;
const DELAYS = [5 * SECOND, 30 * SECOND, 5 * MINUTE, HOUR, 6 * HOUR];

interface Mail {
  readonly id: string;
  readonly invitation: string;
  readonly sent_to: string;
  readonly sent_from: string;
  readonly key: string;
  readonly attempts: number;
}

/** The queue of invitations to the service that sends the mail: written with the invitation, sent at least once. */
export class MailQueue {
  private readonly address: string;
  private readonly insertion: Statement;
  private readonly due: Statement<[number], Mail>;
  private readonly postponing: Statement;
  private readonly removal: Statement;
  private readonly telling: Statement;
  private readonly underWay = new Set<string>();

  constructor(db: Db, address: string) {
    this.address = address;
    this.insertion = db.prepare(
      'INSERT INTO mail (id, invitation, sent_to, sent_from, key, due) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.due = db.prepare('SELECT * FROM mail WHERE due <= ? ORDER BY due LIMIT 20');
    this.postponing = db.prepare('UPDATE mail SET attempts = attempts + 1, due = ? WHERE id = ?');
    this.removal = db.prepare('DELETE FROM mail WHERE id = ?');
    this.telling = db.prepare("UPDATE invitation SET status = ? WHERE id = ? AND status = 'waiting'");
  }

  add(invitation: string, to: string, from: string, key: string): void {
    this.insertion.run(randomUUIDv7(), invitation, to, from, key, Date.now());
  }

  /** Begins what is due. */
  send(): void {
    for (const mail of this.due.all(Date.now())) if (!this.underWay.has(mail.id)) void this.hand(mail);
  }

  private async hand(mail: Mail): Promise<void> {
    this.underWay.add(mail.id);
    const isSent = await this.post(mail).catch(() => false);
    const delay = DELAYS[mail.attempts];
    if (isSent || delay === undefined) {
      this.telling.run(isSent ? 'sent' : 'failed', mail.invitation);
      this.removal.run(mail.id);
    } else this.postponing.run(Date.now() + delay, mail.id);
    this.underWay.delete(mail.id);
  }

  private async post({ id, sent_to, sent_from, key }: Mail): Promise<boolean> {
    const { ok, body } = await fetch(this.address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': id },
      body: JSON.stringify({
        to: sent_to,
        subject: `${sent_from} invites you to its helpdesk`,
        // Browsers send the part after # to no server: a page reads it, and sends it as a header.
        text: `Choose a password within three days: https://helpdesk.example/join#${key}`,
      }),
      signal: AbortSignal.timeout(TIME_OUT),
    });
    await body?.cancel();
    return ok;
  }
}
