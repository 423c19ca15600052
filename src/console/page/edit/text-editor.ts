import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentLess, indentMore, isolateHistory } from '@codemirror/commands';
import { EditorState, type Extension, type Range, StateEffect, StateField, type Text } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightSpecialChars,
  hoverTooltip,
  type KeyBinding,
  keymap,
  lineNumbers,
  MatchDecorator,
  type Tooltip,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import type { Completion as Offer, TextEdit, TextFinding, TextPlace, TextSpan } from '../../protocol.ts';
import { explanationOf } from './explanation.ts';
import { FIND_TEXT } from './find-text.ts';
import { THEME } from './theme.ts';

/** The most words and names that are listed at once; the arrow keys move the list. */
const MOST_SHOWN = 12;

/** The content of an editor, and what it asks and tells. */
interface EditorOptions {
  readonly text: string;
  /** The name of the field for screen readers. */
  readonly label: string;
  readonly readOnly: boolean;
  readonly complete: (text: string, at: TextPlace, signal: AbortSignal) => Promise<readonly Offer[]>;
  readonly explain: (text: string, at: TextPlace) => Promise<string | null>;
  /** Receives the text after each change. */
  readonly changed: (text: string) => void;
  /** Receives the line of the caret, from 0. */
  readonly moved: (line: number) => void;
  readonly save: () => void;
  readonly fix: () => void;
}

/** An editor of a document, in a shadow root: its styles are no inline styles, which the policy of content refuses. */
export class TextEditor {
  private readonly view: EditorView;

  constructor(host: HTMLElement, options: EditorOptions) {
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    root.replaceChildren();
    this.view = new EditorView({ root, parent: root, state: stateOf(options) });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Replaces the text from its first to its last difference, as one change that can be undone. */
  replace(text: string): void {
    const old = this.text;
    const least = Math.min(old.length, text.length);
    let from = 0;
    while (from < least && old[from] === text[from]) from++;
    let end = 0;
    while (end < least - from && old.at(-1 - end) === text.at(-1 - end)) end++;
    const changes = { from, to: old.length - end, insert: text.slice(from, text.length - end) };
    this.view.dispatch({ changes, annotations: isolateHistory.of('full') });
  }

  /** Makes edits of the present text, and puts the caret behind the last one. */
  apply(edits: readonly TextEdit[]): void {
    const { doc } = this.view.state;
    const changes = edits.map(({ span, text }) => ({ ...placed(doc, span), insert: text }));
    const last = changes.at(-1);
    this.view.dispatch({ changes, userEvent: 'input.complete' });
    if (last) this.select(Math.min(last.from + last.insert.length, this.view.state.doc.length));
  }

  /** Marks the findings in the text. */
  show(findings: readonly TextFinding[]): void {
    this.view.dispatch({ effects: found.of(findings) });
  }

  /** Puts the caret at a place, and the focus in the editor. */
  goTo(place: TextPlace): void {
    this.select(offsetOf(this.view.state.doc, place));
  }

  focus(): void {
    this.view.focus();
  }

  end(): void {
    this.view.destroy();
  }

  private select(at: number): void {
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
    this.view.focus();
  }
}

function stateOf(options: EditorOptions): EditorState {
  const { text, label, readOnly, changed, moved } = options;
  const told = (update: ViewUpdate): void => {
    if (update.docChanged) changed(update.state.doc.toString());
    if (update.docChanged || update.selectionSet)
      moved(update.state.doc.lineAt(update.state.selection.main.head).number - 1);
  };
  return EditorState.create({
    doc: text,
    extensions: [
      lineNumbers(),
      // Characters that nobody sees, such as U+0000, have a sign.
      highlightSpecialChars(),
      history(),
      EditorView.lineWrapping,
      EditorState.readOnly.of(readOnly),
      EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
      // A list without a scroll bar, because the focus stays in the text.
      autocompletion({
        override: [(context) => completed(context, options)],
        icons: false,
        maxRenderedOptions: MOST_SHOWN,
      }),
      explained(options),
      keymap.of([...keysOf(options), ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
      FIND_TEXT,
      marksOfFindings,
      SYNTAX,
      THEME,
      EditorView.updateListener.of(told),
    ],
  });
}

function keysOf({ save, fix }: EditorOptions): KeyBinding[] {
  const doing = (work: () => void) => (): boolean => {
    work();
    return true;
  };
  return [
    { key: 'Mod-s', run: doing(save), preventDefault: true },
    { key: 'Mod-.', run: doing(fix), preventDefault: true },
    { key: 'F8', run: (view) => toFinding(view, true), shift: (view) => toFinding(view, false) },
    { key: 'Tab', run: (view) => acceptCompletion(view) || indentMore(view), shift: indentLess },
  ];
}

const offsetOf = (doc: Text, { line, character }: TextPlace): number => {
  const at = doc.line(Math.min(line + 1, doc.lines));
  return at.from + Math.min(character, at.length);
};

const placed = (doc: Text, { start, end }: TextSpan): { readonly from: number; readonly to: number } => ({
  from: offsetOf(doc, start),
  to: offsetOf(doc, end),
});

function placeOf(doc: Text, offset: number): TextPlace {
  const line = doc.lineAt(offset);
  return { line: line.number - 1, character: offset - line.from };
}

const found = StateEffect.define<readonly TextFinding[]>();

/** The findings: a mark below each text, and one beside its line. Edits of the text move them. */
const marksOfFindings = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, { changes, effects, newDoc }) =>
    effects.reduce(
      (before, effect) =>
        effect.is(found)
          ? Decoration.set(
              effect.value.flatMap((one) => marksOf(newDoc, one)),
              true,
            )
          : before,
      marks.map(changes),
    ),
  provide: (field) => EditorView.decorations.from(field),
});

