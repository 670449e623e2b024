// The files under deploy/, checked by whatever runs here. What a machine lacks is skipped, and says so in its name.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap'
import { Service } from 'kubernetes-models/v1/Service'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '../src/config.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(join(root, 'deploy', path), 'utf8')
const isThere = (program: string) =>
  spawnSync(program, ['--version']).status === 0 || spawnSync(program, ['-v']).status === 0

/** Settings are real ones, in spelling and value; secrets and the database are added where a file leaves them to the operator. */
const acceptSettings = (env: Record<string, string>, role: 'api' | 'worker' | 'all') =>
  readConfig({ PATCHBAY_DATABASE_URL: 'postgresql://patchbay@database/patchbay', ...env }, role)

describe('Containerfile', () => {
  const steps = read('Containerfile')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

  it('runs as a number that is not root, from the packed program, with a data directory of its own', () => {
    expect(steps.findLast((step) => step.startsWith('USER'))).toMatch(/^USER [1-9]\d+:[1-9]\d+$/)
    const entry = JSON.parse(steps.find((step) => step.startsWith('ENTRYPOINT'))?.replace('ENTRYPOINT ', '') ?? '[]')
    const source = entry.at(-1).match(/dist\/(.*)\.js$/)?.[1]
    expect(existsSync(join(root, `${source}.ts`))).toBe(true)
    expect(steps.some((step) => step === 'VOLUME /data')).toBe(true)
  })

  it('is built on the Node that the package brings, named by its major version', () => {
    const images = steps.filter((step) => step.startsWith('FROM')).map((step) => step.split(' ')[1])
    const major = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies.node.split('.')[0]
    expect(steps[0]).toMatch(new RegExp(`^ARG BASE=\\S+/node:${major}-`))
    expect(images).toEqual(['$BASE', '$BASE'])
  })
})

describe('compose.yaml', () => {
  const compose = parse(read('compose.yaml'), { merge: true })

  it('starts a database, 2 API processes, 3 workers and a proxy', () => {
    const { database, api, worker, proxy } = compose.services
    expect([api.deploy.replicas, worker.deploy.replicas]).toEqual([2, 3])
    expect([api.command, worker.command]).toEqual([['api'], ['worker']])
    expect(database.networks).toEqual(['inside'])
    expect(compose.networks.inside.internal).toBe(true)
    expect(proxy.ports).toEqual(['8080:8080'])
    expect(
      Object.values(compose.services as Record<string, { ports?: string[] }>).filter(({ ports }) => ports),
    ).toHaveLength(1)
  })

  it.each(['api', 'worker'] as const)('the %s is locked down, and its settings are understood', (role) => {
    const service = compose.services[role]
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
    expect(acceptSettings(service.environment, role).shareStorage).toEqual({ kind: 'database' })
  })

  it('the files it names are there', () => {
    expect(existsSync(join(root, 'deploy', compose.configs.proxy.file))).toBe(true)
    expect(existsSync(join(root, compose.services.api.build.dockerfile))).toBe(true)
  })
})

describe('Kubernetes', () => {
  const kinds = { ConfigMap, Deployment, Service, PodDisruptionBudget, HorizontalPodAutoscaler }
  const documents = readdirSync(join(root, 'deploy/kubernetes')).flatMap((file) =>
    parseAllDocuments(read(`kubernetes/${file}`)).map((document) => ({ file, value: document.toJS() })),
  )

  it.each(documents.map(({ file, value }) => [`${file}: ${value.kind} ${value.metadata.name}`, value]))(
    '%s fits its schema',
    (_, value) => {
      const Kind = kinds[value.kind as keyof typeof kinds]
      expect(() => new Kind(value as never).validate()).not.toThrow()
    },
  )

  it('a field that is not right is found by that', () => {
    expect(() =>
      new Deployment({ apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 'two' } } as never).validate(),
    ).toThrow()
  })

  it('pods run without root on a read-only file system, with probes, budgets and an autoscaler each', () => {
    const deployments = documents.filter(({ value }) => value.kind === 'Deployment').map(({ value }) => value)
    const settings = documents.find(({ value }) => value.kind === 'ConfigMap')?.value.data
    for (const { metadata, spec } of deployments) {
      const { securityContext, containers } = spec.template.spec
      expect(securityContext.runAsNonRoot).toBe(true)
      for (const container of containers) {
        expect(container.securityContext).toMatchObject({
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
        })
        for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
          expect(container[probe].httpGet.path).toMatch(/^\/(livez|readyz)$/)
        acceptSettings(settings, container.args[0])
      }
      const role = metadata.labels['app.kubernetes.io/component']
      const has = (kind: string) =>
        documents.some(({ value }) => value.kind === kind && value.metadata.name === `patchbay-${role}`)
      expect([has('PodDisruptionBudget'), has('HorizontalPodAutoscaler')]).toEqual([true, true])
    }
    expect(deployments).toHaveLength(2)
  })
})

describe('proxy and units', () => {
  /** What an operator puts in place of the names in a configuration. */
  const placesOf = (text: string) =>
    Object.fromEntries(
      [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name], index) => [name, `127.0.0.1:${10_000 + index}`]),
    )

  it.skipIf(!isThere('haproxy')).each(['haproxy.cfg', 'cells/haproxy.cfg', 'ha/haproxy.cfg'])(
    'HAProxy accepts %s (skipped without haproxy)',
    (file) => {
      const map = join(mkdtempSync(join(tmpdir(), 'patchbay-map-')), 'moved.map')
      writeFileSync(map, '')
      const env = { PATH: process.env['PATH'], ...placesOf(read(file)), PATCHBAY_MOVED_MAP: map }
      const checked = spawnSync('haproxy', ['-c', '-f', join(root, 'deploy', file)], { encoding: 'utf8', env })
      rmSync(dirname(map), { recursive: true })
      expect([checked.status, checked.stderr]).toEqual([0, expect.not.stringMatching(/ALERT|WARNING/)])
    },
  )

  const units = readdirSync(join(root, 'deploy/systemd'))
  it.skipIf(!isThere('systemd-analyze'))('systemd accepts the units (skipped without systemd-analyze)', () => {
    const checked = spawnSync(
      'systemd-analyze',
      ['verify', ...units.map((unit) => join(root, 'deploy/systemd', unit))],
      { encoding: 'utf8' },
    )
    expect([checked.status, checked.stdout + checked.stderr]).toEqual([0, ''])
  })

  it.each(units)(
    '%s runs as a user of its own, on a file system it cannot change, with settings that exist',
    (unit) => {
      const text = read(`systemd/${unit}`)
      expect(text).toMatch(/^User=patchbay$/m)
      expect(text).toMatch(/^ProtectSystem=strict$/m)
      const settings = [...text.matchAll(/(PATCHBAY_[A-Z_]+)=(\S+)/g)].filter((found) => found[1] !== 'PATCHBAY_NAME')
      acceptSettings(Object.fromEntries(settings.map((found) => [found[1] as string, found[2] as string])), 'all')
      expect(settings.length).toBeGreaterThan(0)
    },
  )
})
