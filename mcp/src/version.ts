import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Of the nearest package: this workspace in the repository, the whole package where it was installed. */
export function installedVersion(): string {
  let folder = import.meta.dirname
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version
}
