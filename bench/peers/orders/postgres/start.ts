import type { IncomingHttpHeaders } from 'node:http';
import { argumentsOf } from '../announce.ts';
import { Clock } from '../clock.ts';
import { type Admission, Admissions, type Rates } from '../gate.ts';
import type { AnyOrders } from '../open.ts';
import { cursorSecret } from '../service.ts';
import { RATE, type Scope } from '../terms.ts';
import { serveConflicts } from './conflicts.ts';
import { PostgresOrderService } from './service.ts';
import * as store from './store.ts';
import { Transactions } from './transactions.ts';

/** The gate of a store that answers over a wire: each request asks for its key there. */
class PostgresGate extends Admissions {
  private readonly transactions: Transactions;

  constructor(transactions: Transactions, clock: Clock, rates: Rates) {
    super(clock, rates);
    this.transactions = transactions;
  }

  async admit(
    headers: IncomingHttpHeaders,
    address: string,
    scope: Scope,
    takesBody = false,
    method = '',
  ): Promise<Admission> {
    const asked = this.ask(headers, address);
    if ('policy' in asked) return asked;
    const holder = await this.transactions.read((queries) => store.keyHolder(queries, asked.keyHash));
    return this.decide(asked, holder, { headers, scope, takesBody, method });
  }
}

/** Opens the database at an address, with READ COMMITTED and row locks, or with `--serializable`. */
export function openPostgresOrders(url: string): AnyOrders {
  const transactions = new Transactions(url, argumentsOf().serializable);
  const clock = new Clock();
  return {
    gate: new PostgresGate(transactions, clock, { address: RATE, caller: RATE }),
    service: new PostgresOrderService(transactions, cursorSecret('bench'), clock),
    lifecycle: null,
    strict: false,
    serve: () => serveConflicts(transactions),
  };
}
