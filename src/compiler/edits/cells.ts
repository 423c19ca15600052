import type { TABLES } from '../../language/columns.ts';
import { LIMITS } from '../../language/limits.ts';
import { keysOf, ownMember } from '../../text/own-members.ts';
import type { Declared } from './declared.ts';
import { fixedCells } from './legal-texts.ts';

/** The subject of a cell: the first cell of its row, and the heading of its section. */
interface CellPlace {
  readonly first: string;
  readonly heading: string;
}

/**
 * The texts that a cell of a column may have: words of the language, and names that the document declares. Whether a
 * text fits the rest of the document is another question.
 */
export function cellTexts(
  table: keyof typeof TABLES,
  column: string,
  declared: Declared,
  { first, heading }: CellPlace,
): readonly string[] {
  const fixed = fixedCells(table, column);
  switch (`${table} ${column}`) {
    case 'field Type':
      return [...fixed, ...declared.resources];
    case 'parameter Type':
    case 'takes Type':
    case 'gives Type':
      return [...fixed, ...declared.identities];
    case 'field Allowed values':
    case 'parameter Allowed values':
      return [...fixed, 'any', 'at most 200 characters', '0 to 1000'];
    case 'transition From':
    case 'transition To':
      return declared.statesOf(heading);
    case 'transition Otherwise':
    case 'parameter Otherwise':
      return [...declared.codes, ...fixed];
    case 'parameter Parameter':
      return [...heading.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
    case 'payload Type':
      return [...fixed, ...declared.payloads.flatMap((name) => [name, `list of ${name}`])];
    case 'payload Value':
      return ['`error.code`', '`error.title`', '`error.status`', ...declared.faults];
    case 'error Status':
      return STATUSES;
    case 'event When':
      return declared.happenings;
    case 'event Payload':
      return declared.resources;
    case 'event Notified by':
      return ['webhook', 'stream', 'webhook, stream'];
    case 'limit Limit':
      return keysOf(LIMITS);
    case 'limit Value':
      return ownMember(LIMITS, first)?.write.slice(0, 1) ?? [];
    case 'limit Applies to':
      return first === 'Rate' ? RATES_OF : (ownMember(LIMITS, first)?.write.slice(1) ?? []);
    default:
      return fixed;
  }
}

/** The statuses by which services refuse requests (RFC 9110, section 15.5; RFC 6585). */
const STATUSES = [400, 401, 403, 404, 405, 406, 409, 410, 412, 413, 415, 422, 428, 429, 503].map(String);

/** The subjects for which a rate may count requests. */
const RATES_OF = ['each caller', 'each address without a caller', 'each address, before authentication'];
