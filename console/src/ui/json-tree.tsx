// JSON as a tree that opens where one looks. Only what is open is in the page, and long lists come in pieces, so that megabytes stay usable.

import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { classNames } from './class-names.ts'
import { Copy } from './copy.tsx'
import { counted } from './counted.ts'
import { stepText } from './step-text.ts'

const piece = 100
const textMax = 400
/** Members of a longer list come closed, each as one line: a page of them is read faster, and drawn faster. */
const openListMax = 40

/** For what was searched for: all of it is shown open. */
export const everyDepth = Number.POSITIVE_INFINITY

type TreeProps = {
  value: unknown
  label: string
  openDepth?: number
  /** Makes every name a button that gives the way to its value, such as `[0].customer.name`. */
  onPick?: (way: string) => void
}

export function JsonTree({ value, label, openDepth = 2, onPick }: TreeProps) {
  return (
    <figure aria-label={label} className="group/tree relative min-w-0 font-mono text-label leading-6">
      <div className="absolute top-0 right-0 opacity-0 group-hover/tree:opacity-100 focus-within:opacity-100">
        <Copy text={() => JSON.stringify(value, null, 2) ?? 'null'} label={`Copy ${label}`}>
          Copy
        </Copy>
      </div>
      <Node value={value} depth={0} openDepth={openDepth} way="" onPick={onPick} />
    </figure>
  )
}

type NodeProps = {
  name?: string
  value: unknown
  depth: number
  openDepth: number
  way: string
  onPick: TreeProps['onPick']
}

function Node(props: NodeProps) {
  const { name, value, way, onPick } = props
  if (value !== null && typeof value === 'object' && sizeOf(value) > 0) return <Branch {...props} />
  return (
    <div className="pl-4 [overflow-wrap:anywhere]">
      {name !== undefined && <Name name={name} way={way} onPick={onPick} />}
      {value !== null && typeof value === 'object' ? (
        <span className="text-muted">{Array.isArray(value) ? '[]' : '{}'}</span>
      ) : (
        <Scalar value={value} />
      )}
    </div>
  )
}

/** A list or an object with members, which opens and closes. */
function Branch(props: NodeProps) {
  const { name, value, depth, openDepth, way, onPick } = props
  const [isOpen, setIsOpen] = useState(depth < openDepth)
  const isList = Array.isArray(value)
  const count = sizeOf(value as object)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const key = name !== undefined && <Name name={name} way={way} onPick={onPick} />
  const inside = (
    <>
      <span className="ml-1 min-w-0 truncate text-muted">
        {isOpen ? open : `${open} ${isList ? counted(count, 'item') : previewOf(value as object)} ${close}`}
      </span>
      {isOpen && isList && <span className="ml-1.5 text-faint">{count}</span>}
    </>
  )
  return (
    <div>
      <div className="flex max-w-full items-center">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={onPick && name !== undefined ? `${isOpen ? 'Close' : 'Open'} ${name}` : undefined}
          onClick={() => setIsOpen(!isOpen)}
          className="flex min-w-0 items-center rounded-sm text-left hover:bg-raised"
        >
          <ChevronRight
            size={13}
            aria-hidden
            className={classNames('mr-0.5 shrink-0 text-faint', isOpen && 'rotate-90')}
          />
          {!onPick && key}
          {!onPick && inside}
        </button>
        {onPick && key}
        {onPick && inside}
      </div>
      {isOpen && (
        <>
          <Members {...props} />
          <div className="pl-4 text-muted">{close}</div>
        </>
      )}
    </div>
  )
}

function Members({ value, depth, openDepth, way, onPick }: NodeProps) {
  const [shown, setShown] = useState(piece)
  const isList = Array.isArray(value)
  const names = isList ? undefined : Object.keys(value as object)
  const count = names?.length ?? (value as unknown[]).length
  return (
    <div className="ml-1.5 border-l border-line pl-2">
      {Array.from({ length: Math.min(shown, count) }, (_, index) => {
        const child = names?.[index] ?? String(index)
        return (
          <Node
            key={child}
            name={child}
            value={(value as Record<string, unknown>)[child]}
            depth={depth + 1}
            openDepth={count > openListMax && openDepth !== everyDepth ? depth + 1 : openDepth}
            way={way + stepText(child, isList)}
            onPick={onPick}
          />
        )
      })}
      {count > shown && (
        <button
          type="button"
          onClick={() => setShown(shown + piece * 5)}
          className="my-1 ml-4 rounded-sm font-sans text-label font-medium text-accent hover:underline"
        >
          Show {Math.min(piece * 5, count - shown)} more of {count}
        </button>
      )}
    </div>
  )
}

function Name({ name, way, onPick }: Pick<NodeProps, 'way' | 'onPick'> & { name: string }) {
  if (!onPick) return <span className="shrink-0 text-accent">{name}: </span>
  return (
    <button
      type="button"
      title="Insert into the script"
      draggable
      onDragStart={(event) => event.dataTransfer.setData('text/plain', way)}
      onClick={() => onPick(way)}
      className="mr-1 shrink-0 rounded-sm text-accent hover:underline"
    >
      {name}:
    </button>
  )
}

function sizeOf(value: object): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length
}

function Scalar({ value }: { value: unknown }) {
  const [isWhole, setIsWhole] = useState(false)
  if (typeof value === 'string') {
    const isCut = value.length > textMax && !isWhole
    return (
      <span className="text-green">
        &quot;{isCut ? value.slice(0, textMax) : value}&quot;
        {isCut && (
          <button type="button" onClick={() => setIsWhole(true)} className="ml-1 font-sans text-accent hover:underline">
            … {value.length - textMax} more characters
          </button>
        )}
      </span>
    )
  }
  if (typeof value === 'number') return <span className="text-blue">{value}</span>
  if (typeof value === 'boolean') return <span className="text-magenta">{String(value)}</span>
  return <span className="text-muted">null</span>
}

/** The first members with their values, cut to what a line holds. */
function previewOf(value: object): string {
  const names = Object.keys(value)
  const shown = names.slice(0, 4).map((name) => `${name}: ${shortText((value as Record<string, unknown>)[name])}`)
  return shown.join(', ') + (names.length > 4 ? ', …' : '')
}

function shortText(value: unknown): string {
  if (typeof value === 'string') return value.length > 24 ? `"${value.slice(0, 24)}…"` : `"${value}"`
  if (Array.isArray(value)) return value.length === 0 ? '[]' : '[…]'
  if (typeof value === 'object' && value !== null) return '{…}'
  return String(value)
}
