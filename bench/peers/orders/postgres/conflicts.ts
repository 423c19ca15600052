import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Transactions } from './transactions.ts';

/** Tells, at an operator's port of its own, how many transactions were run again, as a metric like Ninefold's. */
export function serveConflicts(transactions: Transactions): void {
  const server = createServer((_request, response) =>
    response.end(`orders_transaction_conflicts_total ${transactions.conflicts}\n`),
  );
  server.listen(0, '127.0.0.1', () =>
    console.log(`The operator’s port is ${(server.address() as AddressInfo).port}: /metrics`),
  );
}
