// Two versions of a text, side by side where there is room for two columns, else one under the other; unchanged parts are folded.
import { javascript } from '@codemirror/lang-javascript'
import { json } from '@codemirror/lang-json'
import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { pageNonce } from './code-editor.tsx'
import { codeTheme } from './code-theme.ts'

const narrow = window.matchMedia('(max-width: 639px)')
const fold = { margin: 3, minSize: 6 }

function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      narrow.addEventListener('change', onChange)
      return () => narrow.removeEventListener('change', onChange)
    },
    () => narrow.matches,
  )
}

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
  const isNarrow = useIsNarrow()
  useEffect(() => {
    const parent = place.current as HTMLElement
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
    const both = { original: before, mergeControls: false, collapseUnchanged: fold, gutter: true }
    const one = side(after, `${beforeLabel}, then ${afterLabel}`)
    const view = isNarrow
      ? new EditorView({ ...one, extensions: [...one.extensions, unifiedMergeView(both)], parent })
      : new MergeView({
          a: side(before, beforeLabel),
          b: side(after, afterLabel),
          parent,
          collapseUnchanged: fold,
          gutter: true,
        })
    return () => view.destroy()
  }, [before, after, language, beforeLabel, afterLabel, isNarrow])
  return (
    <div className="overflow-hidden rounded-md border border-line">
      <div className="grid border-b border-line bg-raised text-label font-medium text-muted sm:grid-cols-2">
        <span className="px-3 py-1">
          {beforeLabel}
          <span className="text-red sm:hidden"> − removed</span>
        </span>
        <span className="px-3 py-1 max-sm:border-t sm:border-l border-line">
          {afterLabel}
          <span className="text-green sm:hidden"> + added</span>
        </span>
      </div>
      <div ref={place} className="max-h-[60dvh] overflow-auto" />
    </div>
  )
}
