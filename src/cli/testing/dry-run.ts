import { PART_ITEMS, partAndItem } from '../../plan/parts.ts';
import { counted, showDuration } from '../../text/units.ts';
import { jsonText, oneLine } from '../../text/visible.ts';
import { lackingIn } from '../../verify/run/lacking.ts';
import type { VerifyOptions } from '../../verify/run/options.ts';
import type { Need, Statement } from '../../verify/statements/statement.ts';

/** The needs of a statement that a setup allows to try, and the others. */
interface Tried {
  readonly statement: Statement;
  readonly needs: readonly Need[];
  readonly without: readonly Need[];
}

type About = Pick<VerifyOptions, 'statements' | 'only' | 'budget' | 'seed' | 'url' | 'subject'>;

/** The needs of each statement that can be tried with the setup. */
function triedIn({ statements, only }: About, lacking: ReadonlySet<string>): Tried[] {
  return statements
    .filter((one) => only === null || only.statements.has(one.key))
    .map((statement): Tried => {
      const without = statement.needs.filter((need) => need.setup.some((member) => lacking.has(member)));
      const needs = statement.untestable === null ? statement.needs.filter((need) => !without.includes(need)) : [];
      return { statement, needs, without };
    });
}

/** The version of this data format. An added member keeps the number. */
const FORMAT = 'Ninefold test plan 1';

/**
 * The data of `dryRunText` as JSON: each statement with the needs that would be tried, and the members that the setup
 * lacks for the others.
 */
export function dryRunJson(about: About): string {
  const { only, budget, seed, url, subject } = about;
  const lacking = lackingIn(subject.setup);
  const statements = triedIn(about, lacking).map(({ statement, needs, without }) => ({
    statement: statement.key,
    line: statement.line,
    part: statement.part,
    item: statement.item,
    text: statement.text,
    untestable: statement.untestable,
    tries: needs.map(({ name }) => name),
    without: without.map(({ name, setup }) => ({ name, lacks: setup.filter((member) => lacking.has(member)) })),
  }));
  const data = {
    format: FORMAT,
    url,
    seed,
    budgetMilliseconds: budget,
    only: only?.name ?? null,
    lacking: [...lacking],
    statements,
  };
  return `${jsonText(data, 2)}\n`;
}

/**
 * Describes what a test would try: for each item the number of statements and needs, and the members that the setup
 * lacks. Sends nothing.
 */
export function dryRunText(about: About): string {
  const { only, budget, seed, url, subject } = about;
  const lacking = lackingIn(subject.setup);
  const tried = triedIn(about, lacking);
  const things = tried.reduce((sum, one) => sum + one.needs.length, 0);
  const scope = only === null ? '' : ` of “${oneLine(only.name)}”`;
  const lines = [
    `${counted(tried.length, 'statement')}${scope} would be tested at ${oneLine(url)}, with at least ${counted(things, 'request')}: one for each of`,
    `the things below, and others that bring rows into the states that they need. Seed ${seed}, at most ${showDuration(budget)}.`,
    '',
    ...itemLines(tried),
  ];
  const reasons = untestedLines(tried, lacking);
  return `${[...lines, ...(reasons.length ? ['', ...reasons] : []), '', 'Nothing was sent.'].join('\n')}\n`;
}

function itemLines(tried: readonly Tried[]): string[] {
  const rows = PART_ITEMS.flatMap((item) => {
    const [part, name] = partAndItem(item);
    const of = tried.filter(({ statement }) => statement.part === part && statement.item === name);
    const things = of.reduce((sum, one) => sum + one.needs.length, 0);
    return of.length ? [[`${part}, ${name}`, counted(of.length, 'statement'), counted(things, 'thing')]] : [];
  });
  const width = (at: number): number => Math.max(0, ...rows.map((row) => (row[at] ?? '').length));
  return rows.map(
    ([item = '', count = '', things = '']) =>
      `  ${item.padEnd(width(0))}  ${count.padStart(width(1))}  ${things.padStart(width(2))}`,
  );
}

/** The needs that cannot be tried, by the missing member of the setup. */
function untestedLines(tried: readonly Tried[], lacking: ReadonlySet<string>): string[] {
  const lines = [...lacking].flatMap((member) => {
    const needs = tried.flatMap(({ without }) => without.filter((need) => need.setup.some((one) => one === member)));
    const of = tried.filter(({ without }) => without.some((need) => need.setup.some((one) => one === member)));
    return needs.length
      ? [`  \`${member}\`: ${counted(needs.length, 'thing')} of ${counted(of.length, 'statement')}`]
      : [];
  });
  return lines.length ? ['The setup lacks these members. Without them, the test can’t try:', ...lines] : [];
}
