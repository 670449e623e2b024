// A registry on loopback that serves what is installed here. So `npm install` of a packed package can be tested as a customer does it, with
// nothing but the packages that it names, and without the network.
import { execFile } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

type Manifest = { name: string; version: string }
type Installed = { folder: string; manifest: Manifest }

export async function startOwnRegistry(modules: string): Promise<AsyncDisposable & { url: string }> {
  const own = mkdtempSync(join(tmpdir(), 'patchbay-registry-'))
  const installed = [nodeOfPlatform(modules, own), ...findInstalled(modules)]
  const server = createServer(async (request, response) => {
    const [path = '/', archive] = decodeURIComponent(request.url ?? '/').split('?')
    const versions = installed.filter(({ manifest }) => `/${manifest.name}` === path)
    const [newest] = versions
    if (!newest) return void response.writeHead(404).end('{}')
    const wanted = versions.find(({ manifest }) => manifest.version === archive)
    if (wanted) return void response.end(await archiveOf(wanted.folder))
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify(describe(newest.manifest.name, versions, `http://${request.headers.host}`)))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
      rmSync(own, { recursive: true, force: true })
    },
  }
}

function describe(name: string, versions: readonly Installed[], origin: string) {
  const entries = versions.map(({ manifest }) => [
    manifest.version,
    { ...manifest, dist: { tarball: `${origin}/${name}?${manifest.version}` } },
  ])
  return { name, 'dist-tags': { latest: versions[0]?.manifest.version }, versions: Object.fromEntries(entries) }
}

/** The package `node` gets its program from one for each platform while it is installed; only the program stays. */
function nodeOfPlatform(modules: string, own: string): Installed {
  const { version } = JSON.parse(readFileSync(join(modules, 'node/package.json'), 'utf8')) as Manifest
  const { platform, arch } = process
  const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'
  const manifest = { name: `${prefix}-${platform}-${arch}`, version, bin: { node: 'bin/node' } }
  const folder = join(own, manifest.name)
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  copyFileSync(join(modules, 'node/bin/node'), join(folder, 'bin/node'))
  return { folder, manifest }
}

/** As they lie: the tree has more than one version of some. */
function findInstalled(modules: string): Installed[] {
  if (!existsSync(modules)) return []
  return readdirSync(modules, { withFileTypes: true }).flatMap((entry) => {
    const path = join(modules, entry.name)
    // Links are our own workspaces, which are no packages of a registry.
    if (!entry.isDirectory() || entry.name.startsWith('.')) return []
    if (entry.name.startsWith('@')) return findInstalled(path)
    const file = join(path, 'package.json')
    const own = existsSync(file) ? [{ folder: path, manifest: JSON.parse(readFileSync(file, 'utf8')) as Manifest }] : []
    return [...own, ...findInstalled(join(path, 'node_modules'))]
  })
}

/** Not compressed: it is read once, on this machine. What lies nested in a package is a package of its own. */
async function archiveOf(folder: string): Promise<Buffer> {
  const name = basename(folder)
  const words = ['-cf', '-', `--exclude=${name}/node_modules`, `--transform=s,^${name},package,`, name]
  const { stdout } = await run('tar', words, { cwd: dirname(folder), encoding: 'buffer', maxBuffer: 1024 ** 3 })
  return stdout
}
