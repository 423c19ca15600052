import type { Break } from '../report/report.ts';
import type { VerifyOptions } from './options.ts';

/** How many breaks of one endpoint are told. */
const MOST_OF_ENDPOINT = 6;

/** The breaks that a run has found, and whether it is to look for more. */
export class FoundBreaks {
  readonly all: Break[] = [];
  private readonly options: Pick<VerifyOptions, 'mostBreaks' | 'told'>;

  constructor(options: Pick<VerifyOptions, 'mostBreaks' | 'told'>) {
    this.options = options;
  }

  add(one: Break): void {
    this.all.push(one);
    this.options.told?.(one);
  }

  /** What two probes have found is one break. */
  addOnce(one: Break): void {
    if (!this.all.some(({ statement, why }) => statement === one.statement && why === one.why)) this.add(one);
  }

  /** Whether there are as many as were asked for. */
  get isEnough(): boolean {
    return this.all.length >= this.options.mostBreaks;
  }

  isEnoughOf(endpoint: string | null): boolean {
    return this.all.filter((one) => one.endpoint === endpoint).length >= MOST_OF_ENDPOINT;
  }
}
