// Counts over time as stacked bars.
import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'

type Series = { name: string; color: string }

export function StackedBars({
  label,
  times,
  values,
  series,
  height,
}: {
  label: string
  /** Seconds since the epoch. */
  times: readonly number[]
  /** One row per series, in the order of `series`, from the bottom up. */
  values: readonly (readonly number[])[]
  series: readonly Series[]
  height: number
}) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (!element || times.length === 0) return
    const make = () =>
      new uPlot(optionsFor(element, { series, height, values, times }), stacked(times, values), element)
    let chart = make()
    const remake = () => {
      chart.destroy()
      chart = make()
    }
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    // Canvas knows no variables: another theme means another drawing.
    const themes = new MutationObserver(remake)
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    const media = window.matchMedia('(prefers-color-scheme: dark)')
    media.addEventListener('change', remake)
    return () => {
      observer.disconnect()
      themes.disconnect()
      media.removeEventListener('change', remake)
      chart.destroy()
    }
  }, [times, values, series, height])
  return <div ref={place} role="img" aria-label={label} style={{ height }} className="w-full min-w-0 overflow-hidden" />
}

/** The topmost series first, each with the sum of those below it, so that later ones are drawn over it. */
function stacked(times: readonly number[], values: readonly (readonly number[])[]): uPlot.AlignedData {
  const sums = values.map((_, index) =>
    times.map((_time, at) => values.slice(0, index + 1).reduce((sum, row) => sum + (row[at] ?? 0), 0)),
  )
  return [times as number[], ...sums.toReversed()]
}

type Chart = {
  series: readonly Series[]
  height: number
  values: readonly (readonly number[])[]
  times: readonly number[]
}

function optionsFor(element: HTMLElement, { series, height, values, times }: Chart): uPlot.Options {
  const half = times.length > 1 ? ((times[1] as number) - (times[0] as number)) / 2 : 1
  const muted = resolve(element, '--muted')
  const line = resolve(element, '--line')
  const bars = uPlot.paths.bars?.({ size: [0.72, 28], radius: 0.12 })
  const axis = { stroke: muted, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: '11px Inter' }
  return {
    width: element.clientWidth,
    height,
    // Room at the right for the half of the last label that stands over the edge.
    padding: [8, 14, 0, 0],
    legend: { show: false },
    cursor: { points: { show: false }, drag: { x: false, y: false } },
    // Half a bar of room at either end: otherwise the first and the last are cut in two.
    scales: {
      x: { range: (_chart, low, high) => [low - half, high + half] },
      y: { range: (_chart, _low, high) => [0, Math.max(high * 1.08, 4)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 26,
        values: (_chart, ticks) => ticks.map((tick) => clock.format(tick * 1000)),
      },
      {
        ...axis,
        size: 40,
        values: (_chart, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? tick.toLocaleString('en') : '')),
      },
    ],
    series: [
      {},
      ...series.toReversed().map(({ name, color }) => ({
        label: name,
        fill: resolve(element, color),
        width: 0,
        points: { show: false },
        ...(bars ? { paths: bars } : {}),
      })),
    ],
    hooks: {
      setCursor: [
        (chart) => {
          const at = chart.cursor.idx
          const time = at === null || at === undefined ? undefined : chart.data[0][at]
          element.title =
            time === undefined
              ? ''
              : `${day.format(time * 1000)}: ${series.map(({ name }, index) => `${values[index]?.[at as number] ?? 0} ${name}`).join(', ')}`
        },
      ],
    },
  }
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** A variable as a colour that canvas takes. */
function resolve(element: HTMLElement, name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
