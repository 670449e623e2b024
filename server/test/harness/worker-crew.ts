// Worker processes of their own, each started again when it ends, as a supervisor would do it.
import { eventually } from './eventually.ts'
import { type Program, startProgram } from './program.ts'
import type { Random } from './random.ts'
import type { TestService } from './service.ts'

export type WorkerCrew = AsyncDisposable & {
  programs(): Program[]
  /** Resolves when another is ready in its place. */
  killOne(random: Random): Promise<void>
  /** The last words of workers that ended although nobody killed them: one that starts while the database is away does. */
  endedByThemselves: string[]
}

export async function startCrew(service: TestService, size: number): Promise<WorkerCrew> {
  const slots: Program[] = []
  const endedByThemselves: string[] = []
  const over: Promise<unknown>[] = []
  let isEnding = false
  const fill = (slot: number): Program => {
    const program = startProgram('main', ['worker'], {
      PATCHBAY_DATABASE_URL: service.databaseUrl,
      PATCHBAY_DATA_DIR: service.dataDir,
      PATCHBAY_LOG_LEVEL: 'fatal',
    })
    slots[slot] = program
    over.push(
      program.ended.then((how) => {
        if (isEnding) return
        if (how !== 'SIGKILL') endedByThemselves.push(program.output().slice(-300))
        fill(slot)
      }),
    )
    return program
  }
  await Promise.all(Array.from({ length: size }, (_, slot) => fill(slot).saw(/worker is ready/)))
  return {
    programs: () => [...slots],
    async killOne(random) {
      const slot = random.below(size)
      const victim = slots[slot]
      victim?.kill('SIGKILL')
      await eventually(() => slots[slot] !== victim && slots[slot]?.output().includes('worker is ready'))
    },
    endedByThemselves,
    async [Symbol.asyncDispose]() {
      isEnding = true
      for (const program of slots) program.kill('SIGKILL')
      await Promise.all(over)
    },
  }
}
