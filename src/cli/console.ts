import { statSync } from 'node:fs';
import type { Compiled } from '../compiler/compile.ts';
import { documentReport } from '../compiler/report.ts';
import type { DocumentReport } from '../compiler/report-forms.ts';
import type { AdminPages } from '../runtime/admin/admin.ts';
import type { AnsweredRequest } from '../runtime/http/server.ts';
import type { Log } from '../runtime/log.ts';
import type { Service } from '../runtime/service.ts';
import { baseUrl } from '../text/address.ts';
import { readDocument } from './document.ts';
import { MigrationTrial, type PreviewRequest } from './preview.ts';
import type { Reloading } from './reloading.ts';
import type { ServeOptions } from './serve.ts';
import { programVersion } from './version.ts';

/** The console of a service that is being started. */
export interface OpenConsole {
  readonly pages: AdminPages;
  /** Receives each answered request. */
  readonly answered: (request: AnsweredRequest) => void;
  /** The link that opens the console, once the service has started. */
  link(): string;
  /** Sets the service that the console shows; before, it answers nothing. */
  show(service: Service): void;
  /** Sets what serves the documents that operators save. */
  follow(reloading: Reloading): void;
  /** Sets the served document. */
  replace(report: DocumentReport): void;
  /** Ends the console when the service stops. */
  end(): void;
}

/** Creates the console. Its code is loaded only here, so that a service without it does not hold the code in memory. */
export async function openConsole(
  file: string,
  compiled: Compiled,
  options: ServeOptions,
  log: Log,
): Promise<OpenConsole> {
  const [{ consoleOf }, { Contracts }, { RecentRequests }] = await Promise.all([
    import('../console/views/views.ts'),
    import('../console/console-service.ts'),
    import('../console/recent-requests.ts'),
  ]);
  let document = documentReport(compiled);
  let edition = 1;
  let shown: Service | null = null;
  const service = (): Service => {
    if (!shown) throw new Error('The console is asked before the service is there');
    return shown;
  };
  const disk = new DiskCopy(file);
  const recent = new RecentRequests();
  const trial = new MigrationTrial();
  const asked = previewed(file, options);
  const editing = options.edit ? new (await import('./editing.ts')).Editing(file, asked, () => document.text) : null;
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
        begin: (plan) => trial.begin({ ...asked, text: null, isAccepting: false, plan }),
      },
      address: () => `http://${address}:${service().port}`,
      watch: options.watch ?? false,
      editing,
      edition: () => edition,
      contracts: new Contracts(),
      recent,
      ninefold: programVersion(),
    },
    { host, log },
  );
  return {
    pages: opened.pages,
    answered: recent.note,
    link: () => opened.link(service().adminPort ?? 0),
    show: (one) => {
      shown = one;
    },
    replace: (report) => {
      document = report;
      edition++;
    },
    follow: (reloading) => editing?.follow(reloading),
    end: () => {
      trial.end();
      editing?.end();
    },
  };
}

/** The request of a preview, without what is previewed. */
function previewed(file: string, options: ServeOptions): Omit<PreviewRequest, 'plan' | 'text' | 'isAccepting'> {
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

/** The document on disk, which is read again only if the file has changed. */
class DiskCopy {
  private readonly file: string;
  private state = 'unread';
  private text: string | null = null;

  constructor(file: string) {
    this.file = file;
  }

  /** Compares the file with the served text. */
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
