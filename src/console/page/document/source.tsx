import { Component, type ComponentType, h, type VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { DocumentAnswer, FindingShown, StatementShown } from '../../protocol.ts';
import { addresses } from '../app/addresses.ts';
import { useApp } from '../app/app.ts';
import { InForce, Question } from './beside.tsx';
import { type Block, blocksOf, type Line, linesOf, piecesOf } from './lines.ts';

/**
 * The largest number of lines of a document that is rendered completely, so that the browser's search finds everything.
 */
const WHOLE_LINES = 4000;
const LINE_HEIGHT = 24;

/** The findings and statements of lines, by line number. */
interface MarginNotes {
  readonly findings: ReadonlyMap<number, readonly FindingShown[]>;
  readonly statements: ReadonlyMap<number, readonly StatementShown[]>;
}

/** The lines of the document, with their findings and statements. */
export function Source({ document, chosen }: { readonly document: DocumentAnswer; readonly chosen: number | null }) {
  const { router } = useApp();
  const lines = useMemo(() => linesOf(document.text), [document.text]);
  const blocks = useMemo(() => blocksOf(lines), [lines]);
  const notes = useMemo((): MarginNotes => {
    const findings = Map.groupBy(document.findings, (one) => one.line ?? 0);
    return { findings, statements: Map.groupBy(document.statements, (one) => one.line) };
  }, [document.findings, document.statements]);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (chosen === null) return;
    const line = root.current?.querySelector(`[data-line="${chosen}"]`);
    const { top = 0, bottom = 0 } = line?.getBoundingClientRect() ?? {};
    // A visible line is not scrolled.
    if (top < 60 || bottom > window.innerHeight - 60) line?.scrollIntoView({ block: 'center' });
  }, [chosen]);
  const whole = lines.length <= WHOLE_LINES;
  const walk = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const at = event.target instanceof HTMLElement ? Number(event.target.dataset.number) : Number.NaN;
    if (step === 0 || Number.isNaN(at)) return;
    event.preventDefault();
    const next = Math.min(Math.max(at + step, 1), lines.length);
    router.query({ line: `${next}` }, true);
    requestAnimationFrame(() => root.current?.querySelector<HTMLElement>(`[data-number="${next}"]`)?.focus());
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the links of line numbers within
    <div class="source" ref={root} onKeyDown={walk}>
      {blocks.map((block) => {
        const last = block.lines.at(-1)?.number ?? 0;
        const holds = chosen !== null && chosen >= block.first && chosen <= last;
        return (
          <BlockShown
            key={block.first}
            block={block}
            notes={notes}
            whole={whole}
            chosen={holds ? chosen : null}
            first={chosen === null && block.first === 1}
          />
        );
      })}
    </div>
  );
}

interface BlockProps {
  readonly block: Block;
  readonly notes: MarginNotes;
  readonly whole: boolean;
  readonly chosen: number | null;
  /** Whether the first line of the block can be reached with Tab. */
  readonly first: boolean;
}

