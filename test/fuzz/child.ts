import { request } from 'node:http';
import { compile } from '../../src/compiler/compile.ts';
import { descriptions } from '../../src/export/served/descriptions.ts';
import type { Plan } from '../../src/plan/step.ts';
import { HandlerError } from '../../src/runtime/endpoints/handlers/thread.ts';
import { Service } from '../../src/runtime/service.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import { TestKeys } from '../tokens.ts';

/** What the child is asked: to compile a document, and to serve it where it has no findings. */
export interface Asked {
  /** Where its handlers would be. */
  readonly name: string;
  readonly text: string;
}

/** What became of a document. Times are the processor’s, in milliseconds. */
export interface Told {
  readonly findings: number;
  readonly compiling: number;
  /** How long it took to start and to answer; null where it has findings. */
  readonly starting: number | null;
  /** Why it broke: a stack, or an answer that no document states; null where it did not. */
  readonly broken: string | null;
}

const spent = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

/** Compiles one document and, where nothing is found, starts it and asks it for what each of its first endpoints says. */
export async function attempt({ name, text }: Asked): Promise<Told> {
  const began = process.cpuUsage();
  let findings = 0;
  let compiling = 0;
  let starting: number | null = null;
  try {
    const compiled = compile(name, text);
    compiling = spent(began);
    findings = compiled.findings.length;
    if (findings > 0 || !compiled.plan) return { findings, compiling, starting, broken: null };
    const starts = process.cpuUsage();
    const broken = await answers(compiled.plan);
    starting = spent(starts);
    return { findings, compiling, starting, broken };
  } catch (error) {
    return { findings, compiling, starting, broken: error instanceof Error ? `${error.stack}` : `${error}` };
  }
}

/** How many endpoints of a document are asked. */
const ASKED = 5;

/** Starts a service and asks its first endpoints without a body or a caller; what an answer says that none may. */
async function answers(plan: Plan): Promise<string | null> {
  const keys = new TestKeys(plan);
  const service = new Service({
    host: '127.0.0.1',
    port: 0,
    admin: null,
    url: 'https://api.example.com',
    secrets: (scheme) => keys.secret(scheme),
    log: () => {},
    describe: descriptions(),
  });
  const store = new SqliteStore(':memory:', plan);
  try {
    await service.start(plan, store);
  } catch (error) {
    await store.close();
    // The module is the operator’s to bring, and isn’t where the document has been changed to look for it.
    if (error instanceof HandlerError) return null;
    throw error;
  }
  try {
    for (const { method, path } of plan.endpoints.slice(0, ASKED)) {
      const url = `http://127.0.0.1:${service.port}${path.replace(/\{[^}]*\}/g, '1')}`;
      const status = await statusOf(url, method);
      if (status !== null && (status === 500 || status < 200)) return `${method} ${path} answers ${status}`;
    }
  } finally {
    await service.stop();
  }
  return null;
}

/**
 * What a request is answered with, over a connection of its own: one that is kept would lead to a service that has had
 * the same port before. Null where nothing has come in a second.
 */
function statusOf(url: string, method: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, agent: false }, (answer) => {
      resolve(answer.statusCode ?? 0);
      answer.on('error', () => {});
      asked.destroy();
    });
    asked.setTimeout(1000, () => {
      resolve(null);
      asked.destroy();
    });
    asked.once('error', reject).end();
  });
}

process.on('message', (asked: Asked) => {
  void attempt(asked).then((told) => process.send!(told));
});
