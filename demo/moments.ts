// When things happened in the past weeks: busier by day than by night, busier in the week than at its end, the same for everybody who makes a demo.
export type Moment = { at: Date /** Stretches the time that a run took. */; stretch: number }

const dayMs = 86_400_000
/** Share of a day's orders in each hour, UTC. */
const hours = [1, 1, 0, 0, 1, 2, 4, 6, 8, 9, 8, 7, 7, 7, 6, 6, 6, 7, 8, 8, 6, 4, 3, 2]
const weekdays = [0.6, 1, 1.05, 1, 1.1, 1.25, 0.8]

export function orderMoments(perDay: number, days: number, seed: number): Moment[] {
  const random = randomFrom(seed)
  const hourSum = hours.reduce((sum, share) => sum + share, 0)
  const moments: Moment[] = []
  for (const day of daysBack(days)) {
    const growth = 0.75 + 0.25 * (1 - (Date.now() - day) / (days * dayMs))
    hours.forEach((share, hour) => {
      const expected = (perDay * growth * (weekdays[new Date(day).getUTCDay()] as number) * share) / hourSum
      const count = Math.floor(expected + random())
      for (let n = 0; n < count; n++)
        moments.push({ at: new Date(day + (hour + random()) * 3_600_000), stretch: 0.5 + 2 * random() ** 3 })
    })
  }
  return upToNow(moments)
}

/** Once a day at this hour. */
export function dailyMoments(hour: number, days: number, seed: number): Moment[] {
  const random = randomFrom(seed)
  return upToNow(
    daysBack(days).map((day) => ({ at: new Date(day + hour * 3_600_000 + random() * 2000), stretch: 0.7 + random() })),
  )
}

function daysBack(days: number): number[] {
  const today = Math.floor(Date.now() / dayMs) * dayMs
  return Array.from({ length: days }, (_, index) => today - (days - 1 - index) * dayMs)
}

/** In order, and a little before now: what follows really happens. */
function upToNow(moments: readonly Moment[]): Moment[] {
  return moments
    .filter(({ at }) => at.getTime() < Date.now() - 120_000)
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
}

function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}