function marksOf(doc: Text, { span, severity }: TextFinding): Range<Decoration>[] {
  const { from, to } = placed(doc, span);
  const line = Decoration.line({ class: `finding-line ${severity}` }).range(doc.lineAt(from).from);
  return from < to ? [line, Decoration.mark({ class: `finding ${severity}` }).range(from, to)] : [line];
}

/** Goes to the next finding, or to the one before; from the last to the first. */
function toFinding(view: EditorView, forward: boolean): boolean {
  const starts: number[] = [];
  view.state.field(marksOfFindings).between(0, view.state.doc.length, (from) => {
    starts.push(from);
  });
  const at = view.state.selection.main.head;
  const next = forward
    ? (starts.find((one) => one > at) ?? starts[0])
    : (starts.findLast((one) => one < at) ?? starts.at(-1));
  if (next === undefined) return false;
  view.dispatch({ selection: { anchor: next }, effects: EditorView.scrollIntoView(next, { y: 'center' }) });
  return true;
}

/** A line whose words are statements, in which completion begins by itself. */
const STATED = /^\s*(?:\||[-*+]\s|\d+[.)]\s|#)/;
const WORD = /[\p{L}\p{N}_-]*$/u;

async function completed(context: CompletionContext, { complete }: EditorOptions): Promise<CompletionResult | null> {
  const { state, pos, explicit } = context;
  const line = state.doc.lineAt(pos);
  const before = line.text.slice(0, pos - line.from);
  if (!explicit && !(STATED.test(before) && /[\p{L}\p{N}_`.|{]$/u.test(before))) return null;
  const abort = new AbortController();
  context.addEventListener('abort', () => abort.abort());
  const offers = await complete(state.doc.toString(), placeOf(state.doc, pos), abort.signal);
  const [first] = offers;
  if (context.aborted || !first) return null;
  const from = offsetOf(state.doc, first.edit.span.start);
  const options = offers.map(({ label, kind, edit }): Completion => ({ label, detail: kind, apply: edit.text }));
  return { from, options, validFor: WORD };
}

/** Explains the statement under the pointer, until the text changes. */
function explained({ explain }: EditorOptions): Extension {
  const shown = async ({ state }: EditorView, pos: number): Promise<Tooltip | null> => {
    const text = await explain(state.doc.toString(), placeOf(state.doc, pos));
    return text === null ? null : { pos, above: true, create: () => ({ dom: explanationOf(text) }) };
  };
  return hoverTooltip(shown, { hideOnChange: true });
}

/** Headings, inline code, the keys of bullets and the bars of tables. */
const matches = new MatchDecorator({
  regexp: /^#{1,6} .*|^\s*(?:[-*+]|\d+[.)]) (?:[A-Z][^:`|]{0,60}:)?|`[^`]*`|\||<!--.*?-->/g,
  decoration: ([text]) =>
    Decoration.mark({
      class: text.startsWith('#')
        ? 'heading'
        : text.startsWith('`')
          ? 'code'
          : text === '|' || text.startsWith('<')
            ? 'soft'
            : 'key',
    }),
});

const SYNTAX = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = matches.createDeco(view);
    }

    update(update: ViewUpdate): void {
      this.decorations = matches.updateDeco(update, this.decorations);
    }
  },
  { decorations: ({ decorations }) => decorations },
);
