// The editor for block scripts: completion and hover for everything a script sees, from `sdk/script-api.d.ts` and the function library.

import { scriptNames } from 'virtual:script-api'
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { hoverTooltip } from '@codemirror/view'
import { useMemo, useRef } from 'react'
import { type Answer, useOperation } from '../api.ts'
import { CodeEditor, type CodeEditorProps } from '../ui/code-editor.tsx'
import { fieldsOf, namesIn, previewOf, type SampleRoots, valueAt } from './sample-paths.ts'

type Known = { name: string; kind: string; signature: string; description: string }
type Surroundings = {
  variables: readonly string[]
  applications: readonly string[]
  /** Values that the script's names hold in a test: Datasource, webhook, item. */
  samples: SampleRoots
}

export function ScriptEditor({
  surroundings,
  ...editor
}: Omit<CodeEditorProps, 'label' | 'language' | 'completions' | 'extensions'> & { surroundings: Surroundings }) {
  const functions = useOperation('GetFunctions', {}, { staleTime: Number.POSITIVE_INFINITY }).data
  const known = useRef<readonly Known[]>([])
  known.current = useMemo(() => namesFor(functions ?? [], surroundings), [functions, surroundings])
  const around = useRef(surroundings)
  around.current = surroundings
  const [completions, extensions] = useMemo(
    () => [
      [(context: CompletionContext) => complete(context, known.current, around.current)],
      hoverTooltip((view, position) => {
        const line = view.state.doc.lineAt(position)
        const found = wordAt(line.text, position - line.from)
        const entry =
          known.current.find(({ name }) => name === found?.word) ??
          sampleEntry(view.state.doc.toString(), found?.word, around.current.samples)
        if (!found || !entry) return null
        return {
          pos: line.from + found.from,
          end: line.from + found.to,
          above: true,
          create: () => ({ dom: explain(entry) }),
        }
      }),
    ],
    [],
  )
  return (
    <CodeEditor {...editor} label="Script" language="javascript" completions={completions} extensions={extensions} />
  )
}

function namesFor(functions: Answer<'GetFunctions'>, { variables }: Surroundings): Known[] {
  return [
    ...scriptNames,
    ...functions.map((item) => ({
      name: `fx.${item.name}`,
      kind: 'function',
      signature: `${item.name}(${Object.keys(item.arguments).join(', ')})`,
      description: item.description,
    })),
    ...variables.map((name) => ({
      name: `variables.${name}`,
      kind: 'variable',
      signature: name,
      description: 'Variable of this block.',
    })),
  ]
}

function complete(context: CompletionContext, known: readonly Known[], around: Surroundings): CompletionResult | null {
  const address = context.matchBefore(/api\.(get|post|send)\(\s*['"`][\w-]*$/)
  if (address) {
    const from =
      Math.max(address.text.lastIndexOf("'"), address.text.lastIndexOf('"'), address.text.lastIndexOf('`')) + 1
    return {
      from: address.from + from,
      options: around.applications.map((shortName) => ({ label: shortName, detail: 'connected application' })),
    }
  }
  const field = completeField(context, around.samples)
  if (field) return field
  const typed = context.matchBefore(/[\w$]+(\.[\w$]*)*$/)
  if (!typed || (typed.text.length < 1 && !context.explicit)) return null
  const dot = typed.text.lastIndexOf('.')
  const parent = dot < 0 ? '' : typed.text.slice(0, dot)
  const options = known
    .filter(({ name }) =>
      parent === ''
        ? !name.includes('.')
        : name.startsWith(`${parent}.`) && !name.slice(parent.length + 1).includes('.'),
    )
    .map(
      (entry): Completion => ({
        label: entry.name.slice(parent === '' ? 0 : parent.length + 1),
        type: entry.kind,
        detail: entry.kind === 'function' ? entry.signature.slice(entry.name.split('.').at(-1)?.length ?? 0, 60) : '',
        info: () => explain(entry),
      }),
    )
  return options.length === 0 ? null : { from: typed.from + dot + 1, options }
}

/** After `order.`: the fields that the sample has there. */
function completeField(context: CompletionContext, samples: SampleRoots): CompletionResult | null {
  const typed = context.matchBefore(/[A-Za-z_$][\w$]*(\??\.[A-Za-z_$][\w$]*|\[\d+\])*\??\.[\w$]*$/)
  if (!typed) return null
  const dot = typed.text.lastIndexOf('.')
  const roots = namesIn(context.state.doc.toString(), samples)
  const fields = fieldsOf(valueAt(roots, typed.text.slice(0, dot).replace(/\?$/, '')))
  if (fields.length === 0) return null
  return {
    from: typed.from + dot + 1,
    options: fields.map(({ name, preview }) => ({ label: name, type: 'property', detail: preview })),
  }
}

/** What a name held in the sample, for the hand that rests on it. */
function sampleEntry(script: string, word: string | undefined, samples: SampleRoots): Known | undefined {
  const value = word === undefined ? undefined : valueAt(namesIn(script, samples), word)
  if (word === undefined || value === undefined) return undefined
  return { name: word, kind: 'variable', signature: word, description: `In the sample: ${previewOf(value)}` }
}

/** The dotted name around a place of a line. */
function wordAt(text: string, at: number): { word: string; from: number; to: number } | undefined {
  for (const match of text.matchAll(/[\w$]+(?:\.[\w$]+)*/g)) {
    const [from, to] = [match.index, match.index + match[0].length]
    if (from <= at && at <= to) {
      // Of `api.get` the hand may lie on either part.
      const end = text.slice(from, to).indexOf('.', at - from)
      return { word: end < 0 ? match[0] : match[0].slice(0, end), from, to: end < 0 ? to : from + end }
    }
  }
  return undefined
}

function explain({ signature, description }: Known): HTMLElement {
  const box = document.createElement('div')
  box.className = 'max-w-90 px-2.5 py-2'
  const code = document.createElement('code')
  code.className = 'block font-mono text-label [overflow-wrap:anywhere] text-accent'
  code.textContent = signature
  const text = document.createElement('p')
  text.className = 'mt-1 text-label text-muted'
  text.textContent = description
  box.append(code, text)
  return box
}
