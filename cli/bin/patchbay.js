#!/usr/bin/env node
// Runs on any Node from 20 on, so it is plain JavaScript and uses nothing newer. The rest needs Node 24, which the package brings.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const compiled = new URL('../src/main.js', import.meta.url)
// The packed package holds compiled files, the repository the sources.
const program = existsSync(compiled) ? compiled : new URL('../src/main.ts', import.meta.url)
const nodeMajorNeeded = 24

// Before the rest is loaded, so that all of it is compiled once. Node 20 has no such cache.
module.enableCompileCache?.()
if (Number(process.versions.node.split('.')[0]) >= nodeMajorNeeded) await import(program.href)
else runWith(findPackagedNode())

function findPackagedNode() {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('node/package.json'))
    const found = ['bin/node', 'bin/node.exe'].map((name) => join(folder, name)).find((path) => existsSync(path))
    if (found) return found
  } catch {
    // Said below.
  }
  process.stderr.write(
    `patchbay needs Node ${nodeMajorNeeded}; this is ${process.version}, and the copy that the package brings was not installed.\n` +
      'Run "npm install" again without --ignore-scripts and --omit=optional, or install Node 24.\n',
  )
  process.exit(1)
}

function runWith(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  // The terminal sends Ctrl-C to both; the child decides when to end.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    process.stderr.write(`patchbay could not be started: ${error.message}\n`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
