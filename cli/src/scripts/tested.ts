import type { Difference } from './judge.ts'

export type Tested = {
  workflow: string
  file: string
  name: string
  ok: boolean
  durationMs: number
  differences: Difference[]
}
