// Compiling what there is takes a quarter of a start, so the result is kept for the next one.
import { enableCompileCache } from 'node:module'
import { findBundle } from './compiled-program.ts'

enableCompileCache()
const bundle = findBundle()
await (bundle === undefined ? import('./run.ts') : import(bundle))
