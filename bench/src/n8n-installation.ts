// n8n, installed from npm into a cache folder the first time it is needed.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A version that installs from the registry alone. */
const version = '2.30.8'

/** Libraries that cannot be had from every registry. No measured workflow uses them. */
const replacements = { xlsx: '0.18.5', cssomnom: 'npm:rrweb-cssom@0.8.0' }

/** The path of its program. PATCHBAY_BENCH_N8N names another installation, or is `off`. */
export async function findOrInstallN8n(): Promise<string> {
  const given = process.env['PATCHBAY_BENCH_N8N']
  if (given === 'off') throw new Error('switched off by PATCHBAY_BENCH_N8N')
  const folder = given ?? join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'patchbay', `n8n-${version}`)
  const program = join(folder, 'node_modules', 'n8n', 'bin', 'n8n')
  if (existsSync(program)) return program
  if (given !== undefined) throw new Error(`There is no n8n in ${given}.`)
  await install(folder)
  return program
}

/** Beside its place first, so that an interrupted installation is not taken for a whole one. */
async function install(folder: string): Promise<void> {
  const unfinished = `${folder}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  const wanted = { private: true, dependencies: { n8n: version }, overrides: replacements }
  writeFileSync(join(unfinished, 'package.json'), JSON.stringify(wanted))
  console.log(`Installing n8n ${version} into ${folder} …`)
  const options = { cwd: unfinished, timeout: 20 * 60_000, maxBuffer: 64 * 1024 * 1024 }
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], options)
  renameSync(unfinished, folder)
}
