// Stripping types and compiling some three hundred files is half of a start, so the result is kept for the next one.
import { enableCompileCache } from 'node:module'

enableCompileCache()
await import('./run.ts')
