import { skuOf } from '../load/requests.ts';
import type { ResponseReader } from '../load/response.ts';
import { CUSTOMERS, idOf, type Mass, textOf } from './orders.ts';

/** The kinds of requests that are measured. */
export type Kind = 'read' | 'list' | 'filter' | 'create' | 'replay' | 'transition';

/** What is asked, in a form that another process can be told. */
export type Script =
  | {
      readonly service: 'orders';
      readonly keys: readonly string[];
      readonly mass: Mass;
      /** How many orders a list asks for. */
      readonly limit: number;
    }
  | {
      readonly service: 'large';
      readonly keys: readonly string[];
      /** The resources that are asked for, each with rows of each caller. */
      readonly resources: ReadonlyArray<{ readonly path: string; readonly ids: ReadonlyArray<readonly string[]> }>;
    };

/** A request, and the status that it is to be answered with. */
export interface Ask {
  readonly text: string;
  readonly expected: number;
  heard?(answer: ResponseReader): void;
}

/** A row that was made for the measurement, and how it was asked for. */
export interface Made {
  readonly path: string;
  readonly tail: string;
  readonly request: string;
}

/** Writes the requests of a script. */
export interface Asks {
  read(): Ask;
  list(): Ask;
  /** A list of which a parameter keeps few rows. */
  filter(): Ask;
  /** Makes a row, and notes it in `made`. */
  create(made: Made[]): Ask;
  transition(one: Made): Ask;
  /** What has the rows gone again, so that there are no more of them at the end: one step after the other. */
  readonly undo: ReadonlyArray<(one: Made) => Ask>;
}

export const asksOf = (script: Script): Asks =>
  script.service === 'orders' ? new OrdersAsks(script) : new LargeAsks(script);

export const replay = (one: Made): Ask => ({ text: one.request, expected: 201 });

const tailOf = (key: string): string =>
  ` HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nAccept: application/json\r\nUser-Agent: bench\r\n`;

const get = (path: string, tail: string): Ask => ({ text: `GET ${path}${tail}\r\n`, expected: 200 });
const post = (path: string, tail: string): Ask => ({
  text: `POST ${path}${tail}Content-Length: 0\r\n\r\n`,
  expected: 200,
});

function create(path: string, tail: string, number: number, body: string, made: Made[]): Ask {
  const headers = `Idempotency-Key: ${skuOf(number)}-bench\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const text = `POST ${path}${tail}${headers}\r\n${body}`;
  const heard = ({ head }: ResponseReader): void => {
    const location = /\r\nlocation: *(\S+)/i.exec(head);
    if (location) made.push({ path: location[1]!, tail, request: text });
  };
  return { text, expected: 201, heard };
}

/** Numbers below another, the same ones in each run (xorshift). */
class Chance {
  private state = 0x2545f491;

  below(most: number): number {
    let x = this.state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.state = x;
    return (x >>> 0) % most;
  }
}

class OrdersAsks implements Asks {
  private readonly chance = new Chance();
  private readonly tails: readonly string[];
  private readonly script: Extract<Script, { service: 'orders' }>;
  private readonly note: string;
  private next: number;

  constructor(script: Extract<Script, { service: 'orders' }>) {
    this.script = script;
    this.tails = script.keys.map(tailOf);
    // Far from the SKUs of what is there already, orders and kept answers alike.
    this.next = 20_000_000;
    this.note = script.mass.note === null ? '' : `,"note":"${textOf(script.mass.note)}"`;
  }

  read(): Ask {
    const i = this.chance.below(this.script.mass.orders);
    return get(`/orders/${idOf(i, this.script.mass)}`, this.tails[i % CUSTOMERS]!);
  }

  list(): Ask {
    return get(`/orders?limit=${this.script.limit}`, this.tails[this.chance.below(CUSTOMERS)]!);
  }

  filter(): Ask {
    const i = this.chance.below(this.script.mass.orders);
    return get(`/orders?limit=${this.script.limit}&sku=${skuOf(i)}`, this.tails[i % CUSTOMERS]!);
  }

  create(made: Made[]): Ask {
    const number = this.next++;
    const body = `{"sku":"${skuOf(number)}","quantity":${10 + (number % 90)}${this.note}}`;
    return create('/orders', this.tails[number % CUSTOMERS]!, number, body, made);
  }

  transition(one: Made): Ask {
    return post(`${one.path}/place`, one.tail);
  }

  readonly undo = [
    (one: Made): Ask => post(`${one.path}/cancel`, one.tail),
    (one: Made): Ask => ({ text: `DELETE ${one.path}${one.tail}\r\n`, expected: 204 }),
  ];
}

class LargeAsks implements Asks {
  private readonly chance = new Chance();
  private readonly tails: readonly string[];
  private readonly resources: Extract<Script, { service: 'large' }>['resources'];
  private next = 20_000_000;

  constructor(script: Extract<Script, { service: 'large' }>) {
    this.tails = script.keys.map(tailOf);
    this.resources = script.resources;
  }

  read(): Ask {
    const { path, ids } = this.resources[this.chance.below(this.resources.length)]!;
    const caller = this.chance.below(ids.length);
    const own = ids[caller]!;
    return get(`${path}/${own[this.chance.below(own.length)]}`, this.tails[caller]!);
  }

  list(): Ask {
    const { path } = this.resources[this.chance.below(this.resources.length)]!;
    return get(path, this.tails[this.chance.below(this.tails.length)]!);
  }

  filter(): Ask {
    const { path } = this.resources[this.chance.below(this.resources.length)]!;
    return get(`${path}?least=90`, this.tails[this.chance.below(this.tails.length)]!);
  }

  create(made: Made[]): Ask {
    const number = this.next++;
    const { path } = this.resources[number % this.resources.length]!;
    const body = `{"reference":"${skuOf(number)}","title":"Number ${number}","amount":${1 + (number % 90)}}`;
    return create(path, this.tails[this.chance.below(this.tails.length)]!, number, body, made);
  }

  transition(one: Made): Ask {
    return post(`${one.path}/settle`, one.tail);
  }

  /** Nothing of this service is removed: rows become more by the same number, however many endpoints there are. */
  readonly undo = [];
}
