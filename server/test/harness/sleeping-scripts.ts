/**
 * What a neighbour with keys can do to script processes: scripts that hold one for as long as they may. Each is started by several accounts of
 * one organization; an account of another organization must not notice.
 */
export type ScriptAttack = {
  name: string
  script: string
  accounts: number
  runsPerAccount: number
  /** A run is stopped between blocks, and where a script sleeps: this one never does. */
  cannotBeStopped?: true
}

const everywhere = { accounts: 3, runsPerAccount: 40 }

export const sleepingScripts: readonly ScriptAttack[] = [
  { name: 'sleep for ten minutes', script: 'await sleep(600000)', ...everywhere },
  { name: 'sleep without end', script: 'for (;;) await sleep(60000)', ...everywhere },
  {
    name: 'sleep many times at once',
    script: 'await Promise.all(Array.from({ length: 1000 }, () => sleep(600000)))',
    ...everywhere,
  },
  { name: 'sleep briefly, for ever', script: 'for (;;) await sleep(1)', ...everywhere },
  { name: 'compute without end', script: 'for (;;);', cannotBeStopped: true, ...everywhere },
  { name: 'compute and sleep in turns', script: loopFor(900, 'await sleep(1)'), ...everywhere },
  {
    name: 'wait for a sleep that was left behind',
    script: 'sleep(600000); await sleep(600000); return 1',
    ...everywhere,
  },
  {
    name: 'hold much memory while asleep',
    script: 'const a = new Array(8e6).fill(1.5); await sleep(600000); return a.length',
    ...everywhere,
  },
]

function loopFor(ms: number, between: string): string {
  return `for (;;) { const end = Date.now() + ${ms}; while (Date.now() < end); ${between} }`
}
