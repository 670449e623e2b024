// The last runs of a workflow as bars: height is duration, colour and shape of the cap are the outcome. Read when it scrolls into view.
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useOperation } from '../api.ts'
import { lookOf } from './run-status.tsx'

const shown = 20
const height = 18

export function RunSpark({ workflowId, lastRunNumber }: { workflowId: string; lastRunNumber: number | null }) {
  const place = useRef<HTMLSpanElement>(null)
  const [isSeen, setIsSeen] = useState(false)
  useEffect(() => {
    const element = place.current
    if (!element) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setIsSeen(true))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const { data } = useOperation(
    'GetRunHistory',
    { params: { workflowId }, body: { page: 0, size: shown } },
    { enabled: isSeen && lastRunNumber !== null, staleTime: 20_000 },
  )
  const runs = data?.items.toReversed() ?? []
  const longest = Math.max(1, ...runs.map((run) => run.durationInMilliSec))
  const failed = runs.filter((run) => run.status === 'Error').length
  const label =
    runs.length === 0 ? 'No runs yet' : `Last ${runs.length} runs, ${failed === 0 ? 'none failed' : `${failed} failed`}`
  return (
    <span ref={place} className="inline-block h-[18px] w-[104px]">
      {lastRunNumber !== null && (
        <Link to="/workflows/$id" params={{ id: workflowId }} search={{ tab: 'runs' }} title={label}>
          <svg width={104} height={height} role="img" aria-label={label}>
            {runs.map((run, index) => {
              const tall = 3 + (height - 3) * Math.sqrt(run.durationInMilliSec / longest)
              return (
                <rect
                  key={run.lockVersionNumber}
                  x={index * 5.2}
                  y={height - tall}
                  width={3.6}
                  height={tall}
                  rx={1}
                  fill={`var(--${lookOf(run.status).tone})`}
                  opacity={run.status === 'Error' ? 1 : 0.6}
                />
              )
            })}
          </svg>
        </Link>
      )}
    </span>
  )
}
