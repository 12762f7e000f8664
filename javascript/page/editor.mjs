// The editor of SQL: highlighting, completion of names, and a mark where an error is. It is in a shadow root, where
// CodeMirror's styles are style sheets of objects: the page's policy allows no style elements.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { SQLite, sql } from '@codemirror/lang-sql';
import { HighlightStyle, bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--field)', fontSize: '13px', height: '100%' },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-placeholder': { color: 'var(--dim)' },
  '.cm-gutters': { backgroundColor: 'var(--field)', color: 'var(--dim)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--line)' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-tooltip': { backgroundColor: 'var(--field)', color: 'var(--text)', border: '1px solid var(--border)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': { backgroundColor: 'var(--selection)' },
  '.error-mark': { textDecoration: 'underline wavy var(--error) 2px' },
});

const colors = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--keyword)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--number)' },
  { tag: tags.comment, color: 'var(--dim)', fontStyle: 'italic' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--number)' },
]);

const setError = StateEffect.define();

/** The marked error, until the text changes. */
const errors = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) if (effect.is(setError)) return effect.value;
    return transaction.docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export class Editor {
  #language = new Compartment();

  /** @param {HTMLElement} host @param {{ run: () => void }} actions */
  constructor(host, { run }) {
    const root = host.attachShadow({ mode: 'open' });
    const parent = document.createElement('div');
    parent.style.height = '100%';
    root.append(parent);
    this.view = new EditorView({
      root,
      parent,
      state: EditorState.create({
        extensions: [
          // Before the others: Enter with Control runs the statements. Escape, then Tab, leaves the editor.
          keymap.of([{ key: 'Mod-Enter', run: () => { run(); return true; } }]),
          lineNumbers(), history(), drawSelection(), bracketMatching(), closeBrackets(), autocompletion(), highlightActiveLine(), errors,
          keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
          this.#language.of(sql({ dialect: SQLite })),
          syntaxHighlighting(colors), theme, EditorView.lineWrapping, placeholder('SELECT …   (Ctrl+Enter runs it)'),
          EditorView.contentAttributes.of({ 'aria-label': 'SQL' }),
        ],
      }),
    });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  /** The selected text, or all. */
  get chosen() {
    const { from, to } = this.view.state.selection.main;
    return from === to ? { text: this.text, start: 0 } : { text: this.view.state.sliceDoc(from, to), start: from };
  }

  /** The names that are completed. */
  set schema({ tables }) {
    const names = Object.fromEntries(tables.map(({ name, columns }) => [name, columns.map((column) => column.name)]));
    this.view.dispatch({ effects: this.#language.reconfigure(sql({ dialect: SQLite, schema: names, upperCaseKeywords: true })) });
  }

  /** Marks the word at a position. */
  showError(position) {
    const { length } = this.view.state.doc;
    const from = Math.min(position, Math.max(0, length - 1));
    const word = /^[\w$.]+|^[^\n]?/.exec(this.view.state.sliceDoc(from, length))?.[0] ?? '';
    const to = Math.min(length, from + Math.max(1, word.length));
    if (to > from) this.view.dispatch({ effects: setError.of(Decoration.set([Decoration.mark({ class: 'error-mark' }).range(from, to)])), selection: { anchor: from } });
  }

  focus() {
    this.view.focus();
  }
}
