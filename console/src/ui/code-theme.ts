import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** The editor in the colours of the console, in both themes: all of them are variables. */
export const codeTheme = [
  EditorView.theme({
    '&': { backgroundColor: 'transparent', color: 'var(--text)', fontSize: '12.5px', height: '100%' },
    '&.cm-focused': { outline: 'none' },
    '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '20px', fontVariantLigatures: 'none' },
    '.cm-content': { caretColor: 'var(--accent)', padding: '8px 0' },
    '.cm-cursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
    // Opaque: a long line scrolls under it.
    '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--faint)', border: 'none' },
    '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 12px', minWidth: '36px' },
    '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--raised) 70%, transparent)' },
    '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
      backgroundColor: 'color-mix(in srgb, var(--accent-fill) 24%, transparent) !important',
    },
    '.cm-tooltip': {
      backgroundColor: 'var(--panel)',
      border: '1px solid var(--line-strong)',
      borderRadius: '6px',
      boxShadow: 'var(--shadow)',
      color: 'var(--text)',
    },
    '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono)', fontSize: '12px' },
    '.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px !important' },
    '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
      backgroundColor: 'var(--accent-soft)',
      color: 'var(--text)',
    },
    '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal' },
    '.cm-completionInfo': { padding: '8px 10px', maxWidth: '320px', fontFamily: 'var(--font-sans)', fontSize: '12px' },
    '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--accent)', fontWeight: '600' },
    '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)' },
    '.cm-textfield': { backgroundColor: 'var(--panel)', border: '1px solid var(--control)', borderRadius: '4px' },
    '.cm-button': {
      backgroundImage: 'none',
      backgroundColor: 'var(--panel)',
      border: '1px solid var(--line-strong)',
      borderRadius: '4px',
    },
    '.cm-diagnostic-error': { borderLeftColor: 'var(--red)' },
    '.cm-changedLine': { backgroundColor: 'var(--amber-soft) !important' },
    '.cm-deletedChunk': { backgroundColor: 'var(--red-soft)' },
    '.cm-insertedLine': { backgroundColor: 'var(--green-soft)' },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: [tags.keyword, tags.controlKeyword, tags.operatorKeyword], color: 'var(--magenta)' },
      { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--green)' },
      { tag: [tags.number, tags.bool, tags.null], color: 'var(--blue)' },
      { tag: [tags.comment], color: 'var(--faint)', fontStyle: 'italic' },
      { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'var(--accent)' },
      { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--text)' },
      { tag: [tags.invalid], color: 'var(--red)' },
    ]),
  ),
]
