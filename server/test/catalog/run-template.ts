import { runInContext } from 'node:vm'
import type { ChainElement } from '../../src/catalog/format/definition.ts'
import { bareContext, shippedCatalog } from './bare-context.ts'

export type Surroundings = {
  api: unknown
  vault?: Map<string, unknown>
  dateLastRun?: string | null
  webhook?: unknown
  variables?: Record<string, unknown>
}

/** Runs one script as a block would run it, with plain stand-ins for what the engine provides. */
export async function runScript(
  script: string,
  datasource: unknown[],
  variables: Record<string, unknown>,
  around: Surroundings,
) {
  const vault = around.vault ?? new Map<string, unknown>()
  const log: string[] = []
  let stopped: boolean | null = null
  const context = bareContext({
    Datasource: JSON.parse(JSON.stringify(datasource)),
    getVariables: () => variables,
    variables,
    api: around.api,
    dateLastRun: around.dateLastRun ?? null,
    webhook: around.webhook ?? null,
    run: { workflowId: 'w', runNumber: 1, runBy: 'API', idempotencyKey: 'k', input: null },
    session: { vars: {} },
    console: { log: (line: string) => log.push(line) },
    myVault: {
      get: (key: string) => vault.get(key) ?? null,
      set: (key: string, value: unknown) => Boolean(vault.set(key, value)),
      contains: (key: string) => vault.has(key),
    },
    stop: (flag: boolean) => {
      stopped = flag
    },
  })
  runInContext('fx.stopAfterThisBlock = stop', context)
  const result: unknown = await runInContext(`(async () => {\n${script}\n})()`, context, { timeout: 5000 })
  return {
    result: result === undefined ? null : JSON.parse(JSON.stringify(result)),
    log,
    stopped: stopped as boolean | null,
  }
}

export function findBlock(application: string | undefined, name: string) {
  const block = shippedCatalog.blockTemplates.find((item) => item.application === application && item.name === name)
  if (!block) throw new Error(`no block ${name}`)
  return block
}

/** Runs a shipped workflow template block by block in the order of its chain; answers the results by block name. */
export async function runTemplate(name: string, around: Surroundings) {
  const template = shippedCatalog.workflowTemplates.find((item) => item.name === name)
  if (!template) throw new Error(`no template ${name}`)
  const settings: Record<string, unknown> = {}
  for (const variable of template.variables)
    settings[variable.shortName] = around.variables?.[variable.shortName] ?? variable.default
  const results = new Map<string, unknown>()
  const byName: Record<string, unknown> = {}
  for (const element of template.chain) {
    const block = shippedCatalog.blockTemplates.find((item) => item.id === element.blockTemplateId)
    const sources = (element.dataSources ?? []).map((id) => results.get(id))
    const outcome = await runScript(
      block?.script ?? element.script ?? '',
      sources,
      bind(element, settings, block?.variables ?? []),
      around,
    )
    results.set(element.uniqueBlockId, outcome.result)
    byName[element.blockName] = outcome.result
    if (outcome.stopped !== null) return { ...byName, stopped: outcome.stopped }
  }
  return byName
}

function bind(
  element: ChainElement,
  settings: Record<string, unknown>,
  declared: readonly { shortName: string; default?: unknown }[],
) {
  const values: Record<string, unknown> = Object.fromEntries(
    declared.map((variable) => [variable.shortName, variable.default]),
  )
  for (const [name, binding] of Object.entries(element.variables ?? {})) {
    const value = binding.variableSource === 'Value' ? binding.value : settings[binding.variableName]
    if (value !== undefined) values[name] = value
  }
  return values
}
