import { statSync } from 'node:fs';
import type { Compiled } from '../compiler/compile.ts';
import { type DocumentReport, documentReport } from '../compiler/report.ts';
import type { AdminPages } from '../runtime/admin/admin.ts';
import type { Log } from '../runtime/log.ts';
import type { Service } from '../runtime/service.ts';
import { baseUrl } from '../text/address.ts';
import { readDocument } from './document.ts';
import { MigrationTrial, type PreviewRequest } from './preview.ts';
import type { ServeOptions } from './serve.ts';
import { programVersion } from './version.ts';

/** The console of a service that is being started. */
export interface OpenConsole {
  readonly pages: AdminPages;
  /** Where it is opened, once the service has started. */
  link(): string;
  /** The service that it shows: nothing is answered before. */
  show(service: Service): void;
  /** Another document is served. */
  replace(report: DocumentReport): void;
  /** The service stops. */
  end(): void;
}

/** Makes the console. Its code is loaded here and nowhere else: a service without it has none of it in memory. */
export async function openConsole(
  file: string,
  compiled: Compiled,
  options: ServeOptions,
  log: Log,
): Promise<OpenConsole> {
  const [{ consoleOf }, { Contracts }] = await Promise.all([
    import('../console/views/views.ts'),
    import('../console/contracts.ts'),
  ]);
  let document = documentReport(compiled);
  let edition = 1;
  let shown: Service | null = null;
  const service = (): Service => {
    if (!shown) throw new Error('The console is asked before the service is there');
    return shown;
  };
  const disk = new DiskCopy(file);
  const trial = new MigrationTrial();
  const asked = previewed(file, options);
  const host = hostOf(options.admin ?? '');
  const address = options.host.includes(':') ? `[${options.host}]` : options.host;
  const opened = consoleOf(
    {
      get service() {
        return service();
      },
      document: () => document,
      disk: () => disk.against(document.text),
      trial: {
        get current() {
          return trial.current;
        },
        begin: (plan) => trial.begin({ ...asked, plan }),
      },
      address: () => `http://${address}:${service().port}`,
      watch: options.watch ?? false,
      edition: () => edition,
      contracts: new Contracts(),
      ninefold: programVersion(),
    },
    { host, log },
  );
  return {
    pages: opened.pages,
    link: () => opened.link(service().adminPort ?? 0),
    show: (one) => {
      shown = one;
    },
    replace: (report) => {
      document = report;
      edition++;
    },
    end: () => trial.end(),
  };
}

/** What a preview is asked with, beside the plan in force. */
function previewed(file: string, options: ServeOptions): Omit<PreviewRequest, 'plan'> {
  const { settledOnly = false, data, store, accept, rename, fill, replace } = options;
  return {
    file,
    settledOnly,
    url: options.url === undefined ? null : baseUrl(options.url),
    place: store === undefined ? { data } : { data, store },
    answers: {
      ...(accept && { accept }),
      ...(rename && { rename }),
      ...(fill && { fill }),
      ...(replace && { replace }),
    },
  };
}

/** The host of `HOST:PORT`. */
const hostOf = (address: string): string => address.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');

/** The document on disk, which is read again only where the file has changed. */
class DiskCopy {
  private readonly file: string;
  private state = 'unread';
  private text: string | null = null;

  constructor(file: string) {
    this.file = file;
  }

  /** What it says against the text that is served. */
  against(text: string): 'same' | 'changed' | 'missing' {
    const found = this.file === '-' ? undefined : statSync(this.file, { throwIfNoEntry: false });
    const state = found ? `${found.dev} ${found.ino} ${found.mtimeMs} ${found.size}` : '';
    if (state !== this.state) {
      const read = found ? readDocument(this.file) : null;
      this.text = read && 'text' in read ? read.text : null;
      this.state = state;
    }
    if (this.text === null) return this.file === '-' ? 'same' : 'missing';
    return this.text === text ? 'same' : 'changed';
  }
}
