// A process of the attackers: they compute and send from here, so that neither the honest clients nor the service share their event loop.
import { Assault, type Battlefield } from './assault.ts'
import { answerOfTarget, attacks } from './attacks.ts'
import { startHttpTarget } from './http-target.ts'

export type Order = { begin: string[]; field: Battlefield } | { end: true }
export type Report = { targetOrigin: string } | { hasBegun: true } | { ends: Record<string, Record<string, number>> }

const target = await startHttpTarget(({ url }) => answerOfTarget(url))
// Made before anything is measured.
answerOfTarget('wide')
const report = (message: Report) => process.send?.(message)

/** What an attack aims at may be used up by others, so it is not waited for without end. */
const reachMsMax = 60_000

let underWay: { name: string; assault: Assault; begun: Promise<void>; reaches: readonly string[] }[] = []

process.on('message', async (order: Order) => {
  if ('begin' in order) {
    underWay = attacks
      .filter(({ name }) => order.begin.includes(name))
      .map(({ name, begin, reaches }) => {
        const assault = new Assault(order.field)
        return { name, assault, begun: Promise.resolve(begin(assault, order.field)), reaches }
      })
    const hasBegun = () => underWay.every(({ assault, reaches }) => assault.hasReached(reaches))
    for (const end = performance.now() + reachMsMax; !hasBegun() && performance.now() < end; )
      await new Promise((done) => setTimeout(done, 20))
    report({ hasBegun: true })
    return
  }
  await Promise.all(underWay.map(({ assault }) => assault.end()))
  await Promise.all(underWay.map(({ begun }) => begun))
  report({ ends: Object.fromEntries(underWay.map(({ name, assault }) => [name, assault.ends])) })
})
process.on('disconnect', () => process.exit())
report({ targetOrigin: target.origin })
