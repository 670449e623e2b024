// Thousands of files are seconds of work for a processor, and nobody knows what is in them: they are read in a thread of their own, with an end
// in time and memory, so that the others do not wait for it and cannot fall with it.
import { Worker } from 'node:worker_threads'
import { AppError } from '../../lib/app-error.ts'
import type { KnownItems } from '../format/check-catalog.ts'
import { type ImportReading, type ImportSource, readImport } from './read-import.ts'

const readMsMax = 30_000
const memoryMbMax = 512
/** Characters that are read in less time than a thread takes to start. */
const smallSizeMax = 64 * 1024

export async function readImportApart(source: ImportSource, known: KnownItems): Promise<ImportReading> {
  if (sizeOf(source) <= smallSizeMax) return readImport(source, known)
  const thread = new Worker(new URL('./import-thread.ts', import.meta.url), {
    workerData: { source, known },
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMbMax },
  })
  return new Promise<ImportReading>((done, fail) => {
    // It ends by itself once it has answered.
    const timer = setTimeout(() => {
      fail(tooMuch('reading it takes too long'))
      void thread.terminate()
    }, readMsMax)
    thread.on('message', done)
    thread.on('error', (error: NodeJS.ErrnoException) =>
      fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch('reading it takes too much memory') : error),
    )
    thread.on('exit', () => {
      clearTimeout(timer)
      fail(new Error('The thread that reads an import ended without an answer.'))
    })
  })
}

function sizeOf(source: ImportSource): number {
  if (source.kind === 'openApi') return source.text.length
  return source.files.reduce((sum, file) => sum + file.path.length + file.content.length, 0)
}

function tooMuch(why: string): AppError {
  return new AppError('catalog_invalid', `The import cannot be processed: ${why}. Split it into several imports.`)
}
