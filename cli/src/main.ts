// argv and environment come in here, exit codes go out here.
import { runProgram } from './program.ts'

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever reads may stop early, as `head` does.
  if (error.code === 'EPIPE') process.exit(0)
  const reason = error.code === 'ENOSPC' ? 'the disk is full' : error.message
  process.stderr.write(`The output could not be written: ${reason}.\n`)
  process.exit(1)
})
process.exitCode = await runProgram(process.argv.slice(2))
