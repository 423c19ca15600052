import { type ChildProcess, spawn } from 'node:child_process';
import { nodeOn } from './process.ts';

/** A process that makes load, on the processor that the server doesn't run on: it is told things, and answers each. */
export class LoadProcess<Told extends object, Tells extends object> {
  private readonly child: ChildProcess;

  constructor(file: string, pinned: boolean) {
    const [command, args] = nodeOn(1, pinned, [file]);
    this.child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], detached: true });
  }

  /** Tells it something, and waits for its answer. Throws where that has failed. */
  async tell(told: Told): Promise<Exclude<Tells, { readonly failed: string }>> {
    const answered = Promise.withResolvers<Tells>();
    const ended = (): void => answered.reject(new Error('The load generator has ended'));
    this.child.once('message', answered.resolve).once('exit', ended);
    this.child.send(told);
    const tells = await answered.promise;
    this.child.off('exit', ended);
    if ('failed' in tells) throw new Error(String(tells.failed));
    return tells as Exclude<Tells, { readonly failed: string }>;
  }

  close(): void {
    if (this.child.connected) this.child.disconnect();
  }
}
