// The blocks of a workflow and the cables between them.
import '@xyflow/react/dist/base.css'
import {
  type Connection,
  type Edge,
  Panel as FlowPanel,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react'
import { Braces, Maximize2, Minus, Plus } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { ApplicationLogo } from '../applications/application-logo.tsx'
import { lookOf } from '../runs/run-status.tsx'
import { IconButton } from '../ui/button.tsx'
import { Mark } from '../ui/chip.tsx'
import { classNames } from '../ui/class-names.ts'
import { durationText } from '../ui/time.tsx'
import { blockHeight, blockWidth, layOut, type Placed } from './graph-layout.ts'

export type GraphBlock = {
  uniqueBlockId: string
  blockName: string
  no: number
  applicationShortName: string | null
  dataSources: readonly string[]
  status?: string | undefined
  durationMs?: number | undefined
  isChanged?: boolean
}

type BlockData = {
  block: GraphBlock
  isSelected: boolean
  onSelect: ((id: string) => void) | undefined
  [key: string]: unknown
}
type GraphProps = {
  label: string
  blocks: readonly GraphBlock[]
  selectedId?: string | undefined
  onSelect?: (id: string) => void
  /** Given when data sources may change: a cable was plugged in or pulled out. */
  onConnect?: (sourceId: string, targetId: string) => void
  onDisconnect?: (sourceId: string, targetId: string) => void
  corner?: ReactNode
}

const nodeTypes = { block: BlockNode }

export function BlockGraph(props: GraphProps) {
  return (
    <ReactFlowProvider>
      <Graph {...props} />
    </ReactFlowProvider>
  )
}

function Graph({ label, blocks, selectedId, onSelect, onConnect, onDisconnect, corner }: GraphProps) {
  const structure = JSON.stringify(blocks.map((block) => [block.uniqueBlockId, block.dataSources]))
  // biome-ignore lint/correctness/useExhaustiveDependencies: places depend on the structure alone, not on names and states.
  const places = useMemo(
    () =>
      new Map(
        layOut(blocks.map((block) => ({ id: block.uniqueBlockId, sources: block.dataSources }))).map((place) => [
          place.id,
          place,
        ]),
      ),
    [structure],
  )
  const nodes = useMemo(
    () =>
      blocks.map((block): Node<BlockData> => {
        const { x, y } = places.get(block.uniqueBlockId) ?? { x: 0, y: 0 }
        const data = { block, isSelected: block.uniqueBlockId === selectedId, onSelect }
        return {
          id: block.uniqueBlockId,
          type: 'block',
          position: { x, y },
          width: blockWidth,
          height: blockHeight,
          data,
        }
      }),
    [blocks, places, selectedId, onSelect],
  )
  const edges = useMemo(() => blocks.flatMap((block) => cablesTo(block, blocks, selectedId)), [blocks, selectedId])
  const flow = useReactFlow()
  const area = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: looks again whenever blocks came or went, another one was chosen, or the room changed.
  useEffect(() => {
    const element = area.current
    if (!element) return
    const observer = new ResizeObserver(() => void flow.setViewport(viewFor(element, [...places.values()], selectedId)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [structure, flow, selectedId])
  return (
    <ReactFlow
      ref={area}
      aria-label={label}
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      nodesDraggable={false}
      nodesFocusable={false}
      edgesFocusable={onDisconnect !== undefined}
      nodesConnectable={onConnect !== undefined}
      elementsSelectable={onDisconnect !== undefined}
      // Blocks that come and go while the graph is moved cost more than blocks that are drawn once.
      onlyRenderVisibleElements={blocks.length > 300}
      onConnect={(cable: Connection) => onConnect?.(cable.source, cable.target)}
      onEdgesDelete={(gone) => {
        for (const cable of gone) onDisconnect?.(cable.source, cable.target)
      }}
      deleteKeyCode={onDisconnect ? ['Backspace', 'Delete'] : null}
      minZoom={0.05}
      maxZoom={1.6}
      proOptions={{ hideAttribution: true }}
      panOnScroll
      className="bg-[radial-gradient(var(--line-strong)_1px,transparent_1px)] [background-size:20px_20px]"
    >
      {corner && <FlowPanel position="top-left">{corner}</FlowPanel>}
      <FlowPanel position="bottom-left" className="flex rounded-md border border-line bg-panel">
        <IconButton icon={Plus} label="Zoom in" onClick={() => void flow.zoomIn()} />
        <IconButton icon={Minus} label="Zoom out" onClick={() => void flow.zoomOut()} />
        <IconButton
          icon={Maximize2}
          label="Fit to view"
          onClick={() => void flow.fitView({ padding: 0.15, maxZoom: 1 })}
        />
      </FlowPanel>
    </ReactFlow>
  )
}

const margin = 40
/** Below this, names cannot be read: a graph that does not fit is shown around the chosen block instead. */
const zoomLeast = 0.72

function viewFor(element: HTMLElement, places: readonly Placed[], selectedId: string | undefined) {
  const width = Math.max(...places.map(({ x }) => x), 0) + blockWidth
  const height = Math.max(...places.map(({ y }) => y), 0) + blockHeight
  const { clientWidth, clientHeight } = element
  const fitting = Math.min((clientWidth - 2 * margin) / width, (clientHeight - 2 * margin) / height, 1)
  const zoom = Math.max(fitting, zoomLeast)
  const selected = places.find(({ id }) => id === selectedId)
  const place = (room: number, size: number, middle: number | undefined) => {
    if (size * zoom + 2 * margin <= room) return (room - size * zoom) / 2
    const wanted = middle === undefined ? margin : room / 2 - middle * zoom
    return Math.min(margin, Math.max(wanted, room - size * zoom - margin))
  }
  return {
    x: place(clientWidth, width, selected && selected.x + blockWidth / 2),
    y: place(clientHeight, height, selected && selected.y + blockHeight / 2),
    zoom,
  }
}

function cablesTo(block: GraphBlock, blocks: readonly GraphBlock[], selectedId: string | undefined): Edge[] {
  const known = new Set(blocks.map(({ uniqueBlockId }) => uniqueBlockId))
  return block.dataSources
    .filter((source) => known.has(source))
    .map((source) => {
      const isNear = source === selectedId || block.uniqueBlockId === selectedId
      return {
        id: `${source}>${block.uniqueBlockId}`,
        source,
        target: block.uniqueBlockId,
        animated: block.status === 'Processing',
        style: { stroke: isNear ? 'var(--accent-fill)' : 'var(--control)', strokeWidth: isNear ? 2 : 1.5 },
      }
    })
}

function BlockNode({ data }: NodeProps<Node<BlockData>>) {
  const { block, isSelected, onSelect } = data
  const look = block.status === undefined ? undefined : lookOf(block.status)
  return (
    <>
      <Handle type="target" position={Position.Left} className={jack} />
      <button
        type="button"
        aria-pressed={isSelected}
        onClick={() => onSelect?.(block.uniqueBlockId)}
        className={classNames(
          'nodrag flex h-15 w-48 items-center gap-2.5 rounded-lg border bg-panel px-3 text-left transition-colors duration-100',
          isSelected ? 'border-accent-fill ring-1 ring-accent-fill' : 'border-line-strong hover:border-control',
          block.status === 'Error' && !isSelected && 'border-red',
        )}
      >
        {block.applicationShortName ? (
          <ApplicationLogo shortName={block.applicationShortName} size={28} />
        ) : (
          <span className="flex size-7 shrink-0 items-center justify-center rounded-sm border border-line bg-raised text-muted">
            <Braces size={15} strokeWidth={1.75} aria-hidden />
          </span>
        )}
        <span className="min-w-0 flex-1">
          <span className="block truncate text-table font-medium" title={block.blockName}>
            {block.blockName}
          </span>
          <span className="flex items-center gap-1 text-label text-muted">
            {look && (
              <span className="flex items-center gap-1" style={{ color: `var(--${look.tone})` }}>
                <Mark shape={look.shape} size={11} />
                {block.status}
              </span>
            )}
            {block.durationMs !== undefined && !block.isChanged && (
              <span className="truncate tabular-nums">{durationText(block.durationMs)}</span>
            )}
            {!look && <span>Block {block.no}</span>}
            {block.isChanged && <span className="ml-auto font-medium text-amber">Changed</span>}
          </span>
        </span>
      </button>
      <Handle type="source" position={Position.Right} className={jack} />
    </>
  )
}

const jack = '!size-2.5 !rounded-full !border-2 !border-panel !bg-control'
