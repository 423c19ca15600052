import Database, { type Statement } from 'better-sqlite3';

export type Db = Database.Database;

const TABLES = `
CREATE TABLE plan (name TEXT PRIMARY KEY, rate INTEGER NOT NULL, agents INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE organisation (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, plan TEXT NOT NULL REFERENCES plan (name), tickets INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE person (
  id TEXT PRIMARY KEY, organisation TEXT NOT NULL REFERENCES organisation (id) ON DELETE CASCADE, role TEXT NOT NULL,
  name TEXT NOT NULL, email TEXT NOT NULL COLLATE NOCASE UNIQUE, password TEXT NOT NULL, joined TEXT NOT NULL,
  left_at TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX person_listed ON person (organisation, name, email COLLATE BINARY, id);
CREATE TABLE session (
  hash BLOB PRIMARY KEY, person TEXT NOT NULL REFERENCES person (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX session_of_person ON session (person);
CREATE TABLE invitation (
  id TEXT PRIMARY KEY, organisation TEXT NOT NULL REFERENCES organisation (id) ON DELETE CASCADE,
  email TEXT NOT NULL COLLATE NOCASE UNIQUE, role TEXT NOT NULL, status TEXT NOT NULL, created TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX invitation_listed ON invitation (organisation, created);
CREATE INDEX invitation_lapsing ON invitation (created);
CREATE TABLE invitation_key (
  hash BLOB PRIMARY KEY, invitation TEXT NOT NULL REFERENCES invitation (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX key_of_invitation ON invitation_key (invitation);
CREATE TABLE target (
  organisation TEXT NOT NULL REFERENCES organisation (id) ON DELETE CASCADE, priority TEXT NOT NULL,
  answer INTEGER NOT NULL, PRIMARY KEY (organisation, priority)
) STRICT, WITHOUT ROWID;
CREATE TABLE tag (
  id TEXT PRIMARY KEY, organisation TEXT NOT NULL REFERENCES organisation (id) ON DELETE CASCADE, name TEXT NOT NULL,
  UNIQUE (organisation, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE ticket (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, number INTEGER NOT NULL,
  organisation TEXT NOT NULL REFERENCES organisation (id) ON DELETE CASCADE,
  requester TEXT NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  assignee TEXT REFERENCES person (id) ON DELETE SET NULL,
  subject TEXT NOT NULL, body TEXT NOT NULL, priority TEXT NOT NULL, status TEXT NOT NULL, due TEXT,
  created TEXT NOT NULL, changed TEXT NOT NULL, solved TEXT, overdue_at TEXT, UNIQUE (organisation, number)
) STRICT;
CREATE INDEX ticket_of_requester ON ticket (requester, number);
CREATE INDEX ticket_of_assignee ON ticket (assignee, status);
CREATE INDEX ticket_by_status ON ticket (organisation, status, number);
CREATE INDEX ticket_by_priority ON ticket (organisation, priority, number);
CREATE INDEX ticket_by_due ON ticket (organisation, due IS NULL, due, id);
CREATE INDEX ticket_by_change ON ticket (organisation, changed, id);
CREATE INDEX ticket_overdue ON ticket (overdue_at) WHERE overdue_at IS NOT NULL;
CREATE INDEX ticket_closing ON ticket (solved) WHERE status = 'solved';
CREATE TABLE ticket_tag (
  ticket INTEGER NOT NULL REFERENCES ticket (seq) ON DELETE CASCADE,
  tag TEXT NOT NULL REFERENCES tag (id) ON DELETE CASCADE, PRIMARY KEY (ticket, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX ticket_of_tag ON ticket_tag (tag);
CREATE VIRTUAL TABLE ticket_words USING fts5 (
  subject, body, content = 'ticket', content_rowid = 'seq', tokenize = 'unicode61 remove_diacritics 2'
);
INSERT INTO ticket_words (ticket_words, rank) VALUES ('rank', 'bm25(4.0, 1.0)');
CREATE TRIGGER ticket_words_added AFTER INSERT ON ticket BEGIN
  INSERT INTO ticket_words (rowid, subject, body) VALUES (new.seq, new.subject, new.body);
END;
CREATE TRIGGER ticket_words_removed AFTER DELETE ON ticket BEGIN
  INSERT INTO ticket_words (ticket_words, rowid, subject, body) VALUES ('delete', old.seq, old.subject, old.body);
END;
CREATE TRIGGER ticket_words_changed AFTER UPDATE OF subject, body ON ticket BEGIN
  INSERT INTO ticket_words (ticket_words, rowid, subject, body) VALUES ('delete', old.seq, old.subject, old.body);
  INSERT INTO ticket_words (rowid, subject, body) VALUES (new.seq, new.subject, new.body);
END;
CREATE TABLE ticket_change (
  id INTEGER PRIMARY KEY AUTOINCREMENT, ticket TEXT NOT NULL, organisation TEXT NOT NULL, action TEXT NOT NULL,
  cause TEXT NOT NULL, by TEXT, at TEXT NOT NULL, before_status TEXT, before_priority TEXT, before_assignee TEXT,
  after_status TEXT, after_priority TEXT, after_assignee TEXT
) STRICT;
CREATE INDEX change_of_ticket ON ticket_change (ticket, id);
CREATE INDEX change_forgotten ON ticket_change (at);
CREATE TABLE comment (
  id TEXT PRIMARY KEY, ticket INTEGER NOT NULL REFERENCES ticket (seq) ON DELETE CASCADE,
  author TEXT NOT NULL REFERENCES person (id) ON DELETE CASCADE, text TEXT NOT NULL, internal INTEGER NOT NULL,
  created TEXT NOT NULL
) STRICT;
CREATE INDEX comment_of_ticket ON comment (ticket, created, id);
CREATE INDEX comment_of_author ON comment (author);
CREATE TABLE attachment (
  id TEXT PRIMARY KEY, ticket INTEGER NOT NULL REFERENCES ticket (seq) ON DELETE CASCADE,
  author TEXT NOT NULL REFERENCES person (id) ON DELETE CASCADE, name TEXT NOT NULL, internal INTEGER NOT NULL,
  type TEXT NOT NULL, size INTEGER NOT NULL, sha256 TEXT NOT NULL, created TEXT NOT NULL
) STRICT;
CREATE INDEX attachment_of_ticket ON attachment (ticket, created, id);
CREATE INDEX attachment_of_author ON attachment (author);
CREATE TABLE hook (
  id TEXT PRIMARY KEY, organisation TEXT NOT NULL REFERENCES organisation (id) ON DELETE CASCADE, url TEXT NOT NULL,
  events TEXT NOT NULL, secret TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX hook_listed ON hook (organisation, url, id);
CREATE TABLE event (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL, type TEXT NOT NULL, at TEXT NOT NULL, body TEXT NOT NULL
) STRICT;
CREATE TABLE delivery (
  seq INTEGER PRIMARY KEY, event INTEGER NOT NULL REFERENCES event (seq) ON DELETE CASCADE,
  hook TEXT NOT NULL REFERENCES hook (id) ON DELETE CASCADE, due INTEGER, attempts INTEGER NOT NULL DEFAULT 0,
  ended INTEGER
) STRICT;
CREATE INDEX delivery_due ON delivery (due) WHERE due IS NOT NULL;
CREATE INDEX delivery_of_event ON delivery (event);
CREATE INDEX delivery_of_hook ON delivery (hook);
CREATE TABLE mail (
  id TEXT PRIMARY KEY, invitation TEXT NOT NULL, sent_to TEXT NOT NULL, sent_from TEXT NOT NULL, key TEXT NOT NULL,
  due INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX mail_due ON mail (due);
CREATE TABLE answer (
  caller TEXT NOT NULL REFERENCES person (id) ON DELETE CASCADE, endpoint TEXT NOT NULL, key TEXT NOT NULL,
  fingerprint BLOB NOT NULL, status INTEGER NOT NULL, location TEXT, body TEXT NOT NULL, expires INTEGER NOT NULL,
  PRIMARY KEY (caller, endpoint, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX answer_expiring ON answer (expires);
CREATE TABLE schedule (name TEXT PRIMARY KEY, last_run INTEGER NOT NULL) STRICT, WITHOUT ROWID;`;

/** Opens the database with full durability: an answer is sent once its change would survive a power cut. */
export function openDatabase(path: string): Db {
  const db = new Database(path);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  db.transaction(() => {
    if (db.pragma('user_version', { simple: true }) === 1) return;
    db.exec(TABLES);
    db.pragma('user_version = 1');
  }).immediate();
  return db;
}

/** Prepares each statement of a list once, whatever its filters make of it. */
export class Lists<Row> {
  private readonly db: Db;
  private readonly statements = new Map<string, Statement<unknown[], Row>>();

  constructor(db: Db) {
    this.db = db;
  }

  all(sql: string, values: readonly unknown[]): Row[] {
    let statement = this.statements.get(sql);
    if (!statement) {
      statement = this.db.prepare<unknown[], Row>(sql);
      this.statements.set(sql, statement);
    }
    return statement.all(...values);
  }
}
