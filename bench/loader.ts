import { join } from 'node:path';
import { LoadProcess } from './child.ts';
import type { Job, Tells, Told } from './load/main.ts';
import type { Measured } from './load/measure.ts';
import type { Server } from './servers.ts';

/** The load generator of `npm run bench`. */
export class Loader {
  private readonly process: LoadProcess<Told, Tells>;
  private readonly dataset: string;

  constructor(dataset: string, pinned: boolean) {
    this.process = new LoadProcess(join(import.meta.dirname, 'load', 'main.ts'), pinned);
    this.dataset = dataset;
  }

  /** Says that a server stands with its rows untouched. */
  async fresh({ name, dialect }: Server): Promise<void> {
    await this.process.tell({ fresh: dialect, server: name, dataset: this.dataset });
  }

  async measure(job: Job): Promise<Measured> {
    const tells = await this.process.tell({ job });
    if (!('measured' in tells)) throw new Error('The load generator has measured nothing');
    return tells.measured;
  }

  close(): void {
    this.process.close();
  }
}
