/** The peers' tables, as somebody who writes them for PostgreSQL does. */
export const TABLES = `
CREATE TABLE customer (id uuid PRIMARY KEY, name text NOT NULL, email text NOT NULL UNIQUE);
CREATE TABLE api_key (
  hash bytea PRIMARY KEY, customer uuid NOT NULL REFERENCES customer (id), scopes text NOT NULL, revoked timestamptz
);
CREATE TABLE orders (
  id uuid PRIMARY KEY, customer uuid NOT NULL REFERENCES customer (id), sku text NOT NULL, quantity integer NOT NULL,
  note text, status text NOT NULL, created timestamptz NOT NULL, revision integer NOT NULL
);
CREATE UNIQUE INDEX orders_open_draft ON orders (customer, sku) WHERE status = 'draft';
CREATE INDEX orders_of_customer ON orders (customer, created, id);
CREATE INDEX orders_of_product ON orders (customer, sku, created, id);
CREATE INDEX orders_expiring ON orders (created) WHERE status = 'draft';
CREATE TABLE answer (
  caller uuid NOT NULL, key text NOT NULL, fingerprint bytea NOT NULL, status integer NOT NULL, location text,
  body text NOT NULL, expires bigint NOT NULL, UNIQUE (caller, key)
);
CREATE INDEX answer_expiring ON answer (expires);
CREATE TABLE event (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, type text NOT NULL, row uuid NOT NULL,
  at bigint NOT NULL, data text NOT NULL
);
CREATE TABLE receiver (id uuid PRIMARY KEY, url text NOT NULL, secret text NOT NULL, version text NOT NULL);
CREATE TABLE subscription (
  event text NOT NULL, receiver uuid NOT NULL REFERENCES receiver (id), PRIMARY KEY (event, receiver)
);
CREATE TABLE delivery (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, event bigint NOT NULL REFERENCES event (seq),
  receiver uuid NOT NULL REFERENCES receiver (id), line uuid NOT NULL, due bigint, attempts integer NOT NULL DEFAULT 0
);
CREATE INDEX delivery_due ON delivery (due) WHERE due IS NOT NULL;`;
