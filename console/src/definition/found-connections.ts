// Connections that a workflow was not given yet although its scripts call them. Where just one fits, nobody is asked for it.
import { listSizeMax } from '@patchbay/sdk'
import { useMemo } from 'react'
import { useOperation } from '../api.ts'
import type { Block, WorkflowDetail } from './workflow-draft.ts'

const calls = /\bapi\s*\.\s*(?:get|post|put|patch|delete|send)\s*\(\s*['"`]([A-Za-z0-9_-]+)(?=[/'"`?])/g

/** Short names of applications that these blocks call: api.get('SHOP/orders') names SHOP. */
export function calledNames(chain: readonly Block[]): string[] {
  const named = chain.flatMap(({ script, applicationShortName }) => [
    ...(applicationShortName === null || applicationShortName === undefined ? [] : [applicationShortName]),
    ...[...(script ?? '').matchAll(calls)].map(([, name]) => name as string),
  ])
  const first = new Map<string, string>()
  for (const name of named) if (!first.has(name.toLowerCase())) first.set(name.toLowerCase(), name)
  return [...first.values()]
}

/** By short name, as the workflow takes them. */
export function useFoundConnections(workflow: WorkflowDetail, chain: readonly Block[]): Record<string, string> {
  const names = useMemo(() => calledNames(chain), [chain])
  const given = new Set(Object.keys(workflow.applications).map((name) => name.toLowerCase()))
  const wanted = names.filter((name) => !given.has(name.toLowerCase()))
  const connections = useOperation(
    'RegApplicationsSearch',
    { body: { size: listSizeMax } },
    { enabled: wanted.length > 0, staleTime: 30_000 },
  ).data?.regApplications
  const found: Record<string, string> = {}
  for (const name of wanted) {
    const fitting = (connections ?? []).filter(
      ({ shortName, isAuthenticated }) => isAuthenticated && shortName.toLowerCase() === name.toLowerCase(),
    )
    const [only] = fitting
    if (only && fitting.length === 1) found[only.shortName] = only.id
  }
  return found
}
