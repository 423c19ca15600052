import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Outcome } from './job.ts';

/** The outcomes of runs, a line of JSON each: what is interrupted goes on where it was. */
export class Results {
  private readonly file: string;
  private readonly outcomes = new Map<string, Outcome>();

  /** @param fresh whether what is there is forgotten. */
  constructor(file: string, fresh: boolean) {
    this.file = file;
    mkdirSync(dirname(file), { recursive: true });
    if (fresh || !existsSync(file)) writeFileSync(file, '');
    for (const line of readFileSync(file, 'utf8').split('\n')) this.read(line);
  }

  get(key: string): Outcome | undefined {
    return this.outcomes.get(key);
  }

  add(outcome: Outcome): void {
    this.outcomes.set(outcome.key, outcome);
    appendFileSync(this.file, `${JSON.stringify(outcome)}\n`);
  }

  /** The last line may have been cut off by an interruption. */
  private read(line: string): void {
    try {
      const outcome = JSON.parse(line) as Outcome;
      // A run that failed is made again.
      if (outcome.failed === null) this.outcomes.set(outcome.key, outcome);
    } catch {
      // It is run again.
    }
  }
}
