import { spawn } from 'node:child_process';
import type { Log } from '../runtime/log.ts';

/** Tells systemd what becomes of this service. */
interface Notifier {
  /** It answers requests: `Type=notify` waits for that. From then on the watchdog, where the unit has one, is fed. */
  ready(): void;
  /** It stops in good order. */
  stopping(): void;
}

/**
 * What tells systemd, where a unit of `Type=notify` has begun this process (sd_notify(3)); otherwise nobody is told. Node
 * has no sockets of the kind that systemd listens at, so that `systemd-notify`, which comes with it, tells it: the unit
 * needs `NotifyAccess=all`. The watchdog is fed by the event loop twice in each of its intervals (sd_watchdog_enabled(3)):
 * a process that hangs is begun anew, and one whose database is away is not.
 */
export function notifierOf(environment: NodeJS.ProcessEnv, log: Log): Notifier {
  if (!environment.NOTIFY_SOCKET) return { ready: () => {}, stopping: () => {} };
  let failed = false;
  const tell = (state: string): void => {
    const child = spawn('systemd-notify', [state], { stdio: 'ignore' });
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (!failed)
        log('warn', 'systemd.untold', { code: error.code, remedy: 'Install systemd-notify, or set Type=simple.' });
      failed = true;
    });
    child.unref();
  };
  const owner = environment.WATCHDOG_PID;
  const watched = owner === undefined || owner === String(process.pid);
  const intervalMs = watched ? Number(environment.WATCHDOG_USEC ?? 0) / 1000 / 2 : 0;
  return {
    ready: () => {
      tell('READY=1');
      if (intervalMs > 0) setInterval(() => tell('WATCHDOG=1'), intervalMs).unref();
    },
    stopping: () => tell('STOPPING=1'),
  };
}
