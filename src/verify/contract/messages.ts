import type { Contract, VersionContract } from '../../contract/contract.ts';
import type { ContractType } from '../../contract/types.ts';
import { isObject } from '../../text/own-member.ts';
import { type ContractFault, excerpt } from './fault.ts';
import type { ValueJudge } from './values.ts';

/** Judges the payloads of events in webhooks and streams. */
export class StreamJudge {
  private readonly contract: Contract;
  private readonly valuesIn: (version: VersionContract) => ValueJudge;

  constructor(contract: Contract, valuesIn: (version: VersionContract) => ValueJudge) {
    this.contract = contract;
    this.valuesIn = valuesIn;
  }

  /** The faults of the payload of an event. */
  payload(version: VersionContract, event: string, data: unknown): ContractFault[] {
    const declared = version.events.find(({ name }) => name === event);
    if (!declared) {
      const names = version.events.map(({ name }) => name).join(', ');
      return [{ at: 'event', declared: `one of ${names}`, actual: excerpt(event), lines: [] }];
    }
    return this.valuesIn(version).faults(declared.payload, false, data, declared.lines);
  }

  /** The faults of the messages of a stream, as far as it has been read (WHATWG HTML, section 9.2.6). */
  text(version: VersionContract, text: string, type: Extract<ContractType, { kind: 'stream' }>): ContractFault[] {
    return text.split('\n\n').flatMap((block) => {
      const fields = block.split('\n').map((line) => /^(event|data): ?(.*)$/.exec(line));
      const values = (name: string): string[] => fields.flatMap((one) => (one?.[1] === name ? [one[2] ?? ''] : []));
      const [event = 'message'] = values('event');
      const data = values('data');
      if (data.length === 0) return [];
      const parsed = parsedOf(data.join('\n'));
      if (!type.events.includes(event))
        return [{ at: 'event', declared: `one of ${type.events.join(', ')}`, actual: excerpt(event), lines: [] }];
      const isEnvelope = this.contract.stream?.data === 'envelope';
      return this.payload(version, event, isEnvelope && isObject(parsed) ? parsed.data : parsed);
    });
  }
}

function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