const BlockShown = memo(({ block, notes: beside, whole, chosen, first }: BlockProps) => {
  const [near, setNear] = useState(whole);
  const place = useRef<HTMLElement>(null);
  const height = block.lines.length * LINE_HEIGHT;
  useEffect(() => {
    if (near || !place.current) return;
    const observer = new IntersectionObserver((entries) => entries.some((one) => one.isIntersecting) && setNear(true), {
      rootMargin: '1200px',
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [near]);
  const drawn = near || chosen !== null;
  return (
    <section
      ref={place}
      class="chunk"
      style={drawn ? { containIntrinsicSize: `auto ${height}px` } : { height: `${height}px` }}
    >
      {drawn && <Lines block={block} notes={beside} chosen={chosen} first={first} />}
    </section>
  );
});

function Lines({ block, notes: beside, chosen, first }: Omit<BlockProps, 'whole'>) {
  const groups: Line[][] = [];
  for (const line of block.lines) {
    const last = groups.at(-1);
    if (line.kind === 'table' && last?.at(-1)?.kind === 'table') last.push(line);
    else groups.push([line]);
  }
  const stop = (line: Line): boolean => line.number === chosen || (first && line.number === block.first);
  return (
    <>
      {groups.map(([line, ...more]) =>
        line === undefined ? null : line.kind === 'table' ? (
          <TableShown key={line.number} lines={[line, ...more]} notes={beside} chosen={chosen} />
        ) : (
          <div key={line.number}>
            <div class={`row ${line.kind}${classOf(line, beside, chosen)}`} data-line={line.number}>
              <LineNumber line={line} stop={stop(line)} />
              <Content line={line} />
            </div>
            <Below line={line} notes={beside} chosen={chosen} />
          </div>
        ),
      )}
    </>
  );
}

/** The CSS classes of a line: selected, or with an error or question. */
function classOf(line: Line, { findings }: MarginNotes, chosen: number | null): string {
  const found = findings.get(line.number);
  const severity = found?.some((one) => one.severity === 'error') ? ' error' : found ? ' question' : '';
  return `${severity}${line.number === chosen ? ' chosen' : ''}`;
}

/** The number of a line, which is a link to it. Tab reaches one of the numbers, and arrow keys move between them. */
function LineNumber({ line, stop }: { readonly line: Line; readonly stop: boolean }) {
  return (
    <a
      class="no"
      href={addresses.document(line.number)}
      data-number={line.number}
      tabIndex={stop ? 0 : -1}
      aria-label={`Line ${line.number}`}
    >
      {line.number}
    </a>
  );
}

function Content({ line }: { readonly line: Line }) {
  if (line.kind === 'heading') {
    // The page has an `h1` of its own, so headings of the document are one level lower.
    const level = Math.min(line.level + 1, 6);
    return (
      <div class={`tx h${line.level}`} role="heading" aria-level={level}>
        <Pieces text={line.text} />
      </div>
    );
  }
  return (
    <div class={`tx in${line.level}`}>
      {line.mark && <span class="item-mark">{line.mark} </span>}
      {line.kind === 'code' ? line.text : <Pieces text={line.text} />}
    </div>
  );
}

function Pieces({ text }: { readonly text: string }) {
  return (
    <>
      {piecesOf(text).map((piece, i) =>
        piece.kind === 'code' ? (
          <code key={i}>{piece.text}</code>
        ) : piece.kind === 'bold' ? (
          <strong key={i}>{piece.text}</strong>
        ) : (
          piece.text
        ),
      )}
    </>
  );
}

/** A table, whose rows are lines. */
function TableShown({
  lines,
  notes: beside,
  chosen,
}: {
  readonly lines: readonly Line[];
  readonly notes: MarginNotes;
  readonly chosen: number | null;
}) {
  const [head, ...rest] = lines;
  const wide = Math.max(...lines.map((line) => line.cells.length));
  if (head === undefined) return null;
  return (
    <div class="doc-table" tabIndex={0} role="group" aria-label={`Table at line ${head.number}`}>
      <table>
        <thead>
          <tr class={classOf(head, beside, chosen)} data-line={head.number}>
            <td class="no-cell">
              <LineNumber line={head} stop={head.number === chosen} />
            </td>
            {head.cells.map((cell, i) => (
              <th key={i} scope="col">
                <Pieces text={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rest.map((line) =>
            line.cells.length === 0 ? null : (
              <>
                <tr key={line.number} class={classOf(line, beside, chosen)} data-line={line.number}>
                  <td class="no-cell">
                    <LineNumber line={line} stop={line.number === chosen} />
                  </td>
                  {line.cells.map((cell, i) => (
                    <td key={i}>
                      <Pieces text={cell} />
                    </td>
                  ))}
                </tr>
                {hasBelow(line, beside, chosen) && (
                  <tr key={`below ${line.number}`}>
                    <td class="no-cell" />
                    <td colSpan={wide}>
                      <Below line={line} notes={beside} chosen={chosen} />
                    </td>
                  </tr>
                )}
              </>
            ),
          )}
        </tbody>
      </table>
      {hasBelow(head, beside, chosen) && <Below line={head} notes={beside} chosen={chosen} />}
    </div>
  );
}

const hasBelow = ({ number }: Line, { findings, statements }: MarginNotes, chosen: number | null): boolean =>
  findings.has(number) || (number === chosen && statements.has(number));

/** The findings of a line, and its statements if the line is selected. */
function Below({
  line,
  notes: beside,
  chosen,
}: {
  readonly line: Line;
  readonly notes: MarginNotes;
  readonly chosen: number | null;
}) {
  const findings = beside.findings.get(line.number) ?? [];
  const statements = beside.statements.get(line.number) ?? [];
  return (
    <>
      {findings.map((one, i) => (
        <Question key={i} finding={one} />
      ))}
      {line.number === chosen && (findings.length === 0 || statements.length > 0) && (
        <InForce line={line.number} statements={statements} />
      )}
    </>
  );
}

/** A component that is drawn again only when one of its properties is another. */
function memo<P extends object>(Inner: ComponentType<P>): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const names = new Set([...Object.keys(this.props), ...Object.keys(next)]) as Set<keyof P>;
      return [...names].some((name) => this.props[name] !== next[name]);
    }

    override render(): VNode {
      return h(Inner as ComponentType<object>, this.props);
    }
  };
}
