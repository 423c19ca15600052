import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Tells, Told } from './load/main.ts';
import type { Job, Measured } from './load/measure.ts';
import type { Dialect } from './load/requests.ts';
import { nodeOn } from './process.ts';

/** The load generator, which runs on the processor that the server doesn't. */
export class Loader {
  private readonly child: ChildProcess;
  private readonly dataset: string;

  constructor(dataset: string, pinned: boolean) {
    const [command, args] = nodeOn(1, pinned, [join(import.meta.dirname, 'load', 'main.ts')]);
    this.child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.dataset = dataset;
  }

  /** Says that a server with its rows untouched comes next. */
  async fresh(dialect: Dialect): Promise<void> {
    await this.tell({ fresh: dialect, dataset: this.dataset });
  }

  async measure(job: Job): Promise<Measured> {
    const tells = await this.tell({ job });
    if (!('measured' in tells)) throw new Error('The load generator has measured nothing');
    return tells.measured;
  }

  close(): void {
    if (this.child.connected) this.child.disconnect();
  }

  private async tell(told: Told): Promise<Tells> {
    const answered = Promise.withResolvers<Tells>();
    const ended = (): void => answered.reject(new Error('The load generator has ended'));
    this.child.once('message', answered.resolve).once('exit', ended);
    this.child.send(told);
    const tells = await answered.promise;
    this.child.off('exit', ended);
    if ('failed' in tells) throw new Error(tells.failed);
    return tells;
  }
}
