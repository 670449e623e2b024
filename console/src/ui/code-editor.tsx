// An editor for scripts and JSON. What completes and what is wrong comes from outside.
import {
  autocompletion,
  type CompletionSource,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { javascript } from '@codemirror/lang-javascript'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { bracketMatching, indentOnInput, syntaxTree } from '@codemirror/language'
import { type Diagnostic, linter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { Annotation, Compartment, EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { codeTheme } from './code-theme.ts'

export type CodeEditorProps = {
  label: string
  language: 'javascript' | 'json'
  value: string
  onChange?: (value: string) => void
  /** Ctrl Enter. */
  onRun?: () => void
  isReadOnly?: boolean
  completions?: readonly CompletionSource[]
  extensions?: Extension
  /** Marks a place, for example where a script failed. Lines count from 1. */
  problem?: { line: number; column: number | null; message: string } | undefined
  /** Put in at the cursor whenever a new one comes. */
  insertion?: { text: string } | undefined
}

/** Set on changes that come from outside, so that they are not told to the outside again. */
const isFromOutside = Annotation.define<boolean>()

export function CodeEditor(props: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const latest = useRef(props)
  latest.current = props
  const readOnly = useRef(new Compartment())

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once; later values go to it by the effects below.
  useEffect(() => {
    const editor = new EditorView({
      parent: place.current as HTMLElement,
      state: EditorState.create({
        doc: props.value,
        extensions: [
          readOnly.current.of(EditorState.readOnly.of(props.isReadOnly === true)),
          keymap.of([{ key: 'Mod-Enter', run: () => runWith(latest.current) }]),
          basics(props.language),
          props.language === 'json' ? [json(), linter(jsonParseLinter())] : [javascript(), linter(syntaxProblems)],
          autocompletion(props.completions ? { override: [...props.completions], icons: false } : { icons: false }),
          props.extensions ?? [],
          EditorView.contentAttributes.of({ 'aria-label': props.label }),
          EditorView.updateListener.of((update) => {
            const isOwn = update.transactions.every((transaction) => transaction.annotation(isFromOutside) !== true)
            if (update.docChanged && isOwn) latest.current.onChange?.(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    return () => editor.destroy()
  }, [])

  useEffect(() => {
    const editor = view.current
    if (!editor || editor.state.doc.toString() === props.value) return
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: props.value },
      annotations: isFromOutside.of(true),
    })
  }, [props.value])

  useEffect(() => {
    view.current?.dispatch({
      effects: readOnly.current.reconfigure(EditorState.readOnly.of(props.isReadOnly === true)),
    })
  }, [props.isReadOnly])

  useEffect(() => {
    const editor = view.current
    if (editor)
      editor.dispatch(setDiagnostics(editor.state, props.problem ? [diagnosticOf(editor, props.problem)] : []))
  }, [props.problem])

  useEffect(() => {
    const editor = view.current
    if (!editor || !props.insertion) return
    editor.dispatch(editor.state.replaceSelection(props.insertion.text), { userEvent: 'input.paste' })
    editor.focus()
  }, [props.insertion])

  return <div ref={place} className="h-full min-h-0 overflow-hidden" />
}

function runWith({ onRun }: CodeEditorProps): boolean {
  onRun?.()
  return onRun !== undefined
}

function basics(language: CodeEditorProps['language']): Extension {
  return [
    EditorView.cspNonce.of(pageNonce()),
    typeOverSelection,
    lineNumbers(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    EditorState.tabSize.of(2),
    language === 'json' ? EditorView.lineWrapping : [],
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...completionKeymap,
      ...lintKeymap,
      indentWithTab,
    ]),
    codeTheme,
  ]
}

/** Over a selection a browser carries the styles of the removed text along, which the page's policy refuses: here the editor types itself. */
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType } = event as InputEvent
    const { main } = view.state.selection
    if (inputType !== 'insertText' || data === null || main.empty || view.composing || view.state.readOnly) return false
    event.preventDefault()
    const insert = () => view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type' })
    const isHandled = view.state
      .facet(EditorView.inputHandler)
      .some((handle) => handle(view, main.from, main.to, data, insert))
    if (!isHandled) view.dispatch(insert())
    return true
  },
})

/** The editor adds a style element; the page's policy lets it in by this value. */
export function pageNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
}

function syntaxProblems(view: EditorView): Diagnostic[] {
  const problems: Diagnostic[] = []
  syntaxTree(view.state).iterate({
    enter: (node) => {
      // A script is the body of a function, so `return` at its top level is right although the grammar of files knows none.
      if (node.type.isError && problems.length < 5) {
        const to = Math.max(node.to, Math.min(node.from + 1, view.state.doc.length))
        problems.push({ from: node.from, to, severity: 'error', message: 'Syntax error.' })
      }
    },
  })
  return problems
}

function diagnosticOf(view: EditorView, problem: NonNullable<CodeEditorProps['problem']>): Diagnostic {
  const line = view.state.doc.line(Math.max(1, Math.min(problem.line, view.state.doc.lines)))
  const from = Math.min(line.from + Math.max(0, (problem.column ?? 1) - 1), line.to)
  return { from, to: line.to, severity: 'error', message: problem.message }
}
