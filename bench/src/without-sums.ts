// Loaded before the program (--import): a service that neither counts its runs nor feeds them to the index, to measure what both cost. The
// program itself has no such switch.
import { registerHooks } from 'node:module'

const leftOut: [path: string, name: string][] = [
  ['/server/src/activity/record.ts', 'countRuns'],
  ['/server/src/search/store.ts', 'insertFeed'],
]

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const found = leftOut.find(([path]) => url.endsWith(path))
    if (!found) return loaded
    const before = String(loaded.source)
    const declaration = `export async function ${found[1]}(`
    const source = before.replace(declaration, `export async function ${found[1]}() {}\nasync function leftOut(`)
    if (source === before) throw new Error(`${found[0]} no longer declares ${found[1]}.`)
    return { ...loaded, source }
  },
})
