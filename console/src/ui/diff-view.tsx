// Two versions of a text side by side; unchanged parts are folded.
import { javascript } from '@codemirror/lang-javascript'
import { json } from '@codemirror/lang-json'
import { MergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { pageNonce } from './code-editor.tsx'
import { codeTheme } from './code-theme.ts'

export function DiffView({
  before,
  after,
  language,
  labels,
}: {
  before: string
  after: string
  language: 'javascript' | 'json'
  labels: [string, string]
}) {
  const place = useRef<HTMLDivElement>(null)
  const [beforeLabel, afterLabel] = labels
  useEffect(() => {
    const side = (doc: string, label: string) => ({
      doc,
      extensions: [
        EditorView.cspNonce.of(pageNonce()),
        lineNumbers(),
        EditorState.readOnly.of(true),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        language === 'json' ? json() : javascript(),
        codeTheme,
      ],
    })
    const view = new MergeView({
      a: side(before, beforeLabel),
      b: side(after, afterLabel),
      parent: place.current as HTMLElement,
      collapseUnchanged: { margin: 3, minSize: 6 },
      gutter: true,
    })
    return () => view.destroy()
  }, [before, after, language, beforeLabel, afterLabel])
  return (
    <div className="overflow-hidden rounded-md border border-line">
      <div className="grid grid-cols-2 border-b border-line bg-raised text-label font-medium text-muted">
        <span className="px-3 py-1">{beforeLabel}</span>
        <span className="border-l border-line px-3 py-1">{afterLabel}</span>
      </div>
      <div ref={place} className="max-h-[60dvh] overflow-auto" />
    </div>
  )
}
