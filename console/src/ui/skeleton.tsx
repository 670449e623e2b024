/** Holds the place of text that is on its way, at its size, so that nothing jumps. */
export function Skeleton({ width = '60%', height = 12 }: { width?: number | string; height?: number }) {
  return <span className="skeleton block" style={{ width, height }} aria-hidden />
}

export function SkeletonLines({ count = 3 }: { count?: number }) {
  return (
    <div className="flex flex-col gap-2.5" aria-hidden>
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are alike and never change places.
        <Skeleton key={index} width={`${90 - ((index * 17) % 40)}%`} />
      ))}
    </div>
  )
}
