// Every pair of operations that change the same rows, at the same moment: what is answered and what is left must be what one of the two orders
// would have given.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { proofRandom, proofSize } from '../harness/proof-size.ts'
import { startService, type TestService } from '../harness/service.ts'
import { lookAt, raceOperations, type StartState, setStage, startStates } from './operations.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

type Pair = { one: string; other: string; from: StartState }

const names = Object.keys(raceOperations)
const allPairs: Pair[] = names.flatMap((one, index) =>
  names.slice(index).flatMap((other) => startStates.map((from) => ({ one, other, from }))),
)
/** Those that were wrong once are never left out. */
const always: Pair[] = [
  { one: 'give', other: 'deleteSpare', from: 'deployed' },
  { one: 'give', other: 'deleteSpare', from: 'inDevelopment' },
  { one: 'delete', other: 'run', from: 'deployed' },
  { one: 'deploy', other: 'deleteGiven', from: 'inDevelopment' },
]

type Play = (typeof raceOperations)[string]

async function play({ one, other, from }: Pair, how: 'oneFirst' | 'otherFirst' | 'together') {
  const at = await setStage(service, from)
  const [first, second] = [raceOperations[one] as Play, raceOperations[other] as Play]
  const answers =
    how === 'together'
      ? await Promise.all([first(at), second(at)])
      : how === 'oneFirst'
        ? [await first(at), await second(at)]
        : [await second(at), await first(at)].reverse()
  return { statuses: answers.map(({ status }) => status), left: await lookAt(service, at), answers }
}

it('two operations at the same moment do what one after the other would have done', async () => {
  const random = proofRandom()
  const size = proofSize('RACE_PAIRS', { small: 10, large: allPairs.length })
  const rounds = proofSize('RACE_ROUNDS', { small: 2, large: 5 })
  const others = random.shuffle(allPairs).slice(0, Math.max(0, size - always.length))
  const wrong: string[] = []
  let played = 0
  for (const pair of [...always, ...others]) {
    const orders = [await play(pair, 'oneFirst'), await play(pair, 'otherFirst')]
    const expected = orders.map(({ statuses, left }) => JSON.stringify({ statuses, left }))
    for (let round = 0; round < rounds; round++) {
      const { statuses, left, answers } = await play(pair, 'together')
      played++
      const seen = JSON.stringify({ statuses, left })
      if (!expected.includes(seen))
        wrong.push(
          `${pair.one} and ${pair.other}, ${pair.from}: ${seen} instead of ${[...new Set(expected)].join(' or ')} (${answers
            .map(({ text }) => text)
            .join(' ')})`,
        )
    }
  }
  console.log(`${played} pairs of operations at the same moment, of ${names.length} operations; wrong: ${wrong.length}`)
  expect(wrong).toEqual([])
})
