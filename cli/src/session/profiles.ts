// Profiles: where an installation is and the keys for it, in the user's configuration directory, readable by the user alone.
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Failure } from '../failure.ts'

export type Profile = { url: string; consumer: string; secretKey: string }
type Stored = { current: string; profiles: Record<string, Profile> }

export type Environment = Readonly<Record<string, string | undefined>>

export function profilesPath(env: Environment): string {
  const base =
    env['XDG_CONFIG_HOME'] ||
    (process.platform === 'win32' && env['APPDATA'] ? env['APPDATA'] : join(env['HOME'] || homedir(), '.config'))
  return join(base, 'patchbay', 'profiles.json')
}

export function readProfiles(env: Environment): Stored {
  const path = profilesPath(env)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: 'default', profiles: {} }
    throw error
  }
  try {
    return JSON.parse(text) as Stored
  } catch {
    // The content is not repeated: it holds keys.
    throw new Failure(`${path} is not valid JSON. Repair it, or delete it and run "patchbay login" again.`)
  }
}

/** Whole or not at all: another command may read at the same time, and a full disk must not cost the other profiles. */
export function saveProfile(env: Environment, name: string, profile: Profile): void {
  const path = profilesPath(env)
  const stored = readProfiles(env)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const written = `${path}.${process.pid}`
  try {
    const next: Stored = { current: name, profiles: { ...stored.profiles, [name]: profile } }
    writeFileSync(written, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 })
    chmodSync(written, 0o600)
    renameSync(written, path)
  } finally {
    rmSync(written, { force: true })
  }
}
