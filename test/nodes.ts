import { type Service, Workspace } from './harness.ts';
import type { PostgresServer } from './postgres.ts';

/** How many processes share a database, and nothing else. */
export const NODES = 2;

/** A document on a database of its own, served by several real `serve` processes. */
export class Nodes {
  readonly space: Workspace;
  readonly url: string;
  readonly key: string;
  readonly nodes: Service[] = [];

  private constructor(space: Workspace, url: string, key: string) {
    this.space = space;
    this.url = url;
    this.key = key;
  }

  static async on(server: PostgresServer, document: string): Promise<Nodes> {
    const space = new Workspace(document);
    const url = await server.database();
    space.place = ['--store', url];
    return new Nodes(space, url, await space.key(await space.customer()));
  }

  async serve(count = NODES): Promise<void> {
    this.nodes.push(...(await Promise.all(Array.from({ length: count }, () => this.space.serve()))));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.space[Symbol.asyncDispose]();
  }
}

export const sku = (letters: string, n: number): string => `${letters}-${String(n).padStart(4, '0')}`;
export const codeOf = ({ body }: { body: unknown }): string => (body as { code?: string } | null)?.code ?? '';

/** How often each value comes. */
export function tally(values: readonly string[]): Record<string, number> {
  const out: Record<string, number> = {};
  for (const value of values.toSorted()) out[value] = (out[value] ?? 0) + 1;
  return out;
}

/** Does something for each of many, so many at a time. */
export async function each<T>(count: number, atOnce: number, one: (n: number) => Promise<T>): Promise<T[]> {
  const out: T[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) out[n] = await one(n);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return out;
}
