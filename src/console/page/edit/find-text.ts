import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, keymap, type Panel, showPanel } from '@codemirror/view';

/** A text to find, whatever the case of its letters, and where it is. */
interface Search {
  readonly isOpen: boolean;
  readonly text: string;
  /** The offsets at which the text begins. */
  readonly starts: readonly number[];
}

const changed = StateEffect.define<Partial<Pick<Search, 'isOpen' | 'text'>>>();

const search: StateField<Search> = StateField.define<Search>({
  create: () => ({ isOpen: false, text: '', starts: [] }),
  update: (before, { docChanged, effects, newDoc }) => {
    const change = effects.find((effect) => effect.is(changed))?.value;
    const now = change ? { ...before, ...change } : before;
    if (now === before && !(docChanged && before.isOpen)) return before;
    return { ...now, starts: now.isOpen ? startsOf(newDoc.toString(), now.text) : [] };
  },
  provide: (field) => [
    showPanel.from(field, ({ isOpen }) => (isOpen ? panelOf : null)),
    EditorView.decorations.compute([field, 'selection'], (state) => marksIn(state)),
  ],
});

/**
 * Finds a text in the whole document: only the lines in view are elements of the page, so that the search of the browser
 * finds no others.
 */
export const FIND_TEXT: Extension = [
  search,
  keymap.of([
    { key: 'Mod-f', run: open, preventDefault: true },
    { key: 'Mod-g', run: (view) => toMatch(view, true), shift: (view) => toMatch(view, false), preventDefault: true },
  ]),
];

function startsOf(doc: string, text: string): number[] {
  if (text === '') return [];
  const pattern = new RegExp(text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'gi');
  return Array.from(doc.matchAll(pattern), ({ index }) => index);
}

/** Beyond so many matches, only the one that is selected is marked. */
const MOST_MARKED = 2000;

function marksIn(state: EditorState): DecorationSet {
  const { starts, text } = state.field(search);
  const { from } = state.selection.main;
  const marked = starts.length > MOST_MARKED ? starts.filter((one) => one === from) : starts;
  return Decoration.set(
    marked.map((start) =>
      Decoration.mark({ class: start === from ? 'found here' : 'found' }).range(start, start + text.length),
    ),
  );
}

function open(view: EditorView): boolean {
  const { from, to } = view.state.selection.main;
  const selected = view.state.sliceDoc(from, to);
  const text = selected === '' || selected.includes('\n') ? view.state.field(search).text : selected;
  view.dispatch({ effects: changed.of({ isOpen: true, text }) });
  const field = view.dom.querySelector<HTMLInputElement>('.find input');
  if (field) field.value = text;
  field?.focus();
  field?.select();
  return true;
}

/** Selects the next match, or the one before; from the last to the first. */
function toMatch(view: EditorView, isForward: boolean, isNew = false): boolean {
  const { starts, text } = view.state.field(search);
  const { from } = view.state.selection.main;
  const next = isForward
    ? (starts.find((one) => (isNew ? one >= from : one > from)) ?? starts[0])
    : (starts.findLast((one) => one < from) ?? starts.at(-1));
  if (next === undefined) return false;
  view.dispatch({
    selection: { anchor: next, head: next + text.length },
    effects: EditorView.scrollIntoView(next, { y: 'center' }),
  });
  return true;
}

function panelOf(view: EditorView): Panel {
  const dom = document.createElement('div');
  dom.className = 'find';
  dom.setAttribute('role', 'search');
  const field = document.createElement('input');
  field.type = 'text';
  field.value = view.state.field(search).text;
  field.setAttribute('aria-label', 'Find in the document');
  const count = document.createElement('span');
  count.setAttribute('role', 'status');
  dom.append(field, count);
  field.addEventListener('input', () => {
    view.dispatch({ effects: changed.of({ text: field.value }) });
    toMatch(view, true, true);
  });
  dom.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') toMatch(view, !event.shiftKey);
    else if (event.key === 'Escape') {
      view.dispatch({ effects: changed.of({ isOpen: false }) });
      view.focus();
    } else return;
    event.preventDefault();
  });
  const show = (): void => {
    count.textContent = countOf(view.state);
  };
  show();
  return { dom, top: true, update: show };
}

/** The number of matches, and of the one that is selected. */
function countOf(state: EditorState): string {
  const { starts, text } = state.field(search);
  if (text === '') return 'Enter: next · Shift-Enter: the one before · Escape: close';
  const here = starts.indexOf(state.selection.main.from);
  return here < 0 ? `${starts.length} found` : `${here + 1} of ${starts.length}`;
}
