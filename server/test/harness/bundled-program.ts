// The programs in a few files. Loading some nine hundred modules takes most of the time in which a process starts, and the tests start hundreds
// of processes.
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundlePrograms } from '../../../build/bundle-program.ts'
import { hashOf, keepOnce, root } from './test-cache.ts'

let folder: string | undefined

/** Where the bundle of these very sources lies. It is made when a test first starts a program, and by no other run until a source has changed. */
export function bundledProgram(): string {
  folder ??= keepOnce(`program-${hashSources()}`, (directory) => {
    execFileSync(process.execPath, [fileURLToPath(import.meta.url), directory], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  })
  return folder
}

function hashSources(): string {
  const sources = globSync('{server,contract,sdk,mcp}/src/**/*.ts', { cwd: root })
  const files = [...sources, 'package-lock.json', 'build/bundle-program.ts'].toSorted()
  return hashOf(files.flatMap((file) => [file, readFileSync(join(root, file))]))
}

if (import.meta.main) await bundlePrograms(process.argv[2] as string, ['run', 'admin'])
