import { spread } from './gate.ts';
import { Disk, selections } from './power.disk.ts';
import type { Did } from './power.trace.ts';
import { numbers } from './rebuilt.ts';

/** What a service did to the files of a directory, which were as they are in `from` before. */
interface Traced {
  readonly did: readonly Did[];
  readonly directory: string;
  readonly from: string;
}

/** What is held against the disks. */
interface Watch {
  /** Hears at how many points the power will fail. */
  readonly say: (points: number) => void;
  /** Notes what an answer has told clients; gives how many answers to writes there were in the text. */
  readonly tell: (text: string) => number;
  /** What is wrong with the files of a disk, after all that was told; null where nothing is. */
  readonly complaint: (files: ReadonlyMap<string, Buffer>) => Promise<string | null>;
}

/** What came of it. */
interface Lost {
  readonly at: number;
  readonly rebuilt: number;
  readonly answers: number;
  readonly wrong: readonly string[];
}

/** Has the power fail at points of what was traced, at most so many of each kind: each leaves several disks to look at. */
export async function withoutPower({ did, directory, from }: Traced, most: number, watch: Watch): Promise<Lost> {
  const at = pointsOf(did, most);
  watch.say(at.size);
  const random = numbers(1);
  const disk = new Disk(directory, from);
  const wrong: string[] = [];
  let rebuilt = 0;
  let answers = 0;
  for (const [i, one] of [...did, null].entries()) {
    if (at.has(i))
      for (const selection of selections(random)) {
        rebuilt++;
        const complaint = await watch.complaint(disk.after(selection));
        if (complaint !== null) wrong.push(`${selection.name}: ${complaint}`);
      }
    if (one === null) break;
    disk.take(one);
    if (one.did === 'tell') answers += watch.tell(one.text);
  }
  return { at: at.size, rebuilt, answers, wrong };
}

/** Where the power fails: after each sync and each answer, around each sync of the database, and at points between. */
function pointsOf(did: readonly Did[], most: number): Set<number> {
  const after = (those: (one: Did) => boolean): number[] => {
    const all = did.flatMap((one, i) => (those(one) ? [i, i + 1] : []));
    return spread(all.length, most).map((n) => all[n - 1]!);
  };
  const ofDatabase = (one: Did): boolean => one.did === 'sync' && one.path.endsWith('.sqlite');
  const critical = after((one) => one.did === 'sync' || one.did === 'tell');
  return new Set([...critical, ...after(ofDatabase), ...spread(did.length, most)]);
}
