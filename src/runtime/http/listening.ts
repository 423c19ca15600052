/** An address can’t be listened at; the message says which, why, and what to do. */
export class ListenError extends Error {}

const WHY: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'this user may not listen there; ports below 1024 are the system’s',
  EPERM: 'this user may not listen there',
  EADDRNOTAVAIL: 'that is no address of this machine',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host can’t be looked up now',
  EAFNOSUPPORT: 'this machine has no addresses of that kind',
  EINVAL: 'that is no address that can be listened at',
  EMFILE: 'this process has too many files open',
  ENFILE: 'the system has too many files open',
};

/** What a listening that failed is told as; `option` is what says where to listen instead. */
export function listenError(error: unknown, host: string, port: number, option: string): unknown {
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') return error;
  const at = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new ListenError(
    `${at} is not available: ${WHY[code] ?? `the system says ${code}`}. Choose another with ${option}.`,
  );
}
