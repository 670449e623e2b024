// argv and environment come in here, exit codes go out here.
import { enableCompileCache } from 'node:module'

enableCompileCache()
const { runProgram } = await import('./program.ts')
process.exitCode = await runProgram(process.argv.slice(2))
