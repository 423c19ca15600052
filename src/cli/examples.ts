import { readFileSync } from 'node:fs';

/** A whole document to begin from: its name, its file in the package, and the idea that it shows. */
interface Example {
  readonly name: string;
  readonly file: string;
  readonly idea: string;
}

/** The documents that `init --example` writes, the smallest first. */
export const EXAMPLES: readonly Example[] = [
  {
    name: 'notes',
    file: 'docs/documents/notes.md',
    idea: 'one resource that anyone may write and read',
  },
  {
    name: 'todos',
    file: 'examples/todos.md',
    idea: 'a list that pages of any origin read, fill and empty in a browser',
  },
  { name: 'blog', file: 'docs/documents/blog.md', idea: 'articles that anyone may read once they are published' },
  {
    name: 'accounts',
    file: 'docs/documents/accounts.md',
    idea: 'sign-up, log-in, and keys that callers issue for their machines',
  },
  {
    name: 'orders',
    file: 'examples/orders.md',
    idea: 'states with transitions and timers, webhooks, idempotency and versions',
  },
];

/** The text of an example. */
export const exampleText = ({ file }: Example): string =>
  readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

/** The examples with their ideas, a line for each. */
export const exampleLines = (): string[] => {
  const width = Math.max(...EXAMPLES.map(({ name }) => name.length));
  return EXAMPLES.map(({ name, idea }) => `  ${name.padEnd(width)}  ${idea}`);
};
