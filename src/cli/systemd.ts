import { spawn } from 'node:child_process';
import type { Log } from '../runtime/log.ts';

/** Reports the state of the service to systemd. */
interface Notifier {
  /**
   * Reports that the service answers requests, for which `Type=notify` waits. From then on, the watchdog of the unit,
   * if any, is notified.
   */
  ready(): void;
  /** Reports that the service stops gracefully. */
  stopping(): void;
}

/**
 * The notifier for a process that a unit of `Type=notify` has started (sd_notify(3)); otherwise one that does nothing.
 * Node does not support the datagram socket of systemd, so `systemd-notify`, which is part of systemd, sends the
 * messages: the unit needs `NotifyAccess=all`. The event loop notifies the watchdog twice per interval
 * (sd_watchdog_enabled(3)): a hanging process is restarted, and one without its database is not.
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
