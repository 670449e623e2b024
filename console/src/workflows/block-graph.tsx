// The blocks of a workflow and the cables between them.
import '@xyflow/react/dist/base.css'
import { Link } from '@tanstack/react-router'
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
import {
  Braces,
  CalendarClock,
  ChevronsRight,
  Hand,
  Hourglass,
  ListOrdered,
  type LucideIcon,
  Maximize2,
  Merge,
  Minus,
  Pin,
  Plus,
  RotateCw,
  ShieldAlert,
  Split,
  Webhook,
  Workflow as WorkflowIcon,
} from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { ApplicationLogo } from '../applications/application-logo.tsx'
import type { FlowBadge } from '../definition/flow.ts'
import { lookOf } from '../runs/run-status.tsx'
import { IconButton } from '../ui/button.tsx'
import { Mark } from '../ui/chip.tsx'
import { classNames } from '../ui/class-names.ts'
import { counted } from '../ui/counted.ts'
import { durationText } from '../ui/time.tsx'
import { blockHeight, blockWidth, layOut, type Placed } from './graph-layout.ts'
import type { Trigger } from './trigger.ts'

export type GraphBlock = {
  uniqueBlockId: string
  blockName: string
  no: number
  applicationShortName: string | null
  dataSources: readonly string[]
  status?: string | undefined
  durationMs?: number | undefined
  isChanged?: boolean
  /** What it gave in its sample or in the last run; undefined while that is not known. */
  itemsOut?: number | undefined
  isPinned?: boolean
  badges?: readonly FlowBadge[]
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
  /** What starts the workflow, drawn before its first blocks. */
  trigger?: Trigger | undefined
}

const triggerId = 'trigger'
const nodeTypes = { block: BlockNode, trigger: TriggerNode }

export function BlockGraph(props: GraphProps) {
  return (
    <ReactFlowProvider>
      <Graph {...props} />
    </ReactFlowProvider>
  )
}

function Graph({ label, blocks, selectedId, onSelect, onConnect, onDisconnect, corner, trigger }: GraphProps) {
  const structure = JSON.stringify([
    trigger !== undefined,
    blocks.map((block) => [block.uniqueBlockId, block.dataSources]),
  ])
  // biome-ignore lint/correctness/useExhaustiveDependencies: places depend on the structure alone, not on names and states.
  const places = useMemo(() => placesOf(blocks, trigger !== undefined), [structure])
  const blockNodes = useMemo(
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
  const nodes = useMemo(
    () => (trigger && blocks.length > 0 ? [triggerNode(trigger, places.get(triggerId)), ...blockNodes] : blockNodes),
    [trigger, places, blockNodes, blocks.length],
  )
  const edges = useMemo(
    () => blocks.flatMap((block) => cablesTo(block, blocks, { selectedId, hasTrigger: trigger !== undefined })),
    [blocks, selectedId, trigger],
  )
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

/** The trigger stands before every block that reads from no other. */
function placesOf(blocks: readonly GraphBlock[], hasTrigger: boolean): ReadonlyMap<string, Placed> {
  const nodes = blocks.map(({ uniqueBlockId: id, dataSources }) => ({
    id,
    sources: hasTrigger && dataSources.length === 0 ? [triggerId] : dataSources,
  }))
  const all = hasTrigger ? [{ id: triggerId, sources: [] }, ...nodes] : nodes
  return new Map(layOut(all).map((place) => [place.id, place]))
}

function triggerNode(trigger: Trigger, place: Placed | undefined): Node {
  return {
    id: triggerId,
    type: 'trigger',
    position: { x: place?.x ?? 0, y: place?.y ?? 0 },
    width: blockWidth,
    height: blockHeight,
    data: trigger,
  }
}

type Around = { selectedId: string | undefined; hasTrigger: boolean }

function cablesTo(block: GraphBlock, blocks: readonly GraphBlock[], { selectedId, hasTrigger }: Around): Edge[] {
  const byId = new Map(blocks.map((known) => [known.uniqueBlockId, known]))
  if (block.dataSources.length === 0 && hasTrigger) {
    const style = { stroke: 'var(--control)', strokeWidth: 1.5, strokeDasharray: '4 4' }
    return [
      {
        id: `${triggerId}>${block.uniqueBlockId}`,
        source: triggerId,
        target: block.uniqueBlockId,
        style,
        deletable: false,
      },
    ]
  }
  return block.dataSources.flatMap((id) => {
    const source = byId.get(id)
    if (!source) return []
    const isNear = id === selectedId || block.uniqueBlockId === selectedId
    const count = source.itemsOut === undefined ? undefined : counted(source.itemsOut, 'item')
    return [
      {
        id: `${id}>${block.uniqueBlockId}`,
        source: id,
        target: block.uniqueBlockId,
        ariaLabel: `${source.blockName} to ${block.blockName}${count ? `, ${count}` : ''}`,
        ...(source.itemsOut === undefined ? {} : { label: source.itemsOut.toLocaleString() }),
        labelShowBg: true,
        labelBgPadding: [4, 1] as [number, number],
        labelBgBorderRadius: 4,
        labelBgStyle: { fill: 'var(--ground)' },
        labelStyle: { fill: 'var(--muted)', fontSize: 11, fontVariantNumeric: 'tabular-nums' },
        animated: block.status === 'Processing',
        style: { stroke: isNear ? 'var(--accent-fill)' : 'var(--control)', strokeWidth: isNear ? 2 : 1.5 },
      },
    ]
  })
}

function TriggerNode({ data }: NodeProps<Node<Trigger>>) {
  const Icon = triggerIcons[data.kind]
  return (
    <>
      <Link
        to="."
        search={{ tab: data.tab }}
        className="nodrag flex h-15 w-48 items-center gap-2.5 rounded-full border border-dashed border-line-strong bg-ground px-4 hover:border-control"
      >
        <Icon size={18} strokeWidth={1.75} aria-hidden className="shrink-0 text-muted" />
        <span className="min-w-0 flex-1">
          <span className="block truncate text-table font-medium" title={data.title}>
            {data.title}
          </span>
          <span className="block truncate text-label text-muted">{data.detail}</span>
        </span>
      </Link>
      <Handle type="source" position={Position.Right} isConnectable={false} className={jack} />
    </>
  )
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
            {block.badges?.map(({ kind, words }) => (
              <Badge key={kind} kind={kind} words={words} />
            ))}
            {block.isPinned && <Pin size={12} aria-label="Its sample is pinned" className="shrink-0 text-accent" />}
            {block.isChanged && <span className="ml-auto font-medium text-amber">Changed</span>}
          </span>
        </span>
      </button>
      <Handle type="source" position={Position.Right} className={jack} />
    </>
  )
}

function Badge({ kind, words }: FlowBadge) {
  const Icon = badgeIcons[kind]
  return (
    <span title={words} className="shrink-0 text-muted">
      <Icon size={12} strokeWidth={2} aria-label={words} role="img" />
    </span>
  )
}

const badgeIcons: Record<FlowBadge['kind'], LucideIcon> = {
  condition: Split,
  join: Merge,
  handler: ShieldAlert,
  items: ListOrdered,
  subWorkflow: WorkflowIcon,
  wait: Hourglass,
  retry: RotateCw,
  continue: ChevronsRight,
}
const triggerIcons = { schedule: CalendarClock, webhook: Webhook, hand: Hand }
const jack = '!size-2.5 !rounded-full !border-2 !border-panel !bg-control'
